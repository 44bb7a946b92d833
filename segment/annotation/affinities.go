package annotation

import (
	"context"

	"collie/segment"
	"collie/segment/timeline"
)

// Relate gives an image that nobody has worked on the affinities that its project has
// learned, in the name of the project; nil takes those away that it has.
func (a *Annotation) Relate(ctx context.Context, own *segment.Affinities) error {
	return a.amend(ctx, func(t *timeline.Timeline) *segment.Event {
		if t.Affinities().Same(own) {
			return nil
		}
		return &segment.Event{Kind: segment.Relate, Affinities: own}
	})
}

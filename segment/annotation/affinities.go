package annotation

import (
	"context"

	"collie/segment"
	"collie/segment/access"
)

// Relate gives an image that nobody has worked on the affinities that its project has
// learned, in the name of the project; nil takes those away that it has.
func (a *Annotation) Relate(ctx context.Context, own *segment.Affinities) error {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Annotate); err != nil {
		return err
	}
	a.mu.Lock()
	untouched, present := a.timeline.Untouched(), a.timeline.Affinities()
	a.mu.Unlock()
	if !untouched || present.Same(own) {
		return nil
	}
	_, err := a.beneathGuess(asProject(ctx), segment.Event{ID: segment.NewID(), Kind: segment.Relate, Affinities: own})
	return err
}

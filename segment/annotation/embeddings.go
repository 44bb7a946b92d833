package annotation

import (
	"cmp"
	"context"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/timeline"
)

// SetEmbedding lets hypotheses of the image compare superpixels by an embedding,
// too, as one event that can be undone, and returns the event's number; on return
// it is on disk. e has a point for each cell. How much it counts is what the
// project has learned from finished images; while that is nothing, the event
// changes no hypothesis, and the project adds another once it knows, unless
// somebody has worked on the image by then. A repeat with the same id and points
// returns the existing number.
func (a *Annotation) SetEmbedding(ctx context.Context, id string, e *segment.Embedding) (int, error) {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Annotate); err != nil {
		return 0, err
	}
	original, err := a.original(ctx, id)
	if err != nil {
		return 0, err
	}
	if w := cmp.Or(original.Embedding, a.lessons.EmbeddingWeight(ctx, a.image.ProjectID)); w != nil {
		e = e.Weighed(w)
	}
	seq, err := a.beneathGuess(ctx, segment.Event{ID: id, Kind: segment.Embed, Embedding: e})
	if err != nil {
		return 0, err
	}
	a.mu.Lock()
	progress := a.progress()
	a.mu.Unlock()
	if progress.Complete(a.cells.Area()) {
		a.lessons.Embedded(a.image.ProjectID)
	}
	return seq, nil
}

// Embedding returns the current embedding, or nil. It is shared and read-only.
func (a *Annotation) Embedding() *segment.Embedding {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.timeline.Embedding()
}

// WeighEmbedding gives the embedding of an image that nobody has worked on another
// weight, in the name of the project; nil leaves the one it has.
func (a *Annotation) WeighEmbedding(ctx context.Context, weight *segment.Embedding) error {
	return a.amend(ctx, func(t *timeline.Timeline) *segment.Event {
		if embedding := t.Embedding(); weight == nil || embedding == nil || embedding.WeighedLike(weight) {
			return nil
		}
		return &segment.Event{Kind: segment.Embed, Embedding: (&segment.Embedding{}).Weighed(weight)}
	})
}

// amend adds what else a project knows of an image that nobody has worked on, in the
// project's name: the event that next makes of the present state, nil for none.
func (a *Annotation) amend(ctx context.Context, next func(t *timeline.Timeline) *segment.Event) error {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Annotate); err != nil {
		return err
	}
	var e *segment.Event
	a.mu.Lock()
	if a.timeline.Untouched() {
		e = next(a.timeline)
	}
	a.mu.Unlock()
	if e == nil {
		return nil
	}
	e.ID = segment.NewID()
	_, err := a.beneathGuess(asProject(ctx), *e)
	return err
}

// beneathGuess is add in whatever state the image has. If that has only a project's
// guess, the event goes beneath it, so that the guess stays what an undo takes back first:
// in one step the guess is undone and added again afterwards.
func (a *Annotation) beneathGuess(ctx context.Context, e segment.Event) (seq int, err error) {
	defer a.changed(a.image.ID)
	sign(ctx, &e)
	for {
		a.mu.Lock()
		seq, stored, err := a.repeated(ctx, &e)
		at, guessed, scores := a.timeline.Seq(), a.timeline.Guessed(), inClasses(a.timeline.Scores(), a.table)
		a.mu.Unlock()
		if stored || err != nil {
			return seq, err
		}
		if !guessed {
			return a.add(ctx, current, e)
		}
		events := []segment.Event{{ID: segment.NewID(), Kind: segment.Undo}, e}
		if scores != nil {
			events = append(events, segment.Event{ID: segment.NewID(), Kind: segment.FirstGuess, Scores: scores})
		}
		if _, err = a.addAll(asProject(ctx), at, events); err == nil {
			return at + 2, nil
		}
		a.mu.Lock()
		overtaken := a.timeline.Seq() != at
		a.mu.Unlock()
		if segment.KindOf(err) != segment.Conflict || !overtaken {
			return 0, err
		}
	}
}

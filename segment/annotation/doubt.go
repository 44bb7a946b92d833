package annotation

import (
	"context"

	"collie/segment"
)

// noteDoubt stores how much of the image is probably wrong, so that lists can
// show doubtful images first. It does so once per sequence, when the sequence
// is complete. If storing fails, the list is slightly out of date.
func (a *Annotation) noteDoubt() {
	a.mu.Lock()
	sequence, noted := a.sequence, a.noted
	a.mu.Unlock()
	if sequence == nil || sequence == noted {
		return
	}
	doubt, ok := sequence.Doubt()
	if !ok {
		return
	}
	if err := a.store.NoteDoubt(context.Background(), a.image.ID, &doubt); err != nil {
		return
	}
	a.mu.Lock()
	a.noted = sequence
	a.mu.Unlock()
}

// forgetDoubt takes the doubt back once nothing is said of the image any more: it
// was about a guess that a person has removed, or about clicks that they have undone.
// If storing fails, the list is slightly out of date. The caller holds the lock.
func (a *Annotation) forgetDoubt(ctx context.Context, now segment.Progress) {
	if now.Untouched || now.Clicks > 0 || now.Decided > 0 || a.timeline.Scores() != nil {
		return
	}
	_ = a.store.NoteDoubt(context.WithoutCancel(ctx), a.image.ID, nil)
	a.noted = nil
}

// noteGuess stores the doubt of scores that are all that is said of the image. If storing
// fails, the list is slightly out of date.
func (a *Annotation) noteGuess(ctx context.Context, s *segment.Scores) {
	a.mu.Lock()
	progress := a.progress()
	a.mu.Unlock()
	if progress.OnlyHinted() {
		_ = a.store.NoteDoubt(context.WithoutCancel(ctx), a.image.ID, new(a.doubtOf(s)))
	}
}

// doubtOf returns the share of the area that a guess in the project's current classes is
// expected to get wrong.
func (a *Annotation) doubtOf(s *segment.Scores) float64 {
	wrong := 0.0
	_, shares := likeliest(s, a.FirstCut())
	for cell, region := range a.assistant.Cells.Regions {
		wrong += float64(region.Area) * (1 - float64(shares[cell])/255)
	}
	return wrong / float64(a.cells.Area())
}

package workspace

import (
	"context"
	"slices"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/engine"
	"collie/superpixels"
)

// supposition is the sequence of a label that may become the next event.
type supposition struct {
	clicks   []uint8 // all of them, with those of the label
	cut      *superpixels.Cut
	guess    *segment.Scores
	sequence *engine.Sequence
}

// Suppose returns the sequence of hypotheses that there would be if e, a label,
// were event number expected+1. Nothing changes. When the label comes, the
// sequence of the new state is the supposed one, so that what was made of it is
// not made again.
func (a *Annotation) Suppose(ctx context.Context, expected int, e segment.Event) (*engine.Sequence, error) {
	if err := a.guard.may(ctx, access.Annotate); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.readProject(ctx); err != nil {
		return nil, err
	}
	if err := a.resolve(expected, &e); err != nil {
		return nil, err
	}
	if e.Kind != segment.Label {
		return nil, segment.Errorf(segment.Invalid, "Only a label can be previewed, not an event of kind %q.", e.Kind)
	}
	clicks := a.timeline.Clicks()
	for _, s := range e.Superpixels {
		clicks[s] = uint8(e.Class)
	}
	a.supposed = supposition{clicks, a.timeline.Cut(), a.timeline.Scores(), a.sequenceOf(clicks, expected+1)}
	return a.supposed.sequence, nil
}

// sequenceOf makes the sequence for clicks on the present superpixels after seq
// events. The caller holds the lock.
func (a *Annotation) sequenceOf(clicks []uint8, seq int) *engine.Sequence {
	guess := engine.NewGuess(a.timeline.Scores(), a.table, a.timeline.First(), a.timeline.Cut(), a.cellGraph)
	sequence := engine.NewSequence(a.look().model, engine.Evidence{Clicks: a.table.Through(slices.Clone(clicks)), Guess: guess}, seq)
	sequence.TakeTurns(a.turns.of(a.image.ID))
	return sequence
}

// foreseen returns the supposed sequence when it is that of the present state,
// else nil. The caller holds the lock.
func (a *Annotation) foreseen() *engine.Sequence {
	s := &a.supposed
	if s.sequence == nil || s.sequence.Seq() != a.timeline.Seq() || s.cut != a.timeline.Cut() || s.guess != a.timeline.Scores() || !slices.Equal(s.clicks, a.timeline.Clicks()) {
		return nil
	}
	return s.sequence
}

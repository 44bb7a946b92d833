package workspace

import (
	"context"
	"slices"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/engine"
	"collie/superpixels"
)

// supposition is the sequence for a label that may become the next event.
type supposition struct {
	clicks      []uint8 // all clicks, including the label's
	cut         *superpixels.Cut
	guess       *segment.Scores
	constraints *segment.Constraints
	sequence    *engine.Sequence
}

// Suppose returns the sequence of hypotheses that would follow if e, a label,
// were event number expected+1. Nothing changes. If the label then arrives, the
// new state reuses this sequence and the hypotheses computed so far.
func (a *Annotation) Suppose(ctx context.Context, expected int, e segment.Event) (*engine.Sequence, error) {
	if err := a.guard.mayIn(ctx, a.image.ProjectID, access.Annotate); err != nil {
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
	evidence, clicks := a.evidence(), a.timeline.Clicks()
	for _, s := range e.Superpixels {
		clicks[s] = uint8(e.Class)
		evidence.Clicks[s] = a.table[e.Class]
		evidence.Holds.Click(expected+1, int(s))
	}
	a.supposed = supposition{clicks, a.timeline.Cut(), a.timeline.Scores(), a.timeline.Constraints(), a.sequenceOf(evidence, expected+1)}
	return a.supposed.sequence, nil
}

// sequenceOf makes the sequence for evidence on the current superpixels after
// seq events. The caller holds the lock.
func (a *Annotation) sequenceOf(evidence engine.Evidence, seq int) *engine.Sequence {
	sequence := engine.NewSequence(a.look().model, evidence, seq)
	sequence.TakeTurns(a.turns.of(a.image.ID))
	return sequence
}

// foreseen returns the supposed sequence if it matches the current state,
// otherwise nil. The caller holds the lock.
func (a *Annotation) foreseen() *engine.Sequence {
	s := &a.supposed
	if s.sequence == nil || s.sequence.Seq() != a.timeline.Seq() || s.cut != a.timeline.Cut() || s.guess != a.timeline.Scores() || s.constraints != a.timeline.Constraints() || !slices.Equal(s.clicks, a.timeline.Clicks()) {
		return nil
	}
	return s.sequence
}

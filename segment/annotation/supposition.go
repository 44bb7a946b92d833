package annotation

import (
	"context"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/engine"
)

// supposition is the sequence of an event that may become the next one.
type supposition struct {
	event    segment.Event
	sequence *engine.Sequence // nil when nothing is supposed
}

// Suppose returns the sequence of hypotheses that there would be if e, a click or
// a label, were event number expected+1. Nothing changes. When the event comes, the
// sequence of the new state is the supposed one, so that what was made of it is
// not made again.
func (a *Annotation) Suppose(ctx context.Context, expected int, e segment.Event) (*engine.Sequence, error) {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Annotate); err != nil {
		return nil, err
	}
	if err := a.refresh(ctx); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.resolve(expected, &e); err != nil {
		return nil, err
	}
	if e.Kind != segment.Label && e.Kind != segment.Click {
		return nil, segment.Errorf(segment.Invalid, "Only a click or a label can be previewed, not an event of kind %q.", e.Kind)
	}
	if e.Pick != nil {
		a.corrected(ctx, &e, &picked{})
	}
	e.ID = "" // which no event has
	before := *a.timeline
	a.timeline.Apply(e)
	a.supposed = supposition{e, a.sequenceOf()}
	a.timeline.Retract(before)
	return a.supposed.sequence, nil
}

// sequenceOf makes the sequence for the current state. The caller holds the lock.
func (a *Annotation) sequenceOf() *engine.Sequence {
	sequence := a.assistant.Sequence(a.timeline, a.look().model, a.table, a.project.PresentRest())
	sequence.TakeTurns(a.turn)
	sequence.WorkOn(a.workbench)
	return sequence
}

// foreseen returns the supposed sequence if it matches the current state,
// otherwise nil. The caller holds the lock.
func (a *Annotation) foreseen() *engine.Sequence {
	supposed, seq := &a.supposed, a.timeline.Seq()
	if supposed.sequence == nil || supposed.sequence.Seq() != seq {
		return nil
	}
	came := a.timeline.Events(seq - 1)
	if len(came) == 1 && supposed.event.Means(&came[0]) {
		return supposed.sequence
	}
	return nil
}

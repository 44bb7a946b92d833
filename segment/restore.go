package segment

import "slices"

// mark says where an event led. A state is named by the number of the event
// that first led to it, 0 before all events: undo, redo and restore lead to
// states that were there before.
type mark struct {
	state  int
	parent int // the state before, of an event that led to a new one
	about  int // number of the event that an undo took back or a redo brought back
}

// maxEffort bounds how many events all restores of an image play again, which
// opening it has to repeat: about two seconds of work.
const maxEffort = 10_000_000

// affords returns an Error when an event that has been checked would take more
// memory or time than an image is given.
func (t *Timeline) affords(e *Event) error {
	switch {
	case e.Kind == Import && pieces(t.cells, e.Repairs) > maxRuns:
		return Errorf(TooLarge, "The mask is too ragged: where it does not follow the image it has more than %d runs of pixels of one class. Nothing was changed.", maxRuns)
	case e.Kind == Pixels && t.runs+pieces(t.cells, e.Repairs) > maxRuns:
		return Errorf(TooLarge, "This image has as many repaired pixels as it can hold: %d runs of them. Label superpixels where whole ones are meant, which takes the repairs in them away. Nothing was changed.", maxRuns)
	case e.Kind == Restore && t.effort+len(t.path(t.stateAfter(e.To))) > maxEffort:
		return Errorf(TooLarge, "This image has been taken back to earlier states too often for one more time; undo still works. Nothing was changed.")
	}
	return nil
}

// stateAfter names the state after event number seq.
func (t *Timeline) stateAfter(seq int) int {
	if seq == 0 {
		return 0
	}
	return t.marks[seq-1].state
}

// path returns the numbers of the events that lead from nothing to a state.
func (t *Timeline) path(state int) []int {
	var events []int
	for ; state != 0; state = t.marks[state-1].parent {
		events = append(events, state)
	}
	slices.Reverse(events)
	return events
}

// rebuilt returns a timeline that is in a state that this one has been in; it
// has no events.
func (t *Timeline) rebuilt(state int) *Timeline {
	if state == t.state {
		return t
	}
	was := newTimeline(t.cells, t.start, t.cutter, t.cuts)
	path := t.path(state)
	for _, seq := range path {
		was.play(&t.events[seq-1])
	}
	t.effort += len(path)
	return was
}

// become takes over the labels, the repairs and the superpixels of another
// timeline and returns what that overwrote.
func (t *Timeline) become(other *Timeline) step {
	s := step{wanted: t.wanted, cut: t.cut}
	repaired := t.runs+other.runs > 0
	for i := range t.clicks {
		cell := int32(i)
		if t.clicks[i] == other.clicks[i] && t.accepted[i] == other.accepted[i] && slices.Equal(t.repairsIn(cell), other.repairsIn(cell)) {
			continue
		}
		s.cells = append(s.cells, cell)
		s.clicks, t.clicks[i] = append(s.clicks, t.clicks[i]), other.clicks[i]
		s.accepted, t.accepted[i] = append(s.accepted, t.accepted[i]), other.accepted[i]
		if repaired {
			s.repairs = append(s.repairs, t.repair(cell, other.repairsIn(cell)))
		}
	}
	t.wanted, t.cut = other.wanted, other.cut
	return s
}

package timeline

import (
	"slices"

	"collie/segment"
)

// mark is the state after an event. A state is named after the event that first
// led to it, 0 before all events; undo, redo and restore lead to earlier
// states.
type mark struct {
	state  int
	parent int // for an event with a new state, the state before it
	about  int // number of the event that was undone or redone
}

// maxEffort bounds the work of all restores of an image, which opening it
// repeats, in units of cost: a few seconds.
const maxEffort = 20_000_000

// cost estimates the work of playing an event in superpixels, cells or pixels,
// in units of some 0.2 µs.
func cost(e *segment.Event) int {
	n := 1 + len(e.Superpixels) + len(e.Cells)/8 + len(e.Points)
	if e.Pick != nil {
		n += len(e.Pick.Labels) / 8
	}
	for _, r := range e.Repairs {
		for pair := range slices.Chunk(r.Runs, 2) {
			n += 1 + int(pair[1])/64
		}
	}
	return n
}

// mark returns the mark of event number seq, which must be in memory.
func (t *Timeline) mark(seq int) mark { return t.marks[seq-1-t.forgotten] }

// About returns the number of the event that event number seq undid or redid, 0
// if it is no undo or redo. It must be in memory.
func (t *Timeline) About(seq int) int { return t.mark(seq).about }

// stateAfter names the state after event number seq.
func (t *Timeline) stateAfter(seq int) int {
	if seq == 0 {
		return 0
	}
	return t.mark(seq).state
}

// way leads to an earlier state.
type way struct {
	known  bool  // the state is the current one or one before a step that can be undone
	back   int   // if so, how many steps to undo
	path   []int // if not, the numbers of the events to play from the start
	effort int
}

// wayTo finds the way to a state: back along the undoable steps or, for a state
// on an abandoned branch, from the start.
func (t *Timeline) wayTo(state int) way {
	if state == t.state {
		return way{known: true}
	}
	for i, s := range slices.Backward(t.done) {
		if s.state == state {
			back := len(t.done) - i
			return way{known: true, back: back, effort: back}
		}
	}
	var w way
	for ; state != 0; state = t.mark(state).parent {
		w.path = append(w.path, state)
		w.effort += cost(t.event(state))
	}
	w.effort += len(t.done)
	slices.Reverse(w.path)
	return w
}

// rebuilt returns a timeline in an earlier state of this one; it has no events.
func (t *Timeline) rebuilt(state int) *Timeline {
	w := t.wayTo(state)
	t.effort += w.effort
	was := newTimeline(t.cells, t.start, t.cutter, t.cuts).Focus(t.graph)
	for _, seq := range w.path {
		was.play(t.event(seq))
	}
	if !w.known {
		return was
	}
	was.evidence, was.repairs = slices.Clone(t.evidence), slices.Clone(t.repairs)
	was.runs, was.setting = t.runs, t.setting
	for i := range w.back {
		s := &t.done[len(t.done)-1-i]
		for i, cell := range s.cells {
			was.evidence[cell] = s.evidence[i]
			if s.repairs != nil {
				was.repair(cell, s.repairs[i])
			}
		}
		was.setting = s.setting
	}
	return was
}

// After returns a timeline in the state after event number seq, which must be
// in memory; it has no events. Unlike a restore, it doesn't count towards
// maxEffort.
func (t *Timeline) After(seq int) *Timeline {
	defer func(effort int) { t.effort = effort }(t.effort)
	return t.rebuilt(t.stateAfter(seq))
}

// become takes over the labels, the repairs and the setting of another timeline
// and returns what that overwrote.
func (t *Timeline) become(other *Timeline) step {
	s := t.newStep()
	repaired := t.runs+other.runs > 0
	for i := range t.evidence {
		cell := int32(i)
		if t.evidence[i] == other.evidence[i] && slices.Equal(t.repairsIn(cell), other.repairsIn(cell)) {
			continue
		}
		s.cells = append(s.cells, cell)
		s.evidence, t.evidence[i] = append(s.evidence, t.evidence[i]), other.evidence[i]
		if repaired {
			s.repairs = append(s.repairs, t.repair(cell, other.repairsIn(cell)))
		}
	}
	t.setting = other.setting
	return s
}

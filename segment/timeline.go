package segment

import (
	"cmp"
	"slices"

	"collie/superpixels"
)

// Timeline is the evidence of one image played from the start: what has been
// clicked, what has been accepted, which pixels have been repaired, how fine the
// superpixels are, and what undo and redo would do. It is not safe for
// concurrent use.
//
// Clicks and labels are kept per cell, a superpixel of the finest map, so that
// nothing is lost when superpixels get coarser. Events speak of the superpixels
// of the cut in force. A new one comes with a granularity event and is made for
// the labelling of that moment, so every superpixel has one label; until the
// next it stays, and events label whole superpixels. Undo and redo of later
// events therefore find the cut that these were made for.
//
// Repairs lie over the labels: a pixel has the class of its repair, or else the
// label of its cell. A later label or clear of a superpixel takes the repairs
// within it away; to accept a hypothesis leaves them. They are kept per cell, so
// a step remembers what was in the cells that it touched and nothing else.
type Timeline struct {
	cells    *superpixels.Map
	cutter   Cutter
	wanted   int // superpixels asked for
	cut      *superpixels.Cut
	clicks   []uint8 // class the person clicked per cell, or Void
	accepted []uint8 // class taken over from a hypothesis per cell, or Void
	repairs  [][]run // per cell, ascending; lists are immutable; nil before the first
	runs     int     // of all cells
	repaired int     // number of the event that last changed a repair
	seqs     map[string]int
	events   []Event
	done     []step // what undo takes back, last first
	undone   []step // what redo brings back, last first
}

// Cutter makes the coarsest superpixels that are at least as fine as the given
// number of them asks for and hold one label each, for a label per cell. It must
// always answer the same.
type Cutter func(superpixels int, labels []uint8) *superpixels.Cut

// step holds what an event overwrote; when the event has been undone, what it
// wrote.
type step struct {
	cells    []int32
	clicks   []uint8
	accepted []uint8
	repairs  [][]run // nil when the event met none and made none
	wanted   int
	cut      *superpixels.Cut
}

// NewTimeline returns the timeline without evidence of an image that has the
// given cells and starts with so many superpixels.
func NewTimeline(cells *superpixels.Map, start int, cutter Cutter) *Timeline {
	void := slices.Repeat([]uint8{Void}, cells.N)
	return &Timeline{
		cells: cells, cutter: cutter, wanted: start, cut: cutter(start, void),
		clicks: void, accepted: slices.Clone(void), seqs: map[string]int{},
	}
}

// Seq is the number of events so far.
func (t *Timeline) Seq() int { return len(t.events) }

// Events returns the events after number seq; the caller must not change them.
func (t *Timeline) Events(after int) []Event {
	return t.events[min(max(after, 0), len(t.events)):]
}

// Find returns the event with the given client-made id.
func (t *Timeline) Find(id string) (*Event, bool) {
	seq, ok := t.seqs[id]
	if !ok {
		return nil, false
	}
	return &t.events[seq-1], true
}

// UndoDepth and RedoDepth say how many steps can be taken back and brought back.
func (t *Timeline) UndoDepth() int { return len(t.done) }
func (t *Timeline) RedoDepth() int { return len(t.undone) }

// Cut returns the superpixels in force. It is shared and immutable.
func (t *Timeline) Cut() *superpixels.Cut { return t.cut }

// Wanted is the number of superpixels that was asked for last; where labels
// have to be kept apart the cut has more.
func (t *Timeline) Wanted() int { return t.wanted }

// Clicks returns the clicked class per superpixel, Void where there is none: a
// superpixel is clicked when a part of it is. The slice is the caller's.
func (t *Timeline) Clicks() []uint8 {
	clicks := slices.Repeat([]uint8{Void}, t.cut.N)
	for cell, c := range t.clicks {
		if c != Void {
			clicks[t.cut.Parent[cell]] = c
		}
	}
	return clicks
}

// Labelling returns what would be exported: per superpixel the clicked class,
// else the accepted one, else Void. The slice is the caller's.
func (t *Timeline) Labelling() []uint8 {
	labels := make([]uint8, t.cut.N)
	for cell, l := range t.cellLabels() {
		labels[t.cut.Parent[cell]] = l
	}
	return labels
}

// cellLabels is the labelling per cell. The slice is the caller's.
func (t *Timeline) cellLabels() []uint8 {
	labels := slices.Clone(t.accepted)
	for cell, c := range t.clicks {
		if c != Void {
			labels[cell] = c
		}
	}
	return labels
}

// Possible reports, as an Error of kind Conflict, that there is nothing to undo
// or redo. Every other event is possible at any time.
func (t *Timeline) Possible(kind EventKind) error {
	switch {
	case kind == Undo && len(t.done) == 0:
		return &Error{Kind: Conflict, Detail: "There is nothing to undo.", Seq: t.Seq()}
	case kind == Redo && len(t.undone) == 0:
		return &Error{Kind: Conflict, Detail: "There is nothing to redo.", Seq: t.Seq()}
	}
	return nil
}

// Apply plays e, which has been checked and is Possible, as the next event.
func (t *Timeline) Apply(e Event) {
	e.Seq = len(t.events) + 1
	t.events = append(t.events, e)
	t.seqs[e.ID] = e.Seq
	switch e.Kind {
	case Undo:
		t.undone = append(t.undone, t.exchange(pop(&t.done)))
	case Redo:
		t.done = append(t.done, t.exchange(pop(&t.undone)))
	default:
		t.undone = nil
		t.done = append(t.done, t.play(&t.events[e.Seq-1]))
	}
}

// pop takes the last step off the list.
func pop(steps *[]step) step {
	last := len(*steps) - 1
	s := (*steps)[last]
	(*steps)[last] = step{}
	*steps = (*steps)[:last]
	return s
}

// exchange puts what a step holds in place and returns the step with what was
// there before.
func (t *Timeline) exchange(s step) step {
	for i, cell := range s.cells {
		s.clicks[i], t.clicks[cell] = t.clicks[cell], s.clicks[i]
		s.accepted[i], t.accepted[cell] = t.accepted[cell], s.accepted[i]
		if s.repairs != nil {
			s.repairs[i] = t.repair(cell, s.repairs[i])
		}
	}
	s.wanted, t.wanted = t.wanted, s.wanted
	s.cut, t.cut = t.cut, s.cut
	return s
}

// repair sets the repairs of a cell and returns those that were there.
func (t *Timeline) repair(cell int32, runs []run) []run {
	if t.repairs == nil {
		t.repairs = make([][]run, t.cells.N)
	}
	before := t.repairs[cell]
	t.repairs[cell] = runs
	if len(before)+len(runs) > 0 {
		t.runs += len(runs) - len(before)
		t.repaired = t.Seq()
	}
	return before
}

// play carries out an event and returns what it overwrote.
func (t *Timeline) play(e *Event) step {
	var above []cellRuns
	var cells []int32
	if e.Kind == Pixels {
		above = divide(t.cells, runsOf(e.Repairs))
		for _, a := range above {
			cells = append(cells, a.cell)
		}
	} else {
		cells = t.touched(e)
	}
	s := step{
		cells: cells, clicks: make([]uint8, len(cells)), accepted: make([]uint8, len(cells)),
		wanted: t.wanted, cut: t.cut,
	}
	if e.Kind == Pixels || (e.Kind == Label || e.Kind == Clear) && t.runs > 0 {
		s.repairs = make([][]run, len(cells))
	}
	for i, cell := range cells {
		s.clicks[i], s.accepted[i] = t.clicks[cell], t.accepted[cell]
		switch e.Kind {
		case Label:
			t.clicks[cell] = uint8(e.Class)
		case Clear:
			t.clicks[cell], t.accepted[cell] = Void, Void
		case Accept:
			// A hypothesis contradicts no click, but one on a class that was
			// deleted without another in its place says nothing any more.
			l := e.Pick.Labels[t.cut.Parent[cell]]
			if t.clicks[cell] != l {
				t.clicks[cell] = Void
			}
			t.accepted[cell] = l
		}
		switch {
		case e.Kind == Pixels:
			var below []run
			if t.repairs != nil {
				below = t.repairs[cell]
			}
			s.repairs[i] = t.repair(cell, overlay(below, above[i].runs))
		case s.repairs != nil:
			s.repairs[i] = t.repair(cell, nil)
		}
	}
	if e.Kind == Granularity {
		t.wanted, t.cut = e.Regions, t.cutter(e.Regions, t.cellLabels())
	}
	return s
}

// allRuns returns the present repairs by their first pixel.
func (t *Timeline) allRuns() []run {
	runs := make([]run, 0, t.runs)
	for _, list := range t.repairs {
		runs = append(runs, list...)
	}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.start, b.start) })
	return runs
}

// touched returns the cells of the superpixels that e writes, in order.
func (t *Timeline) touched(e *Event) []int32 {
	if len(e.Superpixels) == 0 && e.Kind != Accept {
		return nil
	}
	named := make([]bool, t.cut.N)
	for _, s := range e.Superpixels {
		named[s] = true
	}
	all := e.Kind == Accept && len(e.Superpixels) == 0
	var cells []int32
	for cell, s := range t.cut.Parent {
		if all || named[s] {
			cells = append(cells, int32(cell))
		}
	}
	return cells
}

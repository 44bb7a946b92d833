package timeline

import (
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// Grow makes room for as many more events, as slices.Grow does.
func (t *Timeline) Grow(events int) {
	t.events, t.marks = slices.Grow(t.events, events), slices.Grow(t.marks, events)
	t.done = slices.Grow(t.done, events)
}

// Apply plays e as the next event. It must have passed Check and Possible.
func (t *Timeline) Apply(e segment.Event) {
	e.Seq = t.Seq() + 1
	t.events = append(t.events, e)
	t.seqs[e.ID] = e.Seq
	t.weight += weigh(&e)
	t.worked = t.worked || byPerson(&e)
	var m mark
	switch e.Kind {
	case segment.Undo:
		s := pop(&t.done)
		m.about = s.event
		t.undone = append(t.undone, t.exchange(s))
	case segment.Redo:
		s := pop(&t.undone)
		m.about = s.event
		t.done = append(t.done, t.exchange(s))
	default:
		m.parent = t.state
		s := t.play(t.event(e.Seq))
		s.event, s.state, s.bytes = e.Seq, t.state, t.size(&s)
		t.kept += s.bytes
		t.undone = nil
		t.done = append(t.done, s)
		if t.state = e.Seq; e.Kind == segment.Restore {
			t.state = t.stateAfter(e.To)
		}
	}
	m.state = t.state
	t.marks = append(t.marks, m)
}

// byPerson reports whether an event is a person's work. Old servers had users whose name
// was the project's, which does nothing but make guesses and take them back.
func byPerson(e *segment.Event) bool {
	switch e.Kind {
	case segment.Embed, segment.Relate:
		return false
	case segment.FirstGuess, segment.Undo:
		return e.By != segment.ByProject
	}
	return true
}

// Retract undoes the Apply of the last event; before is the timeline before it.
// O(what the event changed).
func (t *Timeline) Retract(before Timeline) {
	e := &t.events[len(t.events)-1]
	switch e.Kind {
	case segment.Undo:
		t.done = append(t.done, t.exchange(pop(&t.undone)))
	case segment.Redo:
		t.undone = append(t.undone, t.exchange(pop(&t.done)))
	default:
		t.exchange(pop(&t.done))
		t.undone = before.undone
	}
	delete(t.seqs, e.ID)
	delete(t.cuts, e.Seq)
	t.events, t.marks = before.events, before.marks
	t.repaired, t.effort, t.weight, t.kept, t.worked = before.repaired, before.effort, before.weight, before.kept, before.worked
}

// pop removes and returns the last step of the list.
func pop(steps *[]step) step {
	last := len(*steps) - 1
	s := (*steps)[last]
	(*steps)[last] = step{}
	*steps = (*steps)[:last]
	return s
}

// exchange swaps the state in a step with the current one.
func (t *Timeline) exchange(s step) step {
	for i, cell := range s.cells {
		s.evidence[i], t.evidence[cell] = t.evidence[cell], s.evidence[i]
		if s.repairs != nil {
			s.repairs[i] = t.repair(cell, s.repairs[i])
		}
	}
	s.setting, t.setting = t.setting, s.setting
	s.state, t.state = t.state, s.state
	return s
}

// repair sets the repairs of a cell and returns the previous ones.
func (t *Timeline) repair(cell int32, runs []run) []run {
	before := t.repairsIn(cell)
	if slices.Equal(before, runs) {
		return before
	}
	if t.repairs == nil {
		t.repairs = make([][]run, t.cells.N)
	}
	t.merged.changed(cell, before)
	t.repairs[cell] = runs
	t.runs += len(runs) - len(before)
	t.repaired = t.Seq()
	return before
}

// repairsIn returns the repairs of a cell.
func (t *Timeline) repairsIn(cell int32) []run {
	if t.repairs == nil {
		return nil
	}
	return t.repairs[cell]
}

// play carries out an event and returns what it overwrote. Its effect depends
// only on the event and the timeline's state.
func (t *Timeline) play(e *segment.Event) step {
	switch e.Kind {
	case segment.Restore:
		return t.become(t.rebuilt(t.stateAfter(e.To)))
	case segment.Import:
		return t.become(t.imported(e))
	case segment.FirstGuess:
		s := t.newStep()
		t.guess, t.shown = e.Scores, nil
		return s
	case segment.Embed:
		s := t.newStep()
		t.embedding, t.shown = e.Embedding, nil
		if e.Embedding != nil && len(e.Embedding.Values) == 0 {
			t.embedding = s.embedding.Weighed(e.Embedding)
		}
		return s
	case segment.Relate:
		s := t.newStep()
		t.affinities, t.shown = e.Affinities, nil
		return s
	case segment.Granularity:
		s := t.newStep()
		t.wanted, t.base = e.Regions, t.cutOf(e, e.Regions, t.Cells())
		t.cut, t.shown = t.base, nil
		return s
	case segment.Pixels:
		return t.paint(divide(t.cells, runsOf(e.Repairs)))
	case segment.Outline, segment.Exclude, segment.Lock, segment.Unlock, segment.Instance:
		return t.constrain(e)
	case segment.Click:
		return t.click(e)
	}
	return t.write(e)
}

// newStep returns a step with the state that is not kept per cell.
func (t *Timeline) newStep() step {
	return step{setting: t.setting}
}

// paint puts runs over the repairs of cells.
func (t *Timeline) paint(above []cellRuns) step {
	s := t.newStep()
	for _, a := range above {
		s.cells = append(s.cells, a.cell)
		s.evidence = append(s.evidence, t.evidence[a.cell])
		s.repairs = append(s.repairs, t.repair(a.cell, overlay(t.repairsIn(a.cell), a.runs)))
	}
	return s
}

// write carries out an event that sets or clears labels of superpixels.
func (t *Timeline) write(e *segment.Event) step {
	cells := t.touched(e)
	s := t.overwrite(cells, e.Kind != segment.Accept)
	for _, cell := range cells {
		at := &t.evidence[cell]
		switch e.Kind {
		case segment.Label:
			*at = evidence{clicked: uint8(e.Class), accepted: at.accepted, clickedAt: int32(e.Seq)}
		case segment.Clear:
			*at = evidence{clicked: segment.Void, accepted: segment.Void}
		case segment.Accept:
			// A hypothesis contradicts no click, but a click on a class that
			// was deleted without a replacement no longer counts.
			l := e.Pick.Labels[t.cut.Parent[cell]]
			if at.clicked != l {
				at.clicked, at.clickedAt = segment.Void, 0
			}
			at.accepted, at.pickedAt = l, int32(e.Seq)
		}
	}
	switch {
	case e.Kind != segment.Accept:
		t.readmit(e, cells)
		if e.Kind == segment.Clear {
			t.shown = nil
		}
	case len(e.Superpixels) == 0:
		t.shown = t.look(e)
	}
	return s
}

// overwrite returns the step that holds what is in cells, which are shared; with
// bare it takes the repairs there away.
func (t *Timeline) overwrite(cells []int32, bare bool) step {
	s := t.newStep()
	s.cells, s.evidence = cells, make([]evidence, len(cells))
	if t.runs > 0 && bare {
		s.repairs = make([][]run, len(cells))
	}
	for i, cell := range cells {
		s.evidence[i] = t.evidence[cell]
		if s.repairs != nil {
			s.repairs[i] = t.repair(cell, nil)
		}
	}
	return s
}

// cutOf returns the cut that an event makes for the given labels of cells;
// replaying the event returns the same one.
func (t *Timeline) cutOf(e *segment.Event, superpixels int, labels []uint8) *superpixels.Cut {
	cut, ok := t.cuts[e.Seq]
	if !ok {
		cut = t.cutter(superpixels, labels)
		t.cuts[e.Seq] = cut
	}
	return cut
}

// touched returns the cells of the superpixels that e writes, which are shared:
// nobody writes to them. An accept names superpixels of the cut, other events
// those of the base.
func (t *Timeline) touched(e *segment.Event) []int32 {
	m := t.whole()
	if e.Kind == segment.Accept && t.cut != t.base {
		if t.parts.cut != t.cut {
			t.parts = membersOf(t.cut)
		}
		m = &t.parts
	}
	if e.Kind == segment.Accept && len(e.Superpixels) == 0 {
		return m.cells
	}
	if len(e.Superpixels) == 1 {
		return m.of(e.Superpixels[0])
	}
	named := slices.Clone(e.Superpixels)
	slices.Sort(named)
	var cells []int32
	for _, s := range slices.Compact(named) {
		cells = append(cells, m.of(s)...)
	}
	return cells
}

// In returns the cells of a superpixel of Base. They are shared.
func (t *Timeline) In(superpixel int32) []int32 { return t.whole().of(superpixel) }

// whole returns the members of the base cut.
func (t *Timeline) whole() *members {
	if t.members.cut != t.base {
		t.members = membersOf(t.base)
	}
	return &t.members
}

// members are the cells of each superpixel of a cut.
type members struct {
	cut   *superpixels.Cut
	cells []int32 // by superpixel, then ascending
	first []int32 // index of the first cell of each superpixel, and the end
}

func membersOf(cut *superpixels.Cut) members {
	m := members{cut: cut, cells: make([]int32, len(cut.Parent)), first: make([]int32, cut.N+1)}
	for _, s := range cut.Parent {
		m.first[s+1]++
	}
	for s := range cut.N {
		m.first[s+1] += m.first[s]
	}
	next := slices.Clone(m.first)
	for cell, s := range cut.Parent {
		m.cells[next[s]] = int32(cell)
		next[s]++
	}
	return m
}

func (m *members) of(superpixel int32) []int32 {
	return m.cells[m.first[superpixel]:m.first[superpixel+1]:m.first[superpixel+1]]
}

package segment

import "slices"

// Timeline is the evidence of one image played from the start: what has been
// clicked, what has been accepted, and what undo and redo would do. It is not
// safe for concurrent use.
type Timeline struct {
	clicks   []uint8 // class the person clicked per superpixel, or Void
	accepted []uint8 // class taken over from a hypothesis per superpixel, or Void
	seqs     map[string]int
	events   []Event
	done     []step // what undo takes back, last first
	undone   []int  // indices into events that redo brings back, last first
}

// step is an event that stands, with what it overwrote.
type step struct {
	event    int
	nodes    []int32
	clicks   []uint8
	accepted []uint8
}

// NewTimeline returns the timeline of an image with n superpixels and no evidence.
func NewTimeline(n int) *Timeline {
	void := slices.Repeat([]uint8{Void}, n)
	return &Timeline{clicks: void, accepted: slices.Clone(void), seqs: map[string]int{}}
}

// Replay returns the timeline of an image with n superpixels and the given evidence.
func Replay(n int, events []Event) *Timeline {
	t := NewTimeline(n)
	for _, e := range events {
		t.Apply(e)
	}
	return t
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

// Clicks returns the clicked class per superpixel, Void where there is none.
// The slice is the timeline's own.
func (t *Timeline) Clicks() []uint8 { return t.clicks }

// Labelling returns what would be exported: per superpixel the clicked class,
// else the accepted one, else Void. The slice is the caller's.
func (t *Timeline) Labelling() []uint8 {
	labels := slices.Clone(t.accepted)
	for i, c := range t.clicks {
		if c != Void {
			labels[i] = c
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
		t.takeBack()
	case Redo:
		last := len(t.undone) - 1
		index := t.undone[last]
		t.undone = t.undone[:last]
		t.play(index)
	default:
		t.undone = t.undone[:0]
		t.play(e.Seq - 1)
	}
}

// takeBack restores what the last step that stands had overwritten.
func (t *Timeline) takeBack() {
	last := t.done[len(t.done)-1]
	t.done = t.done[:len(t.done)-1]
	for i, node := range last.nodes {
		t.clicks[node] = last.clicks[i]
		t.accepted[node] = last.accepted[i]
	}
	t.undone = append(t.undone, last.event)
}

// play carries out event number index and remembers what it overwrote.
func (t *Timeline) play(index int) {
	e := &t.events[index]
	nodes := t.touched(e)
	s := step{event: index, nodes: nodes, clicks: make([]uint8, len(nodes)), accepted: make([]uint8, len(nodes))}
	for i, node := range nodes {
		s.clicks[i], s.accepted[i] = t.clicks[node], t.accepted[node]
		switch e.Kind {
		case Label:
			t.clicks[node] = uint8(e.Class)
		case Clear:
			t.clicks[node], t.accepted[node] = Void, Void
		case Accept:
			t.accepted[node] = e.Pick.Labels[node]
		}
	}
	t.done = append(t.done, s)
}

// touched returns the superpixels that e writes, each once, so that undo
// restores what was there before the event.
func (t *Timeline) touched(e *Event) []int32 {
	if e.Kind == Accept && len(e.Superpixels) == 0 {
		all := make([]int32, len(t.clicks))
		for i := range all {
			all[i] = int32(i)
		}
		return all
	}
	nodes := slices.Clone(e.Superpixels)
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

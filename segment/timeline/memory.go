package timeline

import (
	"maps"
	"reflect"
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// Forget drops all but the last keep events once there are twice as many, so
// that it costs O(1) per event. The labelling is kept.
func (t *Timeline) Forget(keep int) {
	if len(t.events) < 2*keep {
		return
	}
	old := len(t.events) - keep
	for i := range t.events[:old] {
		delete(t.seqs, t.events[i].ID)
	}
	t.forgotten += old
	t.events, t.marks = slices.Clone(t.events[old:]), slices.Clone(t.marks[old:])
	maps.DeleteFunc(t.cuts, func(seq int, _ *superpixels.Cut) bool { return 0 < seq && seq <= t.forgotten })
	n, _ := slices.BinarySearchFunc(t.done, t.forgotten+1, func(s step, seq int) int { return s.event - seq })
	t.deeper += n
	t.done = slices.Clone(t.done[n:])
}

// Forgotten returns how many of the oldest events are no longer in memory.
func (t *Timeline) Forgotten() int { return t.forgotten }

// Holds reports whether an event of a kind can be played with the events in
// memory.
func (t *Timeline) Holds(kind segment.EventKind) bool {
	switch {
	case t.forgotten == 0:
		return true
	case kind == segment.Undo:
		return len(t.done) > 0
	}
	return kind != segment.Restore
}

// Blank returns a timeline of the same image without evidence. It shares the
// cuts made for t's events; the two can be used concurrently.
func (t *Timeline) Blank() *Timeline {
	return newTimeline(t.cells, t.start, t.cutter, maps.Clone(t.cuts)).Focus(t.graph)
}

// Sizes in memory, in bytes.
var eventBytes = int(reflect.TypeFor[segment.Event]().Size()+reflect.TypeFor[step]().Size()) + 100 // with its id, twice

const (
	touchedBytes  = 4 + 12 // a changed cell, with its previous evidence
	repairedBytes = 24     // the list of its previous runs
	runBytes      = 12     // a run of repaired pixels
	parentBytes   = 4      // of a cell, in a cut
	boxBytes      = 40
	excludedBytes = 8
	objectBytes   = 12
	drawnBytes    = 32 // an object with drawn pixels, besides these
)

// maxLog is the limit, in bytes, of an image's log in memory. Opening the image
// and looking back read the whole log.
const maxLog = 64 << 20

// maxKept is the limit, in bytes, of what the steps of all events keep. Opening the
// image makes all of them before it forgets most: an event can undo any of those
// before it.
const maxKept = 128 << 20

// weigh estimates the memory of an event and of its step in bytes.
func weigh(e *segment.Event) int {
	n := eventBytes + 4*len(e.Superpixels) + 16*len(e.Points) + len(e.Cells) + 4*len(e.Instances) + len(e.Former)
	for _, r := range e.Repairs {
		n += 4 * len(r.Runs)
	}
	for _, o := range e.Drawn {
		n += drawnBytes + 4*len(o.Runs)
	}
	if e.Pick != nil {
		n += len(e.Pick.Labels)
	}
	if e.Scores != nil {
		n += len(e.Scores.Shares)
	}
	if e.Embedding != nil {
		n += len(e.Embedding.Values)
	}
	if e.Affinities != nil {
		n += len(e.Affinities.Model)
	}
	return n
}

// size estimates the memory of what the last step keeps, in bytes: what its event
// overwrote, and the new version of what is not kept per cell.
func (t *Timeline) size(s *step) int {
	n := touchedBytes * len(s.cells)
	for _, runs := range s.repairs {
		n += repairedBytes + runBytes*len(runs)
	}
	if t.cut != s.cut {
		n += parentBytes * t.cells.N
	}
	if t.base != s.base && t.base != t.cut {
		n += parentBytes * t.cells.N
	}
	if t.shown != s.shown && t.shown != nil {
		n += t.cells.N
	}
	now, before := t.constraints, s.constraints
	return n + boxBytes*added(now.Boxes, before.Boxes) + added(now.Locked, before.Locked) +
		excludedBytes*added(now.Excluded, before.Excluded) + objectBytes*added(now.Objects, before.Objects)
}

// added returns the length of a list, 0 if it is the one before.
func added[T any](now, before []T) int {
	if len(now) == len(before) && (len(now) == 0 || &now[0] == &before[0]) {
		return 0
	}
	return len(now)
}

// Bytes estimates the memory of the events and the steps in bytes.
func (t *Timeline) Bytes() int {
	n := 0
	for i := range t.events {
		n += weigh(&t.events[i])
	}
	for i := range t.done {
		n += t.done[i].bytes
	}
	return n + runBytes*(t.runs+len(t.merged.runs)) + parentBytes*t.cells.N*len(t.cuts)
}

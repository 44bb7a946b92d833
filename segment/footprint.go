package segment

import (
	"reflect"

	"collie/superpixels"
)

// What things take in memory, in bytes.
var (
	regionBytes = int(reflect.TypeFor[superpixels.Region]().Size())
	edgeBytes   = int(reflect.TypeFor[superpixels.Edge]().Size())
	eventBytes  = int(reflect.TypeFor[Event]().Size()+reflect.TypeFor[step]().Size()) + 100 // with its id, twice
)

const (
	cellBytes       = 8 + 4 + 2 // a merge, a parent, a click and a label
	superpixelBytes = 1000      // of the model of a cut and a sequence on it
	touchedBytes    = 4 + 2     // a cell that an event changes, with what it overwrites
	repairedBytes   = 24        // the list of the runs that it overwrites there
	runBytes        = 12        // a run of repaired pixels
)

// footprint is about how many bytes of memory the annotation takes: the runs of
// the finest map, the graph, the model and a sequence on it, the evidence.
func (a *Annotation) footprint() int64 {
	n := a.cells.Bytes() + regionBytes*len(a.cellGraph.Regions) + edgeBytes*len(a.cellGraph.Edges) + cellBytes*a.cells.N
	a.mu.Lock()
	defer a.mu.Unlock()
	n += superpixelBytes*a.timeline.Cut().N + a.timeline.footprint()
	return int64(n)
}

// footprint is about how many bytes the events and the steps take.
func (t *Timeline) footprint() int {
	n := eventBytes * len(t.events)
	for i := range t.events {
		e := &t.events[i]
		n += 4*len(e.Superpixels) + 16*len(e.Points) + len(e.Cells)
		for _, r := range e.Repairs {
			n += 4 * len(r.Runs)
		}
		if e.Pick != nil {
			n += len(e.Pick.Labels)
		}
		if e.Scores != nil {
			n += len(e.Scores.Shares)
		}
	}
	for i := range t.done {
		n += touchedBytes * len(t.done[i].cells)
		for _, runs := range t.done[i].repairs {
			n += repairedBytes + runBytes*len(runs)
		}
	}
	return n + runBytes*(t.runs+len(t.merged.runs)) + 4*t.cells.N*len(t.cuts)
}

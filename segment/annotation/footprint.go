package annotation

import (
	"reflect"

	"collie/superpixels"
)

// Sizes in memory, in bytes.
var (
	regionBytes = int(reflect.TypeFor[superpixels.Region]().Size())
	edgeBytes   = int(reflect.TypeFor[superpixels.Edge]().Size())
)

const (
	cellBytes       = 2*8 + 4 + 2 // a merge of the hierarchy and of the graph, a parent, a click and a label
	superpixelBytes = 600         // of the model of a cut and a sequence at rest on it
	learnedBytes    = 520         // more with learned affinities
	dividedBytes    = 300         // of a cell, more when clicks have divided superpixels
	partBytes       = 650         // more of a part of a divided one: its appearance and borders
)

// footprint estimates the annotation's memory in bytes, without what the assistant
// remembers in its cache: the runs of the finest map, the graph, the model, a sequence on
// it, the evidence, and all of it where somebody looks at the history.
func (a *Annotation) footprint() int64 {
	n := a.cells.Bytes() + regionBytes*len(a.assistant.Cells.Regions) + edgeBytes*len(a.assistant.Cells.Edges) + cellBytes*a.cells.N
	a.mu.Lock()
	defer a.mu.Unlock()
	superpixels := a.timeline.Cut().N
	n += superpixelBytes*superpixels + a.timeline.Bytes()
	if a.assistant.Parameters.Affinities != nil {
		n += learnedBytes * superpixels
	}
	if e := a.timeline.Embedding(); e.Counts() {
		n += 4 * e.Dims * (a.cells.N + a.timeline.Cut().N)
	}
	if cut, base := a.timeline.Cut(), a.timeline.Base(); cut != base {
		n += dividedBytes*a.cells.N + partBytes*(cut.N-base.N)
	}
	return int64(n) + a.past.bytes.Load()
}

package workspace

import (
	"reflect"

	"collie/superpixels"
)

// What things take in memory, in bytes.
var (
	regionBytes = int(reflect.TypeFor[superpixels.Region]().Size())
	edgeBytes   = int(reflect.TypeFor[superpixels.Edge]().Size())
)

const (
	cellBytes       = 8 + 4 + 2 // a merge, a parent, a click and a label
	superpixelBytes = 1000      // of the model of a cut and a sequence on it
)

// footprint is about how many bytes of memory the annotation takes: the runs of
// the finest map, the graph, the model and a sequence on it, the evidence.
func (a *Annotation) footprint() int64 {
	n := a.cells.Bytes() + regionBytes*len(a.cellGraph.Regions) + edgeBytes*len(a.cellGraph.Edges) + cellBytes*a.cells.N
	a.mu.Lock()
	defer a.mu.Unlock()
	n += superpixelBytes*a.timeline.Cut().N + a.timeline.Bytes()
	return int64(n)
}

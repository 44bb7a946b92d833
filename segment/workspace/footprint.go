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
	cellBytes       = 2*8 + 4 + 2 // a merge of the hierarchy and of the graph, a parent, a click and a label
	superpixelBytes = 1350        // of the model of a cut and a sequence on it
	learnedBytes    = 600         // more with learned affinities and some dozen clicks
)

// footprint is about how many bytes of memory the annotation takes: the runs of
// the finest map, the graph, the model and a sequence on it, the evidence.
func (a *Annotation) footprint() int64 {
	n := a.cells.Bytes() + regionBytes*len(a.cellGraph.Regions) + edgeBytes*len(a.cellGraph.Edges) + cellBytes*a.cells.N
	a.mu.Lock()
	defer a.mu.Unlock()
	each := superpixelBytes
	if a.parameters.Affinities != nil {
		each += learnedBytes
	}
	n += each*a.timeline.Cut().N + a.timeline.Bytes()
	return int64(n)
}

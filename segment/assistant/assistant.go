// Package assistant answers the evidence of an image with hypotheses: it puts what a
// timeline holds in terms of the engine. The server and the experiments that
// measure it share it, so that what is measured is what people get.
package assistant

import (
	"collie/segment"
	"collie/segment/engine"
	"collie/segment/timeline"
	"collie/superpixels"
)

// Assistant is the one of an image. It is immutable and safe for concurrent use.
type Assistant struct {
	Hierarchy  *superpixels.Hierarchy
	Cells      *superpixels.Graph // of the finest superpixels
	Parameters engine.Parameters
}

// Timeline returns the timeline without evidence that starts with a number of
// superpixels; cells is the finest map.
func (a *Assistant) Timeline(cells *superpixels.Runs, start int) *timeline.Timeline {
	return timeline.New(cells, start, func(n int, labels []uint8) *superpixels.Cut {
		return a.Hierarchy.Cut(a.Cells, n, labels, segment.Void)
	}).Focus(a.Cells)
}

// Model returns the model of a cut.
func (a *Assistant) Model(cut *superpixels.Cut) *engine.Model {
	return engine.ModelOf(a.Hierarchy, a.Cells, cut, a.Parameters)
}

// Sequence returns the hypotheses for the state of a timeline; m is the model of
// its cut. With the table deleted classes are resolved, and rest is what nobody
// clicks.
func (a *Assistant) Sequence(t *timeline.Timeline, m *engine.Model, table *segment.ClassTable, rest segment.Rest) *engine.Sequence {
	return engine.NewSequence(m, a.Evidence(t, m, table, rest), t.Seq())
}

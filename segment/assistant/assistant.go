// Package assistant answers the evidence of an image with hypotheses: it
// translates a timeline's state for the engine. The server and the experiments
// share it, so that they measure what people get.
package assistant

import (
	"collie/segment"
	"collie/segment/engine"
	"collie/segment/timeline"
	"collie/superpixels"
)

// Assistant is an image's assistant. It is immutable and safe for concurrent
// use.
type Assistant struct {
	Hierarchy  *superpixels.Hierarchy
	Cells      *superpixels.Graph // of the finest superpixels
	Parameters engine.Parameters
}

// Timeline returns a timeline without evidence and with the given initial
// number of superpixels; cells is the finest map.
func (a *Assistant) Timeline(cells *superpixels.Runs, start int) *timeline.Timeline {
	return timeline.New(cells, start, func(n int, labels []uint8) *superpixels.Cut {
		return a.Hierarchy.Cut(a.Cells, n, labels, segment.Void)
	}).Focus(a.Cells)
}

// Model returns the model of a cut.
func (a *Assistant) Model(cut *superpixels.Cut) *engine.Model {
	return engine.ModelOf(a.Hierarchy, a.Cells, cut, a.Parameters)
}

// Sequence returns the hypotheses for the state of a timeline; m is the model
// of its cut. table resolves deleted classes, and rest is what unclicked
// regions become.
func (a *Assistant) Sequence(t *timeline.Timeline, m *engine.Model, table *segment.ClassTable, rest segment.Rest) *engine.Sequence {
	return engine.NewSequence(m, a.Evidence(t, m, table, rest), t.Seq())
}

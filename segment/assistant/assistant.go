// Package assistant answers the evidence of an image with hypotheses: it
// translates a timeline's state for the engine. The server and the experiments
// share it, so that they measure what people get.
package assistant

import (
	"slices"
	"sync"

	"collie/segment"
	"collie/segment/affinity"
	"collie/segment/engine"
	"collie/segment/timeline"
	"collie/superpixels"
)

// Assistant is an image's assistant. Its fields must not change once it is used.
// Safe for concurrent use.
type Assistant struct {
	Hierarchy  *superpixels.Hierarchy
	Cells      *superpixels.Graph // of the finest superpixels
	Parameters engine.Parameters
	Cache      *engine.Cache // of all images' models; nil: what they remember has no bound

	mu    sync.Mutex
	cut   *superpixels.Cut // that model is of
	known Known            // by the model
	model *engine.Model    // the last one of an undivided cut
}

// Known is what is known of an image besides its pixels and clicks; zero for nothing.
type Known struct {
	Embedding  *segment.Embedding
	Affinities *segment.Affinities
}

// KnownTo returns what a timeline knows.
func KnownTo(t *timeline.Timeline) Known { return Known{t.Embedding(), t.Affinities()} }

func (k Known) same(other Known) bool {
	return k == other || k.Embedding.Same(other.Embedding) && k.Affinities.Same(other.Affinities)
}

// Timeline returns a timeline without evidence and with the given initial
// number of superpixels; cells is the finest map.
func (a *Assistant) Timeline(cells *superpixels.Runs, start int) *timeline.Timeline {
	return timeline.New(cells, start, func(n int, labels []uint8) *superpixels.Cut {
		return a.Hierarchy.Cut(a.Cells, n, labels, segment.Void)
	}).Focus(a.Cells)
}

// Model returns the model of a cut. Models of divisions of the same cut share most of
// their work.
func (a *Assistant) Model(cut *superpixels.Cut, k Known) *engine.Model {
	return a.whole(cut.Undivided(), k).Divided(cut)
}

// whole returns the model of an undivided cut and keeps it for the next call.
func (a *Assistant) whole(cut *superpixels.Cut, k Known) *engine.Model {
	if !k.Embedding.Counts() {
		k.Embedding = nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cut == nil || a.cut != cut && !slices.Equal(a.cut.Parent, cut.Parent) || !a.known.same(k) {
		model := engine.ModelOf(a.Hierarchy, a.Cells, cut, a.parameters(k.Affinities))
		a.cut, a.known, a.model = cut, k, model.Embed(engine.NewEmbedding(k.Embedding, cut, a.Cells)).RememberIn(a.Cache)
	}
	return a.model
}

// parameters are those with the affinities that a project has learned, if it has and
// this version of the program can read them. Formulas set by hand stay.
func (a *Assistant) parameters(own *segment.Affinities) engine.Parameters {
	if own == nil || a.Parameters.Affinities == nil {
		return a.Parameters
	}
	m := new(affinity.Model)
	if err := m.UnmarshalBinary(own.Model); err != nil {
		return a.Parameters
	}
	return a.Parameters.With(m)
}

// Remembered is how many bytes what the model remembers in the cache takes, roughly.
func (a *Assistant) Remembered() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.model == nil {
		return 0
	}
	return a.model.Remembered()
}

// Sequence returns the hypotheses for the state of a timeline; m is the model
// of its cut. table resolves deleted classes, and rest is what unclicked
// regions become.
func (a *Assistant) Sequence(t *timeline.Timeline, m *engine.Model, table *segment.ClassTable, rest segment.Rest) *engine.Sequence {
	return engine.NewSequence(m, a.Evidence(t, m, table, rest), t.Seq())
}

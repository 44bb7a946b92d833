package engine

import (
	"sync"

	"collie/crf"
	"collie/segment/affinity"
	"collie/superpixels"
)

// learned are affinities from a trained model.
type learned struct {
	*Parameters
	graph *superpixels.Graph
	field *affinity.Field

	// Similarities of superpixels that were asked for, for experiments, which click
	// on one model again and again. A model that can be divided keeps them in its
	// affinity.Cells instead.
	mu           sync.Mutex
	similarities *affinity.Kept[[]float64]
}

// mostSimilarities are kept for the next hypotheses, enough for clicks on all of 630
// superpixels.
const mostSimilarities = 400_000

// newLearned makes the affinities of a graph; e can be nil.
func newLearned(g *superpixels.Graph, p *Parameters, e *Embedding) *learned {
	field := p.Affinities.Field(g)
	if e != nil {
		field = field.With(e)
	}
	return &learned{Parameters: p, graph: g, field: field, similarities: affinity.NewKept[[]float64](mostSimilarities / len(g.Regions))}
}

func (a *learned) conductances() []crf.Edge {
	c := make([]crf.Edge, len(a.graph.Edges))
	for i, odds := range a.field.Edges() {
		e := &a.graph.Edges[i]
		c[i] = crf.Edge{A: e.A, B: e.B, W: a.learned(e, odds)}
	}
	return c
}

// learned is the conductance of a border with the given log odds.
func (p *Parameters) learned(e *superpixels.Edge, odds float64) float64 {
	log := float64(p.Odds*odds) + p.Offset + float64(p.Length*crf.Log(float64(e.Length)))
	return min(crf.Exp(log), float64(p.Most*HandMade.handMade(e))) + p.Floor
}

// similarity computes what it does not remember.
func (a *learned) similarity(i int, _ []float64) []float64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known, ok := a.similarities.Get(int32(i)); ok {
		return known
	}
	odds := a.field.Pairs(i)
	out := make([]float64, len(odds))
	for j, z := range odds {
		out[j] = a.alike(z)
	}
	a.similarities.Put(int32(i), out)
	return out
}

func (a *learned) clicks(fixed []int16, k int) *comparison { return oneByOne(a, fixed, k) }

// alike turns log odds into a similarity.
func (p *Parameters) alike(odds float32) float64 {
	if d := p.Steep * (float64(odds) - p.Sure); d >= 0 {
		return 1
	} else if d > leastLogSimilarity {
		return crf.Exp(d)
	}
	return 0
}

// leastLogSimilarity is the logarithm of the similarity below which two
// superpixels have nothing in common: e^-20 is far below Doubtful.
const leastLogSimilarity = -20

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

	mu   sync.Mutex
	odds map[int][]float32 // by superpixel, for reuse
}

// mostOdds is how many numbers are kept for the next hypotheses, enough for 400
// clicks on 630 superpixels.
const mostOdds = 250_000

func newLearned(g *superpixels.Graph, p *Parameters) *learned {
	return &learned{Parameters: p, graph: g, field: p.Affinities.Field(g), odds: map[int][]float32{}}
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

func (a *learned) similarity(i int) []float64 { return a.similarities(a.pairs(i)) }

// similarities turns log odds into similarities.
func (p *Parameters) similarities(odds []float32) []float64 {
	out := make([]float64, len(odds))
	for j, z := range odds {
		if d := p.Steep * (float64(z) - p.Sure); d >= 0 {
			out[j] = 1
		} else if d > leastLogSimilarity {
			out[j] = crf.Exp(d)
		}
	}
	return out
}

// leastLogSimilarity is the logarithm of the similarity below which two
// superpixels have nothing in common: e^-20 is far below Doubtful.
const leastLogSimilarity = -20

// pairs returns the log odds that superpixel i and each other one are of one
// class.
func (a *learned) pairs(i int) []float32 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if odds, ok := a.odds[i]; ok {
		return odds
	}
	if (len(a.odds)+1)*len(a.graph.Regions) > mostOdds {
		clear(a.odds)
	}
	a.odds[i] = a.field.Pairs(i)
	return a.odds[i]
}

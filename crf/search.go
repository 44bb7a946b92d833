package crf

import (
	"math"
	"math/rand/v2"
)

// Constants of the search, in units of the mean |weight|; found on the models
// with negative edges of `../shared/data/map-models`.
const (
	kickNoise   = 3.0
	kickHeat    = 2.0
	kickRounds  = 5
	coolingTime = 0.75 // part of the kicks until the temperature is 0
)

// search is iterated local search: two tree moves on noisy unaries kick the
// current labelling, tree moves on the true ones repair it, and the crossover
// decides for each changed region by itself whether it stays. So one kick
// tries many local changes at once, whatever the size of the model.
type search struct {
	current, trial []uint8
	calm           []float64 // the true unaries while the noisy ones are in use
}

func newSearch(g *graph) *search {
	n := len(g.free)
	return &search{make([]uint8, n), make([]uint8, n), make([]float64, len(g.theta))}
}

// run improves best by a number of kicks.
func (s *search) run(best []uint8, kicks int, t *trees, c *crosser, rng *rand.PCG) {
	g := t.g
	unit := 0.0
	for _, w := range g.w {
		unit += math.Abs(w)
	}
	unit /= float64(max(len(g.w), 1))
	copy(s.current, best)
	for kick := range kicks {
		copy(s.trial, s.current)
		copy(s.calm, g.theta)
		for i := range g.theta {
			u := float64(rng.Uint64()>>11) / (1 << 53)
			g.theta[i] += float64(kickNoise * unit * (u - 0.5))
		}
		t.improve(s.trial, 2, 2)
		copy(g.theta, s.calm)
		t.improve(s.trial, kickRounds, 2)
		heat := 1 - float64(kick)/(coolingTime*float64(kicks))
		c.anneal(s.current, s.trial, max(0, float64(kickHeat*unit*heat)), rng)
		c.cross(best, s.current)
	}
}

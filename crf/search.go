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
	coolingTime = 0.75 // part of the kicks, or rounds, until the temperature is 0
	roundNoise  = 10.0
	roundHeat   = 2.0
	roundSwaps  = 3

	roundPatience = 25 // rounds in a row without a gain that end the search
)

// search is iterated local search: two tree moves on noisy unaries kick the
// current labelling, tree moves on the true ones repair it, and the crossover
// decides for each changed region by itself whether it stays. So one kick
// tries many local changes at once, whatever the size of the model.
type search struct {
	g              *graph
	unit           float64 // mean |weight|
	current, trial []uint8
	calm           []float64 // the true unaries while the noisy ones are in use

	fuser       *fuser // these are made by the first rounds
	state, next []uint8
}

func newSearch(g *graph) *search {
	n := len(g.free)
	return &search{g: g, current: make([]uint8, n), trial: make([]uint8, n), calm: make([]float64, len(g.theta))}
}

// load takes the current weights of the graph.
func (s *search) load() {
	s.unit = 0
	for _, w := range s.g.w {
		s.unit += math.Abs(w)
	}
	s.unit /= float64(max(len(s.g.w), 1))
}

// run improves best by a number of kicks. met, if not nil, gets the labelling of each.
func (s *search) run(best []uint8, kicks int, t *trees, c *crosser, rng *rand.PCG, met func(x []uint8)) {
	copy(s.current, best)
	for kick := range kicks {
		copy(s.trial, s.current)
		s.disturb(kickNoise, rng)
		t.improve(s.trial, 2, 2)
		s.soothe()
		t.improve(s.trial, kickRounds, 2)
		if met != nil {
			met(s.trial)
		}
		c.anneal(s.current, s.trial, s.heat(kickHeat, kick, kicks), rng)
		c.cross(best, s.current)
	}
}

// rounds improves best by rounds of kicks, for which swaps on noisy unaries make a
// start far away: they turn whole regions over, as kicks cannot. All labellings met
// are fused into best, as Cook and Seymour merge tours (2003,
// doi:10.1287/ijoc.15.3.233.16078).
func (s *search) rounds(best []uint8, rounds, kicks int, t *trees, c *crosser, rng *rand.PCG) {
	if s.fuser == nil {
		s.fuser = newFuser(s.g, rng)
		s.state, s.next = make([]uint8, len(best)), make([]uint8, len(best))
	}
	f, idle, gain := s.fuser, 0, 0.0
	fuse := func(x []uint8) { gain += f.fuse(best, x) }
	copy(s.state, best)
	for round := 0; round < rounds && idle < roundPatience; round++ {
		copy(s.next, s.state)
		s.disturb(roundNoise, rng)
		f.swap(s.next)
		s.soothe()
		s.run(s.next, kicks, t, c, rng, fuse)
		for range roundSwaps {
			f.swap(s.next)
		}
		c.anneal(s.state, s.next, s.heat(roundHeat, round, rounds), rng)
		if fuse(s.next); gain > 1e-9 {
			idle, gain = 0, 0
		} else {
			idle++
		}
	}
}

// disturb adds noise to the unaries, until soothe.
func (s *search) disturb(noise float64, rng *rand.PCG) {
	copy(s.calm, s.g.theta)
	for i := range s.g.theta {
		s.g.theta[i] += float64(noise * s.unit * (uniform(rng) - 0.5))
	}
}

func (s *search) soothe() { copy(s.g.theta, s.calm) }

// heat is the temperature of step n of so many.
func (s *search) heat(first float64, n, steps int) float64 {
	part := 1 - float64(n)/(coolingTime*float64(steps))
	return max(0, float64(first*s.unit*part))
}

// uniform is a random number from 0 to below 1.
func uniform(rng *rand.PCG) float64 { return float64(rng.Uint64()>>11) / (1 << 53) }

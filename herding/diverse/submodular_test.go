package diverse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/crf"
)

func triangle(k int, seed uint64) *crf.Model {
	rng := rand.New(rand.NewPCG(seed, 9))
	m := &crf.Model{Nodes: 6, Labels: k, Unary: make([]float64, 6*k)}
	for i := range m.Unary {
		m.Unary[i] = 2*rng.Float64() - 1
	}
	for i := range int32(6) {
		m.Edges = append(m.Edges, crf.Edge{A: i, B: (i + 1) % 6, W: rng.Float64()})
	}
	return m
}

// What a labelling adds to a set falls as the set grows, and is never negative.
func TestDiversityIsSubmodular(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, c := range []Submodular{{Labels: 1}, {Transitions: 1}, {Labels: 0.5, Transitions: 2}} {
		c.Model = triangle(4, 1)
		g, err := c.start()
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			var set [][]uint8
			for range 4 {
				x := make([]uint8, 6)
				for i := range x {
					x[i] = uint8(rng.IntN(4))
				}
				set = append(set, x)
			}
			x, set := set[0], set[1:]
			gain := func(s [][]uint8) float64 { return g.diversity(append(slices.Clone(s), x)) - g.diversity(s) }
			if small, large := gain(set[:1]), gain(set); large > small+1e-12 || large < -1e-12 {
				t.Fatalf("%+v: gain %v to a part, %v to the set", c, small, large)
			}
		}
	}
}

// A linear distance is divMbest's, so the best labelling under its slopes is
// that of divMbest; a set of labels is completed as long as that pays; and the
// value of what is chosen is the best of all labellings that have what is new.
func TestSubmodularSteps(t *testing.T) {
	for seed := range uint64(6) {
		m := triangle(3, seed)
		all := make([][]uint8, 0, 729)
		x := make([]uint8, 6)
		for code := range 729 {
			for i, c := 0, code; i < 6; i, c = i+1, c/3 {
				x[i] = uint8(c % 3)
			}
			all = append(all, slices.Clone(x))
		}
		for name, s := range map[string]*Submodular{
			"linear":      {Model: m, Hamming: 1, Radius: 1, Lambda: 2, Solver: crf.Thorough},
			"labels":      {Model: m, Labels: 1, Lambda: 50, Solver: crf.Thorough},
			"transitions": {Model: m, Transitions: 1, Lambda: 50, Solver: crf.Thorough},
		} {
			g, err := s.start()
			if err != nil {
				t.Fatal(err)
			}
			g.set = [][]uint8{g.first}
			got, err := g.next()
			if err != nil {
				t.Fatal(err)
			}
			best := math.Inf(-1)
			for _, y := range all {
				best = max(best, g.value(y))
			}
			value := g.value(g.first)
			if got != nil {
				value = g.value(got)
			}
			// Forced answers may bring fewer new things at once than would be possible.
			slack := map[string]float64{"linear": 1e-9, "labels": 100, "transitions": 150}[name]
			if value > best+1e-9 || value < best-slack {
				t.Errorf("%s, model %d: value %v, the best of all labellings has %v", name, seed, value, best)
			}
			if got != nil && name != "linear" && g.diversity(append(g.set, got)) <= g.diversity(g.set) {
				t.Errorf("%s, model %d: %v adds nothing to %v", name, seed, got, g.set)
			}
			if got == nil && best > g.value(g.first)+1e-9 {
				t.Errorf("%s, model %d: nothing found, where a labelling of value %v is", name, seed, best)
			}
		}
	}
}

// Beyond the radius distance brings nothing, so only the nodes change that cost
// least: the full slope would change all of them, at a loss.
func TestDistanceIsCapped(t *testing.T) {
	m := &crf.Model{Nodes: 10, Labels: 2, Unary: make([]float64, 20)}
	for i := range m.Nodes {
		m.Unary[2*i] = 0.3
	}
	m.Unary[2*3], m.Unary[2*7] = 0.1, 0.1
	g, err := (&Submodular{Model: m, Hamming: 1, Radius: 0.25, Lambda: 1}).start()
	if err != nil {
		t.Fatal(err)
	}
	g.set = [][]uint8{g.first}
	got, err := g.next()
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint8{0, 0, 0, 1, 0, 0, 0, 1, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("%v after %v, want %v", got, g.first, want)
	}
}

func TestSubmodularRefuses(t *testing.T) {
	m := triangle(2, 1)
	for name, s := range map[string]*Submodular{
		"weight":    {Model: m, Hamming: -1},
		"ball":      {Model: m, Balls: 1, Ball: 101},
		"balls":     {Model: m, Balls: math.Inf(1)},
		"radius":    {Model: m, Radius: math.NaN()},
		"diversity": {Model: m, Lambda: math.Inf(1)},
		"areas":     {Model: m, Area: []float64{1}},
		"marginals": {Model: m, Marginals: []float64{1}},
	} {
		for _, err := range s.Run(t.Context(), 1) {
			if err == nil {
				t.Errorf("%s is accepted", name)
			}
		}
	}
}

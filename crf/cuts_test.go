package crf

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCutIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		m := randomModel(rng, 1+rng.IntN(10), 2, attractive)
		optimum, _ := bruteForce(m)
		g := newGraph(m)
		g.load(m)
		x := make([]uint8, len(g.free))
		cr := newCrosser(g)
		c := newCuts(g, &cr)
		for range 2 { // the second time with used buffers
			c.twoLabels(x)
			if e := g.energy(x) + g.constant; e < optimum-eps {
				t.Fatalf("energy %v, optimum %v", e, optimum)
			}
		}
	})
}

// TestExpansionIsLocallyOptimal: energy never falls, and afterwards no set of
// nodes gains by taking one label (tried one by one, all sets of them).
func TestExpansionIsLocallyOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, attractive)
		g := newGraph(m)
		g.load(m)
		x := make([]uint8, len(g.free))
		for i := range x {
			x[i] = uint8(rapid.IntRange(0, m.Labels-1).Draw(t, "l"))
		}
		before := g.energy(x)
		c := newCrosser(g)
		newCuts(g, &c).expand(x, 20)
		after := g.energy(x)
		if after < before-eps {
			t.Fatalf("energy fell from %v to %v", before, after)
		}
		y := make([]uint8, len(x))
		for l := range m.Labels {
			for set := range 1 << len(x) {
				copy(y, x)
				for i := range y {
					if set>>i&1 == 1 {
						y[i] = uint8(l)
					}
				}
				if e := g.energy(y); e > after+eps {
					t.Fatalf("expanding label %d on %b gains %v", l, set, e-after)
				}
			}
		}
	})
}

// Rounding in the flow of a model with enormous unaries is not felt afterwards.
func TestCutForgetsEnormousUnaries(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for trial := range 500 {
		m := randomModel(rng, 6, 2, attractive)
		s := NewSolver(m, Options{})
		for _, size := range []float64{1e15, 1} {
			for i := range m.Unary {
				m.Unary[i] = size * rng.NormFloat64()
			}
			if r := s.Solve(nil); size == 1 {
				if best, _ := bruteForce(m); r.Energy < best-1e-6 {
					t.Errorf("model %d: energy %v, the best is %v", trial, r.Energy, best)
				}
			}
		}
	}
}

// A cut that goes on from the last flow is that of a new solver, after whatever
// change of the unaries, and also when weights change.
func TestCutGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 6))
		m := randomModel(rng, 2+rng.IntN(30), 2, attractive)
		s := NewSolver(m, Options{})
		for step := range 12 {
			got, want := s.Solve(nil), NewSolver(m, Options{}).Solve(nil)
			if diff := cmp.Diff(want.Labels, got.Labels); diff != "" {
				t.Fatalf("step %d %v %v (-cold +going on):\n%s", step, got.Energy, want.Energy, diff)
			}
			switch change := rng.IntN(4); change {
			case 0: // nothing
			case 1:
				if len(m.Edges) > 0 {
					m.Edges[rng.IntN(len(m.Edges))].W = rng.Float64()
				}
			default:
				for i := range m.Unary {
					if change == 2 || rng.IntN(5) == 0 {
						m.Unary[i] += rng.NormFloat64()
					}
				}
			}
		}
	})
}

package crf

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// sumOf is what the switches that are on add up to.
func sumOf(gain []float64, both []product, on func(i int32) bool) float64 {
	sum := 0.0
	for i, v := range gain {
		if on(int32(i)) {
			sum += v
		}
	}
	for _, p := range both {
		if on(p.a) && on(p.b) {
			sum += p.value
		}
	}
	return sum
}

// TestQuadratic compares with all states of the switches: with tables that are large
// enough the answer is the best of them, with small ones it is a state no worse than
// all off or all on.
func TestQuadratic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)
		width := rapid.IntRange(1, 10).Draw(t, "width")
		q := quadratic{width: width, rng: rng}
		for range 2 { // the second time with used buffers
			n := rapid.IntRange(0, 10).Draw(t, "switches")
			q.reset(n)
			for i := range n {
				q.gain[i] = 2*uniform(rng) - 1
				for j := range i {
					if rng.Uint64()%3 > 0 {
						q.both = append(q.both, product{int32(i), int32(j), 2*uniform(rng) - 1})
					}
				}
			}
			gain, both := slices.Clone(q.gain), q.both
			best := 0.0
			for state := range 1 << n {
				best = max(best, sumOf(gain, both, func(i int32) bool { return state>>i&1 == 1 }))
			}
			all := sumOf(gain, both, func(int32) bool { return true })
			got := q.maximise()
			if sum := sumOf(gain, both, func(i int32) bool { return q.on[i] }); math.Abs(sum-got) > eps {
				t.Fatalf("the sum is %v, of the switches %v", got, sum)
			}
			if got < max(0, all)-eps || got > best+eps || width >= n-1 && got < best-eps {
				t.Fatalf("width %d of %d: %v, best %v, all on %v", width, n, got, best, all)
			}
		}
	})
}

// TestFusionIsOptimal: no choice of the nodes that take the second label beats a
// fusion, and swaps never lower the energy.
func TestFusionIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, mixed)
		g := newGraph(m)
		g.load(m)
		x, y := make([]uint8, len(g.free)), make([]uint8, len(g.free))
		for i := range x {
			x[i] = uint8(rapid.IntRange(0, m.Labels-1).Draw(t, "x"))
			y[i] = uint8(rapid.IntRange(0, m.Labels-1).Draw(t, "y"))
		}
		before, best := g.energy(x), math.Inf(-1)
		z := make([]uint8, len(x))
		for set := range 1 << len(x) {
			copy(z, x)
			for i := range z {
				if set>>i&1 == 1 {
					z[i] = y[i]
				}
			}
			best = max(best, g.energy(z))
		}
		f := newFuser(g, rand.NewPCG(rapid.Uint64().Draw(t, "moves"), 0))
		gain := f.fuse(x, y)
		after := g.energy(x)
		if math.Abs(after-best) > eps || math.Abs(after-before-gain) > eps {
			t.Fatalf("%v to %v, gain %v, best %v", before, after, gain, best)
		}
		for range 3 {
			f.swap(x)
			if e := g.energy(x); e < after-eps {
				t.Fatalf("a swap lowers the energy from %v to %v", after, e)
			}
			for l, mate := range f.mate {
				if int(f.mate[mate]) != l {
					t.Fatalf("%v is no pairing", f.mate)
				}
			}
			after = g.energy(x)
		}
	})
}

// TestFusionOfManyNodes: where tables are too small for the whole graph, the result
// still is no worse than either labelling.
func TestFusionOfManyNodes(t *testing.T) {
	m := patch(400, 3, true)
	g := newGraph(m)
	g.load(m)
	rng := rand.NewPCG(1, 2)
	f := newFuser(g, rng)
	f.q.width = 4
	x, y := make([]uint8, len(g.free)), make([]uint8, len(g.free))
	for range 20 {
		for i := range x {
			x[i], y[i] = uint8(rng.Uint64()%3), uint8(rng.Uint64()%3)
		}
		ex, ey := g.energy(x), g.energy(y)
		gain := f.fuse(x, y)
		if e := g.energy(x); e < max(ex, ey)-eps || math.Abs(e-ex-gain) > eps {
			t.Fatalf("fusing %v with %v: %v, gain %v", ex, ey, e, gain)
		}
	}
	tied := 0
	for i, to := range f.q.tied {
		if int(to) != i {
			tied++
		}
	}
	if tied == 0 {
		t.Error("no switches were tied")
	}
}

// TestThoroughRepeats: the same bits on one processor and on more, and no less energy
// than the quick search finds.
func TestThoroughRepeats(t *testing.T) {
	m := patch(300, 3, true)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := NewSolver(m, Thorough).Solve(nil)
	runtime.GOMAXPROCS(4)
	four := NewSolver(m, Thorough).Solve(nil)
	if !slices.Equal(one.Labels, four.Labels) || math.Float64bits(one.Energy) != math.Float64bits(four.Energy) {
		t.Errorf("energy %v on one processor, %v on four", one.Energy, four.Energy)
	}
	if kicks := NewSolver(m, Options{}).Solve(nil); one.Energy < kicks.Energy {
		t.Errorf("energy %v, of the quick search %v", one.Energy, kicks.Energy)
	}
}

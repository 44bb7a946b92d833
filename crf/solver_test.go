package crf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const eps = 1e-9

// TestSolveBounds: whatever the signs and the method, no clamp is contradicted,
// the energy is that of the labels, it is at most the optimum, the bound at
// least, and a proof is right.
func TestSolveBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, rapid.SampledFrom([]signs{attractive, repulsive, mixed}).Draw(t, "signs"))
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		optimum, _ := bruteForce(m)
		opt := Options{
			Method: rapid.SampledFrom([]Method{Auto, TRWS, LBP}).Draw(t, "method"),
			Sweeps: rapid.IntRange(0, 5).Draw(t, "sweeps"),
			Kicks:  rapid.IntRange(0, 2).Draw(t, "kicks"),
		}
		s := NewSolver(m, opt)
		for range 2 { // cold, then with warm messages
			r := s.Solve(nil)
			checkClamps(t, m, r.Labels)
			if r.Energy != m.Energy(r.Labels) {
				t.Fatalf("energy %v, of the labels %v", r.Energy, m.Energy(r.Labels))
			}
			if r.Energy > optimum+eps || r.Bound < optimum-eps {
				t.Fatalf("energy %v, optimum %v, bound %v", r.Energy, optimum, r.Bound)
			}
			if r.Optimal && r.Energy < optimum-2*gap {
				t.Fatalf("%v is called optimal, the optimum is %v", r.Energy, optimum)
			}
		}
	})
}

// TestSolveReachesOptimum counts how often the maximisers are exact.
func TestSolveReachesOptimum(t *testing.T) {
	for _, c := range []struct {
		name  string
		signs signs
		opt   Options
		least int // of 300
	}{
		{"attractive", attractive, Options{}, 300},
		{"attractive/trws", attractive, Options{Method: TRWS}, 298},
		{"repulsive", repulsive, Options{}, 296},
		{"mixed", mixed, Options{}, 296},
		{"repulsive/thorough", repulsive, Thorough, 300},
		{"mixed/thorough", mixed, Thorough, 300},
		{"attractive/thorough", attractive, Thorough, 300},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			hits := 0
			for range 300 {
				m := randomModel(rng, 1+rng.IntN(8), 1+rng.IntN(4), c.signs)
				optimum, _ := bruteForce(m)
				if r := NewSolver(m, c.opt).Solve(nil); r.Energy > optimum-gap {
					hits++
				}
			}
			if hits < c.least {
				t.Errorf("optimum reached %d times of 300, want %d", hits, c.least)
			}
		})
	}
}

// TestLBPExactOnTrees: on a tree the flooded messages are exact once they have
// crossed it.
func TestLBPExactOnTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, mixed)
		m.Edges = m.Edges[:0]
		for i := 1; i < m.Nodes; i++ {
			a := rapid.IntRange(0, i-1).Draw(t, "parent")
			m.Edges = append(m.Edges, Edge{int32(a), int32(i), rapid.Float64Range(-1, 1).Draw(t, "w")})
		}
		for i := range m.Unary { // no ties, which LBP breaks node by node
			m.Unary[i] += float64(i*i%97) * 1e-3
		}
		optimum, _ := bruteForce(m)
		if r := NewSolver(m, Options{Method: LBP}).Solve(nil); r.Energy < optimum-1e-6 {
			t.Fatalf("energy %v, optimum %v", r.Energy, optimum)
		}
	})
}

func TestMovesNeverLowerEnergy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, mixed)
		g := newGraph(m)
		g.load(m)
		rng := rand.NewPCG(rapid.Uint64().Draw(t, "moves"), 0)
		random := func() []uint8 {
			x := make([]uint8, len(g.free))
			for i := range x {
				x[i] = uint8(rng.Uint64() % uint64(m.Labels))
			}
			return x
		}
		x := random()
		before := g.energy(x)
		g.icm(x, make([]float64, m.Labels))
		if e := g.energy(x); e < before-eps {
			t.Fatalf("ICM: %v to %v", before, e)
		}
		for i, l := range slices.Clone(x) {
			e := g.energy(x)
			for other := range m.Labels {
				if x[i] = uint8(other); g.energy(x) > e+eps {
					t.Fatalf("after ICM the energy rises from %v to %v with label %d of node %d", e, g.energy(x), other, i)
				}
			}
			x[i] = l
		}
		x = random()
		for range 5 {
			before := g.energy(x)
			trees := newTrees(g, rng)
			gain := trees.solve(trees.next(), x)
			if after := g.energy(x); gain < -eps || math.Abs(after-before-gain) > eps {
				t.Fatalf("tree move: %v to %v, gain %v", before, after, gain)
			}
		}
		y := random()
		c := newCrosser(g)
		ex, ey := g.energy(x), g.energy(y)
		gain := c.cross(x, y)
		if e := g.energy(x); math.Abs(e-ex-gain) > eps || e < max(ex, ey)-eps {
			t.Fatalf("crossing %v with %v: %v, gain %v", ex, ey, e, gain)
		}
	})
}

// TestTreeMoveIsExact: when the whole graph is a forest, one move finds the optimum.
func TestTreeMoveIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, mixed)
		m.Fixed = nil
		m.Edges = m.Edges[:0]
		for i := 1; i < m.Nodes; i++ {
			if a := rapid.IntRange(-1, i-1).Draw(t, "parent"); a >= 0 {
				m.Edges = append(m.Edges, Edge{int32(i), int32(a), rapid.Float64Range(-1, 1).Draw(t, "w")})
			}
		}
		g := newGraph(m)
		g.load(m)
		x := make([]uint8, m.Nodes)
		optimum, _ := bruteForce(m)
		newTrees(g, rand.NewPCG(1, 1)).improve(x, 1, 1)
		if e := g.energy(x); e < optimum-eps {
			t.Fatalf("energy %v, optimum %v", e, optimum)
		}
	})
}

// TestRelabelling: renaming the labels renames the answer and keeps its energy.
func TestRelabelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, attractive)
		perm := rapid.Permutation([]int{0, 1, 2, 3}[:m.Labels]).Draw(t, "permutation")
		p := *m
		p.Unary = make([]float64, len(m.Unary))
		p.Fixed = slices.Clone(m.Fixed)
		for i := range m.Nodes {
			for l := range m.Labels {
				p.Unary[i*m.Labels+perm[l]] = m.Unary[i*m.Labels+l]
			}
			if p.Fixed != nil && p.Fixed[i] >= 0 {
				p.Fixed[i] = int16(perm[m.Fixed[i]])
			}
		}
		a, b := NewSolver(m, Options{}).Solve(nil), NewSolver(&p, Options{}).Solve(nil)
		back := make([]uint8, m.Nodes)
		for i, l := range b.Labels {
			back[i] = uint8(slices.Index(perm, int(l)))
		}
		if math.Abs(a.Energy-b.Energy) > eps || math.Abs(m.Energy(back)-b.Energy) > eps {
			t.Fatalf("energy %v, relabelled %v, named back %v", a.Energy, b.Energy, m.Energy(back))
		}
	})
}

// TestStart: the result is never below the start, and the start's clamps do not count.
func TestStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, rapid.SampledFrom([]signs{attractive, mixed}).Draw(t, "signs"))
		start := make([]uint8, m.Nodes)
		for i := range start {
			start[i] = uint8(rapid.IntRange(0, m.Labels-1).Draw(t, "l"))
		}
		clamped := slices.Clone(start)
		for i, f := range m.Fixed {
			if f >= 0 {
				clamped[i] = uint8(f)
			}
		}
		opt := Options{Sweeps: 1, Method: rapid.SampledFrom([]Method{Auto, TRWS}).Draw(t, "method")}
		r := NewSolver(m, opt).Solve(start)
		checkClamps(t, m, r.Labels)
		if r.Energy < m.Energy(clamped)-2*gap {
			t.Fatalf("energy %v below the start's %v", r.Energy, m.Energy(clamped))
		}
	})
}

// TestTies: nodes that only hops tell apart take the nearest click's label,
// and the lowest when those are equal too.
func TestTies(t *testing.T) {
	m := &Model{Nodes: 5, Labels: 3, Unary: make([]float64, 15), Fixed: []int16{2, -1, -1, -1, 1}}
	for i := range int32(4) {
		m.Edges = append(m.Edges, Edge{i, i + 1, 0}) // no information at all
	}
	for _, method := range []Method{Auto, TRWS, LBP} {
		r := NewSolver(m, Options{Method: method}).Solve(nil)
		if d := cmp.Diff([]uint8{2, 2, 1, 1, 1}, r.Labels); d != "" {
			t.Errorf("method %d: %s", method, d)
		}
	}
}

func TestSmallestModels(t *testing.T) {
	for name, m := range map[string]*Model{
		"one node, one label": {Nodes: 1, Labels: 1, Unary: []float64{3}},
		"all clamped": {
			Nodes: 2, Labels: 2, Unary: []float64{1, 0, 1, 2}, Fixed: []int16{0, 1}, Edges: []Edge{{0, 1, -1}},
		},
		"one label, negative": {Nodes: 2, Labels: 1, Unary: []float64{1, 2}, Edges: []Edge{{0, 1, -4}}},
		"most labels":         {Nodes: 1, Labels: MaxLabels, Unary: make([]float64, MaxLabels)},
	} {
		r := NewSolver(m, Thorough).Solve(nil)
		if e, _ := bruteForce(m); r.Energy != e || !r.Optimal {
			t.Errorf("%s: %+v, want energy %v, proved", name, r, e)
		}
	}
}

// TestReset: a reset solver repeats itself bit for bit, also after changes of the model.
func TestReset(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	// The search doesn't find the optimum of the second, so it shows in what order it looks.
	for name, m := range map[string]*Model{"small": randomModel(rng, 40, 3, mixed), "large": patch(400, 5, true)} {
		for _, opt := range []Options{{Kicks: 5}, {Kicks: 5, Rounds: 5}} {
			s := NewSolver(m, opt)
			first := s.Solve(nil)
			labels := slices.Clone(first.Labels)
			was := m.Unary[0]
			m.Unary[0] += 3
			s.Solve(labels)
			m.Unary[0] = was
			s.Reset()
			again := s.Solve(nil)
			again.Labels, first.Labels = slices.Clone(again.Labels), labels
			if d := cmp.Diff(first, again); d != "" {
				t.Errorf("%s, %+v: %s", name, opt, d)
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	for _, s := range []signs{attractive, mixed} {
		m := randomModel(rand.New(rand.NewPCG(5, 6)), 60, 4, s)
		solver := NewSolver(m, Options{Kicks: 2})
		start := slices.Clone(solver.Solve(nil).Labels)
		solver.Solve(start)
		if n := testing.AllocsPerRun(10, func() { solver.Reset(); solver.Solve(start) }); n > 0 {
			t.Errorf("signs %d: %v allocations in a Solve", s, n)
		}
	}
}

// patch is a triangulated grid of n nodes like a superpixel graph, with noisy
// unaries and weights up to 0.15 (negative: from -0.15).
func patch(n, k int, negative bool) *Model {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	m := &Model{Nodes: n, Labels: k, Unary: make([]float64, n*k)}
	for i := range m.Unary {
		m.Unary[i] = 0.2 * rng.Float64()
	}
	side := int(math.Sqrt(float64(n)))
	for i := range n {
		for _, j := range []int{i + 1, i + side, i + side + 1} {
			if j >= n || j%side == 0 && j != i+side {
				continue
			}
			w := 0.15 * rng.Float64()
			if negative {
				w = 2*w - 0.15
			}
			m.Edges = append(m.Edges, Edge{int32(i), int32(j), w})
		}
	}
	return m
}

func BenchmarkSweep(b *testing.B) {
	for _, c := range [][2]int{{600, 2}, {600, 5}, {600, 21}, {10000, 5}} {
		b.Run(fmt.Sprintf("n=%d/k=%d", c[0], c[1]), func(b *testing.B) {
			m := patch(c[0], c[1], false)
			g := newGraph(m)
			g.load(m)
			trws, x := newTRWS(g), make([]uint8, m.Nodes)
			b.ReportAllocs()
			for b.Loop() {
				trws.reload()
				trws.forward(x)
				trws.backward()
			}
		})
	}
}

func BenchmarkSolve(b *testing.B) {
	for _, c := range [][2]int{{600, 2}, {600, 5}, {600, 21}, {10000, 5}} {
		for _, kind := range []string{"attractive", "mixed", "lbp"} {
			b.Run(fmt.Sprintf("%s/n=%d/k=%d", kind, c[0], c[1]), func(b *testing.B) {
				m := patch(c[0], c[1], kind == "mixed")
				opt := Options{}
				if kind == "lbp" {
					opt.Method = LBP
				}
				s := NewSolver(m, opt)
				for b.Loop() {
					s.Reset()
					s.Solve(nil)
				}
			})
		}
	}
}

// TestCutsAfter: models that more sweeps prove are spared the cuts.
func TestCutsAfter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	spared := 0
	for range 300 {
		m := randomModel(rng, 7, 4, attractive)
		early, late := NewSolver(m, Options{Sweeps: 100}), NewSolver(m, Options{Sweeps: 100, CutsAfter: 50})
		early.Solve(nil)
		if r := late.Solve(nil); late.cuts != nil && r.Optimal && r.Sweeps < 50 {
			t.Fatalf("cuts although %d sweeps proved the optimum", r.Sweeps)
		}
		if early.cuts != nil && late.cuts == nil {
			spared++
		}
	}
	if spared == 0 {
		t.Error("no model needed more than 10 sweeps, so the test shows nothing")
	}
}

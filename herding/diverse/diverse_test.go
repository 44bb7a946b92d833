package diverse_test

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/crf"
	"collie/crf/crftest"
	"collie/herding"
	"collie/herding/diverse"
)

// grid is a rows×columns model with random unaries and edges of at least the
// weight lowest.
func grid(rows, columns, k int, lowest float64, seed uint64) *crf.Model {
	rng := rand.New(rand.NewPCG(seed, uint64(k)))
	n := rows * columns
	m := &crf.Model{Nodes: n, Labels: k, Unary: make([]float64, n*k)}
	for i := range m.Unary {
		m.Unary[i] = 2*rng.Float64() - 1
	}
	for i := range n {
		if i%columns > 0 {
			m.Edges = append(m.Edges, crf.Edge{A: int32(i - 1), B: int32(i), W: lowest + (1-lowest)*rng.Float64()})
		}
		if i >= columns {
			m.Edges = append(m.Edges, crf.Edge{A: int32(i - columns), B: int32(i), W: lowest + (1-lowest)*rng.Float64()})
		}
	}
	return m
}

// enumerate returns all labellings that keep the clamps, by falling energy.
func enumerate(m *crf.Model) [][]uint8 {
	var out [][]uint8
	for x := range crftest.Labellings(m.Nodes, m.Labels, m.Fixed) {
		out = append(out, slices.Clone(x))
	}
	slices.SortStableFunc(out, func(a, b []uint8) int { return cmp.Compare(m.Energy(b), m.Energy(a)) })
	return out
}

func run(t *testing.T, s herding.Source, count int) []herding.Hypothesis {
	t.Helper()
	var out []herding.Hypothesis
	for h, err := range s.Run(t.Context(), count) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, h)
	}
	return out
}

func objective(m *crf.Model, lambda float64, xs [][]uint8) float64 {
	sum := 0.0
	for at, x := range xs {
		sum += m.Energy(x)
		for _, y := range xs[:at] {
			for i := range x {
				if x[i] != y[i] {
					sum += lambda
				}
			}
		}
	}
	return sum
}

func labels(hs []herding.Hypothesis) (xs [][]uint8) {
	for _, h := range hs {
		xs = append(xs, h.Labels)
	}
	return xs
}

// bestSet tries all sets of count labellings.
func bestSet(m *crf.Model, lambda float64, count int) float64 {
	all := enumerate(m)
	best := math.Inf(-1)
	var walk func(from int, xs [][]uint8)
	walk = func(from int, xs [][]uint8) {
		if len(xs) == count {
			best = max(best, objective(m, lambda, xs))
			return
		}
		for at := from; at < len(all); at++ {
			walk(at, append(xs, all[at]))
		}
	}
	walk(0, nil)
	return best
}

func TestJointOfTwoLabelsIsExact(t *testing.T) {
	for seed := range uint64(10) {
		m := grid(2, 3, 2, 0, seed)
		if seed%2 == 1 {
			m.Fixed = []int16{-1, 1, -1, -1, -1, 0}
		}
		for _, lambda := range []float64{0.1, 0.4} {
			j := &diverse.Joint{Model: m, Lambda: lambda}
			together := run(t, j, 3)
			if slices.ContainsFunc(together, func(h herding.Hypothesis) bool { return !h.Optimal }) {
				t.Fatal("two labels without negative weights are not exact")
			}
			got, want := objective(m, lambda, labels(together)), bestSet(m, lambda, 3)
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("model %d, λ = %v: objective %v, want %v", seed, lambda, got, want)
			}
		}
	}
}

func TestJointOfMoreLabels(t *testing.T) {
	met := 0
	for seed := range uint64(20) {
		m := grid(2, 2, 3, -1, seed)
		j := &diverse.Joint{Model: m, Lambda: 0.3}
		got, want := objective(m, 0.3, labels(run(t, j, 3))), bestSet(m, 0.3, 3)
		if got > want+1e-9 || got < want-0.5 {
			t.Errorf("model %d: objective %v, the best is %v", seed, got, want)
		}
		if got > want-1e-9 {
			met++
		}
		greedy := herding.DivMBest(m, 0.3)
		if start := objective(m, 0.3, labels(run(t, greedy, 3))); got < start-1e-9 {
			t.Errorf("model %d: ascent from %v to %v", seed, start, got)
		}
		if alone := run(t, &diverse.Joint{Model: m}, 1); math.Abs(alone[0].Energy-m.Energy(enumerate(m)[0])) > 1e-9 {
			t.Errorf("model %d: a set of one has energy %v, the best labelling %v", seed, alone[0].Energy, m.Energy(enumerate(m)[0]))
		}
	}
	if met < 14 {
		t.Errorf("the optimum was met on %d of 20 models", met)
	}
}

// isMode tries all changes of up to depth nodes, connected or not.
func isMode(m *crf.Model, x []uint8, depth int) bool {
	e := m.Energy(x)
	y := slices.Clone(x)
	var walk func(from, left int) bool
	walk = func(from, left int) bool {
		if m.Energy(y) > e+1e-9 {
			return false
		}
		if left == 0 {
			return true
		}
		for i := from; i < m.Nodes; i++ {
			for l := range m.Labels {
				if uint8(l) == x[i] || m.Fixed != nil && m.Fixed[i] >= 0 {
					continue
				}
				y[i] = uint8(l)
				if !walk(i+1, left-1) {
					return false
				}
				y[i] = x[i]
			}
		}
		return true
	}
	return walk(0, depth)
}

// Climbing from everywhere leads to exactly the modes.
func TestClimbFindsTheModes(t *testing.T) {
	for seed := range uint64(6) {
		for _, k := range []int{2, 3} {
			m := grid(3, 3, k, -1, seed)
			if k == 3 {
				m = grid(2, 3, k, -1, seed)
			}
			if seed%2 == 1 {
				m.Fixed = slices.Repeat([]int16{-1}, m.Nodes)
				m.Fixed[4] = 1
			}
			if seed >= 3 { // triangles
				m.Edges = append(m.Edges, crf.Edge{A: 0, B: 4, W: 0.7}, crf.Edge{A: 1, B: 3, W: -0.5})
			}
			for _, depth := range []int{1, 2, 3} {
				climber, err := diverse.NewClimber(m, depth)
				if err != nil {
					t.Fatal(err)
				}
				got, want := map[string]bool{}, map[string]bool{}
				for _, x := range enumerate(m) {
					got[string(climber.Climb(x))] = true
					if isMode(m, x, depth) {
						want[string(x)] = true
					}
				}
				if !maps.Equal(got, want) {
					t.Errorf("model %d of %d labels, depth %d: climbing leads to %d labellings, %d are modes", seed, k, depth, len(got), len(want))
				}
			}
		}
	}
}

// A change wakes what it matters to, however far: on a chain three nodes together
// can end two away from it.
func TestClimbAlongAChain(t *testing.T) {
	for seed := range uint64(12) {
		m := grid(1, 9, 2, -1, seed)
		for i := range m.Edges {
			m.Edges[i].W *= 3
		}
		climber, err := diverse.NewClimber(m, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range enumerate(m) {
			if y := climber.Climb(x); !isMode(m, y, 3) {
				t.Fatalf("model %d: %v leads to %v, which three nodes improve", seed, x, y)
			}
		}
	}
}

// On a plateau no labelling is better than another, and climbing stays.
func TestClimbOnAPlateau(t *testing.T) {
	m := grid(2, 3, 3, 0, 1)
	clear(m.Unary)
	for i := range m.Edges {
		m.Edges[i].W = 0
	}
	climber, err := diverse.NewClimber(m, 2)
	if err != nil {
		t.Fatal(err)
	}
	x := []uint8{0, 1, 2, 2, 1, 0}
	if got := climber.Climb(x); !slices.Equal(got, x) {
		t.Errorf("%v became %v", x, got)
	}
	many := &crf.Model{Nodes: 3, Labels: 6, Unary: make([]float64, 18)}
	for depth, m := range map[int]*crf.Model{0: m, 4: m, 3: many} {
		if _, err := diverse.NewClimber(m, depth); !errors.Is(err, herding.ErrRange) {
			t.Errorf("depth %d with %d labels: %v", depth, m.Labels, err)
		}
	}
}

// What if a node had this label: on a tree the answer is the best there is.
func TestNBestOnATree(t *testing.T) {
	for seed := range uint64(8) {
		m := grid(1, 6, 3, -1, seed)
		all := enumerate(m)
		want := map[string]bool{}
		for i := range 6 {
			for l := range uint8(3) {
				at := slices.IndexFunc(all, func(x []uint8) bool { return x[i] == l })
				want[string(all[at])] = true
			}
		}
		got := map[string]bool{}
		hs := run(t, &diverse.NBest{Model: m, Overlap: 1e-12, Candidates: 100}, 100)
		for _, h := range hs {
			got[string(h.Labels)] = true
		}
		for x := range got {
			if !want[x] {
				t.Errorf("model %d: %v is not the best for any node and label", seed, []uint8(x))
			}
		}
		if !slices.Equal(hs[0].Labels, all[0]) || !slices.Equal(hs[1].Labels, all[1]) {
			t.Errorf("model %d: %v and %v, want the best two, %v and %v", seed, hs[0].Labels, hs[1].Labels, all[0], all[1])
		}
		kept := run(t, &diverse.NBest{Model: m, Overlap: 0.4}, 100)
		for n, h := range kept {
			for _, o := range kept[:n] {
				differ := 0
				for i := range h.Labels {
					if h.Labels[i] != o.Labels[i] {
						differ++
					}
				}
				if float64(differ)/6 < 0.4 {
					t.Errorf("model %d: kept labellings differ on %d of 6 nodes", seed, differ)
				}
			}
		}
	}
}

func TestAlternatives(t *testing.T) {
	for seed := range uint64(8) {
		m := grid(2, 3, 3, -1, seed)
		m.Fixed = []int16{-1, -1, 2, -1, -1, -1}
		all := enumerate(m)
		nodes := []int32{0, 3}
		alternatives := func(nodes []int32) (out []diverse.Alternative) {
			a, err := diverse.NewAlternatives(m, crf.Thorough, all[0], nodes)
			if err != nil {
				t.Fatal(err)
			}
			for next, ok := a.Next(); ok; next, ok = a.Next() {
				out = append(out, next)
			}
			return out
		}
		for _, a := range alternatives(nodes) {
			at := slices.IndexFunc(all, func(x []uint8) bool { return x[0] == a.Label && x[3] == a.Label })
			if want := m.Energy(all[at]) - m.Energy(all[0]); math.Abs(a.Gain-want) > 1e-9 {
				t.Errorf("model %d, label %d: gain %v, want %v", seed, a.Label, a.Gain, want)
			}
			for i := range int32(6) {
				if slices.Contains(a.Changed, i) != (a.Labels[i] != all[0][i]) {
					t.Errorf("model %d: changed are %v in %v against %v", seed, a.Changed, a.Labels, all[0])
				}
			}
		}
		// A clamp leaves one label.
		if a := alternatives([]int32{1, 2}); len(a) > 1 || len(a) == 1 && a[0].Label != 2 {
			t.Errorf("model %d, with a clamped node: %+v", seed, a)
		}
		// What is ruled out at one of the nodes is not asked for.
		m.Unary[3*3+1] = herding.Impossible
		for _, a := range alternatives(nodes) {
			if a.Label == 1 {
				t.Errorf("model %d, with label 1 ruled out at node 3: %+v", seed, a)
			}
		}
	}
	m := grid(1, 3, 2, 0, 1)
	if _, err := diverse.NewAlternatives(m, crf.Options{}, []uint8{0, 0, 0}, []int32{3}); !errors.Is(err, herding.ErrRange) {
		t.Errorf("a node that does not exist: %v", err)
	}
}

func TestSourcesRefuse(t *testing.T) {
	m := grid(2, 2, 2, 0, 1)
	for _, c := range []struct {
		source herding.Source
		want   error
	}{
		{&diverse.Boundary{Model: m, Lambda: -1}, herding.ErrRange},
		{&diverse.Boundary{Model: m, Lambda: 1e308}, herding.ErrRange},
		{&diverse.Joint{Model: m, Lambda: math.NaN()}, herding.ErrRange},
		{&diverse.NBest{Model: m, Overlap: math.Inf(1)}, herding.ErrRange},
		{&diverse.NBest{Model: m, Area: []float64{1}}, herding.ErrShape},
		{&diverse.NBest{Model: m, Group: []int32{0}}, herding.ErrShape},
		{&diverse.NBest{Model: m, Group: []int32{0, 0, 0, 4}}, herding.ErrRange},
	} {
		count := 0
		for _, err := range c.source.Run(t.Context(), 3) {
			if count++; !errors.Is(err, c.want) {
				t.Errorf("%+v: %v, want %v", c.source, err, c.want)
			}
		}
		if count != 1 {
			t.Errorf("%+v: %d values, want one error", c.source, count)
		}
	}
}

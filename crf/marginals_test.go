package crf

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/crf/crftest"
)

// trueMarginals are max{E(y): y_i = l} by enumeration.
func trueMarginals(m *Model) []float64 {
	mu := make([]float64, m.Nodes*m.Labels)
	for i := range mu {
		mu[i] = math.Inf(-1)
	}
	for x := range crftest.Labellings(m.Nodes, m.Labels, m.Fixed) {
		e := m.Energy(x)
		for i, l := range x {
			at := i*m.Labels + int(l)
			mu[at] = max(mu[at], e)
		}
	}
	return mu
}

// randomTree is a model whose edges form a forest of mixed signs.
func randomTree(rng *rand.Rand, n, k int) *Model {
	m := randomModel(rng, n, k, mixed)
	m.Edges = nil
	for i := 1; i < n; i++ {
		if rng.IntN(6) > 0 {
			m.Edges = append(m.Edges, Edge{int32(rng.IntN(i)), int32(i), 2*rng.Float64() - 1})
		}
	}
	return m
}

// Max-marginals are exact where they say so, and lower bounds elsewhere, which
// enough maximisations make exact.
func TestMaxMarginals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for name, c := range map[string]struct {
		model func() *Model
		exact bool
	}{
		"trees":          {func() *Model { return randomTree(rng, 1+rng.IntN(7), 1+rng.IntN(3)) }, true},
		"two labels":     {func() *Model { return randomModel(rng, 1+rng.IntN(8), 2, attractive) }, true},
		"anything":       {func() *Model { return randomModel(rng, 5+rng.IntN(3), 3, mixed) }, false},
		"three, clamped": {func() *Model { return randomModel(rng, 6, 3, attractive) }, false},
	} {
		for range 60 {
			m := c.model()
			_, x := bruteForce(m)
			mu, exact := MaxMarginals(m, x, 100, Thorough)
			if c.exact && !exact {
				t.Fatalf("%s: not exact", name)
			}
			for at, want := range trueMarginals(m) {
				if math.Abs(mu[at]-want) > 1e-9 && !(math.IsInf(want, -1) && math.IsInf(mu[at], -1)) {
					t.Fatalf("%s: max-marginal of node %d, label %d is %v, want %v", name, at/m.Labels, at%m.Labels, mu[at], want)
				}
			}
			bounds, _ := MaxMarginals(m, x, 0, Thorough)
			for at, want := range trueMarginals(m) {
				if bounds[at] > want+1e-9 {
					t.Fatalf("%s: the lower bound %v is above %v", name, bounds[at], want)
				}
			}
		}
	}
}

// The gain of a forced label is that of the labelling it leads to, in which
// the label holds and clamps stay. From the best labelling it leads to one that no
// change of another node improves.
func TestForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 300 {
		k := 2 + rng.IntN(2)
		m := randomModel(rng, 6, k, mixed)
		x := make([]uint8, 6)
		for i := range x {
			x[i] = uint8(rng.IntN(k))
			if m.Fixed != nil && m.Fixed[i] >= 0 {
				x[i] = uint8(m.Fixed[i])
			}
		}
		if round%2 == 0 {
			x = slices.Clone(NewSolver(m, Options{}).Solve(nil).Labels)
		}
		f := NewConfirmer(m, Options{}).Forcer(x)
		for range 3 { // one after the other, each from x
			nodes := []int32{int32(rng.IntN(6)), int32(rng.IntN(6))}
			l := uint8(rng.IntN(k))
			gain := f.Force(nodes, l)
			y := f.Labels()
			checkClamps(t, m, y)
			if math.Abs(m.Energy(y)-m.Energy(x)-gain) > 1e-9 {
				t.Fatalf("gain %v, of the labelling %v", gain, m.Energy(y)-m.Energy(x))
			}
			for _, i := range nodes {
				if (m.Fixed == nil || m.Fixed[i] < 0) && y[i] != l {
					t.Fatalf("node %d has label %d, %d is forced", i, y[i], l)
				}
			}
			for i := range y {
				if round%2 == 0 && (m.Fixed == nil || m.Fixed[i] < 0) && !slices.Contains(nodes, int32(i)) {
					for other := range k {
						z := slices.Clone(y)
						if z[i] = uint8(other); m.Energy(z) > m.Energy(y)+1e-9 {
							t.Fatalf("with label %d at node %d, %v has more energy", other, i, y)
						}
					}
				}
			}
		}
	}
}

// A mask gives the best labelling that obeys it, with an energy that counts no
// forbidden label, and Confirm the max-marginal.
func TestMask(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		k := 2 + rng.IntN(2)
		m := randomModel(rng, 6, k, mixed)
		unary := slices.Clone(m.Unary)
		c := NewConfirmer(m, Thorough)
		for range 4 {
			c.Mask.Forbid(rng.IntN(6), uint8(rng.IntN(k)))
		}
		best := math.Inf(-1)
		for x := range crftest.Labellings(m.Nodes, k, nil) {
			if c.Mask.obeyed(x) { // and so the clamps
				best = max(best, m.Energy(x))
			}
		}
		if (c.Mask.empty > 0) != math.IsInf(best, -1) {
			t.Fatalf("%d nodes are empty, the best labelling has %v", c.Mask.empty, best)
		}
		if c.Mask.empty == 0 {
			if r := c.Solve(nil); !c.Mask.obeyed(r.Labels) || math.Abs(m.Energy(r.Labels)-best) > 1e-9 || math.Abs(r.Energy-best) > 1e-9 {
				t.Fatalf("the best that obeys the mask has %v; got %v, %v of the masked model, obeyed %v", best, m.Energy(r.Labels), r.Energy, c.Mask.obeyed(r.Labels))
			}
		}
		i, l := rng.IntN(6), rng.IntN(k)
		want := trueMarginals(m)[i*k+l]
		if r, ok := c.Confirm([]int32{int32(i)}, uint8(l), nil); ok != !math.IsInf(want, -1) || ok && math.Abs(r.Energy-want) > 1e-9 {
			t.Fatalf("confirmed %v, %v; want %v", r.Energy, ok, want)
		}
		if !slices.Equal(unary, m.Unary) {
			t.Fatal("the mask changed the model")
		}
	}
}

// Nor do enormous energies let a forbidden label win.
func TestMaskOfEnormousEnergies(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 8))
	for range 200 {
		m := randomModel(rng, 6, 3, mixed)
		for i := range m.Unary {
			m.Unary[i] *= 1e60
		}
		for e := range m.Edges {
			m.Edges[e].W *= 1e60
		}
		c := NewConfirmer(m, Thorough)
		for i := range 6 {
			c.Mask.Forbid(i, uint8(rng.IntN(3)))
		}
		if r := c.Solve(nil); c.Mask.empty == 0 && !c.Mask.obeyed(r.Labels) {
			t.Fatalf("the labelling %v has a forbidden label", r.Labels)
		}
	}
}

// A folded model has the energy of the whole one.
func TestFold(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for range 100 {
		m := randomModel(rng, 7, 3, mixed)
		x := make([]uint8, 7)
		for i := range x {
			x[i] = uint8(rng.IntN(3))
			if m.Fixed != nil && m.Fixed[i] >= 0 {
				x[i] = uint8(m.Fixed[i])
			}
		}
		f := Fold(m)
		y := f.Pick(x)
		if !slices.Equal(f.Whole(y), x) {
			t.Fatalf("%v became %v", x, f.Whole(y))
		}
		e := f.Constant
		score := make([]float64, 3)
		for i, l := range y {
			e += f.Row(i)[l]
			for _, a := range f.Around(i) {
				if int(a.To) > i && y[a.To] == l {
					e += a.W
				}
			}
			f.Local(i, y, score)
			for other := range uint8(3) {
				z := slices.Clone(y)
				z[i] = other
				if want := m.Energy(f.Whole(z)) - m.Energy(x); math.Abs(score[other]-score[l]-want) > 1e-9 {
					t.Fatalf("label %d gains %v, want %v", other, score[other]-score[l], want)
				}
			}
		}
		if math.Abs(e-m.Energy(x)) > 1e-9 {
			t.Fatalf("folded energy %v, want %v", e, m.Energy(x))
		}
	}
}

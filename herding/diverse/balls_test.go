package diverse

import (
	"math"
	"slices"
	"testing"

	"collie/crf"
	"collie/herding"
)

// labellings are all of n nodes with k labels.
func labellings(n, k int) (out [][]uint8) {
	for code := range int(math.Pow(float64(k), float64(n))) {
		x := make([]uint8, n)
		for i := range x {
			x[i] = uint8(code % k)
			code /= k
		}
		out = append(out, x)
	}
	return out
}

// The overlap of two balls is what counting their labellings says.
func TestBallOverlap(t *testing.T) {
	for _, c := range []struct{ n, k int }{{6, 3}, {6, 2}, {4, 4}} {
		all := labellings(c.n, c.k)
		for radius := range 5 {
			for d := range c.n + 1 {
				centre, other := make([]uint8, c.n), make([]uint8, c.n)
				for i := range d {
					other[i] = 1
				}
				size, both := 0.0, 0.0
				for _, x := range all {
					if differing(x, centre) <= radius {
						size++
						if differing(x, other) <= radius {
							both++
						}
					}
				}
				if got := ballOverlap(c.n, c.k, radius, d); math.Abs(got-both/size) > 1e-9 {
					t.Errorf("n = %d, k = %d, radius %d, distance %d: %v, want %v", c.n, c.k, radius, d, got, both/size)
				}
			}
		}
	}
	// Radius 1 in general.
	for d, want := range []float64{1 + 600*20, 21, 2, 0} {
		if got := ballOverlap(600, 21, 1, d) * (1 + 600*20); math.Abs(got-want) > 1e-6 {
			t.Errorf("radius 1, distance %d: %v labellings, want %v", d, got, want)
		}
	}
}

func byEnergy(m *crf.Model) [][]uint8 {
	all := labellings(m.Nodes, m.Labels)
	slices.SortFunc(all, func(a, b []uint8) int {
		if m.Energy(a) > m.Energy(b) {
			return -1
		}
		return 1
	})
	return all
}

// Balls of radius 0 give the M best labellings, and each step with larger ones
// the best of all labellings by the objective or nearly.
func TestBalls(t *testing.T) {
	met := 0
	for seed := range uint64(10) {
		m := triangle(2, seed)
		all := byEnergy(m)
		s := &Submodular{Model: m, Balls: 1, Lambda: 100}
		rank := 0
		for h, err := range s.Run(t.Context(), 8) {
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(h.Energy-m.Energy(all[rank])) > 1e-9 {
				t.Errorf("model %d: number %d has energy %v, want %v", seed, rank, h.Energy, m.Energy(all[rank]))
			}
			rank++
		}
		if rank != 8 {
			t.Errorf("model %d: %d labellings", seed, rank)
		}
		wide := &Submodular{Model: m, Balls: 1, Ball: 1, Lambda: 2}
		var set [][]uint8
		g, err := wide.start()
		if err != nil {
			t.Fatal(err)
		}
		for h, err := range wide.Run(t.Context(), 4) {
			if err != nil {
				t.Fatal(err)
			}
			g.set = set
			best := math.Inf(-1)
			for _, y := range all {
				best = max(best, g.value(y))
			}
			value := g.value(h.Labels)
			if value > best+1e-9 || len(set) == 0 && value < best-1e-9 {
				t.Errorf("model %d, number %d: value %v, the best of all is %v", seed, h.Rank, value, best)
			}
			if value > best-1e-9 {
				met++
			}
			set = append(set, h.Labels)
		}
	}
	if met < 30 {
		t.Errorf("the best step was met %d times of 40", met)
	}
}

// A cap that nothing reaches makes the distance linear, which is divMbest.
func TestLinearHammingIsDivMBest(t *testing.T) {
	for seed := range uint64(5) {
		m := triangle(3, seed)
		lambda := 0.3 * 6
		d := herding.DivMBest(m, 0.3)
		d.Solver = crf.Thorough
		var want []herding.Hypothesis
		for h, err := range d.Run(t.Context(), 5) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, h)
		}
		for h, err := range (&Submodular{Model: m, Solver: crf.Thorough, Hamming: 1, Radius: 1, Lambda: lambda}).Run(t.Context(), 5) {
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(h.Labels, want[h.Rank].Labels) {
				t.Errorf("model %d: number %d is %v, divMbest's %v", seed, h.Rank, h.Labels, want[h.Rank].Labels)
				break
			}
		}
	}
}

// Each labelling at borders maximises what is left after the penalties of those
// before.
func TestBoundary(t *testing.T) {
	for seed := range uint64(8) {
		m := triangle(3, seed)
		if seed%2 == 1 {
			m.Fixed = []int16{-1, -1, 2, -1, -1, -1}
		}
		all := labellings(6, 3)
		penalty := make([]float64, 18)
		for h, err := range (&Boundary{Model: m, Lambda: 0.4, Solver: crf.Thorough}).Run(t.Context(), 6) {
			if err != nil {
				t.Fatal(err)
			}
			value := func(x []uint8) float64 {
				v := m.Energy(x)
				for i, l := range x {
					v -= penalty[3*i+int(l)]
				}
				return v
			}
			best := math.Inf(-1)
			for _, x := range all {
				if m.Fixed == nil || x[2] == 2 {
					best = max(best, value(x))
				}
			}
			if math.Abs(value(h.Labels)-best) > 1e-9 {
				t.Errorf("model %d: number %d is worth %v, the best %v", seed, h.Rank, value(h.Labels), best)
			}
			for i, l := range h.Labels {
				for _, e := range m.Edges {
					if (int(e.A) == i || int(e.B) == i) && h.Labels[e.A] != h.Labels[e.B] {
						penalty[3*i+int(l)] += 0.4
						break
					}
				}
			}
		}
	}
}

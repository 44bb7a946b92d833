package mbest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/crf"
)

// drawn is a 2×3 model, of the rows alone (a forest) or with the columns.
func drawn(rng *rand.Rand, k int, forest bool) *crf.Model {
	m := &crf.Model{Nodes: 6, Labels: k, Unary: make([]float64, 6*k)}
	for i := range m.Unary {
		m.Unary[i] = rng.NormFloat64()
	}
	ends := [][2]int32{{0, 1}, {1, 2}, {3, 4}, {4, 5}}
	if !forest {
		ends = append(ends, [2]int32{0, 3}, [2]int32{1, 4}, [2]int32{2, 5})
	} else if rng.IntN(2) == 0 {
		ends = append(ends, [2]int32{2, 5})
	}
	for _, p := range ends {
		m.Edges = append(m.Edges, crf.Edge{A: p[0], B: p[1], W: rng.NormFloat64()})
	}
	if rng.IntN(3) == 0 {
		m.Fixed = []int16{-1, -1, -1, 1, -1, -1}
	}
	return m
}

// sorted are the labellings that keep the clamps, by falling energy.
func sorted(m *crf.Model) (out [][]uint8) {
	for code := range int(math.Pow(float64(m.Labels), 6)) {
		x := make([]uint8, 6)
		for i := range x {
			x[i] = uint8(code % m.Labels)
			code /= m.Labels
		}
		if m.Fixed == nil || x[3] == 1 {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b []uint8) int {
		if m.Energy(a) > m.Energy(b) {
			return -1
		}
		return 1
	})
	return out
}

// On a forest the dual is the second best labelling; elsewhere it bounds it, and
// usually meets it.
func TestDualBoundsTheSecondBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	tight, all := 0, 0
	for trial := range 60 {
		forest := trial%2 == 0
		m := drawn(rng, 2+trial%3/2, forest)
		xs := sorted(m)
		second := m.Energy(xs[1])
		for _, known := range []float64{second, math.Inf(-1)} {
			better, bound := secondBest(m, xs[0], known)
			if bound < second-1e-9 {
				t.Fatalf("trial %d: bound %v below the second best, %v", trial, bound, second)
			}
			if better != nil && (slices.Equal(better, xs[0]) || m.Energy(better) > second+1e-9) {
				t.Fatalf("trial %d: %v is no second best", trial, better)
			}
			if math.IsInf(known, 0) {
				continue
			}
			if forest && bound > second+1e-5 {
				t.Errorf("trial %d, a forest: bound %v, the second best has %v", trial, bound, second)
			}
			if !forest {
				all++
				if bound < second+1e-5 {
					tight++
				}
			}
		}
	}
	if tight < all-1 { // the first tree alone: 27 of 30
		t.Errorf("the bound is tight on %d of %d models with cycles", tight, all)
	}
	t.Logf("tight on %d of %d models with cycles", tight, all)
}

// What is called optimal is, and with bounds that is said of more.
func TestWhatIsProved(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 3))
	proved := map[bool]int{}
	for range 8 {
		m := drawn(rng, 3, false)
		xs := sorted(m)
		for _, bounds := range []bool{false, true} {
			for h, err := range (&BMMF{Model: m, Solver: crf.Thorough, Bounds: bounds, Confirm: 1}).Run(t.Context(), 8) {
				if err != nil {
					t.Fatal(err)
				}
				if h.Optimal {
					proved[bounds]++
					if math.Abs(h.Energy-m.Energy(xs[h.Rank])) > 1e-5 {
						t.Errorf("rank %d has energy %v and is called optimal, the right one has %v", h.Rank, h.Energy, m.Energy(xs[h.Rank]))
					}
				}
			}
		}
	}
	if proved[true] < 3*proved[false] || proved[true] < 40 {
		t.Errorf("%d hypotheses of 64 are proved, without bounds %d", proved[true], proved[false])
	}
	t.Logf("proved %v of 64", proved)
}

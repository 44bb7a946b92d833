package mbest_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/crf"
	"collie/crf/crftest"
	"collie/herding"
	"collie/herding/mbest"
)

func model(rng *rand.Rand, rows, columns, k int, lowest float64, tree bool) *crf.Model {
	n := rows * columns
	m := &crf.Model{Nodes: n, Labels: k, Unary: make([]float64, n*k)}
	for i := range m.Unary {
		m.Unary[i] = 2*rng.Float64() - 1
	}
	for i := range n {
		if i%columns > 0 {
			m.Edges = append(m.Edges, crf.Edge{A: int32(i - 1), B: int32(i), W: lowest + (1-lowest)*rng.Float64()})
		}
		if i >= columns && !(tree && i%columns > 0) {
			m.Edges = append(m.Edges, crf.Edge{A: int32(i - columns), B: int32(i), W: lowest + (1-lowest)*rng.Float64()})
		}
	}
	if rng.IntN(2) == 0 {
		m.Fixed = slices.Repeat([]int16{-1}, n)
		m.Fixed[rng.IntN(n)] = int16(rng.IntN(k))
	}
	return m
}

// energies of all labellings that keep the clamps, falling.
func energies(m *crf.Model) []float64 {
	var out []float64
	for x := range crftest.Labellings(m.Nodes, m.Labels, m.Fixed) {
		out = append(out, m.Energy(x))
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

// The M best labellings are those of sorted enumeration: always on trees and
// for two labels without negative weights, nearly always elsewhere.
func TestMBestIsSortedEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for name, c := range map[string]struct {
		make  func() *crf.Model
		exact bool
	}{
		"trees":      {func() *crf.Model { return model(rng, 2, 3, 3, -1, true) }, true},
		"two labels": {func() *crf.Model { return model(rng, 3, 3, 2, 0, false) }, true},
		"mixed":      {func() *crf.Model { return model(rng, 2, 3, 3, -1, false) }, false},
	} {
		wrong, ranks := 0, 0
		for range 12 {
			m := c.make()
			want := energies(m)
			seen := map[string]bool{}
			rank := 0
			for h, err := range (&mbest.BMMF{Model: m, Solver: crf.Thorough}).Run(t.Context(), 10) {
				if err != nil {
					t.Fatal(err)
				}
				if seen[string(h.Labels)] {
					t.Fatalf("%s: %v comes twice", name, h.Labels)
				}
				seen[string(h.Labels)] = true
				if c.exact && !h.Optimal {
					t.Fatalf("%s: rank %d is not called exact", name, rank)
				}
				if math.Abs(h.Energy-want[rank]) > 1e-9 {
					wrong++
				}
				ranks++
				rank++
			}
			if rank != 10 {
				t.Fatalf("%s: %d labellings of 10", name, rank)
			}
		}
		if c.exact && wrong > 0 || wrong > ranks/20 {
			t.Errorf("%s: %d of %d ranks are wrong", name, wrong, ranks)
		}
	}
}

// A model of few labellings has no more than these, each of them once.
func TestAllOfFewLabellings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	m := model(rng, 1, 3, 2, 0, true)
	m.Fixed = nil
	seen := map[string]bool{}
	for h, err := range (&mbest.BMMF{Model: m}).Run(t.Context(), 20) {
		if err != nil {
			t.Fatal(err)
		}
		seen[string(h.Labels)] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d labellings of 8", len(seen))
	}
}

func TestTooLarge(t *testing.T) {
	m := &crf.Model{Nodes: 200_000, Labels: 2, Unary: make([]float64, 400_000)}
	m.Unary[0] = 1
	smaller := &crf.Model{Nodes: 20_000, Labels: 2, Unary: m.Unary[:40_000]}
	for _, b := range []mbest.BMMF{{Model: m}, {Model: smaller, Bounds: true}} {
		for _, err := range b.Run(t.Context(), 2) {
			if !errors.Is(err, herding.ErrRange) {
				t.Errorf("got %v, want %v", err, herding.ErrRange)
			}
		}
	}
}

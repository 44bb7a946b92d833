package diverse_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"collie/crf"
	"collie/herding"
	"collie/herding/diverse"
)

// scrambled is rows of random lengths, their nodes numbered at random.
func scrambled(n, k int, seed uint64) *crf.Model {
	rng := rand.New(rand.NewPCG(seed, 7))
	m := &crf.Model{Nodes: n, Labels: k, Unary: make([]float64, n*k)}
	for i := range m.Unary {
		m.Unary[i] = 2*rng.Float64() - 1
	}
	place := rng.Perm(n)
	for i := 1; i < n; i++ {
		if rng.IntN(4) > 0 {
			m.Edges = append(m.Edges, crf.Edge{A: int32(place[i]), B: int32(place[i-1]), W: 4*rng.Float64() - 2})
		}
	}
	return m
}

// On chains the modes are all there are, the best ones first.
func TestModesOfChains(t *testing.T) {
	several := 0
	for seed := range uint64(24) {
		for _, c := range []struct{ n, k int }{{1, 2}, {2, 3}, {7, 2}, {6, 3}, {5, 4}} {
			m := scrambled(c.n, c.k, seed)
			if seed%3 == 1 && c.n > 2 {
				m.Fixed = slices.Repeat([]int16{-1}, c.n)
				m.Fixed[seed%uint64(c.n)] = 1
			}
			for depth := 1; depth <= 3; depth++ {
				var want [][]uint8
				for _, x := range enumerate(m) {
					if isMode(m, x, depth) {
						want = append(want, x)
					}
				}
				source := &diverse.Modes{Model: m, Depth: depth}
				got := run(t, source, len(want)+5)
				if len(got) != len(want) {
					t.Fatalf("model %d, %d nodes, %d labels, depth %d: %d modes, %d by enumeration", seed, c.n, c.k, depth, len(got), len(want))
				}
				for rank, h := range got {
					if !slices.Equal(h.Labels, want[rank]) || !h.Optimal {
						t.Fatalf("model %d, depth %d: mode %d is %v (optimal %t), by enumeration %v", seed, depth, rank, h.Labels, h.Optimal, want[rank])
					}
				}
				for rank, h := range run(t, source, 2) {
					if !slices.Equal(h.Labels, want[rank]) {
						t.Errorf("model %d, depth %d: mode %d depends on how many are asked for", seed, depth, rank)
					}
				}
				if len(want) > 2 {
					several++
				}
			}
		}
	}
	if several < 30 {
		t.Errorf("only %d cases have more than two modes", several)
	}
}

// A circle, a crossing and a chain of too many labels are climbed.
func TestModesElsewhereAreClimbed(t *testing.T) {
	circle := grid(1, 4, 2, -1, 1)
	circle.Edges = append(circle.Edges, crf.Edge{A: 3, B: 0, W: 0.5})
	crossing := grid(1, 4, 2, -1, 1)
	crossing.Edges = append(crossing.Edges, crf.Edge{A: 1, B: 3, W: 0.5})
	for name, m := range map[string]*crf.Model{"circle": circle, "crossing": crossing, "labels": grid(1, 200, 40, 0, 1)} {
		source := &diverse.Modes{Model: m, From: []herding.Source{&herding.Problem{Model: m}}, Each: 1}
		for _, h := range run(t, source, 3) {
			if h.Optimal {
				t.Errorf("%s: a climbed mode is said to be optimal", name)
			}
		}
	}
	// A click in the middle of a crossing leaves chains.
	crossing.Fixed = []int16{-1, 1, -1, -1}
	if hs := run(t, &diverse.Modes{Model: crossing}, 1); len(hs) != 1 || !hs[0].Optimal {
		t.Errorf("chains between clicks are not recognised: %v", hs)
	}
}

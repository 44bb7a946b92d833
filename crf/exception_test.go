package crf

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// On a tree the bound is the maximum with what is added, everywhere else above it,
// and the labelling read off on a tree has it.
func TestExceptedBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for trial := range 60 {
		k := 2 + trial%2
		m := &Model{Nodes: 6, Labels: k, Unary: make([]float64, 6*k)}
		for i := range m.Unary {
			m.Unary[i] = rng.NormFloat64()
		}
		tree := trial%3 > 0
		for i := range int32(5) {
			m.Edges = append(m.Edges, Edge{A: i, B: i + 1, W: rng.NormFloat64()})
		}
		if !tree {
			m.Edges = append(m.Edges, Edge{A: 0, B: 3, W: rng.NormFloat64()}, Edge{A: 1, B: 5, W: rng.NormFloat64()})
		}
		if trial%5 == 0 {
			m.Fixed = []int16{-1, -1, 1, -1, -1, -1}
		}
		z := make([]uint8, 6)
		for i := range z {
			z[i] = uint8(rng.IntN(k))
		}
		if m.Fixed != nil {
			z[2] = 1
		}
		e := NewExcepted(m, z)
		for i := range e.Node {
			e.Node[i] = rng.NormFloat64()
		}
		for i := range e.Edge {
			e.Edge[i] = 2 * rng.NormFloat64()
		}
		energy := func(x []uint8) float64 {
			v := m.Energy(x)
			for i, node := range e.Free {
				if x[node] == z[node] {
					v += e.Node[i]
				}
			}
			for n, p := range e.Ends {
				if a, b := e.Free[p[0]], e.Free[p[1]]; x[a] == z[a] && x[b] == z[b] {
					v += e.Edge[n]
				}
			}
			return v
		}
		best := math.Inf(-1)
		x := make([]uint8, 6)
		for code := range int(math.Pow(float64(k), 6)) {
			for i, c := 0, code; i < 6; i, c = i+1, c/k {
				x[i] = uint8(c % k)
			}
			if m.Fixed == nil || x[2] == 1 {
				best = max(best, energy(x))
			}
		}
		got, bound := e.Solve(50)
		if bound < best-1e-9 || tree && bound > best+1e-9 || tree && math.Abs(energy(got)-best) > 1e-9 {
			t.Errorf("trial %d, tree %v: bound %v of %v, energy %v, the best is %v", trial, tree, bound, slices.Clone(got), energy(got), best)
		}
	}
}

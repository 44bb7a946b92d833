package crf

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"collie/crf/crftest"
)

func TestValidate(t *testing.T) {
	good := func() *Model {
		return &Model{
			Nodes: 3, Labels: 2, Unary: make([]float64, 6), Fixed: []int16{-1, 1, -1},
			Edges: []Edge{{0, 1, 1}, {1, 2, -1}},
		}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(*Model)
		want  error
	}{
		"no nodes":        {func(m *Model) { m.Nodes = 0 }, ErrRange},
		"no labels":       {func(m *Model) { m.Labels = 0 }, ErrRange},
		"256 labels":      {func(m *Model) { m.Labels = 256 }, ErrRange},
		"short unaries":   {func(m *Model) { m.Unary = m.Unary[1:] }, ErrShape},
		"NaN unary":       {func(m *Model) { m.Unary[3] = math.NaN() }, ErrNotFinite},
		"infinite unary":  {func(m *Model) { m.Unary[3] = math.Inf(-1) }, ErrNotFinite},
		"short clamps":    {func(m *Model) { m.Fixed = m.Fixed[:2] }, ErrShape},
		"clamp too high":  {func(m *Model) { m.Fixed[0] = 2 }, ErrRange},
		"clamp too low":   {func(m *Model) { m.Fixed[0] = -2 }, ErrRange},
		"edge beyond":     {func(m *Model) { m.Edges[0].B = 3 }, ErrRange},
		"edge before":     {func(m *Model) { m.Edges[0].A = -1 }, ErrRange},
		"self loop":       {func(m *Model) { m.Edges[0].B = 0 }, ErrSelfLoop},
		"NaN weight":      {func(m *Model) { m.Edges[1].W = math.NaN() }, ErrNotFinite},
		"infinite weight": {func(m *Model) { m.Edges[1].W = math.Inf(1) }, ErrNotFinite},
	} {
		m := good()
		c.spoil(m)
		if err := m.Validate(); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

// signs of the weights of a random model.
type signs int

const (
	attractive signs = iota
	repulsive
	mixed
)

// drawModel makes a small random model with up to two parallel edges per pair.
func drawModel(t *rapid.T, s signs) *Model {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
	return randomModel(rng, rapid.IntRange(1, 7).Draw(t, "nodes"), rapid.IntRange(1, 4).Draw(t, "labels"), s)
}

func randomModel(rng *rand.Rand, n, k int, s signs) *Model {
	m := &Model{Nodes: n, Labels: k, Unary: make([]float64, n*k)}
	for i := range n {
		if rng.IntN(3) > 0 { // otherwise the unary is missing
			for l := range k {
				m.Unary[i*k+l] = 2*rng.Float64() - 1
			}
		}
	}
	if rng.IntN(2) > 0 {
		m.Fixed = make([]int16, n)
		for i := range m.Fixed {
			m.Fixed[i] = -1
			if rng.IntN(4) == 0 {
				m.Fixed[i] = int16(rng.IntN(k))
			}
		}
	}
	for range 2 * n {
		a, b := rng.IntN(n), rng.IntN(n)
		if a == b {
			continue
		}
		w := rng.Float64()
		if s == repulsive || s == mixed && rng.IntN(2) == 0 {
			w = -w
		}
		m.Edges = append(m.Edges, Edge{int32(a), int32(b), w})
	}
	return m
}

// bruteForce is the first best labelling that keeps the clamps.
func bruteForce(m *Model) (best float64, x []uint8) {
	best = math.Inf(-1)
	for y := range crftest.Labellings(m.Nodes, m.Labels, m.Fixed) {
		if e := m.Energy(y); e > best {
			best, x = e, slices.Clone(y)
		}
	}
	return best, x
}

func checkClamps(t interface{ Fatalf(string, ...any) }, m *Model, x []uint8) {
	for i, f := range m.Fixed {
		if f >= 0 && x[i] != uint8(f) {
			t.Fatalf("node %d is clamped to %d and got %d", i, f, x[i])
		}
	}
}

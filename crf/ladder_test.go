package crf

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLadderIsExactAndNested compares every rung with enumeration. Unaries and
// weights are eighths, so that ties occur.
func TestLadderIsExactAndNested(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		m := randomModel(rng, 1+rng.IntN(7), 2, attractive)
		eighths := func(v float64) float64 { return math.Round(8*v) / 8 }
		for i, u := range m.Unary {
			m.Unary[i] = eighths(u)
		}
		for e := range m.Edges {
			m.Edges[e].W = eighths(m.Edges[e].W)
		}
		untilted := m.Unary
		rate := slices.Repeat([]float64{1}, m.Nodes)
		given := rate
		if rng.IntN(2) == 0 {
			given = nil
		} else {
			for i := range rate {
				rate[i] = eighths(2 * rng.Float64())
			}
		}
		l, err := NewLadder(m, given)
		if err != nil {
			t.Fatal(err)
		}
		for range rng.IntN(3) { // the last one counts
			l.At(eighths(8*rng.Float64() - 4))
			tilted := *m
			tilted.Unary = slices.Clone(untilted)
			odds := make([]float64, m.Nodes)
			for i := range odds {
				odds[i] = eighths(8*rng.Float64() - 4)
				tilted.Unary[2*i+1] += odds[i]
			}
			if err := l.Tilt(odds); err != nil {
				t.Fatal(err)
			}
			m = &tilted
		}
		made := map[float64][]uint8{}
		var shifts []float64
		for range 1 + rng.IntN(9) {
			shifts = append(shifts, eighths(8*rng.Float64()-4))
		}
		for _, s := range shifts {
			made[s] = l.At(s)
			checkClamps(t, m, made[s])
			shifted := *m
			shifted.Unary = slices.Clone(m.Unary)
			for i, r := range rate {
				shifted.Unary[2*i+1] += s * r
			}
			if best, _ := bruteForce(&shifted); shifted.Energy(made[s]) < best-eps {
				t.Fatalf("shift %v: %v has energy %v, the best %v", s, made[s], shifted.Energy(made[s]), best)
			}
		}
		slices.Sort(shifts)
		for i, s := range shifts[1:] {
			for node, label := range made[shifts[i]] {
				if label > made[s][node] {
					t.Fatalf("node %d leaves the mask between the shifts %v and %v", node, shifts[i], s)
				}
			}
		}
	})
}

func TestLadderGoesFromNothingToEverything(t *testing.T) {
	m := patch(36, 2, false)
	m.Fixed = slices.Repeat([]int16{-1}, m.Nodes)
	m.Fixed[0], m.Fixed[35] = 1, 0
	l, err := NewLadder(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	least, most := l.At(-1e3), l.At(1e3)
	for i := range m.Nodes {
		if (least[i] == 1) != (i == 0) || (most[i] == 0) != (i == 35) {
			t.Fatalf("smallest mask %v, largest %v; want only the clamps to resist", least, most)
		}
	}
}

func TestLadderRefuses(t *testing.T) {
	two := &Model{Nodes: 2, Labels: 2, Unary: make([]float64, 4)}
	three := &Model{Nodes: 1, Labels: 3, Unary: make([]float64, 3)}
	repulsive := *two
	repulsive.Edges = []Edge{{0, 1, -1}}
	for name, c := range map[string]struct {
		m    *Model
		rate []float64
		want error
	}{
		"three labels":    {three, nil, ErrRange},
		"negative weight": {&repulsive, nil, ErrRange},
		"too few rates":   {two, []float64{1}, ErrShape},
		"negative rate":   {two, []float64{1, -1}, ErrRange},
		"not a number":    {two, []float64{1, math.NaN()}, ErrRange},
	} {
		if _, err := NewLadder(c.m, c.rate); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	l, err := NewLadder(&Model{Nodes: 2, Labels: 2, Unary: make([]float64, 4)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Tilt([]float64{1}); !errors.Is(err, ErrShape) {
		t.Errorf("one number for two nodes: %v", err)
	}
	if err := l.Tilt([]float64{-1, math.NaN()}); !errors.Is(err, ErrNotFinite) || l.At(0)[0] != l.At(0)[1] {
		t.Errorf("no number: %v", err)
	}
}

// BenchmarkLadder makes 20 masks, each after the one before.
func BenchmarkLadder(b *testing.B) {
	m := patch(600, 2, false)
	for b.Loop() {
		l, err := NewLadder(m, nil)
		if err != nil {
			b.Fatal(err)
		}
		for s := range 20 {
			l.At(0.02 * float64(s-10))
		}
	}
}

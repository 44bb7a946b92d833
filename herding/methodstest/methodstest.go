// Package methodstest is the contract of everything that makes labellings: one
// suite that each source has to pass, whatever it does.
package methodstest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/crf"
	"collie/herding"
)

// Traits are what a source declares about itself.
type Traits struct {
	Joint  bool // the first of a longer run are not a shorter run
	Random bool // another seed may give other labellings
	Single bool // one labelling, however many are asked for
}

// Make returns the source of a problem. regions is a division of the nodes.
type Make func(p *herding.Problem, regions []int32, seed uint64) (herding.Source, error)

// Problem is a problem on a grid of side×side nodes with k labels, clicks,
// marginals, areas and weights of at least lowest, and a division of its nodes
// into quarters.
func Problem(tb testing.TB, side, k int, lowest float64) (p *herding.Problem, regions []int32) {
	tb.Helper()
	return grid(tb, side, side, k, lowest)
}

// grid is Problem for any number of rows and columns; one row is a chain.
func grid(tb testing.TB, rows, columns, k int, lowest float64) (p *herding.Problem, regions []int32) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(uint64(columns), uint64(k)))
	n := rows * columns
	conductances := make([]crf.Edge, 0, 2*n)
	fixed := slices.Repeat([]int16{-1}, n)
	area := make([]float64, n)
	regions = make([]int32, n)
	for i := range n {
		row, column := i/columns, i%columns
		area[i] = 0.5 + rng.Float64()
		regions[i] = int32(2*row/rows*2 + 2*column/columns)
		if column > 0 {
			conductances = append(conductances, crf.Edge{A: int32(i - 1), B: int32(i), W: crf.Exp(-5 * rng.Float64())})
		}
		if row > 0 {
			conductances = append(conductances, crf.Edge{A: int32(i - columns), B: int32(i), W: crf.Exp(-5 * rng.Float64())})
		}
	}
	for l, i := range rng.Perm(n)[:k] {
		fixed[i] = int16(l)
	}
	walker, err := herding.NewHarmonic(n, conductances)
	if err != nil {
		tb.Fatal(err)
	}
	marginals, err := walker.Solve(nil, k, fixed, nil)
	if err != nil {
		tb.Fatal(err)
	}
	weights := slices.Clone(conductances)
	for i := range weights {
		weights[i].W = lowest + (1-lowest)*weights[i].W
	}
	p, err = herding.Posterior(marginals, k, fixed, weights, herding.PosteriorOptions{EtaUnary: 0.4, EtaArea: 1, Area: area})
	if err != nil {
		tb.Fatal(err)
	}
	return p, regions
}

// Check runs the suite.
func Check(t *testing.T, traits Traits, source Make) {
	for _, c := range []struct {
		k      int
		lowest float64
	}{{1, 0}, {2, 0}, {2, -0.5}, {5, 0}, {5, -0.5}, {21, 0}} {
		t.Run(fmt.Sprintf("k=%d/lowest=%g", c.k, c.lowest), func(t *testing.T) {
			p, regions := Problem(t, 7, c.k, c.lowest)
			checkModel(t, traits, source, p, regions)
		})
	}
	t.Run("chain", func(t *testing.T) {
		p, regions := grid(t, 1, 15, 3, -0.5)
		checkModel(t, traits, source, p, regions)
	})
	t.Run("cancelled", func(t *testing.T) { checkCancel(t, source) })
	t.Run("no information", func(t *testing.T) {
		p, regions := Problem(t, 4, 2, 0)
		p.Model.Fixed = nil
		clear(p.Model.Unary)
		s, err := source(p, regions, 1)
		if err == nil {
			_, err = collect(t.Context(), s, 3)
		}
		if !errors.Is(err, herding.ErrNoInformation) {
			t.Errorf("got %v, want %v", err, herding.ErrNoInformation)
		}
	})
	if !traits.Random {
		t.Run("mirrored", func(t *testing.T) { checkMirror(t, source) })
	}
}

const asked = 6

func checkModel(t *testing.T, traits Traits, source Make, p *herding.Problem, regions []int32) {
	k := p.Model.Labels
	unary, edges := slices.Clone(p.Model.Unary), slices.Clone(p.Model.Edges)
	run := func(seed uint64, count int) []herding.Hypothesis {
		s, err := source(p, regions, seed)
		if err != nil {
			t.Fatal(err)
		}
		made, err := collect(t.Context(), s, count)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	made := run(1, asked)
	if len(made) == 0 || len(made) > asked || traits.Single && len(made) > 1 {
		t.Fatalf("%d labellings, %d were asked for", len(made), asked)
	}
	for rank, h := range made {
		if h.Rank != rank || len(h.Labels) != p.Model.Nodes {
			t.Fatalf("hypothesis %d has rank %d and %d labels for %d nodes", rank, h.Rank, len(h.Labels), p.Model.Nodes)
		}
		for i, l := range h.Labels {
			if int(l) >= k || p.Model.Fixed[i] >= 0 && int(p.Model.Fixed[i]) != int(l) {
				t.Fatalf("hypothesis %d gives node %d the label %d, it is clamped to %d of %d", rank, i, l, p.Model.Fixed[i], k)
			}
		}
		if e := p.Model.Energy(h.Labels); h.Energy != e {
			t.Errorf("hypothesis %d has energy %v, its labels %v", rank, h.Energy, e)
		}
		if h.Energy > made[0].Energy+1e-9 {
			t.Errorf("hypothesis %d has energy %v, rank 0 has %v", rank, h.Energy, made[0].Energy)
		}
	}
	if !equal(made, run(1, asked)) {
		t.Error("the same problem and seed give other labellings another time")
	}
	if none := run(1, 0); len(none) > 0 {
		t.Errorf("%d labellings, none was asked for", len(none))
	}
	if short := run(1, asked/2); !traits.Joint && !equal(made[:min(asked/2, len(made))], short) {
		t.Error("the first of a longer run are not a shorter run, and the source isn't declared joint")
	}
	if other := run(2, asked); !traits.Random && !equal(made, other) {
		t.Error("the seed matters, and the source isn't declared random")
	}
	if !slices.Equal(unary, p.Model.Unary) || !slices.Equal(edges, p.Model.Edges) {
		t.Error("the source changed the problem")
	}
	// A receiver may change what it got.
	s, err := source(p, regions, 1)
	if err != nil {
		t.Fatal(err)
	}
	for h, err := range s.Run(t.Context(), asked) {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(h.Labels, made[h.Rank].Labels) {
			t.Errorf("hypothesis %d depends on what became of the ones before", h.Rank)
		}
		clear(h.Labels)
	}
}

func checkCancel(t *testing.T, source Make) {
	p, regions := Problem(t, 5, 3, 0)
	s, err := source(p, regions, 1)
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := collect(t.Context(), s, asked); err != nil {
		t.Fatal(err)
	} else if len(whole) > 1 {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var errs []error
		for _, err := range s.Run(ctx, asked) {
			cancel()
			errs = append(errs, err)
		}
		if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], context.Canceled) {
			t.Errorf("cancelled after the first labelling: %v, want one more answer, an error", errs)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if made, err := collect(ctx, s, asked); len(made) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %d labellings, %v", len(made), err)
	}
	for range s.Run(t.Context(), asked) {
		break // a receiver that has enough
	}
}

// checkMirror renames the labels of a problem with two of them.
func checkMirror(t *testing.T, source Make) {
	p, regions := Problem(t, 6, 2, 0)
	mirrored := *p
	model := *p.Model
	model.Unary = swapped(model.Unary)
	model.Fixed = slices.Clone(model.Fixed)
	for i, f := range model.Fixed {
		if f >= 0 {
			model.Fixed[i] = 1 - f
		}
	}
	mirrored.Model = &model
	mirrored.UnaryMoments, mirrored.AreaMoments = swapped(p.UnaryMoments), swapped(p.AreaMoments)
	var made [2][]herding.Hypothesis
	for n, p := range []*herding.Problem{p, &mirrored} {
		s, err := source(p, regions, 1)
		if err != nil {
			t.Fatal(err)
		}
		if made[n], err = collect(t.Context(), s, asked); err != nil {
			t.Fatal(err)
		}
	}
	if len(made[0]) != len(made[1]) {
		t.Fatalf("%d labellings, %d with the labels renamed", len(made[0]), len(made[1]))
	}
	for rank, h := range made[0] {
		for i, l := range made[1][rank].Labels {
			if l != 1-h.Labels[i] {
				t.Fatalf("hypothesis %d: with the labels renamed node %d has label %d instead of %d", rank, i, l, 1-h.Labels[i])
			}
		}
	}
}

// swapped exchanges the two values of each row.
func swapped(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = v[i^1]
	}
	return out
}

func collect(ctx context.Context, s herding.Source, count int) (out []herding.Hypothesis, err error) {
	for h, err := range s.Run(ctx, count) {
		if err != nil {
			return out, err
		}
		h.Labels = slices.Clone(h.Labels)
		out = append(out, h)
	}
	return out, nil
}

func equal(a, b []herding.Hypothesis) bool {
	return slices.EqualFunc(a, b, func(x, y herding.Hypothesis) bool {
		return x.Energy == y.Energy && slices.Equal(x.Labels, y.Labels)
	})
}

package predictors

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"collie/herding"
	"collie/herding/methodstest"
)

// examples are problems whose truth is the best labelling under one of the
// predictors, in turn.
func examples(t *testing.T, number int, by ...Weights) []Example {
	t.Helper()
	var out []Example
	for i := range number {
		p, group := methodstest.Problem(t, 5+i%4, 2+i%2, 0)
		// Other unaries for each, so that they aren't all alike.
		rng := rand.New(rand.NewPCG(uint64(i), 3))
		for j := range p.Model.Unary {
			p.Model.Unary[j] += rng.Float64() - 0.5
		}
		var truth []uint8
		for h, err := range (&Source{Problem: p, Group: group, Predictors: []Weights{by[i%len(by)]}}).Run(t.Context(), 2) {
			if err != nil {
				t.Fatal(err)
			}
			truth = h.Labels
		}
		out = append(out, Example{p, group, truth})
	}
	return out
}

// The energy of a predictor's model is the weighted sum of the features.
func TestEnergyIsTheWeightedSum(t *testing.T) {
	p, group := methodstest.Problem(t, 6, 3, -0.3)
	f, err := newFeatures(p, group)
	if err != nil {
		t.Fatal(err)
	}
	if x := make([]uint8, p.Model.Nodes); math.Abs(f.model(Plain).Energy(x)-p.Model.Energy(x)) > 1e-9 {
		t.Error("the plain predictor isn't the problem itself")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		w := Weights{rng.Float64(), rng.Float64(), rng.Float64() - 0.5, 3 * rng.Float64(), 3 * rng.Float64()}
		x := make([]uint8, p.Model.Nodes)
		for i := range x {
			x[i] = uint8(rng.IntN(3))
		}
		want := 0.0
		features := f.of(x)
		for i, v := range w.vector() {
			want += v * features[i]
		}
		if got := f.model(w).Energy(x); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%+v: energy %v, weighted sum %v", w, got, want)
		}
	}
}

// Two kinds of problems need two predictors, the objective never rises, and what
// is learned gives the truth back more often than one predictor does.
func TestLearningSharesTheWork(t *testing.T) {
	rough, small := Weights{1, 0, 0, 0.05, 0.05}, Weights{1, 0, 1.5, 1, 1}
	all := examples(t, 16, rough, small)
	wrong := func(ws []Weights) (sum int) {
		for _, e := range all {
			least := len(e.Truth)
			for h, err := range (&Source{Problem: e.Problem, Group: e.Group, Predictors: ws}).Run(t.Context(), len(ws)+1) {
				if err != nil {
					t.Fatal(err)
				}
				differ := 0
				for i, l := range h.Labels {
					if l != e.Truth[i] {
						differ++
					}
				}
				if h.Rank > 0 {
					least = min(least, differ)
				}
			}
			sum += least
		}
		return sum
	}
	var last float64
	errors := map[int]int{}
	for _, n := range []int{1, 2} {
		ws, objective, err := Learn(t.Context(), all, n, Options{Rounds: 4, Epochs: 15})
		if err != nil {
			t.Fatal(err)
		}
		if len(ws) != n {
			t.Fatalf("%d predictors, %d were asked for", len(ws), n)
		}
		for i, v := range objective[1:] {
			if v > objective[i] {
				t.Errorf("%d predictors: the objective rises from %v to %v", n, objective[i], v)
			}
		}
		now := objective[len(objective)-1]
		if n == 2 && now > last {
			t.Errorf("the objective of two predictors is %v, that of one %v", now, last)
		}
		if now >= objective[0] {
			t.Errorf("%d predictors: training gains nothing: %v", n, objective)
		}
		last = now
		errors[n] = wrong(ws)
	}
	if errors[2] >= errors[1] {
		t.Errorf("two predictors get %d nodes wrong, one %d", errors[2], errors[1])
	}
}

// The hinge bounds the loss of what a predictor answers, and is 0 for the truth's
// own predictor by a wide margin only.
func TestHingeBoundsTheLoss(t *testing.T) {
	for _, e := range examples(t, 8, Weights{1, 0, 0, 0.2, 0.2}) {
		l, err := newLesson(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []Weights{Plain, {1, 0.5, 0, 1, 1}, {0.3, 0, -0.4, 2, 0.1}} {
			value, _ := l.hinge(w)
			var x []uint8
			for h, err := range (&Source{Problem: e.Problem, Group: e.Group, Predictors: []Weights{w}}).Run(t.Context(), 2) {
				if err != nil {
					t.Fatal(err)
				}
				x = h.Labels
			}
			loss := 0.0
			for i, label := range x {
				loss += l.loss[i*e.Problem.Model.Labels+int(label)] / float64(len(x))
			}
			if value < loss-1e-9 {
				t.Errorf("%+v: hinge %v, loss %v", w, value, loss)
			}
		}
	}
}

// Equal predictors answer alike.
func TestEqualPredictorsCollapse(t *testing.T) {
	p, group := methodstest.Problem(t, 6, 3, 0)
	w := Weights{1, 0.3, 0.2, 0.5, 0.5}
	var made [][]uint8
	for h, err := range (&Source{Problem: p, Group: group, Predictors: []Weights{w, w}}).Run(t.Context(), 3) {
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, h.Labels)
	}
	if !slices.Equal(made[1], made[2]) {
		t.Error("equal predictors give different labellings")
	}
}

func TestRefusals(t *testing.T) {
	good := examples(t, 3, Plain)
	bad := good[0]
	bad.Truth = slices.Repeat([]uint8{9}, len(bad.Truth))
	short := good[0]
	short.Truth = short.Truth[1:]
	bare := good[0]
	p := *bare.Problem
	p.UnaryMoments = nil
	p.EtaUnary = 0
	bare.Problem = &p
	for says, c := range map[string]struct {
		examples []Example
		number   int
	}{
		"0 predictors": {good, 0}, "4 predictors from 3 examples": {good, 4}, "0 predictors from 0": {nil, 0},
		"true label 9": {[]Example{bad}, 1}, "the truth of": {[]Example{short}, 1}, "use herding": {[]Example{bare}, 1},
	} {
		_, _, err := Learn(t.Context(), c.examples, c.number, Options{})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
	for _, w := range []Weights{{Unary: -1}, {Within: math.NaN()}, {Small: math.Inf(1)}} {
		var err error
		for _, err = range (&Source{Problem: good[0].Problem, Group: good[0].Group, Predictors: []Weights{w}}).Run(t.Context(), 2) {
		}
		if !errors.Is(err, herding.ErrRange) {
			t.Errorf("%+v: %v", w, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Learn(ctx, good, 1, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

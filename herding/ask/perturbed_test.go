package ask_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"collie/crf"
	"collie/herding"
	"collie/herding/ask"
	"collie/herding/sample"
)

// small is a 2×3 model with three labels.
func small(seed uint64, weight float64) *herding.Problem {
	rng := rand.New(rand.NewPCG(seed, 8))
	m := &crf.Model{Nodes: 6, Labels: 3, Unary: make([]float64, 18)}
	for i := range m.Unary {
		m.Unary[i] = rng.Float64()
	}
	for _, e := range [][2]int32{{0, 1}, {1, 2}, {3, 4}, {4, 5}, {0, 3}, {1, 4}, {2, 5}} {
		m.Edges = append(m.Edges, crf.Edge{A: e[0], B: e[1], W: weight * rng.Float64()})
	}
	return &herding.Problem{Model: m, Solver: crf.Thorough}
}

// U bounds the entropy of the perturbed maxima from above, and is the entropy of
// exp(E) without edges. It would be off by 0.577 a node without zero-mean noise.
func TestBoundOfTheEntropy(t *testing.T) {
	for seed := range uint64(3) {
		const samples = 20_000
		p := small(seed, 1)
		b, err := ask.NewBound(t.Context(), p, samples, 1)
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]float64{}
		draws := &sample.Perturb{Model: p.Model, Solver: p.Solver, Temperature: 1, Seed: 2}
		walk, err := draws.Start()
		if err != nil {
			t.Fatal(err)
		}
		walk.Next()
		for range samples {
			count[string(walk.Next().Labels)]++
		}
		entropy := 0.0
		for _, n := range count {
			entropy -= n / samples * math.Log(n/samples)
		}
		if b.U < entropy-0.05 || b.U > entropy+1 {
			t.Errorf("model %d: U is %v, the entropy of the maxima %v", seed, b.U, entropy)
		}
		loose := small(seed, 0)
		if b, err = ask.NewBound(t.Context(), loose, samples, 1); err != nil {
			t.Fatal(err)
		}
		entropy = 0
		for i := range 6 {
			row, sum := loose.Model.Unary[3*i:3*i+3], 0.0
			for _, u := range row {
				sum += math.Exp(u)
			}
			for _, u := range row {
				entropy -= math.Exp(u) / sum * math.Log(math.Exp(u)/sum)
			}
		}
		if math.Abs(b.U-entropy) > 0.1 {
			t.Errorf("model %d without edges: U is %v, the entropy %v", seed, b.U, entropy)
		}
	}
}

// What a node is said to be worth is U before minus U after, drawn again with the
// node clamped; certain and clicked nodes are worth nothing.
func TestPerturbedGain(t *testing.T) {
	p := small(4, 2)
	p.Model.Unary[3*4+1] += 50 // node 4 is certain
	p.Model.Fixed = []int16{2, -1, -1, -1, -1, -1}
	const samples = 4000
	ranked, err := ask.Perturbed{Seed: 3}.RankOf(t.Context(), p, 0, samples)
	if err != nil || len(ranked) != 5 {
		t.Fatal(ranked, err)
	}
	before, err := ask.NewBound(t.Context(), p, samples, 3)
	if err != nil {
		t.Fatal(err)
	}
	last := math.Inf(1)
	for _, c := range ranked {
		want := before.U
		for l, share := range before.Share[3*c.Node : 3*c.Node+3] {
			if share < 0.01 {
				continue
			}
			q := *p
			m := *p.Model
			m.Fixed = []int16{2, -1, -1, -1, -1, -1}
			m.Fixed[c.Node] = int16(l)
			q.Model = &m
			after, err := ask.NewBound(t.Context(), &q, samples, 3)
			if err != nil {
				t.Fatal(err)
			}
			want -= share * after.U
		}
		if math.Abs(c.Gain-want) > 1e-9 {
			t.Errorf("node %d: gain %v, want %v", c.Node, c.Gain, want)
		}
		if c.Node == 4 && math.Abs(c.Gain) > 0.05 || c.Node == 0 || c.Gain > last {
			t.Errorf("node %d has gain %v after %v", c.Node, c.Gain, last)
		}
		last = c.Gain
	}
	// Those that are not confirmed have the terms at them and around them.
	screened, err := ask.Perturbed{Seed: 3, Confirm: 1}.RankOf(t.Context(), p, 0, samples)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range screened[1:] {
		want := before.Terms[c.Node]
		for _, e := range p.Model.Edges {
			if int(e.A) == c.Node {
				want += before.Terms[e.B]
			} else if int(e.B) == c.Node {
				want += before.Terms[e.A]
			}
		}
		if math.Abs(c.Gain-want) > 1e-9 {
			t.Errorf("node %d is screened by %v, want %v", c.Node, c.Gain, want)
		}
	}
	again, err := ask.Perturbed{Seed: 3}.RankOf(t.Context(), p, 2, samples)
	if err != nil || len(again) != 2 || again[0] != ranked[0] {
		t.Errorf("another time %v, %v", again, err)
	}
}

func TestPerturbedRefuses(t *testing.T) {
	if _, err := (ask.Perturbed{Confirm: -1}).Rank(t.Context(), small(1, 1), 0); !errors.Is(err, herding.ErrRange) {
		t.Errorf("-1 nodes to confirm: %v", err)
	}
	if _, err := ask.NewBound(t.Context(), small(1, 1), 0, 1); !errors.Is(err, herding.ErrRange) {
		t.Errorf("no samples: %v", err)
	}
	if _, err := (ask.Perturbed{}).Rank(t.Context(), &herding.Problem{Model: &crf.Model{Nodes: 1, Labels: 2, Unary: []float64{0, 0}}}, 0); !errors.Is(err, herding.ErrNoInformation) {
		t.Errorf("without information: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (ask.Perturbed{}).Rank(ctx, small(1, 1), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

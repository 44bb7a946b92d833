package herding

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"collie/crf"
	"github.com/google/go-cmp/cmp"
)

func TestRandomWalker(t *testing.T) {
	got := RandomWalker([]float64{0.2, 0.5, 0.3, 0.4, 0.2, 0.4}, 3)
	if d := cmp.Diff([]uint8{1, 0}, got); d != "" {
		t.Error(d)
	}
}

func TestLabelBias(t *testing.T) {
	m := &crf.Model{Nodes: 3, Labels: 2, Unary: []float64{0.6, 0, 0.4, 0, 0, 1}}
	run := func(b *LabelBias, count int) (out [][]uint8) {
		for h, err := range b.Run(context.Background(), count) {
			if err != nil {
				t.Fatal(err)
			}
			if h.Energy != m.Energy(h.Labels) {
				t.Errorf("energy %v, under Θ %v", h.Energy, m.Energy(h.Labels))
			}
			out = append(out, h.Labels)
		}
		return out
	}
	a, b := run(&LabelBias{Model: m, Seed: 1}, 20), run(&LabelBias{Model: m, Seed: 1}, 20)
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("same seed: %s", d)
	}
	if d := cmp.Diff([]uint8{0, 0, 1}, a[0]); d != "" {
		t.Errorf("without a bias: %s", d)
	}
	distinct := map[string]bool{}
	for _, x := range a {
		distinct[string(x)] = true
	}
	if len(distinct) < 3 {
		t.Errorf("20 random biases gave %d labellings", len(distinct))
	}
	for _, spread := range []float64{-1, math.NaN(), 1e308} {
		for h, err := range (&LabelBias{Model: m, Spread: spread}).Run(t.Context(), 2) {
			if !errors.Is(err, ErrRange) {
				t.Errorf("spread %v: %+v, %v, want %v", spread, h, err, ErrRange)
			}
		}
	}
}

func TestNormal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	sum, square := 0.0, 0.0
	const n = 100_000
	for range n {
		v := normal(rng)
		sum += v
		square += v * v
	}
	if math.Abs(sum/n) > 0.02 || math.Abs(square/n-1) > 0.02 {
		t.Errorf("mean %v, variance %v", sum/n, square/n)
	}
}

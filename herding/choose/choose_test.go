package choose_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/crf"
	"collie/herding"
	"collie/herding/choose"
)

// problem is one of six nodes with areas; its energy prefers label 0.
func problem(k int) *herding.Problem {
	m := &crf.Model{Nodes: 6, Labels: k, Unary: make([]float64, 6*k)}
	for i := range 6 {
		m.Unary[i*k] = 1
	}
	return &herding.Problem{Model: m, Area: []float64{1, 2, 3, 4, 5, 6}}
}

func random(rng *rand.Rand, count, k int) [][]uint8 {
	xs := make([][]uint8, count)
	for m := range xs {
		xs[m] = make([]uint8, 6)
		for i := range xs[m] {
			xs[m][i] = uint8(rng.IntN(k))
		}
	}
	return xs
}

// quality is the expected mean IoU of x, written down as it is defined.
func quality(p *herding.Problem, x []uint8, xs [][]uint8, w []float64) float64 {
	sum := 0.0
	for m, y := range xs {
		iou, labels := 0.0, 0
		for l := range uint8(p.Model.Labels) {
			both, either := 0.0, 0.0
			for i, a := range p.Area {
				if x[i] == l && y[i] == l {
					both += a
				}
				if x[i] == l || y[i] == l {
					either += a
				}
			}
			if either > 0 {
				iou += both / either
				labels++
			}
		}
		sum += w[m] * iou / float64(labels)
	}
	return sum
}

// Of equal labellings the first comes first, however sums are rounded.
func TestEMBRKeepsTheOrderOfCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		xs := random(rng, 12, 3)
		for range 12 {
			xs = append(xs, xs[rng.IntN(12)])
		}
		order, _, err := choose.EMBR{}.Choose(problem(3), xs)
		if err != nil {
			t.Fatal(err)
		}
		for place, m := range order {
			for _, later := range order[place+1:] {
				if later < m && slices.Equal(xs[m], xs[later]) {
					t.Fatalf("labelling %d comes before its copy %d", m, later)
				}
			}
		}
	}
}

func TestEMBRIsTheBestOfTheSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		p := problem(3)
		xs := random(rng, 7, 3)
		for _, temperature := range []float64{0, 2} {
			order, w, err := choose.EMBR{Temperature: temperature}.Choose(p, xs)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for m, v := range w {
				sum += v
				if temperature > 0 {
					if want := math.Exp((p.Model.Energy(xs[m]) - p.Model.Energy(xs[0])) / temperature); math.Abs(v/w[0]-want) > 1e-9 {
						t.Fatalf("weight %v of the first's, want %v", v/w[0], want)
					}
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("weights add up to %v", sum)
			}
			for n, m := range order[1:] {
				if better, worse := quality(p, xs[order[n]], xs, w), quality(p, xs[m], xs, w); worse > better+1e-12 {
					t.Fatalf("expected mean IoU %v comes before %v", better, worse)
				}
			}
		}
	}
}

// The consensus is at least as good as where it starts, can't be improved by
// one node, and is often the best labelling of all.
func TestConsensus(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	met := 0
	for range 40 {
		p := problem(2)
		xs := random(rng, 5, 2)
		_, w, x, err := choose.Consensus{}.Choose(p, xs)
		if err != nil {
			t.Fatal(err)
		}
		got := quality(p, x, xs, w)
		if mode := quality(p, herding.Mode(xs), xs, w); got < mode-1e-12 {
			t.Fatalf("expected mean IoU %v, of the mode %v", got, mode)
		}
		for i := range x {
			y := slices.Clone(x)
			y[i] = 1 - y[i]
			offered := slices.ContainsFunc(xs, func(z []uint8) bool { return z[i] == y[i] })
			if v := quality(p, y, xs, w); offered && v > got+1e-9 {
				t.Fatalf("node %d changed gives %v instead of %v", i, v, got)
			}
		}
		best := 0.0
		for code := range 1 << 6 {
			y := make([]uint8, 6)
			for i := range y {
				y[i] = uint8(code >> i & 1)
			}
			best = max(best, quality(p, y, xs, w))
		}
		if got > best+1e-9 {
			t.Fatalf("%v is better than the best, %v", got, best)
		}
		if got > best-1e-9 {
			met++
		}
	}
	if met < 25 {
		t.Errorf("the best labelling was met in %d of 40", met)
	}
}

func TestEqualAndSingleLabellings(t *testing.T) {
	p := problem(3)
	x := []uint8{0, 1, 2, 0, 1, 2}
	for _, xs := range [][][]uint8{{x}, {x, x, x}} {
		order, w, consensus, err := choose.Consensus{Temperature: 1}.Choose(p, xs)
		if err != nil || order[0] != 0 || len(order) != len(xs) || math.Abs(w[0]-1/float64(len(xs))) > 1e-12 {
			t.Errorf("of %d: %v %v %v", len(xs), order, w, err)
		}
		if !slices.Equal(consensus, x) {
			t.Errorf("consensus of equal labellings %v", consensus)
		}
	}
	// What occurs in neither labelling counts for nothing.
	if got := choose.MeanIoU([]uint8{0, 0}, []uint8{0, 1}, []float64{0.5, 0.5}, 5); math.Abs(got-0.25) > 1e-12 {
		t.Errorf("mean IoU %v, want (½ + 0) / 2", got)
	}
}

func TestChoicesRefuse(t *testing.T) {
	p := problem(3)
	for name, c := range map[string]struct {
		xs          [][]uint8
		temperature float64
		want        error
	}{
		"none":         {nil, 0, choose.ErrNone},
		"short":        {[][]uint8{{1}}, 0, herding.ErrShape},
		"out of range": {[][]uint8{{0, 0, 0, 0, 0, 3}}, 0, herding.ErrRange},
		"temperature":  {[][]uint8{{0, 0, 0, 0, 0, 0}}, math.NaN(), herding.ErrRange},
		"negative":     {[][]uint8{{0, 0, 0, 0, 0, 0}}, -1, herding.ErrRange},
	} {
		if _, _, _, err := (choose.Consensus{Temperature: c.temperature}).Choose(p, c.xs); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

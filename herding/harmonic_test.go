package herding

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/crf"
	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// walk is a random walker's problem.
type walk struct {
	n, k   int
	edges  []crf.Edge
	clicks []int16
	prior  *Prior
}

func drawWalk(t *rapid.T) walk {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
	w := walk{n: 1 + rng.IntN(12), k: 1 + rng.IntN(4)}
	for range rng.IntN(3 * w.n) {
		if a, b := rng.IntN(w.n), rng.IntN(w.n); a != b {
			c := math.Exp(-8 * rng.Float64())
			if rng.IntN(8) == 0 {
				c = 0
			}
			w.edges = append(w.edges, crf.Edge{A: int32(a), B: int32(b), W: c})
		}
	}
	w.clicks = make([]int16, w.n)
	for i := range w.clicks {
		w.clicks[i] = -1
		if rng.IntN(4) == 0 {
			w.clicks[i] = int16(rng.IntN(w.k))
		}
	}
	if rng.IntN(2) == 0 {
		w.prior = &Prior{make([]float64, w.n), make([]float64, w.n*w.k)}
		for i := range w.n {
			if rng.IntN(3) > 0 {
				w.prior.Weight[i] = rng.Float64()
			}
			for l := range w.k {
				w.prior.Share[i*w.k+l] = rng.Float64()
			}
			normalise(w.prior.Share[i*w.k:][:w.k], w.prior.Share[i*w.k:][:w.k])
		}
	}
	return w
}

func (w walk) solve(t interface{ Fatal(...any) }) []float64 {
	h, err := NewHarmonic(w.n, w.edges)
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Solve(nil, w.k, w.clicks, w.prior)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// dense solves the same equations with gonum, every label by itself.
func (w walk) dense(t interface{ Fatal(...any) }) []float64 {
	a := mat.NewDense(w.n, w.n, nil)
	b := mat.NewDense(w.n, w.k, nil)
	reached := make([]bool, w.n)
	for i, c := range w.clicks {
		reached[i] = c >= 0 || w.prior != nil && w.prior.Weight[i] > 0
	}
	for range w.n {
		for _, e := range w.edges {
			if e.W > 0 && (reached[e.A] || reached[e.B]) {
				reached[e.A], reached[e.B] = true, true
			}
		}
	}
	for i, c := range w.clicks {
		switch {
		case c >= 0:
			a.Set(i, i, 1)
			b.Set(i, int(c), 1)
		case !reached[i]:
			a.Set(i, i, 1)
			for l := range w.k {
				b.Set(i, l, 1/float64(w.k))
			}
		default:
			for _, e := range w.edges {
				j := int(e.A)
				if j == i {
					j = int(e.B)
				} else if int(e.B) != i {
					continue
				}
				a.Set(i, i, a.At(i, i)+e.W)
				a.Set(i, j, a.At(i, j)-e.W)
			}
			if w.prior != nil {
				a.Set(i, i, a.At(i, i)+w.prior.Weight[i])
				for l := range w.k {
					b.Set(i, l, w.prior.Weight[i]*w.prior.Share[i*w.k+l])
				}
			}
		}
	}
	var x mat.Dense
	if err := x.Solve(a, b); err != nil {
		var bad mat.Condition
		if !errors.As(err, &bad) {
			t.Fatal(err)
		}
	}
	return x.RawMatrix().Data
}

func TestHarmonicAgainstDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWalk(t)
		p := w.solve(t)
		for i, want := range w.dense(t) {
			if math.Abs(p[i]-want) > 1e-9 {
				t.Fatalf("p[%d] = %v, want %v", i, p[i], want)
			}
		}
		for i := range w.n {
			if s := total(p[i*w.k : (i+1)*w.k]); math.Abs(s-1) > 1e-12 {
				t.Fatalf("row %d sums to %v", i, s)
			}
		}
	})
}

// TestHarmonicForgets: what was solved before leaves no trace in the bits.
func TestHarmonicForgets(t *testing.T) {
	s := newScene(400, 4, 0.05, 1)
	h, err := NewHarmonic(s.n, s.conductances)
	if err != nil {
		t.Fatal(err)
	}
	first, err := h.Solve(nil, s.k, s.clicks, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := slices.Clone(s.clicks)
	other[7], other[90] = 2, 0
	if _, err := h.Solve(nil, s.k, other, nil); err != nil {
		t.Fatal(err)
	}
	again, err := h.Solve(nil, s.k, s.clicks, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first, again) {
		t.Error("same clicks, other bits")
	}
}

// TestHarmonicIsNeutral: renaming the labels renames the columns, bit for bit
// up to the order of one sum.
func TestHarmonicIsNeutral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWalk(t)
		w.prior = nil
		p := w.solve(t)
		for i, c := range w.clicks {
			if c >= 0 {
				w.clicks[i] = int16(w.k-1) - c
			}
		}
		q := w.solve(t)
		for i := range w.n {
			for l := range w.k {
				if math.Abs(p[i*w.k+l]-q[i*w.k+w.k-1-l]) > 1e-15 {
					t.Fatalf("node %d label %d: %v and %v", i, l, p[i*w.k+l], q[i*w.k+w.k-1-l])
				}
			}
		}
	})
}

// TestHarmonicSpread: conductances over 300 orders of magnitude neither
// overflow nor give anything but probabilities.
func TestHarmonicSpread(t *testing.T) {
	w := walk{n: 5, k: 2, clicks: []int16{0, -1, -1, -1, 1}}
	for i, c := range []float64{1e150, 1e-150, 1e-150, 1e150} {
		w.edges = append(w.edges, crf.Edge{A: int32(i), B: int32(i + 1), W: c})
	}
	got := w.solve(t)
	want := []float64{1, 0, 1, 0, 0.5, 0.5, 0, 1, 0, 1}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestHarmonicErrors(t *testing.T) {
	if _, err := NewHarmonic(0, nil); !errors.Is(err, crf.ErrRange) {
		t.Error(err)
	}
	for _, w := range []float64{-1, math.Inf(1), math.NaN()} {
		if _, err := NewHarmonic(2, []crf.Edge{{A: 0, B: 1, W: w}}); err == nil {
			t.Errorf("conductance %v was accepted", w)
		}
	}
	for _, weak := range []float64{1e-12, 1e-17, 1e-300} {
		chain, err := NewHarmonic(4, []crf.Edge{{A: 0, B: 1, W: weak}, {A: 1, B: 2, W: 1}, {A: 2, B: 3, W: weak}})
		if err != nil {
			t.Fatal(err)
		}
		switch p, err := chain.Solve(nil, 2, []int16{0, -1, -1, 1}, nil); {
		case weak < 1e-16 && !errors.Is(err, ErrRange):
			t.Errorf("two nodes that hold on to each other 1/%g times more than to the clicks: %v, %v", weak, p, err)
		case weak > 1e-16 && (err != nil || math.Abs(p[2]-0.5) > 1e-3):
			t.Errorf("conductances from %g to 1: %v, %v", weak, p, err)
		}
	}
	h, err := NewHarmonic(2, []crf.Edge{{A: 0, B: 1, W: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		k      int
		clicks []int16
		prior  *Prior
		want   error
	}{
		"no labels":      {0, []int16{0, 0}, nil, ErrRange},
		"one click":      {2, []int16{0}, nil, ErrShape},
		"label too high": {2, []int16{0, 2}, nil, ErrRange},
		"label too low":  {2, []int16{0, -2}, nil, ErrRange},
		"short prior":    {2, []int16{0, -1}, &Prior{[]float64{1}, []float64{1, 0, 1, 0}}, ErrShape},
		"NaN prior":      {1, []int16{0, -1}, &Prior{[]float64{1, math.NaN()}, []float64{1, 1}}, ErrRange},
	} {
		if _, err := h.Solve(nil, c.k, c.clicks, c.prior); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

// TestMinimumDegree: a permutation, with little fill on a grid.
func TestMinimumDegree(t *testing.T) {
	for _, n := range []int{1, 30, 2500} {
		s := newScene(n, 2, 0.1, 1)
		h, err := NewHarmonic(n, s.conductances)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Clone(h.order)
		slices.Sort(got)
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(i)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
		if fill, most := len(h.ldl.rows), 31*n*max(1, int(math.Log2(float64(n))))/12; fill > most {
			t.Errorf("n=%d: %d entries in the factor, want at most %d", n, fill, most)
		}
	}
}

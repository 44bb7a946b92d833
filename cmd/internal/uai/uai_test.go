package uai

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/crf"
)

func TestRead(t *testing.T) {
	m, err := Read(strings.NewReader(`MARKOV
3
2 2 2
5
1 0
2 0 1
2 2 1
0
1 2
2  0.5 2
4  3 0.25 0.25 3
4  1 2
   2 1
1  7
2  1 0`))
	if err != nil {
		t.Fatal(err)
	}
	want := &crf.Model{
		Nodes: 3, Labels: 2,
		Unary: []float64{
			crf.Log(0.5) + crf.Log(0.25) + crf.Log(7), crf.Log(2) + crf.Log(0.25) + crf.Log(7),
			0, 0,
			crf.Log(2), crf.Log(2) + ZeroScore,
		},
		Edges: []crf.Edge{{A: 0, B: 1, W: crf.Log(3) - crf.Log(0.25)}, {A: 2, B: 1, W: -crf.Log(2)}},
	}
	if d := cmp.Diff(want, m); d != "" {
		t.Error(d)
	}
	// Energy is the logarithm of the product of the factors.
	if got, want := m.Energy([]uint8{1, 1, 0}), math.Log(2*3*2*7*1); math.Abs(got-want) > 1e-12 {
		t.Errorf("energy %v, want %v", got, want)
	}
}

func TestReadErrors(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"empty":            {"", ErrSyntax},
		"bayes":            {"BAYES 1 2 0", ErrSyntax},
		"cut off":          {"MARKOV 1 2 1 1 0 2 0.5", ErrSyntax},
		"no number":        {"MARKOV x", ErrSyntax},
		"no variables":     {"MARKOV 0 0", ErrSyntax},
		"unknown variable": {"MARKOV 1 2 1 1 1 2 1 1", ErrSyntax},
		"twice":            {"MARKOV 1 2 1 2 0 0 4 1 1 1 1", ErrSyntax},
		"table too short":  {"MARKOV 1 2 1 1 0 1 1", ErrSyntax},
		"negative entry":   {"MARKOV 1 2 1 1 0 2 1 -1", ErrSyntax},
		"infinite entry":   {"MARKOV 1 2 1 1 0 2 1 Inf", ErrSyntax},
		"NaN entry":        {"MARKOV 1 2 1 1 0 2 1 NaN", ErrSyntax},
		"triple":           {"MARKOV 3 2 2 2 1 3 0 1 2 8 1 1 1 1 1 1 1 1", ErrUnsupported},
		"labels differ":    {"MARKOV 2 2 3 0", ErrUnsupported},
		"256 labels":       {"MARKOV 1 256 0", ErrUnsupported},
		"not Potts":        {"MARKOV 2 2 2 1 2 0 1 4 2 1 1 3", ErrUnsupported},
		"not symmetric":    {"MARKOV 2 2 2 1 2 0 1 4 2 1 3 2", ErrUnsupported},
		"long word":        {"MARKOV " + strings.Repeat("1", 5000), ErrSyntax},
	} {
		m, err := Read(strings.NewReader(c.text))
		if !errors.Is(err, c.want) || m != nil {
			t.Errorf("%s: got %v and %v, want %v", name, m, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("MARKOV 2 2 2 3 1 0 2 0 1 0 2 1 2 4 2 1 1 2 1 3")
	f.Add("MARKOV 1 1 2 1 0 2 0 0 1 1 1 1")
	f.Add("MARKOV 3 3 3 3 1 2 2 1 9 0 1 1 1 0 1 1 1 0")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		if m.Nodes*m.Labels > 1000 {
			return
		}
		r := crf.NewSolver(m, crf.Options{Sweeps: 2}).Solve(nil)
		if r.Energy > r.Bound+1e-6*max(1, math.Abs(r.Energy)) {
			t.Fatalf("energy %v above the bound %v", r.Energy, r.Bound)
		}
	})
}

package engine

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"collie/crf"
)

// The firmer what was shown, the fewer superpixels of it change.
func TestFirmLabelsChangeLess(t *testing.T) {
	const size, n = 6, 36
	kept := 0
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(-3, 3)
		m := &crf.Model{Nodes: n, Labels: 2, Unary: make([]float64, 2*n), Fixed: unclicked(n)}
		shown := make([]int16, n)
		for i := range n {
			m.Unary[2*i] = value.Draw(t, "unary")
			shown[i] = rapid.Int16Range(-1, 1).Draw(t, "shown")
			if i%size > 0 {
				m.Edges = append(m.Edges, crf.Edge{A: int32(i - 1), B: int32(i), W: rapid.Float64Range(0, 2).Draw(t, "weight")})
			}
			if i >= size {
				m.Edges = append(m.Edges, crf.Edge{A: int32(i - size), B: int32(i), W: rapid.Float64Range(0, 2).Draw(t, "weight")})
			}
		}
		for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), few+1, few+4, rapid.ID).Draw(t, "clicks") {
			m.Fixed[i] = rapid.Int16Range(0, 1).Draw(t, "class")
		}
		x := crf.NewSolver(m, crf.Options{}).Solve(nil).Labels
		least := 0
		for _, firm := range []float64{0, 0.03, 0.3, 3} {
			y := (&Model{Parameters: Parameters{Firm: firm}}).firmed(m, x, shown)
			same := 0
			for i, s := range shown {
				if m.Fixed[i] >= 0 && int16(y[i]) != m.Fixed[i] {
					t.Fatalf("firm %v: the click at %d is contradicted", firm, i)
				}
				if int16(y[i]) == s {
					same++
				}
			}
			if same < least {
				t.Fatalf("firm %v: %d superpixels stay, less firm %d do", firm, same, least)
			}
			if firm > 0 {
				kept += same - least
			}
			least = same
		}
	})
	if kept == 0 {
		t.Error("firm labels kept nothing, so the test shows nothing")
	}
}

// A change that is three times as deep as at the click is made whole only where
// more than two classes are in play, and in sequences of before not even there.
func TestSeveralClassesChangeDeeper(t *testing.T) {
	_, g := patchwork(240, 160, 150)
	all := NewModel(g, DefaultParameters)
	n := len(g.Regions)
	everything := all.change(0, func(int32) bool { return true })
	click, closest := int32(-1), math.Inf(1)
	for i := range int32(n) {
		if depth := all.depth(i, everything.rim); depth > 0 && math.Abs(everything.deepest/depth-3) < closest {
			click, closest = i, math.Abs(everything.deepest/depth-3)
		}
	}
	if closest > 0.5 {
		t.Fatalf("no superpixel is a third as deep as the deepest, only up to %v", closest)
	}
	before := DefaultParameters
	before.Several = 0
	for _, c := range []struct {
		name       string
		parameters Parameters
		classes    int
		whole      bool
	}{
		{"two classes", DefaultParameters, 2, false},
		{"three classes", DefaultParameters, 3, true},
		{"three classes, before", before, 3, false},
	} {
		model := &crf.Model{Nodes: n, Labels: c.classes, Unary: make([]float64, c.classes*n), Fixed: unclicked(n)}
		model.Fixed[click] = 1
		x := make([]uint8, n)
		for i := range x {
			x[i], model.Unary[i*c.classes+1] = 1, 5
		}
		x = NewModel(g, c.parameters).correction(model, x, make([]int16, n), []int32{click})
		same := 0
		for _, l := range x {
			if l == 0 {
				same++
			}
		}
		if x[click] != 1 || (same == 0) != c.whole {
			t.Errorf("%s: %d of %d superpixels stay as shown", c.name, same, n)
		}
	}
}

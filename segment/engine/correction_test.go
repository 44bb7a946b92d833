package engine

import (
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

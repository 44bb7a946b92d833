package chooser

import (
	"math"
	"slices"
	"testing"
)

// Chances are probabilities that depend on what the first correction looks like.
func TestChances(t *testing.T) {
	c := &Chooser{
		Mean: []float64{0, 5}, Scale: []float64{1, 1},
		Units: []Unit{{0.5, 2, []float64{1, 0}, []float64{0, 0}}, {0, -1, []float64{0, 0}, []float64{1, 0}}},
	}
	got := c.Chances([][]float64{{0, 5}, {1, 5}, {-100, 5}})
	// The units see 0.5, 1.5 and 0 for them, and nothing of the first.
	e := math.Exp(1) + math.Exp(3) + 1
	for i, want := range []float64{math.Exp(1) / e, math.Exp(3) / e, 1 / e} {
		if math.Abs(got[i]-want) > 1e-9 {
			t.Errorf("the chance of %d is %v, want %v", i, got[i], want)
		}
	}
	more := *c
	more.Units = append(slices.Repeat([]Unit{{1, 0, []float64{1, 1}, []float64{1, 1}}}, 4), c.Units...) // four of no weight
	if same := more.Chances([][]float64{{0, 5}, {1, 5}, {-100, 5}}); !slices.Equal(same, got) {
		t.Errorf("with units of no weight: %v, want %v", same, got)
	}
	more.Units = slices.Concat(c.Units, c.Units, c.Units) // three times the score
	if p := more.Chances([][]float64{{0, 5}, {1, 5}, {-100, 5}}); math.Abs(p[1]/p[0]-math.Exp(6)) > 1e-6 {
		t.Errorf("with each unit three times: %v", p)
	}
	var room Room
	c.ChancesIn(&room, [][]float64{{3, 5}, {2, 5}, {1, 5}, {0, 7}}) // more of them, and others
	if again := c.ChancesIn(&room, [][]float64{{0, 5}, {1, 5}, {-100, 5}}); !slices.Equal(again, got) {
		t.Errorf("in a room that was used: %v, want %v", again, got)
	}
	other := *c
	other.Units = slices.Clone(c.Units)
	other.Units[1].Weight = -2
	if n := c.Number(); len(n) != 16 || n == (&other).Number() {
		t.Errorf("numbers %s and %s of two choosers", n, other.Number())
	}
}

// The best labelling comes first, then what adds most to it: not one that is nearly the same.
func TestOrder(t *testing.T) {
	chance := []float64{0.3, 0.4, 0.2, 0.1}
	iou := []float64{
		1, 0.9, 0, 0.1,
		0.9, 1, 0, 0.1,
		0, 0, 1, 0.2,
		0.1, 0.1, 0.2, 1,
	}
	if got := InOrder(chance, iou, 4); !slices.Equal(got, []int{1, 2, 3, 0}) {
		t.Errorf("order %v", got)
	}
	if got := InOrder(chance, iou, 2); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("the first two are %v", got)
	}
	if got := InOrder(chance[:1], iou[:1], 5); !slices.Equal(got, []int{0}) {
		t.Errorf("of one: %v", got)
	}
}

package herding

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Four hypotheses over three nodes and three labels.
var four = [][]uint8{{0, 1, 2}, {0, 1, 2}, {0, 2, 1}, {0, 2, 1}}

func TestMarginalsEntropyMode(t *testing.T) {
	q := Marginals(four, 3)
	if d := cmp.Diff([]float64{1, 0, 0, 0, 0.5, 0.5, 0, 0.5, 0.5}, q); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{0, math.Ln2, math.Ln2}, Entropy(q, 3), near); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]uint8{0, 1, 2}, Mode(four)); d != "" {
		t.Errorf("ties go to the first hypothesis: %s", d)
	}
	if d := cmp.Diff([]uint8{0, 2, 1}, Mode(four[1:])); d != "" {
		t.Error(d)
	}
	if Marginals(nil, 3) != nil || Mode(nil) != nil || NextClicks(nil, 3, nil, 0) != nil {
		t.Error("no hypotheses should give nothing")
	}
}

// TestNextClicks: nodes 1 and 2 are tied to each other, so one click settles
// both; node 3 varies alone but is large.
func TestNextClicks(t *testing.T) {
	area := []float64{5, 1, 2, 2.5}
	hypotheses := [][]uint8{{0, 0, 0, 0}, {0, 1, 1, 0}, {0, 0, 0, 1}, {0, 1, 1, 1}}
	q := Marginals(hypotheses, 2)
	if u := ExpectedWrongArea(q, 2, area); math.Abs(u-2.75) > 1e-12 {
		t.Errorf("expected wrong area %v, want 2.75", u)
	}
	want := []Candidate{{1, 1.5}, {2, 1.5}, {3, 1.25}}
	if d := cmp.Diff(want, NextClicks(hypotheses, 2, area, 0), near); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(want[:1], NextClicks(hypotheses, 2, area, 1), near); d != "" {
		t.Error(d)
	}
}

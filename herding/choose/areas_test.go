package choose_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/herding/choose"
)

func TestAreaRanges(t *testing.T) {
	area := []float64{0.1, 0.2, 0.3, 0.4}
	var xs [][]uint8
	for m := range 20 {
		x := []uint8{1, 0, 0, 0}
		switch {
		case m < 2: // two of 20 are outside
			x = []uint8{1, 1, 1, 1}
		case m < 12:
			x[1] = 1
		}
		xs = append(xs, x)
	}
	for count, want := range map[int][]choose.AreaRange{
		20: {{0.7, 0.9}, {0.1, 0.3}, {0, 0}},
		9:  {{0, 0.7}, {0.3, 1}, {0, 0}},
		1:  {{0, 0}, {1, 1}, {0, 0}},
	} {
		if diff := cmp.Diff(want, choose.AreaRanges(xs[:count], 3, area, 0), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%d labellings (-want +got):\n%s", count, diff)
		}
	}
	// Rounded shares of all nodes can add up to more than everything.
	tenths := []float64{0.2, 0.4, 0.3, 0.1}
	if got := choose.AreaRanges([][]uint8{{0, 0, 0, 0}}, 1, tenths, 0); got[0] != (choose.AreaRange{Low: 1, High: 1}) {
		t.Errorf("all of it is %v", got)
	}
	// Widened, but not beyond nothing and all.
	want := []choose.AreaRange{{0.6, 1}, {0, 0.4}, {0, 0}}
	if diff := cmp.Diff(want, choose.AreaRanges(xs, 3, area, 0.5), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("widened (-want +got):\n%s", diff)
	}
}

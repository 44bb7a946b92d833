package diverse_test

import (
	"slices"
	"testing"

	"collie/herding/diverse"
	"collie/herding/methodstest"
)

// Odd ranks are the forced regions as long as there are any, all others are
// Herding's sequence.
func TestStripTakesTurns(t *testing.T) {
	p, regions := methodstest.Problem(t, 8, 3, 0)
	made := run(t, &diverse.Strip{Problem: p, Group: regions}, 30)
	sequence := run(t, p, 30)
	forced := run(t, &diverse.NBest{Model: p.Model, Solver: p.Solver, Area: p.Shares(), Group: regions, Candidates: 40}, 40)[1:]
	if len(forced) < 2 || len(forced) > 14 {
		t.Fatalf("%d forced labellings, the test wants some, and fewer than turns", len(forced))
	}
	for rank, h := range made {
		want := sequence
		if rank%2 == 1 && len(forced) > 0 {
			want = forced
		}
		if !slices.Equal(h.Labels, want[0].Labels) || h.Rank != rank {
			t.Fatalf("rank %d is not whose turn it is", rank)
		}
		if rank%2 == 1 && len(forced) > 0 {
			forced = forced[1:]
		} else {
			sequence = sequence[1:]
		}
	}
}

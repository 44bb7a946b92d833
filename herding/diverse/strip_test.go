package diverse_test

import (
	"slices"
	"testing"

	"collie/crf"
	"collie/herding/choose"
	"collie/herding/diverse"
	"collie/herding/methodstest"
)

// Prepare changes when the work is done and nothing else.
func TestPrepare(t *testing.T) {
	p, regions := methodstest.Problem(t, 8, 3, 0)
	quick := *p
	quick.Later = crf.Options{Method: crf.Cuts, Cycles: 1}
	for _, strip := range []*diverse.Strip{{Problem: p, Group: regions, Pool: 1}, {Problem: p, Group: regions, Pool: 6}, {Problem: &quick, Group: regions, Pool: 6, Steps: 8}} {
		want := run(t, strip, 30)
		s, err := strip.Start()
		if err != nil {
			t.Fatal(err)
		}
		parts := 0
		for rank := range want {
			for ; s.Unprepared(); parts++ {
				s.Prepare()
			}
			if got := s.Next(); got.Rank != rank || !slices.Equal(want[rank].Labels, got.Labels) {
				t.Fatalf("pool of %d, rank %d differs after Prepare", strip.Pool, rank)
			}
		}
		if want := 1 + strip.Pool; parts != want {
			t.Errorf("a pool of %d was prepared in %d parts, want %d", strip.Pool, parts, want)
		}
	}
}

// Rank 0 is Herding's; then come, of its distinct hypotheses and the forced
// regions, those that raise most how well the offered ones stand for all; then
// Herding continues.
func TestStripCoversThePool(t *testing.T) {
	const pool = 6
	for seed := range 3 {
		p, regions := methodstest.Problem(t, 8+seed, 3, 0)
		area := p.Shares()
		var all [][]uint8
		sequence := run(t, p, 60)
		at := 0
		for len(all) < pool {
			for steps := 1; ; steps++ {
				x := sequence[at].Labels
				at++
				if steps == 3 || !slices.ContainsFunc(all, func(y []uint8) bool { return choose.Differing(x, y, area) < 0.01 }) {
					all = append(all, x)
					break
				}
			}
		}
		for _, h := range run(t, &diverse.NBest{Model: p.Model, Solver: p.Solver, Area: area, Group: regions, Candidates: 10}, 11)[1:] {
			all = append(all, h.Labels)
		}
		made := run(t, &diverse.Strip{Problem: p, Group: regions, Pool: pool}, len(all)+3)
		worth := func(chosen [][]uint8) (sum float64) {
			for _, x := range all {
				best := 0.0
				for _, y := range chosen {
					best = max(best, choose.MeanIoU(x, y, area, 3))
				}
				sum += best
			}
			return sum
		}
		if !slices.Equal(made[0].Labels, all[0]) {
			t.Fatalf("problem %d: rank 0 is not Herding's", seed)
		}
		chosen := [][]uint8{all[0]}
		for rank := 1; rank < len(all); rank++ {
			got := worth(append(slices.Clone(chosen), made[rank].Labels))
			for _, x := range all {
				if best := worth(append(slices.Clone(chosen), x)); best > got+1e-9 {
					t.Fatalf("problem %d, rank %d: covers %v of the pool, another would cover %v", seed, rank, got, best)
				}
			}
			chosen = append(chosen, made[rank].Labels)
		}
		if worth(chosen) < float64(len(all))-1e-9 {
			t.Errorf("problem %d: the first %d are not the pool", seed, len(all))
		}
		for n := range 3 {
			if got := made[len(all)+n]; !slices.Equal(got.Labels, sequence[at+n].Labels) || got.Rank != len(all)+n {
				t.Errorf("problem %d: after the pool Herding doesn't continue", seed)
			}
		}
	}
}

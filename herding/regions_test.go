package herding

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/crf"
)

// regional is a posterior problem of a synthetic picture with moments in 9 regions.
func regional(t *testing.T, k int, opt PosteriorOptions) *Problem {
	t.Helper()
	s := newScene(225, k, 0.05, 3)
	walker, err := NewHarmonic(s.n, s.conductances)
	if err != nil {
		t.Fatal(err)
	}
	p, err := walker.Solve(nil, k, s.clicks, nil)
	if err != nil {
		t.Fatal(err)
	}
	opt.Area = s.area
	opt.Regions = make([]int32, s.n)
	for i := range opt.Regions {
		opt.Regions[i] = int32(i/75*3 + i%15/5)
	}
	problem, err := Posterior(p, k, s.clicks, s.potts, opt)
	if err != nil {
		t.Fatal(err)
	}
	return problem
}

// The moments of a single region are area moments.
func TestOneRegionIsTheImage(t *testing.T) {
	p := regional(t, 3, PosteriorOptions{EtaUnary: 0.2, EtaArea: 1})
	whole, err := NewRegionMoments(p.UnaryMoments, 3, p.Area, make([]int32, len(p.Area)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.AreaMoments, whole.Moments, near); diff != "" {
		t.Errorf("moments (-image +region):\n%s", diff)
	}
	q := *p
	whole.Moments, whole.Eta = p.AreaMoments, p.EtaArea
	q.AreaMoments, q.EtaArea, q.Regions = nil, 0, []RegionMoments{whole}
	if diff := cmp.Diff(collectAll(t, p, 30), collectAll(t, &q, 30), near); diff != "" {
		t.Errorf("sequences (-image +region):\n%s", diff)
	}
}

func collectAll(t *testing.T, s Source, count int) (out []Hypothesis) {
	t.Helper()
	for h, err := range s.Run(context.Background(), count) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, h)
	}
	return out
}

// The mean areas of the hypotheses reach the moments of every region, and
// faster than without them.
func TestRegionsReachTheirMoments(t *testing.T) {
	deviation := func(eta float64) float64 {
		p := regional(t, 2, PosteriorOptions{EtaUnary: 0.05, EtaArea: 0.5, EtaRegion: eta})
		want := regional(t, 2, PosteriorOptions{EtaRegion: 1}).Regions[0]
		r := newRegion(want, p.Area, 2)
		mean := make([]float64, len(want.Moments))
		const count = 60
		for _, h := range collectAll(t, p, count) {
			r.cover(h.Labels)
			for i, v := range r.covered {
				mean[i] += v / count
			}
		}
		worst := 0.0
		for i, v := range mean {
			worst = max(worst, math.Abs(v-want.Moments[i]))
		}
		return worst
	}
	if with, without := deviation(1), deviation(0); with > 0.05 || with > without {
		t.Errorf("the areas in a region are off by %.3f, and by %.3f without moments of regions", with, without)
	}
}

// Doubling everything that the norm bound halves changes nothing.
func TestRegionsAreRescaled(t *testing.T) {
	free := regional(t, 3, PosteriorOptions{EtaUnary: 0.2, EtaArea: 1, EtaRegion: 1})
	bound := *free
	bound.NormBound = 20
	a, b := collectAll(t, free, 30), collectAll(t, &bound, 30)
	for i := range a {
		if diff := cmp.Diff(a[i].Labels, b[i].Labels); diff != "" {
			t.Fatalf("hypothesis %d (-free +bounded):\n%s", i, diff)
		}
	}
}

func TestRegionErrors(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(p *Problem)
		want  error
	}{
		"short":       {func(p *Problem) { p.Regions[0].Group = p.Regions[0].Group[1:] }, ErrShape},
		"ragged":      {func(p *Problem) { p.Regions[0].Moments = p.Regions[0].Moments[1:] }, ErrShape},
		"beyond":      {func(p *Problem) { p.Regions[0].Group[3] = 9 }, ErrRange},
		"negative":    {func(p *Problem) { p.Regions[0].Group[3] = -1 }, ErrRange},
		"above 1":     {func(p *Problem) { p.Regions[0].Moments[2] = 1.5 }, ErrRange},
		"no number":   {func(p *Problem) { p.Regions[0].Eta = math.NaN() }, ErrRange},
		"huge rate":   {func(p *Problem) { p.Regions[0].Eta = 1e200 }, ErrRange},
		"no areas":    {func(p *Problem) { p.Area, p.AreaMoments, p.EtaArea = nil, nil, 0 }, ErrShape},
		"empty model": {func(p *Problem) { p.Model = &crf.Model{} }, crf.ErrRange},
	} {
		p := regional(t, 2, PosteriorOptions{EtaUnary: 0.2, EtaArea: 1, EtaRegion: 1})
		c.spoil(p)
		if err := p.Validate(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := NewRegionMoments([]float64{1, 0}, 2, []float64{1}, []int32{4}); !errors.Is(err, ErrRange) {
		t.Errorf("a region beyond the nodes: %v", err)
	}
}

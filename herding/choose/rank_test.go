package choose_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"collie/crf"
	"collie/herding"
	"collie/herding/choose"
)

// chain is six nodes in a row, the first clicked, with areas and marginals.
func chain(rng *rand.Rand, k int) *herding.Problem {
	p := problem(k)
	p.Model.Fixed = []int16{0, -1, -1, -1, -1, -1}
	for i := range int32(5) {
		p.Model.Edges = append(p.Model.Edges, crf.Edge{A: i, B: i + 1, W: rng.Float64()})
	}
	p.UnaryMoments = make([]float64, 6*k)
	for i := range 6 {
		sum := 0.0
		for l := range k {
			p.UnaryMoments[i*k+l] = 0.1 + rng.Float64()
			sum += p.UnaryMoments[i*k+l]
		}
		for l := range k {
			p.UnaryMoments[i*k+l] /= sum
		}
	}
	return p
}

// Features are what their names say, up to the scale within the list.
func TestFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p := chain(rng, 3)
	p.Model.Fixed[2] = 0 // in the region of the first click, or in one of its own
	xs := [][]uint8{{0, 0, 0, 1, 1, 1}, {0, 0, 0, 1, 1, 2}, {0, 1, 0, 1, 0, 2}}
	got, err := choose.FeaturesOf(p, xs)
	if err != nil {
		t.Fatal(err)
	}
	total := 21.0
	want := map[string][]float64{
		"rank":                         {0, 1, 2},
		"is first":                     {1, 0, 0},
		"distance to the first":        {0, 6, 2 + 5 + 6},
		"distance to the mode":         {6, 0, 2 + 5},
		"mean distance to all":         {6 + 13, 6 + 7, 13 + 7},
		"area of the smallest class":   {0, 6, 6},
		"edges cut":                    {1, 2, 5},
		"weight cut":                   {p.Model.Edges[2].W, p.Model.Edges[2].W + p.Model.Edges[4].W, 0},
		"regions":                      {2, 3, 6},
		"regions without a click":      {1, 2, 4},
		"area of the largest of those": {15, 9, 6},
		"energy below the first":       {0, 0, 0},
		"mean log probability":         {0, 0, 0},
		"expected mean IoU":            {0, 0, 0},

		"distance of class areas to their moments": {0, 0, 0},
	}
	area, _ := herding.AreaMoments(p.UnaryMoments, 3, p.Area)
	for _, e := range p.Model.Edges {
		want["weight cut"][2] += e.W
	}
	for m, v := range want["weight cut"] {
		want["mean weight cut"] = append(want["mean weight cut"], v/(want["edges cut"][m]+1))
	}
	for m, x := range xs {
		want["energy below the first"][m] = p.Model.Energy(xs[0]) - p.Model.Energy(x)
		covered := make([]float64, 3)
		for i, l := range x {
			want["mean log probability"][m] += p.Area[i] / total * math.Log(p.UnaryMoments[3*i+int(l)])
			covered[l] += p.Area[i] / total
		}
		for l, c := range covered {
			want["distance of class areas to their moments"][m] += math.Abs(c - area[l])
		}
		for other, y := range xs {
			if other != m {
				want["expected mean IoU"][m] += choose.MeanIoU(x, y, p.Shares(), 3)
			}
		}
	}
	for n, name := range choose.FeatureNames {
		w := want[name]
		mean := (w[0] + w[1] + w[2]) / 3
		deviation := math.Sqrt(((w[0]-mean)*(w[0]-mean) + (w[1]-mean)*(w[1]-mean) + (w[2]-mean)*(w[2]-mean)) / 3)
		for m := range xs {
			if v := (w[m] - mean) / deviation; math.Abs(got[m][n]-v) > 1e-9 {
				t.Errorf("%s of labelling %d: %v, want %v", name, m, got[m][n], v)
			}
		}
	}
}

// A quality that is linear in the features is learned, and ranked by.
func TestRankerLearns(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	var truth choose.Features
	for n := range truth {
		truth[n] = rng.NormFloat64()
	}
	quality := func(f choose.Features) (q float64) {
		for n, v := range f {
			q += v * truth[n]
		}
		return q
	}
	list := func() choose.Known {
		xs := random(rng, 8, 3)
		for _, x := range xs {
			x[0] = 0
		}
		features, err := choose.FeaturesOf(chain(rng, 3), xs)
		if err != nil {
			t.Fatal(err)
		}
		known := choose.Known{Features: features}
		for _, f := range features {
			known.Quality = append(known.Quality, 7+quality(f)) // the level of a list says nothing
		}
		return known
	}
	var lists []choose.Known
	for range 200 {
		lists = append(lists, list())
	}
	r, err := choose.FitRanker(lists, 1e-9)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		known := list()
		for a := range known.Features {
			for b := range known.Features {
				if known.Quality[a] > known.Quality[b]+1e-4 && r.Score(&known.Features[a]) <= r.Score(&known.Features[b]) {
					t.Fatalf("labelling %d isn't before %d, qualities %v", a, b, known.Quality)
				}
			}
		}
	}
}

func TestRankerRefuses(t *testing.T) {
	p := problem(3)
	if _, err := choose.FeaturesOf(p, [][]uint8{{0, 0, 0, 0, 0, 0}}); !errors.Is(err, choose.ErrMarginals) {
		t.Errorf("without marginals: %v", err)
	}
	if _, err := choose.FitRanker(nil, 1); !errors.Is(err, choose.ErrNone) {
		t.Errorf("no lists: %v", err)
	}
	for _, ridge := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := choose.FitRanker(nil, ridge); !errors.Is(err, herding.ErrRange) {
			t.Errorf("ridge %v: %v", ridge, err)
		}
	}
	if _, err := choose.FitRanker([]choose.Known{{Quality: []float64{1}}}, 1); !errors.Is(err, herding.ErrShape) {
		t.Errorf("a quality without features: %v", err)
	}
	x := []uint8{0, 0, 0, 0, 0, 0}
	rng := rand.New(rand.NewPCG(1, 1))
	if f, err := choose.FeaturesOf(chain(rng, 3), [][]uint8{x, x}); err != nil || f[0][4] != 0 {
		t.Errorf("equal labellings: %v, %v", f, err)
	}
}

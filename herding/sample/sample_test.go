package sample_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/crf"
	"collie/crf/crftest"
	"collie/herding"
	"collie/herding/sample"
)

// grid is a 3×3 model with edges of both signs, one of them double, and a clamp.
func grid(k int, seed uint64) *crf.Model {
	rng := rand.New(rand.NewPCG(seed, uint64(k)))
	m := &crf.Model{Nodes: 9, Labels: k, Unary: make([]float64, 9*k), Fixed: []int16{-1, -1, -1, -1, 1, -1, -1, -1, -1}}
	for i := range m.Unary {
		m.Unary[i] = rng.Float64() - 0.5
	}
	for i := range 9 {
		if i%3 > 0 {
			m.Edges = append(m.Edges, crf.Edge{A: int32(i - 1), B: int32(i), W: 2.4*rng.Float64() - 1})
		}
		if i >= 3 {
			m.Edges = append(m.Edges, crf.Edge{A: int32(i - 3), B: int32(i), W: 2.4*rng.Float64() - 1})
		}
	}
	m.Edges = append(m.Edges, crf.Edge{A: 1, B: 0, W: 0.3})
	return m
}

// deviation is how many standard deviations χ² of the observed labellings is
// from what samples of π would have; rare labellings are taken together.
func deviation(m *crf.Model, temperature float64, observed map[string]int, samples int) float64 {
	z := 0.0
	for x := range crftest.Labellings(m.Nodes, m.Labels, m.Fixed) {
		z += math.Exp(m.Energy(x) / temperature)
	}
	chi, cells := 0.0, -1
	rest, restWant := 0, 0.0
	count := func(got int, want float64) {
		chi += (float64(got) - want) * (float64(got) - want) / want
		cells++
	}
	for x := range crftest.Labellings(m.Nodes, m.Labels, m.Fixed) {
		want := float64(samples) * math.Exp(m.Energy(x)/temperature) / z
		if want < 10 {
			rest += observed[string(x)]
			restWant += want
			continue
		}
		count(observed[string(x)], want)
	}
	if restWant > 0 {
		count(rest, restWant)
	}
	return (chi - float64(cells)) / math.Sqrt(2*float64(cells))
}

// TestChainsSampleTheGibbsDistribution holds every kernel to the probabilities
// of all labellings.
func TestChainsSampleTheGibbsDistribution(t *testing.T) {
	const samples = 60_000
	for name, kernels := range map[string][]sample.Kernel{
		"sites": {sample.Sites}, "clusters": {sample.Clusters},
		"both": {sample.Sites, sample.Clusters}, "swaps and sites": {sample.Swaps, sample.Sites},
	} {
		for _, k := range []int{2, 3} {
			for _, temperature := range []float64{0.7} {
				t.Run(fmt.Sprintf("%s/k=%d/T=%g", name, k, temperature), func(t *testing.T) {
					t.Parallel()
					m := grid(k, 3)
					walk, err := (&sample.Chain{Model: m, Kernels: kernels, Temperature: temperature, Every: 3, Seed: 7}).Start()
					if err != nil {
						t.Fatal(err)
					}
					walk.Next()
					observed := map[string]int{}
					for range samples {
						h := walk.Next()
						observed[string(h.Labels)]++
						if h.Labels[4] != 1 {
							t.Fatal("a sample contradicts the clamp")
						}
					}
					if z := deviation(m, temperature, observed, samples); math.Abs(z) > 4.5 {
						t.Errorf("χ² is %.1f standard deviations from that of the Gibbs distribution", z)
					}
				})
			}
		}
	}
}

// On two labels alone swaps reach everything.
func TestSwapsAlone(t *testing.T) {
	const samples = 60_000
	m := grid(2, 5)
	walk, err := (&sample.Chain{Model: m, Kernels: []sample.Kernel{sample.Swaps}, Every: 3, Seed: 1}).Start()
	if err != nil {
		t.Fatal(err)
	}
	walk.Next()
	observed := map[string]int{}
	for range samples {
		observed[string(walk.Next().Labels)]++
	}
	if z := deviation(m, 1, observed, samples); math.Abs(z) > 4.5 {
		t.Errorf("χ² is %.1f standard deviations from that of the Gibbs distribution", z)
	}
}

// Without edges a sample of any kind is a draw from each node's softmax.
func TestWithoutEdges(t *testing.T) {
	const samples = 40_000
	m := grid(3, 1)
	m.Edges, m.Fixed = nil, nil
	for name, source := range map[string]func() (herding.Stepper, error){
		"sites": func() (herding.Stepper, error) { return (&sample.Chain{Model: m, Every: 1}).Start() },
		"clusters": func() (herding.Stepper, error) {
			return (&sample.Chain{Model: m, Every: 1, Kernels: []sample.Kernel{sample.Clusters}}).Start()
		},
		"perturb": func() (herding.Stepper, error) { return (&sample.Perturb{Model: m, Temperature: 1}).Start() },
	} {
		s, err := source()
		if err != nil {
			t.Fatal(err)
		}
		s.Next()
		q := make([]float64, len(m.Unary))
		for range samples {
			for i, l := range s.Next().Labels {
				q[i*3+int(l)] += 1.0 / samples
			}
		}
		for i, want := range herding.SoftmaxMoments(m.Unary, 3) {
			if math.Abs(q[i]-want) > 5*math.Sqrt(want*(1-want)/samples) {
				t.Errorf("%s: node %d has label %d in %.4f of the samples, want %.4f", name, i/3, i%3, q[i], want)
			}
		}
	}
}

// Noise that vanishes leaves the best labelling.
func TestLittleNoise(t *testing.T) {
	m := grid(3, 2)
	group := []int32{0, 0, 0, 1, 1, 1, 2, 2, 2}
	p := &sample.Perturb{Model: m, Temperature: 1e-9, Levels: []sample.Level{{Weight: 1e-9}, {Group: group, Weight: 1e-9}}}
	s, err := p.Start()
	if err != nil {
		t.Fatal(err)
	}
	best := s.Next()
	for x := range crftest.Labellings(m.Nodes, m.Labels, m.Fixed) {
		if m.Energy(x) > best.Energy+1e-9 {
			t.Fatalf("rank 0 has %v, %v has %v", best.Energy, x, m.Energy(x))
		}
	}
	for range 20 {
		if h := s.Next(); !cmp.Equal(h.Labels, best.Labels) {
			t.Errorf("rank %d is %v, want %v", h.Rank, h.Labels, best.Labels)
		}
	}
}

// Noise of a level is the same for all nodes of a group: with nothing else to
// tell nodes apart, groups are of one label, and groups differ.
func TestNoiseIsShared(t *testing.T) {
	m := &crf.Model{Nodes: 6, Labels: 3, Unary: make([]float64, 18)}
	m.Unary[0] = 1e-6
	group := []int32{0, 1, 0, 1, 0, 1}
	s, err := (&sample.Perturb{Model: m, Levels: []sample.Level{{Group: group, Weight: 1}}}).Start()
	if err != nil {
		t.Fatal(err)
	}
	s.Next()
	differ := 0
	for range 100 {
		x := s.Next().Labels
		if x[0] != x[2] || x[0] != x[4] || x[1] != x[3] || x[1] != x[5] {
			t.Fatalf("%v: nodes of a group differ", x)
		}
		if x[0] != x[1] {
			differ++
		}
	}
	if differ < 50 || differ > 80 { // 2/3 of 100 on average
		t.Errorf("groups differ in %d of 100", differ)
	}
}

// Papandreou and Yuille's bound: the mean of the perturbed maxima is at least
// the logarithm of the partition function, and is it without edges.
func TestPerturbedMaximaBoundThePartitionFunction(t *testing.T) {
	for name, edges := range map[string]bool{"edges": true, "no edges": false} {
		m := grid(2, 4)
		if !edges {
			m.Edges, m.Fixed = nil, nil
		}
		log := 0.0
		for x := range crftest.Labellings(m.Nodes, m.Labels, m.Fixed) {
			log += math.Exp(m.Energy(x))
		}
		log = math.Log(log)
		rng := rand.NewPCG(1, 2)
		const draws = 8_000
		mean := 0.0
		noisy := *m
		noisy.Unary = make([]float64, len(m.Unary))
		solver := crf.NewSolver(&noisy, crf.Options{})
		for range draws {
			for i, u := range m.Unary {
				noisy.Unary[i] = u
				if m.Fixed == nil || m.Fixed[i/2] < 0 {
					noisy.Unary[i] += sample.Gumbel(rng)
				}
			}
			mean += solver.Solve(nil).Energy / draws
		}
		if mean < log-0.1 || !edges && math.Abs(mean-log) > 0.1 {
			t.Errorf("%s: mean of perturbed maxima %.3f, logarithm of the partition function %.3f", name, mean, log)
		}
	}
}

// Sweeps before the first sample are as many as were asked for: a long burn-in
// leads where as many single sweeps lead.
func TestBurnIn(t *testing.T) {
	m := grid(3, 1)
	labels := func(c sample.Chain, count int) (all [][]uint8) {
		c.Model, c.Seed = m, 1
		for h, err := range c.Run(t.Context(), count) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, h.Labels)
		}
		return all
	}
	single := labels(sample.Chain{BurnIn: 1, Every: 1}, 41)
	for _, c := range []struct {
		chain sample.Chain
		at    []int // of the single sweeps
	}{
		{sample.Chain{BurnIn: 7, Every: 3}, []int{0, 7, 10, 13}},
		{sample.Chain{}, []int{0, 20, 30, 40}},
	} {
		var want [][]uint8
		for _, n := range c.at {
			want = append(want, single[n])
		}
		if diff := cmp.Diff(want, labels(c.chain, len(c.at))); diff != "" {
			t.Errorf("%+v: labellings after %v sweeps (-want +got):\n%s", c.chain, c.at, diff)
		}
	}
}

// Nothing is sampled where nothing is known, and numbers out of range are named.
func TestSourcesRefuse(t *testing.T) {
	nothing := &crf.Model{Nodes: 2, Labels: 2, Unary: make([]float64, 4), Edges: []crf.Edge{{A: 0, B: 1, W: 1}}}
	m := grid(2, 1)
	for _, c := range []struct {
		source herding.Source
		want   error
		says   string
	}{
		{&sample.Chain{Model: nothing}, herding.ErrNoInformation, ""},
		{&sample.Perturb{Model: nothing, Temperature: 1}, herding.ErrNoInformation, ""},
		{&sample.Chain{Model: m, Temperature: math.NaN()}, herding.ErrRange, "temperature NaN"},
		{&sample.Chain{Model: m, BurnIn: -1}, herding.ErrRange, "-1 and 0 sweeps"},
		{&sample.Chain{Model: m, Kernels: []sample.Kernel{9}}, herding.ErrRange, "kernels [9]"},
		{&sample.Perturb{Model: m, Temperature: -1}, herding.ErrRange, "-1"},
		{&sample.Perturb{Model: m, Levels: []sample.Level{{Weight: 1e308}}}, herding.ErrRange, "1e+308"},
		{&sample.Perturb{Model: m, Levels: []sample.Level{{Group: []int32{0}}}}, herding.ErrShape, "level 0"},
		{&sample.Perturb{Model: m, Levels: []sample.Level{{Group: []int32{0, 0, 0, 0, 0, 0, 0, 0, 9}}}}, herding.ErrRange, "node 8 is in group 9"},
	} {
		for _, err := range c.source.Run(t.Context(), 2) {
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %v, want %v with %q", c.source, err, c.want, c.says)
			}
			break
		}
	}
}

// No number of the generator makes noise infinite.
func TestNoiseIsFinite(t *testing.T) {
	largest := rand.NewPCG(5585387548223850061, 17459065950105678717)
	if next := *largest; next.Uint64() != math.MaxUint64 {
		t.Fatal("the next number is not the largest")
	}
	if g := sample.Gumbel(largest); math.IsInf(g, 0) {
		t.Errorf("noise of %v", g)
	}
}

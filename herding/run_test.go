package herding

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/crf"
	"collie/crf/crftest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// collect runs a sequence to its end.
func collect(t interface{ Fatal(...any) }, p *Problem, count int) []Hypothesis {
	var out []Hypothesis
	for h, err := range p.Run(context.Background(), count) {
		if err != nil {
			t.Fatal(err)
		}
		if h.Rank != len(out) {
			t.Fatal("rank", h.Rank, "at place", len(out))
		}
		out = append(out, h)
	}
	if len(out) != count {
		t.Fatal(len(out), "hypotheses instead of", count)
	}
	return out
}

func labelsOf(hypotheses []Hypothesis) [][]uint8 {
	out := make([][]uint8, len(hypotheses))
	for i, h := range hypotheses {
		out[i] = h.Labels
	}
	return out
}

// drawProblem makes a small problem with moments that a distribution has:
// means over a few random labellings that keep the clamps.
func drawProblem(t *rapid.T) *Problem {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	n, k := 2+rng.IntN(5), 2+rng.IntN(2)
	m := &crf.Model{Nodes: n, Labels: k, Unary: make([]float64, n*k), Fixed: make([]int16, n)}
	area := make([]float64, n)
	for i := range n {
		m.Fixed[i] = -1
		area[i] = 0.5 + rng.Float64()
		for l := range k {
			m.Unary[i*k+l] = rng.Float64()
		}
	}
	m.Fixed[rng.IntN(n)] = int16(rng.IntN(k))
	for i := 1; i < n; i++ {
		m.Edges = append(m.Edges, crf.Edge{A: int32(rng.IntN(i)), B: int32(i), W: rng.Float64()})
	}
	p := &Problem{
		Model: m, EtaUnary: 0.2 + rng.Float64(), EtaPair: rng.Float64() / 4, EtaArea: 0.2,
		UnaryMoments: make([]float64, n*k), PairMoments: make([]float64, len(m.Edges)),
		AreaMoments: make([]float64, k), Area: area, Solver: crf.Thorough,
	}
	whole := total(area)
	const support = 4
	for range support {
		x := make([]uint8, n)
		for i, f := range m.Fixed {
			x[i] = uint8(rng.IntN(k))
			if f >= 0 {
				x[i] = uint8(f)
			}
			p.UnaryMoments[i*k+int(x[i])] += 1.0 / support
			p.AreaMoments[x[i]] += area[i] / whole / support
		}
		for e, edge := range m.Edges {
			p.PairMoments[e] += equal(x, edge) / support
		}
	}
	for l := range k {
		p.AreaMoments[l] = min(p.AreaMoments[l], 1)
	}
	if rapid.Bool().Draw(t, "no area") {
		p.AreaMoments, p.Area = nil, nil
	}
	return p
}

// reference is Herding written down naively: θ as full tables, brute force,
// and the sequence's definition, for problems without Carries.
func reference(p *Problem, count int) [][]uint8 {
	n, k := p.Model.Nodes, p.Model.Labels
	unary := slices.Clone(p.Model.Unary)
	same := make([]float64, len(p.Model.Edges))
	differ := make([]float64, len(same))
	for e, edge := range p.Model.Edges {
		same[e] = edge.W
	}
	area := make([]float64, k)
	score := func(x []uint8) float64 {
		s := 0.0
		for i, l := range x {
			s += unary[i*k+int(l)]
			if p.Area != nil {
				s += area[l] * p.Area[i] / total(p.Area)
			}
		}
		for e, edge := range p.Model.Edges {
			if x[edge.A] == x[edge.B] {
				s += same[e]
			} else {
				s += differ[e]
			}
		}
		return s
	}
	var out [][]uint8
	for range count {
		best, x := math.Inf(-1), make([]uint8, n)
		for y := range crftest.Labellings(n, k, p.Model.Fixed) {
			if s := score(y); s > best {
				best = s
				copy(x, y)
			}
		}
		out = append(out, x)
		for i := range n {
			for l := range k {
				unary[i*k+l] += p.EtaUnary * p.UnaryMoments[i*k+l]
			}
			unary[i*k+int(x[i])] -= p.EtaUnary
			if p.Area != nil {
				area[x[i]] -= p.EtaArea * float64(n) * p.Area[i] / total(p.Area)
			}
		}
		for l := range p.AreaMoments {
			area[l] += p.EtaArea * float64(n) * p.AreaMoments[l]
		}
		for e, edge := range p.Model.Edges {
			mu, phi := p.PairMoments[e], equal(x, edge)
			same[e] += p.EtaPair * (mu - phi)
			differ[e] += p.EtaPair * ((1 - mu) - (1 - phi))
		}
	}
	return out
}

func TestRunIsHerding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		const count = 12
		got := collect(t, p, count)
		if d := cmp.Diff(reference(p, count), labelsOf(got)); d != "" {
			t.Fatal(d)
		}
		for _, h := range got {
			if h.Energy != p.Model.Energy(h.Labels) {
				t.Fatalf("energy %v, under Θ %v", h.Energy, p.Model.Energy(h.Labels))
			}
			if !h.Condition || h.Slack < -slackTolerance {
				t.Fatalf("Chen's condition fails with slack %v for an exact maximiser", h.Slack)
			}
		}
	})
}

// TestMomentsAreRecovered: the means of the statistics approach the moments as
// c/M: M times the error stays below a constant.
func TestMomentsAreRecovered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		p.Solver = crf.Options{}
		k := p.Model.Labels
		for _, count := range []int{20, 200} {
			hypotheses := collect(t, p, count)
			q := Marginals(labelsOf(hypotheses), k)
			for i := range q {
				if p.Model.Fixed[i/k] < 0 && math.Abs(q[i]-p.UnaryMoments[i])*float64(count) > 40 {
					t.Fatalf("M=%d: node %d label %d has mean %v, moment %v", count, i/k, i%k, q[i], p.UnaryMoments[i])
				}
			}
			if p.Area == nil {
				continue
			}
			mean, err := AreaMoments(q, k, p.Area)
			if err != nil {
				t.Fatal(err)
			}
			for l, m := range p.AreaMoments {
				if math.Abs(mean[l]-m)*float64(count) > 40 {
					t.Fatalf("M=%d: class %d covers %v, moment %v", count, l, mean[l], m)
				}
			}
		}
	})
}

// The first hypothesis takes what Solver allows, the others what Later does.
func TestLater(t *testing.T) {
	spared := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		p.Solver = crf.Options{Sweeps: 10}
		full := collect(t, p, 10)
		p.Later = crf.Options{Sweeps: 1, Cycles: 1}
		later := collect(t, p, 10)
		if diff := cmp.Diff(full[0], later[0]); diff != "" {
			t.Errorf("rank 0 (-without Later +with):\n%s", diff)
		}
		for i, h := range later[1:] {
			if h.Solves == 1 && h.Sweeps > 1 {
				t.Errorf("rank %d took %d sweeps of message passing, want 1 at most", h.Rank, h.Sweeps)
			}
			spared += full[i+1].Sweeps - h.Sweeps
		}
	})
	if spared <= 0 {
		t.Error("no problem needed more than one sweep, so the test shows nothing")
	}
}

// TestDivMBest compares the special case with Batra's rule written out.
func TestDivMBest(t *testing.T) {
	for _, k := range []int{2, 5} {
		s := newScene(200, k, 0.05, 3)
		m := &crf.Model{Nodes: s.n, Labels: k, Unary: make([]float64, s.n*k), Fixed: s.clicks, Edges: s.potts}
		const lambda, count = 0.15, 10
		got := collect(t, DivMBest(m, lambda), count)
		general := &Problem{
			Model: m, UnaryMoments: make([]float64, s.n*k), EtaUnary: lambda,
			PairMoments: make([]float64, len(m.Edges)), EtaPair: 0,
		}
		if d := cmp.Diff(got, collect(t, general, count)); d != "" {
			t.Errorf("k=%d: Herding with μ_u = 0 and η_p = 0 differs: %s", k, d)
		}
		changed := *m
		changed.Unary = slices.Clone(m.Unary)
		solver := crf.NewSolver(&changed, crf.Options{})
		var last []uint8
		for _, h := range got {
			r := solver.Solve(last)
			last = slices.Clone(r.Labels)
			if d := cmp.Diff(last, h.Labels); d != "" {
				t.Fatalf("k=%d rank %d: %s", k, h.Rank, d)
			}
			for i, l := range last {
				if m.Fixed[i] < 0 {
					changed.Unary[i*k+int(l)] -= lambda
				}
			}
		}
	}
}

// TestRescaling: θ and η shrink together, so the hypotheses stay what they are.
func TestRescaling(t *testing.T) {
	s := newScene(200, 3, 0.05, 4)
	m := &crf.Model{Nodes: s.n, Labels: 3, Unary: make([]float64, s.n*3), Fixed: s.clicks, Edges: s.potts}
	free := DivMBest(m, 0.5)
	free.Area = s.area
	free.AreaMoments = []float64{0.5, 0.3, 0.2}
	free.EtaArea = 0.1
	bounded := *free
	bounded.NormBound = 3
	want, got := collect(t, free, 15), collect(t, &bounded, 15)
	if d := cmp.Diff(labelsOf(want), labelsOf(got)); d != "" {
		t.Error(d)
	}
	r, err := NewSequence(&bounded)
	if err != nil {
		t.Fatal(err)
	}
	for range 15 {
		r.Next()
	}
	if r.scale > 0.5 {
		t.Errorf("θ was never rescaled: %v", r.scale)
	}
}

func TestCarries(t *testing.T) {
	m := &crf.Model{Nodes: 2, Labels: 2, Unary: []float64{1, 0, 1, 0}}
	p := DivMBest(m, 5)
	p.Carries = []bool{false, true}
	got := labelsOf(collect(t, p, 2))
	if d := cmp.Diff([][]uint8{{0, 0}, {0, 1}}, got); d != "" {
		t.Error(d)
	}
}

func TestCancel(t *testing.T) {
	s := newScene(100, 2, 0.1, 1)
	m := &crf.Model{Nodes: s.n, Labels: 2, Unary: make([]float64, s.n*2), Fixed: s.clicks, Edges: s.potts}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen, failed := 0, 0
	for h, err := range DivMBest(m, 0.15).Run(ctx, 100) {
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			failed++
			continue
		}
		seen++
		if h.Rank == 2 {
			cancel()
		}
	}
	if seen != 3 || failed != 1 {
		t.Errorf("%d hypotheses and %d errors, want 3 and 1", seen, failed)
	}
	for range DivMBest(m, 0.15).Run(context.Background(), 100) {
		break // must not panic: the stream ends with its reader
	}
}

func TestRunErrors(t *testing.T) {
	model := func() *crf.Model {
		return &crf.Model{Nodes: 2, Labels: 2, Unary: []float64{1, 0, 0, 0}, Edges: []crf.Edge{{A: 0, B: 1, W: 1}}}
	}
	for name, c := range map[string]struct {
		spoil func(*Problem)
		want  error
	}{
		"no model":           {func(p *Problem) { p.Model = nil }, ErrShape},
		"bad model":          {func(p *Problem) { p.Model.Unary[0] = math.NaN() }, crf.ErrNotFinite},
		"huge unary":         {func(p *Problem) { p.Model.Unary[0] = -1e300 }, ErrRange},
		"huge weight":        {func(p *Problem) { p.Model.Edges[0].W = 1e300 }, ErrRange},
		"unary moments":      {func(p *Problem) { p.UnaryMoments = p.UnaryMoments[1:] }, ErrShape},
		"moment above 1":     {func(p *Problem) { p.UnaryMoments[0] = 1.1 }, ErrRange},
		"moment NaN":         {func(p *Problem) { p.UnaryMoments[0] = math.NaN() }, ErrRange},
		"pair moments":       {func(p *Problem) { p.PairMoments = []float64{} }, ErrShape},
		"area moments":       {func(p *Problem) { p.AreaMoments, p.Area = []float64{1}, []float64{1, 1} }, ErrShape},
		"moments, no areas":  {func(p *Problem) { p.AreaMoments = []float64{1, 0} }, ErrShape},
		"no area":            {func(p *Problem) { p.AreaMoments, p.Area = []float64{1, 0}, []float64{0, 0} }, ErrRange},
		"negative area":      {func(p *Problem) { p.AreaMoments, p.Area = []float64{1, 0}, []float64{2, -1} }, ErrRange},
		"carries":            {func(p *Problem) { p.Carries = []bool{true} }, ErrShape},
		"negative rate":      {func(p *Problem) { p.EtaUnary = -1 }, ErrRange},
		"infinite rate":      {func(p *Problem) { p.EtaPair = math.Inf(1) }, ErrRange},
		"huge rate":          {func(p *Problem) { p.EtaUnary = 1e200 }, ErrRange},
		"no information yet": {func(p *Problem) { p.Model.Unary[0] = 0 }, ErrNoInformation},
	} {
		p := DivMBest(model(), 0.1)
		c.spoil(p)
		errs := 0
		for _, err := range p.Run(context.Background(), 3) {
			errs++
			if !errors.Is(err, c.want) {
				t.Errorf("%s: got %v, want %v", name, err, c.want)
			}
		}
		if errs != 1 {
			t.Errorf("%s: %d values, want one error", name, errs)
		}
	}
	collect(t, DivMBest(model(), 0.1), 3)
}

// TestLargestEnergies: nothing overflows with the largest numbers that are accepted.
func TestLargestEnergies(t *testing.T) {
	m := &crf.Model{Nodes: 3, Labels: 2, Unary: []float64{MaxEnergy, -MaxEnergy, 0, 1, -MaxEnergy, 0}, Edges: []crf.Edge{{A: 0, B: 1, W: MaxEnergy}, {A: 1, B: 2, W: -MaxEnergy}}}
	for _, p := range []*Problem{
		DivMBest(m, 0.1),
		DivMBest(m, MaxEnergy),
		{Model: m, PairMoments: []float64{1, 0}, EtaPair: MaxEnergy},
		{Model: m, AreaMoments: []float64{1, 0}, Area: []float64{1, 1, 1}, EtaArea: MaxEnergy},
		{Model: m, Area: []float64{1, 1, 1}, Regions: []RegionMoments{{Group: []int32{0, 0, 0}, Moments: []float64{1, 0}, Eta: MaxEnergy}}},
	} {
		for i, h := range collect(t, p, 5) {
			for _, v := range []float64{h.Energy, h.Slack} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("hypothesis %d: %+v", i, h)
				}
			}
		}
	}
}

// TestRunOnlyReads: a problem is not changed by running it.
func TestRunOnlyReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		m := *p.Model
		m.Unary, m.Edges, m.Fixed = slices.Clone(m.Unary), slices.Clone(m.Edges), slices.Clone(m.Fixed)
		mu := slices.Clone(p.UnaryMoments)
		first := collect(t, p, 5)
		if d := cmp.Diff(m, *p.Model) + cmp.Diff(mu, p.UnaryMoments); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(first, collect(t, p, 5)); d != "" {
			t.Fatal("second run differs: ", d)
		}
	})
}

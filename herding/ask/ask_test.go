package ask_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/crf"
	"collie/herding"
	"collie/herding/ask"
)

// grid is a problem on a grid of side×side nodes with random conductances and
// two clicks of each of k labels, its walker and the answers of it.
func grid(t testing.TB, side, k int, seed uint64) (*herding.Problem, *herding.Harmonic, ask.After) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	n := side * side
	var edges []crf.Edge
	area := make([]float64, n)
	fixed := slices.Repeat([]int16{-1}, n)
	for i := range n {
		area[i] = 0.5 + rng.Float64()
		if i%side > 0 {
			edges = append(edges, crf.Edge{A: int32(i - 1), B: int32(i), W: crf.Exp(-4 * rng.Float64())})
		}
		if i >= side {
			edges = append(edges, crf.Edge{A: int32(i - side), B: int32(i), W: crf.Exp(-4 * rng.Float64())})
		}
	}
	for c, i := range rng.Perm(n)[:2*k] {
		fixed[i] = int16(c % k)
	}
	walker, err := herding.NewHarmonic(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	p, err := walker.Solve(nil, k, fixed, nil)
	if err != nil {
		t.Fatal(err)
	}
	problem, err := herding.Posterior(p, k, fixed, edges, herding.PosteriorOptions{EtaUnary: 0.4, EtaArea: 1, Area: area})
	if err != nil {
		t.Fatal(err)
	}
	return problem, walker, func(node int) ([]float64, error) { return walker.Answer(nil, k, fixed, nil, node) }
}

// The gain is that of solving again for every answer.
func TestRiskIsThatOfEveryAnswer(t *testing.T) {
	for seed := range uint64(5) {
		const k = 3
		p, walker, after := grid(t, 7, k, seed)
		ranked, err := ask.Risk{After: after}.Rank(t.Context(), p, 12)
		if err != nil {
			t.Fatal(err)
		}
		if len(ranked) != 12 {
			t.Fatalf("%d candidates, want 12", len(ranked))
		}
		shares := p.Shares()
		u := herding.ExpectedWrongArea(roots(p.UnaryMoments, k), k, shares)
		last := math.Inf(1)
		for _, c := range ranked {
			fixed := slices.Clone(p.Model.Fixed)
			if fixed[c.Node] >= 0 {
				t.Fatalf("node %d is clicked already", c.Node)
			}
			want, mass := 0.0, 0.0
			mean := make([]float64, len(p.UnaryMoments))
			for l := range k {
				prob := p.UnaryMoments[c.Node*k+l]
				fixed[c.Node] = int16(l)
				q, err := walker.Solve(nil, k, fixed, nil)
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range q {
					mean[i] += prob * v
				}
				if prob >= 0.01 {
					want += math.Sqrt(prob) * herding.ExpectedWrongArea(roots(q, k), k, shares)
					mass += math.Sqrt(prob)
				}
			}
			want = u - want/mass
			if math.Abs(c.Gain-want) > 1e-12 {
				t.Errorf("gain of node %d is %v, want %v", c.Node, c.Gain, want)
			}
			// On a graph without jumps an answer changes nothing on average.
			for i, v := range mean {
				if math.Abs(v-p.UnaryMoments[i]) > 1e-9 {
					t.Fatalf("the mean over the answers of node %d moves p[%d] from %v to %v", c.Node, i, p.UnaryMoments[i], v)
				}
			}
			if c.Gain > last {
				t.Errorf("gain %v after %v, want falling gains", c.Gain, last)
			}
			last = c.Gain
		}
	}
}

// Where more than 100 labels are equally probable, none of them reaches the least
// probability that is considered.
func TestRiskOfManyLabels(t *testing.T) {
	const k, n = 150, 4
	m := &crf.Model{Nodes: n, Labels: k, Unary: make([]float64, n*k)}
	p := &herding.Problem{Model: m, UnaryMoments: slices.Repeat([]float64{1. / k}, n*k)}
	after := func(node int) ([]float64, error) {
		q := slices.Repeat([]float64{1. / k}, n*(k+1))
		for j := range n {
			q[j*(k+1)+k] = 0
		}
		return q, nil
	}
	ranked, err := ask.Risk{After: after}.Rank(t.Context(), p, 0)
	if err != nil || len(ranked) != n {
		t.Fatalf("%d candidates, %v", len(ranked), err)
	}
	for _, c := range ranked {
		if !(math.Abs(c.Gain) < 1e-9) {
			t.Errorf("gain %v of an answer that changes nothing", c.Gain)
		}
	}
}

// The expected changes are those of solving again for every answer.
func TestChangeIsThatOfEveryAnswer(t *testing.T) {
	improbable := false
	for seed := range uint64(5) {
		const k = 3
		p, walker, after := grid(t, 7, k, seed)
		shares := p.Shares()
		of := map[string]map[int]float64{}
		for name, query := range map[string]herding.Query{"change": ask.Change{After: after}, "label change": ask.LabelChange{After: after}} {
			ranked, err := query.Rank(t.Context(), p, 0)
			if err != nil {
				t.Fatal(err)
			}
			of[name] = map[int]float64{}
			for _, c := range ranked {
				of[name][c.Node] = c.Gain
			}
		}
		for node, got := range of["change"] {
			moved, turned := 0.0, 0.0
			fixed := slices.Clone(p.Model.Fixed)
			for l, prob := range p.UnaryMoments[node*k : (node+1)*k] {
				if prob < 0.01 {
					improbable = improbable || l+1 < k
					continue
				}
				fixed[node] = int16(l)
				q, err := walker.Solve(nil, k, fixed, nil)
				if err != nil {
					t.Fatal(err)
				}
				before, then := herding.RandomWalker(p.UnaryMoments, k), herding.RandomWalker(q, k)
				for j, a := range shares {
					for c := range k {
						moved += prob * a * math.Abs(q[j*k+c]-p.UnaryMoments[j*k+c]) / 2
					}
					if before[j] != then[j] {
						turned += prob * a
					}
				}
			}
			if math.Abs(got-moved) > 1e-9 {
				t.Errorf("expected change after node %d is %v, want %v", node, got, moved)
			}
			if got := of["label change"][node]; math.Abs(got-turned) > 1e-9 {
				t.Errorf("expected label change after node %d is %v, want %v", node, got, turned)
			}
		}
	}
	if !improbable {
		t.Error("no node has an improbable label before a probable one")
	}
}

// Where all answers are improbable, some still move something.
func TestChangeOfManyLabels(t *testing.T) {
	const k, n = 150, 4
	p := &herding.Problem{
		Model:        &crf.Model{Nodes: n, Labels: k, Unary: make([]float64, n*k)},
		UnaryMoments: slices.Repeat([]float64{1.0 / k}, n*k),
	}
	after := func(int) ([]float64, error) { // the answer holds everywhere
		q := make([]float64, n*(k+1))
		for i := range n {
			q[i*(k+1)+k] = 1
		}
		return q, nil
	}
	ranked, err := ask.Change{After: after}.Rank(t.Context(), p, 0)
	if err != nil || len(ranked) != n {
		t.Fatalf("%d candidates, %v", len(ranked), err)
	}
	for _, c := range ranked {
		if math.Abs(c.Gain-(1-1.0/k)) > 1e-9 {
			t.Errorf("gain %v of an answer that settles everything", c.Gain)
		}
	}
}

// roots are the normalised square roots of rows of k probabilities.
func roots(p []float64, k int) []float64 {
	out := slices.Clone(p)
	for row := range slices.Chunk(out, k) {
		sum := 0.0
		for l, v := range row {
			row[l] = math.Sqrt(v)
			sum += row[l]
		}
		for l := range row {
			row[l] /= sum
		}
	}
	return out
}

// Where a part of the graph has no evidence, an answer there informs it alone.
func TestAnswerWhereNothingIsKnown(t *testing.T) {
	walker, err := herding.NewHarmonic(5, []crf.Edge{{A: 0, B: 1, W: 1}, {A: 1, B: 2, W: 1}, {A: 3, B: 4, W: 1}})
	if err != nil {
		t.Fatal(err)
	}
	fixed := []int16{0, -1, 1, -1, -1}
	for node, want := range map[int][]float64{
		1: {1, 0, 0, 0, 0, 1, 0, 1, 0, 0.5, 0.5, 0, 0.5, 0.5, 0},
		3: {1, 0, 0, 0.5, 0.5, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1},
	} {
		q, err := walker.Answer(nil, 2, fixed, nil, node)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range q {
			if math.Abs(v-want[i]) > 1e-12 {
				t.Errorf("answer at %d: %v, want %v", node, q, want)
				break
			}
		}
	}
	if _, err := walker.Answer(nil, 2, fixed, nil, 0); !errors.Is(err, herding.ErrRange) {
		t.Errorf("an answer at a click: %v", err)
	}
}

// Every query leaves out clicks and what is certain, and ranks by falling gain.
func TestQueries(t *testing.T) {
	p, walker, after := grid(t, 6, 3, 9)
	for name, q := range map[string]herding.Query{
		"risk": ask.Risk{After: after}, "margin": ask.Margin{}, "entropy": ask.Entropy{}, "votes": ask.Votes{},
		"change": ask.Change{After: after}, "elc": ask.LabelChange{After: after},
	} {
		ranked, err := q.Rank(t.Context(), p, 7)
		if err != nil || len(ranked) == 0 || len(ranked) > 7 {
			t.Fatalf("%s: %d candidates, %v", name, len(ranked), err)
		}
		seen := map[int]bool{}
		for n, c := range ranked {
			if p.Model.Fixed[c.Node] >= 0 || seen[c.Node] || n > 0 && c.Gain > ranked[n-1].Gain {
				t.Errorf("%s: %v", name, ranked)
			}
			seen[c.Node] = true
		}
		again, err := q.Rank(t.Context(), p, 7)
		if err != nil || !slices.Equal(ranked, again) {
			t.Errorf("%s: another time %v, %v", name, again, err)
		}

		certain := *p
		model := *p.Model
		certain.Model = &model
		model.Fixed = slices.Clone(model.Fixed)
		for i, l := range herding.RandomWalker(p.UnaryMoments, 3) {
			model.Fixed[i] = int16(l)
		}
		model.Fixed[0] = -1
		if certain.UnaryMoments, err = walker.Solve(nil, 3, p.Model.Fixed, nil); err != nil {
			t.Fatal(err)
		}
		copy(certain.UnaryMoments, []float64{1, 0, 0})
		if name != "votes" { // its own sequence may still disagree
			if ranked, err := q.Rank(t.Context(), &certain, 0); err != nil || len(ranked) > 0 {
				t.Errorf("%s: all clicked or certain, yet %v, %v", name, ranked, err)
			}
		}
		none := *p
		none.UnaryMoments = nil
		if _, err := q.Rank(t.Context(), &none, 0); !errors.Is(err, ask.ErrNoMarginals) {
			t.Errorf("%s without marginals: %v", name, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := q.Rank(ctx, p, 0); name != "margin" && name != "entropy" && !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", name, err)
		}
	}
	for name, q := range map[string]herding.Query{"risk": ask.Risk{}, "change": ask.Change{}, "elc": ask.LabelChange{}} {
		if _, err := q.Rank(t.Context(), p, 0); !errors.Is(err, ask.ErrNoAfter) {
			t.Errorf("%s without After: %v", name, err)
		}
	}
}

package herding

import (
	"errors"
	"math"
	"testing"

	"collie/crf"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSemanticUnaries(t *testing.T) {
	sigmoid := func(s float64) float64 { return 1 / (1 + math.Exp(7-15*s)) }
	scores := []float64{0.8, 0.4, 0, 0.1, 0.1, 0.1}
	got, err := SemanticUnaries(scores, 3, SigmoidOffset, SigmoidSlope)
	if err != nil {
		t.Fatal(err)
	}
	sum := sigmoid(0.8) + sigmoid(0.4) + sigmoid(0)
	third := math.Log(1.0 / 3)
	want := []float64{math.Log(sigmoid(0.8) / sum), math.Log(sigmoid(0.4) / sum), math.Log(sigmoid(0) / sum), third, third, third}
	if d := cmp.Diff(want, got, near); d != "" {
		t.Error(d)
	}
	// The probable label has to gain, not to lose.
	if !(got[0] > got[1] && got[1] > got[2]) {
		t.Errorf("scores %v give unaries %v", scores[:3], got[:3])
	}
	// The plain formula would divide 0 by 0, or take the logarithm of 0.
	extreme, err := SemanticUnaries([]float64{-1000, -1001, 1000, -1000}, 2, SigmoidOffset, SigmoidSlope)
	if err != nil {
		t.Fatal(err)
	}
	floor := math.Log(SemanticFloor)
	if d := cmp.Diff([]float64{math.Log1p(-math.Exp(-15)), floor, 0, floor}, extreme, within(1e-6)); d != "" {
		t.Error(d)
	}
}

func within(margin float64) cmp.Option {
	return cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= margin })
}

func TestSemanticRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		scores []float64
		labels int
		a, b   float64
		want   error
	}{
		"no labels":      {nil, 0, 0, 1, ErrShape},
		"too many":       {make([]float64, 256), 256, 0, 1, ErrShape},
		"half a row":     {make([]float64, 3), 2, 0, 1, ErrShape},
		"NaN":            {[]float64{0, math.NaN()}, 2, 0, 1, ErrRange},
		"infinite":       {[]float64{0, math.Inf(1)}, 2, 0, 1, ErrRange},
		"infinite a":     {[]float64{0, 1}, 2, math.Inf(-1), 1, ErrRange},
		"overflow of bs": {[]float64{0, 1e300}, 2, 0, 1e300, ErrRange},
	} {
		if _, err := SemanticUnaries(c.scores, c.labels, c.a, c.b); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := Semantic(&crf.Model{Nodes: 2, Labels: 2, Unary: make([]float64, 3)}, Similarity); !errors.Is(err, crf.ErrShape) {
		t.Error(err)
	}
	heavy := &crf.Model{Nodes: 2, Labels: 2, Unary: make([]float64, 4), Edges: []crf.Edge{{A: 0, B: 1, W: 0.15}}}
	if _, err := Semantic(heavy, SimilarityBeforeWeight); !errors.Is(err, ErrRange) {
		t.Error(err)
	}
}

// TestSemanticMoments: μ_u is the probability that the unaries were made from,
// before the floor to the precision that the floor leaves.
func TestSemanticMoments(t *testing.T) {
	unary, err := SemanticUnaries([]float64{0.9, 0.5, 0, 0.2, 0.6, 0.45}, 3, SigmoidOffset, SigmoidSlope)
	if err != nil {
		t.Fatal(err)
	}
	m := &crf.Model{Nodes: 2, Labels: 3, Unary: unary, Edges: []crf.Edge{{A: 0, B: 1, W: SemanticEdge(0.1)}}}
	p, err := Semantic(m, SimilarityBeforeWeight)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, len(unary))
	for i, u := range unary {
		want[i] = math.Exp(u)
	}
	if d := cmp.Diff(want, p.UnaryMoments, within(3e-6)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{math.Exp(-1)}, p.PairMoments, near); d != "" {
		t.Error(d)
	}
	if p.EtaUnary != 0.75 || p.EtaPair != 0.25 {
		t.Errorf("rates %v and %v", p.EtaUnary, p.EtaPair)
	}
}

// drawSemantic makes the semantic problem of a small synthetic scene whose
// scores are the truth with noise, and with a few clicks that may be at odds
// with the scores.
func drawSemantic(t *rapid.T) *Problem {
	k := rapid.IntRange(2, 5).Draw(t, "k")
	s := newScene(rapid.IntRange(9, 60).Draw(t, "n"), k, 0.1, rapid.Uint64().Draw(t, "seed"))
	scores := make([]float64, s.n*k)
	noise := rapid.SliceOfN(rapid.Float64Range(0, 1), len(scores), len(scores)).Draw(t, "noise")
	for i, l := range s.truth {
		scores[i*k+int(l)] = 0.5
		for c := range k {
			scores[i*k+c] += noise[i*k+c] / 2
		}
		if s.clicks[i] >= 0 {
			s.clicks[i] = int16((int(s.clicks[i]) + i) % k)
		}
	}
	unary, err := SemanticUnaries(scores, k, SigmoidOffset, SigmoidSlope)
	if err != nil {
		t.Fatal(err)
	}
	edges := make([]crf.Edge, len(s.potts))
	for e, edge := range s.potts {
		edges[e] = crf.Edge{A: edge.A, B: edge.B, W: SemanticWeight * edge.W}
	}
	p, err := Semantic(&crf.Model{Nodes: s.n, Labels: k, Unary: unary, Fixed: s.clicks, Edges: edges},
		rapid.SampledFrom([]Reading{Similarity, SimilarityBeforeWeight, Softmax}).Draw(t, "reading"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSemanticNeverContradictsAClick(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawSemantic(t)
		for _, h := range collect(t, p, 6) {
			for i, f := range p.Model.Fixed {
				if f >= 0 && h.Labels[i] != uint8(f) {
					t.Fatalf("hypothesis %d: node %d is %d, was clicked %d", h.Rank, i, h.Labels[i], f)
				}
			}
		}
	})
}

func TestSemanticIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawSemantic(t)
		if d := cmp.Diff(collect(t, p, 6), collect(t, p, 6)); d != "" {
			t.Fatal(d)
		}
	})
}

// TestSemanticHoldsDivMBest: without knowledge of the marginals – uniform ones,
// which change no maximiser – and without pairwise moments the problem's
// sequence is that of DivMBest with λ = η_u.
func TestSemanticHoldsDivMBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawSemantic(t)
		p.PairMoments = nil
		for i := range p.UnaryMoments {
			p.UnaryMoments[i] = 0
		}
		want := labelsOf(collect(t, DivMBest(p.Model, SemanticEtaUnary), 6))
		if d := cmp.Diff(want, labelsOf(collect(t, p, 6))); d != "" {
			t.Fatal(d)
		}
	})
}

// TestSemanticMeansReachTheScores: without edges the moments are reachable, and
// the share of hypotheses in which a node has a label comes close to its probability.
func TestSemanticMeansReachTheScores(t *testing.T) {
	unary, err := SemanticUnaries([]float64{0.45, 0.5, 0.4, 0.9, 0.1, 0.2}, 3, SigmoidOffset, SigmoidSlope)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Semantic(&crf.Model{Nodes: 2, Labels: 3, Unary: unary}, Similarity)
	if err != nil {
		t.Fatal(err)
	}
	const count = 400
	share := make([]float64, len(unary))
	for _, x := range labelsOf(collect(t, p, count)) {
		for i, l := range x {
			share[i*3+int(l)] += 1.0 / count
		}
	}
	if d := cmp.Diff(p.UnaryMoments, share, within(0.02)); d != "" {
		t.Error(d)
	}
}

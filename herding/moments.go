package herding

import (
	"fmt"
	"slices"

	"collie/crf"
)

// Reading is one way to understand the paper's pairwise moments, 'the pairwise
// potential normalised to sum 1' (section 4 of the paper), where the potential
// of an edge of weight C is (0, -C) for equal and different labels.
type Reading uint8

const (
	// Similarity normalises the similarity (C, 0): μ= is 1, so every cut edge
	// is strengthened until the fronts follow weak borders. This reading
	// reproduces the paper's table.
	Similarity Reading = iota
	// SimilarityBeforeWeight takes the similarity before its weight,
	// exp(-decay·d): μ= is C / weight.
	SimilarityBeforeWeight
	// Softmax takes exp(0) : exp(-C), so μ= = 1/(1+exp(-C)), near one half:
	// neighbours should disagree half of the time.
	Softmax
)

// PairMoments are the moments μ= of the edges under a reading. weight is used
// by SimilarityBeforeWeight alone (the paper: 0.15 interactive, 0.08 semantic)
// and has to be at least the largest edge weight.
func PairMoments(edges []crf.Edge, reading Reading, weight float64) ([]float64, error) {
	mu := make([]float64, len(edges))
	for i, e := range edges {
		switch reading {
		case Similarity:
			mu[i] = 1
		case SimilarityBeforeWeight:
			if !(e.W >= 0 && e.W <= weight*(1+1e-6)) {
				return nil, fmt.Errorf("%w: edge %d weighs %v, want 0 to %v", ErrRange, i, e.W, weight)
			}
			mu[i] = min(e.W/weight, 1)
		case Softmax:
			mu[i] = 1 / (1 + crf.Exp(-e.W))
		default:
			return nil, fmt.Errorf("%w: unknown reading %d", ErrRange, reading)
		}
	}
	return mu, nil
}

// SoftmaxMoments are the unary moments exp θ_i(l) / Σ exp θ_i of the paper for
// unaries n×labels row-major.
func SoftmaxMoments(unary []float64, labels int) []float64 {
	mu := make([]float64, len(unary))
	for i := 0; i < len(mu); i += labels {
		row, out := unary[i:i+labels], mu[i:i+labels]
		top := slices.Max(row)
		for l, u := range row {
			out[l] = crf.Exp(u - top)
		}
		normalise(out, out)
	}
	return mu
}

// Paper is the paper's interactive problem: the model's clicks are clamped,
// missing unaries are never updated, and the edges have the moments of a
// reading (weight as in PairMoments) with the paper's rate of 0.25.
func Paper(m *crf.Model, reading Reading, weight float64) (*Problem, error) {
	mu, err := PairMoments(m.Edges, reading, weight)
	if err != nil {
		return nil, err
	}
	return &Problem{Model: m, PairMoments: mu, EtaPair: 0.25, Later: crf.Options{Sweeps: 5, Cycles: 1}}, nil
}

// Floor of probabilities in logarithms.
const Floor = 1e-4

// Impossible is a unary that rules a label out at a node, which diverse.NBest and
// Region then don't force on it either: sequences move unaries by less, but it is
// small enough for finite bounds.
const Impossible = -1e4

// RuledOut reports whether a label is impossible at a node.
func RuledOut(m *crf.Model, node, label int) bool {
	return m.Unary[node*m.Labels+label] <= Impossible
}

// PosteriorOptions of Posterior; a zero rate turns its term off.
type PosteriorOptions struct {
	EtaUnary  float64
	EtaArea   float64
	EtaRegion float64
	Area      []float64 // of the nodes; needed when EtaArea or EtaRegion > 0
	Regions   []int32   // region of each node, from 0; needed when EtaRegion > 0
}

// Posterior is the problem whose unaries and unary moments both come from the
// probabilities p (nodes×labels row-major, as Harmonic.Solve gives them):
// Θ_i(l) = log max(p_i(l), Floor), μ_i(l) = p_i(l), clicks clamped,
// and – with a rate – the area moments Σ_i share_i·p_i(l), of all nodes and of
// those of each region. edges are the Potts edges of the model; fixed holds the
// clicks or -1.
func Posterior(p []float64, labels int, fixed []int16, edges []crf.Edge, opt PosteriorOptions) (*Problem, error) {
	n := len(fixed)
	if labels < 1 || len(p) != n*labels {
		return nil, fmt.Errorf("%w: %d probabilities for %d nodes × %d labels", ErrShape, len(p), n, labels)
	}
	m := &crf.Model{Nodes: n, Labels: labels, Unary: make([]float64, len(p)), Fixed: fixed, Edges: edges}
	for i, v := range p {
		m.Unary[i] = crf.Log(max(v, Floor))
	}
	problem := &Problem{Model: m, UnaryMoments: p, EtaUnary: opt.EtaUnary}
	if opt.EtaArea > 0 {
		mu, err := AreaMoments(p, labels, opt.Area)
		if err != nil {
			return nil, err
		}
		problem.AreaMoments, problem.Area, problem.EtaArea = mu, opt.Area, opt.EtaArea
	}
	if opt.EtaRegion > 0 {
		moments, err := NewRegionMoments(p, labels, opt.Area, opt.Regions)
		if err != nil {
			return nil, err
		}
		moments.Eta = opt.EtaRegion
		problem.Area, problem.Regions = opt.Area, []RegionMoments{moments}
	}
	return problem, problem.Validate()
}

// AreaMoments are the expected shares of the whole area of each label under
// the probabilities p (nodes×labels row-major): Σ_i area_i·p_i(l) / Σ_i area_i.
func AreaMoments(p []float64, labels int, area []float64) ([]float64, error) {
	if labels < 1 || len(p) != len(area)*labels {
		return nil, fmt.Errorf("%w: %d probabilities for %d areas × %d labels", ErrShape, len(p), len(area), labels)
	}
	if err := checkAreas(area, len(area)); err != nil {
		return nil, err
	}
	mu := make([]float64, labels)
	whole := total(area)
	for i, a := range area {
		for l := range mu {
			mu[l] += float64(a * p[i*labels+l])
		}
	}
	for l := range mu {
		mu[l] = min(mu[l]/whole, 1)
	}
	return mu, nil
}

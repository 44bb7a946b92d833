// Package herding turns one conditional random field into a stream of diverse,
// complete labellings by Herding (Welling 2009, doi:10.1145/1553374.1553517;
// Ozkan, Roig, Goksel and Boix, 'Herding Generalizes Diverse M-Best
// Solutions'). DivMBest (Batra et al. 2012, doi:10.1007/978-3-642-33715-4_1) is
// the special case of zero moments.
//
// A step maximises the energy of the current parameters θ(m), starting at θ(0)
// = Θ, and moves θ by η(μ - φ(x_m)): towards the moments μ that the hypotheses
// x_m should match on average, away from the statistics φ(x_m) of the
// hypothesis just found. The package also makes moments (Harmonic and the
// paper's readings), simple baselines, and the statistics of a set of
// hypotheses: marginals, entropy, expected wrong area, the next click.
//
// The maximisations (see package crf) dominate the cost of a sequence; the
// updates are negligible. Posterior problems of 600 superpixels take 0.05 to 0.2
// ms a hypothesis for 2 to 5 labels and 1 ms for 21; those of 10,000 with 5
// labels 5 ms for the first and 7 ms on average of 20. The paper's similarity
// moments keep strengthening edges and take 0.7, 2.5 and 13 ms; its softmax moments
// make repulsive edges, 2.5 to 11 ms.
//
// Everything is deterministic: the same problem gives the same bits on every
// machine, for any number of threads.
package herding

import (
	"errors"
	"fmt"
	"math"

	"collie/crf"
)

// Errors that Validate, Run and the moment constructors wrap.
var (
	ErrShape = errors.New("herding: wrong length")
	ErrRange = errors.New("herding: out of range")
	// ErrNoInformation: neither a click nor a unary distinguishes any label
	// from another.
	ErrNoInformation = errors.New("herding: no information yet")
)

// Problem is what a sequence is computed from. Run only reads it, so several
// sequences can run on one Problem at once as long as nobody writes to it.
type Problem struct {
	Model *crf.Model // Θ, n nodes and k labels

	// UnaryMoments μ_i(l) is n×k row-major; nil leaves the unaries alone.
	// Updated are the free nodes for which Carries is true (nil = all):
	// θ_i(l) += EtaUnary·(μ_i(l) - 1(x_i = l)).
	UnaryMoments []float64
	Carries      []bool
	EtaUnary     float64

	// PairMoments μ= is the probability that the ends of an edge agree, one
	// per edge of the model; nil leaves the weights alone.
	// w_ij += 2·EtaPair·(μ= - 1(x_i = x_j)), unless both ends are clamped.
	PairMoments []float64
	EtaPair     float64

	// AreaMoments is the share of the total area that each class should have,
	// k values; nil leaves the areas alone. Area holds the area of each node in
	// any unit; area moments need it, other methods weigh nodes by it.
	// A class that was given a share of the area too small by δ gains
	// EtaArea·δ in the unary of a node of average area, and in proportion to
	// their area in the others: the statistic is Σ_i share_i·1(x_i = l) with
	// rate n·EtaArea, where share_i is the node's part of the whole area.
	AreaMoments []float64
	Area        []float64
	EtaArea     float64

	// Regions are area moments within parts of the image, for any number of
	// divisions of the nodes; they need Area.
	Regions []RegionMoments

	// NormBound on ‖θ‖, 0 = 1e6. Moments that no distribution has make θ grow
	// without bound; beyond the bound θ and all η are halved together, which
	// doesn't change the sequence (Chen and Welling 2011).
	NormBound float64

	// Solver options. When Chen's condition fails for a labelling that was not
	// proved optimal, the step is repeated with more tree moves, unless
	// Solver.Method is crf.LBP.
	Solver crf.Options

	// Later, if not zero, are Solver of the hypotheses after the first one, which
	// need less: each maximisation goes on from the labelling, and the messages or
	// the flow, of the one before. It is for the solver's own choice of a method;
	// crf.TRWS and crf.LBP do in each step what they do in the first.
	Later crf.Options
}

// MaxEnergy is the largest magnitude of a unary, a weight or a rate: squares of what
// follows from them can be summed over all nodes and labels.
const MaxEnergy = 1e100

// Validate returns the first error: the model's, ErrShape or ErrRange.
func (p *Problem) Validate() error {
	if p.Model == nil {
		return fmt.Errorf("%w: no model", ErrShape)
	}
	if err := p.Model.Validate(); err != nil {
		return err
	}
	n, k := p.Model.Nodes, p.Model.Labels
	for i, u := range p.Model.Unary {
		if math.Abs(u) > MaxEnergy {
			return fmt.Errorf("%w: the unary of node %d, label %d is %v, want -%v to %v", ErrRange, i/k, i%k, u, MaxEnergy, MaxEnergy)
		}
	}
	for i, e := range p.Model.Edges {
		if math.Abs(e.W) > MaxEnergy {
			return fmt.Errorf("%w: the weight of edge %d is %v, want -%v to %v", ErrRange, i, e.W, MaxEnergy, MaxEnergy)
		}
	}
	if p.Carries != nil && len(p.Carries) != n {
		return fmt.Errorf("%w: %d carry marks for %d nodes", ErrShape, len(p.Carries), n)
	}
	if p.AreaMoments != nil && p.Area == nil {
		return fmt.Errorf("%w: area moments need the areas of the nodes", ErrShape)
	}
	for _, v := range []struct {
		what string
		of   []float64
		want int
	}{
		{"unary moments", p.UnaryMoments, n * k},
		{"pair moments", p.PairMoments, len(p.Model.Edges)},
		{"area moments", p.AreaMoments, k},
	} {
		if v.of != nil && len(v.of) != v.want {
			return fmt.Errorf("%w: %d %s, need %d", ErrShape, len(v.of), v.what, v.want)
		}
		for i, m := range v.of {
			if !(m >= 0 && m <= 1) {
				return fmt.Errorf("%w: %s[%d] is %v, want 0 to 1", ErrRange, v.what, i, m)
			}
		}
	}
	if p.Area != nil {
		if err := checkAreas(p.Area, n); err != nil {
			return err
		}
	}
	for n, r := range p.Regions {
		if err := r.validate(p); err != nil {
			return fmt.Errorf("division %d: %w", n, err)
		}
	}
	for _, eta := range []float64{p.EtaUnary, p.EtaPair, p.EtaArea} {
		if err := checkRate(eta); err != nil {
			return err
		}
	}
	if !(p.NormBound >= 0 && p.NormBound < math.Inf(1)) {
		return fmt.Errorf("%w: bound of the norm %v, want finite numbers from 0", ErrRange, p.NormBound)
	}
	return nil
}

func checkRate(eta float64) error {
	if !(eta >= 0 && eta <= MaxEnergy) {
		return fmt.Errorf("%w: rate %v, want 0 to %v", ErrRange, eta, MaxEnergy)
	}
	return nil
}

// Shares returns each node's share of the total area, equal shares if the
// problem has no areas. It sums to 1.
func (p *Problem) Shares() []float64 {
	shares := make([]float64, p.Model.Nodes)
	if p.Area == nil {
		for i := range shares {
			shares[i] = 1 / float64(len(shares))
		}
		return shares
	}
	whole := total(p.Area)
	for i, a := range p.Area {
		shares[i] = a / whole
	}
	return shares
}

// checkAreas wants n non-negative areas that are not all zero.
func checkAreas(area []float64, n int) error {
	if len(area) != n {
		return fmt.Errorf("%w: %d areas for %d nodes", ErrShape, len(area), n)
	}
	total := 0.0
	for i, a := range area {
		if !(a >= 0 && a < math.Inf(1)) {
			return fmt.Errorf("%w: area of node %d is %v", ErrRange, i, a)
		}
		total += a
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return fmt.Errorf("%w: total area is %v", ErrRange, total)
	}
	return nil
}

// Ready returns the error with which a sequence would fail to start: one of
// Validate or ErrNoInformation.
func (p *Problem) Ready() error {
	if err := p.Validate(); err != nil {
		return err
	}
	if !p.informed() {
		return ErrNoInformation
	}
	return nil
}

// informed reports whether anything distinguishes one label from another.
func (p *Problem) informed() bool {
	m := p.Model
	if m.Labels == 1 {
		return true
	}
	for _, f := range m.Fixed {
		if f >= 0 {
			return true
		}
	}
	for i := range m.Nodes {
		row := m.Unary[i*m.Labels : (i+1)*m.Labels]
		for _, u := range row[1:] {
			if u != row[0] {
				return true
			}
		}
	}
	return false
}

// DivMBest is the problem whose sequence is that of Batra et al. 2012 with a
// Hamming diversity of weight lambda: after each maximisation the unary of
// every node's chosen label falls by lambda. It is Herding with μ_u = 0.
func DivMBest(m *crf.Model, lambda float64) *Problem {
	return &Problem{Model: m, UnaryMoments: make([]float64, m.Nodes*m.Labels), EtaUnary: lambda}
}

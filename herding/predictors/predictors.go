// Package predictors makes labellings with several learned predictors that share
// the work: multiple choice learning (Guzman-Rivera, Batra and Kohli 2012,
// 'Multiple Choice Learning: Learning to Produce Multiple Structured Outputs').
// Each is right on some problems, and on a problem all of them are asked.
package predictors

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"collie/crf"
	"collie/herding"
)

// Weights are a predictor: it maximises a weighted sum of features. Those of the
// edges can't be negative, so that minimum cuts and message passing stay good.
type Weights struct {
	Unary  float64 // of the problem's own unaries
	Region float64 // of the logarithm of the mean marginals in a node's region, ≥ 0
	Small  float64 // of a node's share of the area times n·(-log A(l)), A(l) the expected area of its label
	Within float64 // of edges within a region, ≥ 0
	Across float64 // of edges between regions, ≥ 0
}

// Plain is the problem itself.
var Plain = Weights{Unary: 1, Within: 1, Across: 1}

// The vector of the weights, in the order of their fields.
const count = 5

func (w Weights) vector() [count]float64 {
	return [count]float64{w.Unary, w.Region, w.Small, w.Within, w.Across}
}

func weightsOf(v [count]float64) Weights { return Weights{v[0], v[1], v[2], v[3], v[4]} }

func (w Weights) check() error {
	for i, v := range w.vector() {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 && i != 2 {
			return fmt.Errorf("%w: weights %+v of a predictor, want finite numbers, from 0 for all but Small", herding.ErrRange, w)
		}
	}
	return nil
}

// features are what the weights of a problem's predictors are of: their unaries,
// nodes × labels, and for each edge whether it is within a region.
type features struct {
	p      *herding.Problem
	unary  [3][]float64
	within []bool
}

// newFeatures needs marginals and the region of each node, numbered from 0.
func newFeatures(p *herding.Problem, group []int32) (*features, error) {
	if err := p.Ready(); err != nil {
		return nil, err
	}
	n, k := p.Model.Nodes, p.Model.Labels
	if p.UnaryMoments == nil {
		return nil, fmt.Errorf("%w: predictors need marginals of the nodes; use herding", herding.ErrShape)
	}
	area := p.Area
	if area == nil {
		area = slices.Repeat([]float64{1}, n)
	}
	moments, err := herding.NewRegionMoments(p.UnaryMoments, k, area, group)
	if err != nil {
		return nil, err
	}
	whole, err := herding.AreaMoments(p.UnaryMoments, k, area)
	if err != nil {
		return nil, err
	}
	f := &features{p: p, unary: [3][]float64{p.Model.Unary, make([]float64, n*k), make([]float64, n*k)}, within: make([]bool, len(p.Model.Edges))}
	for i, a := range p.Shares() {
		for l := range k {
			f.unary[1][i*k+l] = crf.Log(max(moments.Moments[int(group[i])*k+l], herding.Floor))
			f.unary[2][i*k+l] = -float64(a*float64(n)) * crf.Log(max(whole[l], herding.Floor))
		}
	}
	for e, edge := range p.Model.Edges {
		f.within[e] = group[edge.A] == group[edge.B]
	}
	return f, nil
}

// model is the one that a predictor maximises.
func (f *features) model(w Weights) *crf.Model {
	m := *f.p.Model
	m.Unary = make([]float64, len(m.Unary))
	v := w.vector()
	for n, unary := range f.unary {
		for i, u := range unary {
			m.Unary[i] += float64(v[n] * u)
		}
	}
	m.Edges = slices.Clone(m.Edges)
	for e := range m.Edges {
		if f.within[e] {
			m.Edges[e].W = float64(m.Edges[e].W * w.Within)
		} else {
			m.Edges[e].W = float64(m.Edges[e].W * w.Across)
		}
	}
	return &m
}

// of sums the features of a labelling.
func (f *features) of(x []uint8) (sums [count]float64) {
	k := f.p.Model.Labels
	for n, unary := range f.unary {
		for i, l := range x {
			sums[n] += unary[i*k+int(l)]
		}
	}
	for e, edge := range f.p.Model.Edges {
		if x[edge.A] != x[edge.B] {
			continue
		}
		if f.within[e] {
			sums[3] += edge.W
		} else {
			sums[4] += edge.W
		}
	}
	return sums
}

// Source offers the best labelling of the problem, then that of each predictor,
// then Herding's further ones.
type Source struct {
	Problem    *herding.Problem
	Group      []int32   // region of each node, from 0
	Predictors []Weights // nil for Learned
}

// Run is herding.Source.Run: a maximisation per hypothesis; a longer run begins
// with a shorter one.
func (s *Source) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return herding.Steps(ctx, count, func() (herding.Stepper, error) {
		f, err := newFeatures(s.Problem, s.Group)
		if err != nil {
			return nil, err
		}
		predictors := s.Predictors
		if predictors == nil {
			predictors = Learned
		}
		for _, w := range predictors {
			if err := w.check(); err != nil {
				return nil, err
			}
		}
		sequence, err := herding.NewSequence(s.Problem)
		if err != nil {
			return nil, err
		}
		return &choices{f: f, left: predictors, sequence: sequence}, nil
	})
}

// choices is a running Source.
type choices struct {
	f        *features
	left     []Weights
	sequence *herding.Sequence
	rank     int
}

// Next computes the next hypothesis.
func (c *choices) Next() herding.Hypothesis {
	var h herding.Hypothesis
	if c.rank > 0 && len(c.left) > 0 {
		p := c.f.p
		res := crf.NewSolver(c.f.model(c.left[0]), p.Solver).Solve(nil)
		c.left = c.left[1:]
		h = herding.Hypothesis{Labels: slices.Clone(res.Labels), Energy: p.Model.Energy(res.Labels), Optimal: res.Optimal, Sweeps: res.Sweeps, Solves: 1}
	} else {
		h = c.sequence.Next()
	}
	h.Rank = c.rank
	c.rank++
	return h
}

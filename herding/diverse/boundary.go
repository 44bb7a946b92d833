package diverse

import (
	"context"
	"iter"
	"slices"

	"collie/crf"
	"collie/herding"
)

// Boundary is divMbest that moves only borders, an option of the public code of
// Batra et al. 2012 (doi:10.1007/978-3-642-33715-4_1): after each labelling, the
// label of every node with a differently labelled neighbour loses Lambda there.
// What lies within an object keeps its label, so it repeats itself where there is
// no border.
type Boundary struct {
	Model  *crf.Model
	Solver crf.Options
	Lambda float64 // 0 = 0.15
}

// Run is herding.Source.Run. One maximisation per hypothesis; a longer run begins
// with a shorter one.
func (b *Boundary) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return herding.Steps(ctx, count, func() (herding.Stepper, error) { return b.start() })
}

// bordered is a running Boundary.
type bordered struct {
	from   *crf.Model
	model  *crf.Model // with the penalties
	lambda float64
	solver *crf.Solver
	last   []uint8
	rank   int
}

func (b *Boundary) start() (*bordered, error) {
	lambda, err := positive("diversity", b.Lambda, 0.15)
	if err != nil {
		return nil, err
	}
	if err := (&herding.Problem{Model: b.Model}).Ready(); err != nil {
		return nil, err
	}
	m := *b.Model
	m.Unary = slices.Clone(m.Unary)
	return &bordered{from: b.Model, model: &m, lambda: lambda, solver: crf.NewSolver(&m, b.Solver)}, nil
}

// Next computes the next hypothesis.
func (b *bordered) Next() herding.Hypothesis {
	res := b.solver.Solve(b.last)
	b.last = slices.Clone(res.Labels)
	h := herding.Hypothesis{
		Rank: b.rank, Labels: slices.Clone(res.Labels), Energy: b.from.Energy(res.Labels),
		Optimal: res.Optimal, Sweeps: res.Sweeps, Solves: 1,
	}
	b.rank++
	k := b.model.Labels
	at := make([]bool, b.model.Nodes)
	for _, e := range b.model.Edges {
		if b.last[e.A] != b.last[e.B] {
			at[e.A], at[e.B] = true, true
		}
	}
	for i, l := range b.last {
		if at[i] {
			b.model.Unary[i*k+int(l)] -= b.lambda
		}
	}
	return h
}

package diverse

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"collie/crf"
	"collie/herding"
)

// Joint makes the M best diverse labellings together, those that maximise
//
//	Σ_m E(x^m) + λ·Σ_{m<m'} d(x^m, x^m')
//
// with d the number of nodes that differ (Kirillov et al. 2015,
// doi:10.1109/ICCV.2015.212). For two labels and no negative weight they are
// exact: M nested minimum cuts, see crf.Ladder. Otherwise coordinate ascent
// from divMbest, one labelling at a time given the others, never lowers the
// objective and stops at a local maximum.
//
// M is part of the problem, so a longer run doesn't begin with a shorter one.
type Joint struct {
	Model  *crf.Model
	Solver crf.Options
	Lambda float64 // 0 = 0.1
}

// ascentCycles over all labellings, at most.
const ascentCycles = 5

// Run is herding.Source.Run. It computes all labellings before the first one is
// yielded, by falling energy: M cuts, or up to 6·M maximisations.
func (j *Joint) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return ready(ctx, j.Model, func() ([]herding.Hypothesis, error) {
		lambda, err := positive("diversity", j.Lambda, 0.1)
		if err != nil {
			return nil, err
		}
		if ladder, err := crf.NewLadder(j.Model, nil); err == nil {
			var out []herding.Hypothesis
			for m := range count {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				// In some optimum the labellings are nested, and then layer m
				// gains λ for each earlier layer and loses λ for each later
				// one.
				x := ladder.At(float64(lambda * float64(2*m-count+1)))
				out = append(out, herding.Hypothesis{Labels: x, Energy: j.Model.Energy(x), Optimal: true, Solves: 1})
			}
			return out, nil
		}
		return j.ascend(ctx, lambda, count)
	})
}

func (j *Joint) ascend(ctx context.Context, lambda float64, count int) ([]herding.Hypothesis, error) {
	start := herding.DivMBest(j.Model, lambda)
	start.Solver = j.Solver
	var xs [][]uint8
	for h, err := range start.Run(ctx, count) {
		if err != nil {
			return nil, err
		}
		xs = append(xs, h.Labels)
	}
	k := j.Model.Labels
	m := *j.Model
	m.Unary = make([]float64, len(j.Model.Unary))
	solver := crf.NewSolver(&m, j.Solver)
	solves := len(xs)
	for range ascentCycles {
		changed := false
		for at, x := range xs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			copy(m.Unary, j.Model.Unary)
			for other, y := range xs {
				if other == at {
					continue
				}
				for i, l := range y {
					m.Unary[i*k+int(l)] -= lambda
				}
			}
			res := solver.Solve(x)
			solves++
			if res.Energy > m.Energy(x)+least {
				xs[at] = slices.Clone(res.Labels)
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	out := make([]herding.Hypothesis, len(xs))
	for n, x := range xs {
		out[n] = herding.Hypothesis{Labels: x, Energy: j.Model.Energy(x)}
	}
	shareSolves(out, solves)
	return out, nil
}

// shareSolves shares so many maximisations out among hypotheses, if there are any.
func shareSolves(out []herding.Hypothesis, solves int) {
	for n := range solves * min(len(out), 1) {
		out[n%len(out)].Solves++
	}
}

// least is the least gain that can't be rounding.
const least = 1e-10

// ready streams finished labellings by falling energy.
func ready(ctx context.Context, m *crf.Model, all func() ([]herding.Hypothesis, error)) iter.Seq2[herding.Hypothesis, error] {
	return func(yield func(herding.Hypothesis, error) bool) {
		err := (&herding.Problem{Model: m}).Ready()
		if err == nil {
			err = ctx.Err()
		}
		var made []herding.Hypothesis
		if err == nil {
			made, err = all()
		}
		if err != nil {
			yield(herding.Hypothesis{}, err)
			return
		}
		slices.SortStableFunc(made, func(a, b herding.Hypothesis) int { return cmp.Compare(b.Energy, a.Energy) })
		for rank, h := range made {
			h.Rank = rank
			if err := ctx.Err(); err != nil {
				yield(herding.Hypothesis{}, err)
				return
			}
			if !yield(h, nil) {
				return
			}
		}
	}
}

// positive checks a parameter, a number from 0 to herding.MaxEnergy, where 0 means
// its default.
func positive(name string, v, otherwise float64) (float64, error) {
	if !(v >= 0 && v <= herding.MaxEnergy) {
		return 0, fmt.Errorf("%w: %s %v, want 0 to %v, where 0 means %g", herding.ErrRange, name, v, herding.MaxEnergy, otherwise)
	}
	return cmp.Or(v, otherwise), nil
}

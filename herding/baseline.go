package herding

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"collie/crf"
)

// RandomWalker returns the most probable label of each node (Grady 2006) for
// probabilities p, nodes×labels row-major; ties go to the lowest label.
func RandomWalker(p []float64, labels int) []uint8 {
	x := make([]uint8, len(p)/labels)
	for i := range x {
		row := p[i*labels : (i+1)*labels]
		for l, v := range row {
			if v > row[x[i]] {
				x[i] = uint8(l)
			}
		}
	}
	return x
}

// LabelBias is the trivial baseline for alternatives: hypothesis 0 maximises
// the model as it is, each later one after a constant was added to the unaries
// of every class.
type LabelBias struct {
	Model *crf.Model
	// Spread is the standard deviation of the random normal biases (0 = 0.7).
	Spread float64
	Seed   uint64
	Solver crf.Options
}

// Run streams count hypotheses as Problem.Run does, a maximisation each. Slack and
// Condition are not set.
func (b *LabelBias) Run(ctx context.Context, count int) iter.Seq2[Hypothesis, error] {
	return Steps(ctx, count, func() (Stepper, error) { return b.start() })
}

// biased is a running LabelBias.
type biased struct {
	from   *crf.Model
	model  *crf.Model // with the current bias
	spread float64
	solver *crf.Solver
	rng    *rand.Rand
	last   []uint8
	rank   int
}

func (b *LabelBias) start() (*biased, error) {
	if err := (&Problem{Model: b.Model}).Ready(); err != nil {
		return nil, err
	}
	if !(b.Spread >= 0 && b.Spread <= MaxEnergy) {
		return nil, fmt.Errorf("%w: spread %v of the biases, want 0 to %v", ErrRange, b.Spread, MaxEnergy)
	}
	m := *b.Model
	m.Unary = slices.Clone(m.Unary)
	return &biased{
		from: b.Model, model: &m, spread: cmp.Or(b.Spread, 0.7), solver: crf.NewSolver(&m, b.Solver), rng: rand.New(rand.NewPCG(b.Seed, 1)),
	}, nil
}

// Next computes the next hypothesis.
func (b *biased) Next() Hypothesis {
	bias := make([]float64, b.model.Labels)
	if b.rank > 0 {
		for l := range bias {
			bias[l] = float64(b.spread * normal(b.rng))
		}
	}
	for i, u := range b.from.Unary {
		b.model.Unary[i] = u + bias[i%len(bias)]
	}
	res := b.solver.Solve(b.last)
	b.last = slices.Clone(res.Labels)
	h := Hypothesis{
		Rank: b.rank, Labels: slices.Clone(res.Labels), Energy: b.from.Energy(res.Labels),
		Optimal: res.Optimal, Sweeps: res.Sweeps, Solves: 1,
	}
	b.rank++
	return h
}

// normal is a standard normal deviate to a good approximation, the sum of
// twelve uniform ones: rand.NormFloat64 uses math.Exp, whose bits differ
// between machines.
func normal(rng *rand.Rand) float64 {
	sum := -6.0
	for range 12 {
		sum += float64(rng.Float64()) // inlined, it is a product
	}
	return sum
}

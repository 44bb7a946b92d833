package herding

import (
	"context"
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

// Run streams count hypotheses as Problem.Run does. Slack and Condition are not
// set.
func (b *LabelBias) Run(ctx context.Context, count int) iter.Seq2[Hypothesis, error] {
	return func(yield func(Hypothesis, error) bool) {
		r, err := NewSequence(&Problem{Model: b.Model, Solver: b.Solver})
		if err != nil {
			yield(Hypothesis{}, err)
			return
		}
		rng := rand.New(rand.NewPCG(b.Seed, 1))
		bias := make([]float64, b.Model.Labels)
		for rank := range count {
			if err := ctx.Err(); err != nil {
				yield(Hypothesis{}, err)
				return
			}
			if rank > 0 {
				b.draw(bias, rng)
			}
			for i, u := range b.Model.Unary {
				r.model.Unary[i] = u + bias[i%len(bias)]
			}
			res := r.solver.Solve(r.last)
			r.last = slices.Clone(res.Labels)
			h := Hypothesis{
				Rank: rank, Labels: slices.Clone(r.last), Energy: b.Model.Energy(res.Labels),
				Optimal: res.Optimal, Sweeps: res.Sweeps, Solves: 1,
			}
			if !yield(h, nil) {
				return
			}
		}
	}
}

// draw makes the next bias.
func (b *LabelBias) draw(bias []float64, rng *rand.Rand) {
	spread := b.Spread
	if spread == 0 {
		spread = 0.7
	}
	for l := range bias {
		bias[l] = float64(spread * normal(rng))
	}
}

// normal is a standard normal deviate to a good approximation, the sum of
// twelve uniform ones: rand.NormFloat64 uses math.Exp, whose bits differ
// between machines.
func normal(rng *rand.Rand) float64 {
	sum := -6.0
	for range 12 {
		sum += rng.Float64()
	}
	return sum
}

package ask

import (
	"context"
	"math"

	"collie/herding"
)

// Change ranks nodes by how far their answer is expected to move the marginals:
// Σ_l p_i(l)·Σ_j a_j·½·Σ_c |p_j(c | i = l) - p_j(c)|.
type Change struct{ After After }

// Rank tries the limit (0 = 60) nodes of largest a_i·(1 - max_l p_i(l)).
func (c Change) Rank(ctx context.Context, p *herding.Problem, limit int) ([]herding.Candidate, error) {
	return expectedChange(ctx, c.After, p, limit, func(before, after []float64) float64 {
		moved := 0.0
		for l, v := range after {
			moved += math.Abs(v - before[l])
		}
		return moved / 2
	})
}

// LabelChange is the expected labelling change of active MAP inference (Roig et
// al. 2013, 'Active MAP Inference in CRFs for Efficient Semantic Segmentation'):
// Σ_l p_i(l)·d_a(x*, x* after i = l), here with the most probable labels as x*.
type LabelChange struct{ After After }

// Rank tries the limit (0 = 60) nodes of largest a_i·(1 - max_l p_i(l)).
func (c LabelChange) Rank(ctx context.Context, p *herding.Problem, limit int) ([]herding.Candidate, error) {
	return expectedChange(ctx, c.After, p, limit, func(before, after []float64) float64 {
		if mostProbable(before) != mostProbable(after) {
			return 1
		}
		return 0
	})
}

// expectedChange adds up by area what changes at each node, over the answers.
func expectedChange(ctx context.Context, after After, p *herding.Problem, limit int, change func(before, after []float64) float64) ([]herding.Candidate, error) {
	k := p.Model.Labels
	return tryEach(ctx, after, p, limit, func(row, q, area []float64) float64 {
		gain, least := 0.0, leastOf(row)
		then := make([]float64, k)
		for l, probability := range row {
			if probability < least {
				continue
			}
			for j, a := range area {
				of := q[j*(k+1) : (j+1)*(k+1)]
				copy(then, of)
				then[l] += of[k]
				gain += float64(float64(probability*a) * change(p.UnaryMoments[j*k:(j+1)*k], then))
			}
		}
		return gain
	})
}

func mostProbable(p []float64) int {
	best := 0
	for l, v := range p {
		if v > p[best] {
			best = l
		}
	}
	return best
}

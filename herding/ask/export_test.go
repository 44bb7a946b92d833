package ask

import (
	"context"

	"collie/herding"
)

// RankOf is Rank with another number of samples.
func (q Perturbed) RankOf(ctx context.Context, p *herding.Problem, limit, samples int) ([]herding.Candidate, error) {
	return q.rank(ctx, p, limit, samples)
}

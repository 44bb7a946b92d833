package ask

import (
	"context"

	"collie/herding"
)

// Margin ranks nodes by a_i·(1 - max_l p_i(l)), the area expected to be wrong
// within them. It needs no solve.
type Margin struct{}

// Rank returns the limit (0 = all) first nodes. O(n·k + n·log n).
func (Margin) Rank(_ context.Context, p *herding.Problem, limit int) ([]herding.Candidate, error) {
	area, err := shares(p)
	if err != nil {
		return nil, err
	}
	return first(margins(p, area), limit), nil
}

// Entropy ranks nodes by a_i times the entropy of p_i.
type Entropy struct{}

// Rank returns the limit (0 = all) first nodes. O(n·k + n·log n).
func (Entropy) Rank(_ context.Context, p *herding.Problem, limit int) ([]herding.Candidate, error) {
	area, err := shares(p)
	if err != nil {
		return nil, err
	}
	entropy := herding.Entropy(p.UnaryMoments, p.Model.Labels)
	ranked := margins(p, area)
	for n, c := range ranked {
		ranked[n].Gain = float64(area[c.Node] * entropy[c.Node])
	}
	best(ranked)
	return first(ranked, limit), nil
}

// Votes ranks nodes by the expected reduction of the wrong area over a sequence
// of hypotheses, one vote each, see herding.NextClicks.
type Votes struct {
	Source     herding.Source // nil: the problem's own sequence
	Hypotheses int            // 0 = 20
}

// Rank runs the source and tries limit (0 = 200) nodes.
func (v Votes) Rank(ctx context.Context, p *herding.Problem, limit int) ([]herding.Candidate, error) {
	area, err := shares(p)
	if err != nil {
		return nil, err
	}
	source, count := v.Source, v.Hypotheses
	if source == nil {
		source = p
	}
	if count == 0 {
		count = 20
	}
	xs, err := herding.Labellings(source.Run(ctx, count))
	if err != nil {
		return nil, err
	}
	return herding.NextClicks(xs, p.Model.Labels, area, limit), nil
}

// first keeps limit candidates, all of them for 0.
func first(c []herding.Candidate, limit int) []herding.Candidate {
	if limit == 0 {
		return c
	}
	return c[:min(limit, len(c))]
}

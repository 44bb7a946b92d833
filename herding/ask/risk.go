package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"collie/herding"
)

// Errors of the queries.
var (
	ErrNoMarginals = errors.New("ask: the problem has no unary moments, which the query takes as marginals")
	ErrNoAfter     = errors.New("ask: the query needs After, the marginals after an answer")
)

// After returns the marginals when node is clicked with an extra class, number
// k of k+1: q, nodes×(k+1) row-major. Because the class of a click changes
// neither conductances nor similarities, the marginals after the answer l are
// q_j(·), with q_j(k) added to q_j(l), whatever l is. The slice is valid until
// the next call.
type After func(node int) (q []float64, err error)

// Risk ranks nodes by how much their answer is expected to reduce the wrong
// area (Zhu, Lafferty and Ghahramani 2003, 'Combining Active Learning and
// Semi-Supervised Learning Using Gaussian Fields and Harmonic Functions'):
//
//	gain(i) = U(p) - Σ_l p_i(l)·U(p(· | i = l)),  U(p) = Σ_j a_j·(1 - max_l p_j(l))
//
// with a_j node j's share of the total area. The marginals after an answer are
// exact and take one call of After per node, whatever the number of labels. But
// they are too sure of themselves, because the superpixels of an object aren't
// independent witnesses; so p is the normalised square root of the marginals.
type Risk struct{ After After }

// riskCandidates are tried by default, leastProbable is the least probability
// of an answer that is considered.
const (
	riskCandidates = 60
	leastProbable  = 0.01
)

// Rank tries the limit (0 = 60) nodes of largest a_i·(1 - max_l p_i(l)). One
// call of After per node, and O(n·k).
func (r Risk) Rank(ctx context.Context, p *herding.Problem, limit int) ([]herding.Candidate, error) {
	ranked, err := tryEach(ctx, r.After, p, limit, func(row, q, area []float64) float64 {
		return -expected(row, q, p.Model.Labels, area)
	})
	if err != nil {
		return nil, err
	}
	now := herding.ExpectedWrongArea(roots(p.UnaryMoments, p.Model.Labels), p.Model.Labels, p.Shares())
	for n := range ranked {
		ranked[n].Gain += now
	}
	return ranked, nil
}

// expected is Σ_l p(l)·U(p(· | l)) for the answers of the probabilities row, and
// with p their normalised square roots.
func expected(row, q []float64, k int, area []float64) float64 {
	// After answer l only the probability of l rises, by q_j(k).
	wrong := make([]float64, k)
	root := make([]float64, k)
	for j, a := range area {
		of := q[j*(k+1) : (j+1)*(k+1)]
		sum, top := 0.0, 0.0
		for l, v := range of[:k] {
			root[l] = math.Sqrt(v)
			sum += root[l]
			top = max(top, root[l])
		}
		for l, v := range of[:k] {
			raised := math.Sqrt(v + of[k])
			wrong[l] += float64(a * (1 - max(top, raised)/(sum-root[l]+raised)))
		}
	}
	sum, mass, least := 0.0, 0.0, leastOf(row)
	for l, v := range row {
		if v >= least {
			v = math.Sqrt(v)
			sum += float64(v * wrong[l])
			mass += v
		}
	}
	return sum / mass
}

// leastOf is the least of some probabilities that is considered: of more than 100
// labels all can be below leastProbable.
func leastOf(row []float64) float64 { return min(leastProbable, slices.Max(row)) }

// roots are the normalised square roots of rows of k probabilities.
func roots(p []float64, k int) []float64 {
	out := make([]float64, len(p))
	for i := 0; i < len(p); i += k {
		sum := 0.0
		for l, v := range p[i : i+k] {
			out[i+l] = math.Sqrt(v)
			sum += out[i+l]
		}
		for l := range k {
			out[i+l] /= sum
		}
	}
	return out
}

// tryEach ranks the limit (0 = 60) candidates of largest margin by their gain,
// given their own marginals and all marginals after their answer.
func tryEach(ctx context.Context, after After, p *herding.Problem, limit int, gain func(row, q, area []float64) float64) ([]herding.Candidate, error) {
	area, err := shares(p)
	if err != nil {
		return nil, err
	}
	if after == nil {
		return nil, ErrNoAfter
	}
	if limit == 0 {
		limit = riskCandidates
	}
	k := p.Model.Labels
	ranked := first(margins(p, area), limit)
	for n, c := range ranked {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q, err := after(c.Node)
		if err != nil {
			return nil, err
		}
		if len(q) != len(area)*(k+1) {
			return nil, fmt.Errorf("%w: %d probabilities after an answer, need %d nodes × %d labels", herding.ErrShape, len(q), len(area), k+1)
		}
		ranked[n].Gain = gain(p.UnaryMoments[c.Node*k:(c.Node+1)*k], q, area)
	}
	best(ranked)
	return ranked, nil
}

// best sorts candidates by falling gain and keeps the order of equal ones.
func best(c []herding.Candidate) {
	slices.SortStableFunc(c, func(a, b herding.Candidate) int { return cmp.Compare(b.Gain, a.Gain) })
}

// shares are the nodes' shares of the total area, equal for a problem without
// areas.
func shares(p *herding.Problem) ([]float64, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if p.UnaryMoments == nil {
		return nil, ErrNoMarginals
	}
	return p.Shares(), nil
}

// margins are the nodes without a click by falling a_i·(1 - max_l p_i(l)),
// except certain ones.
func margins(p *herding.Problem, area []float64) []herding.Candidate {
	k := p.Model.Labels
	var out []herding.Candidate
	for i, a := range area {
		if p.Model.Fixed != nil && p.Model.Fixed[i] >= 0 {
			continue
		}
		if v := float64(a * (1 - slices.Max(p.UnaryMoments[i*k:(i+1)*k]))); v > 0 {
			out = append(out, herding.Candidate{Node: i, Gain: v})
		}
	}
	best(out)
	return out
}

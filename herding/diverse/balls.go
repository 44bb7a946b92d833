package diverse

import (
	"context"
	"iter"
	"math"

	"collie/crf"
	"collie/herding"
	"collie/herding/mbest"
)

// ballOverlap is the part of a Hamming ball of the given radius, in labellings of
// n nodes with k labels, that lies in another one whose centre differs at distance
// nodes, 0..1:
//
//	O_r(d) = Σ d!/(a!·b!·c!)·(k-2)^c·C(n-d, e)·(k-1)^e over a+b+c = d, b+c+e ≤ r, a+c+e ≤ r
//
// as a share of O_r(0) (Prasad, Jegelka and Batra 2014). In hundreds of nodes a
// ball is all shell, so it falls from 1 to 0 within a few nodes. O(d²·radius).
func ballOverlap(n, k, radius, distance int) float64 {
	if distance > 2*radius || distance > n {
		return 0
	}
	choose := func(n, r int) float64 { return logFactorial(n) - logFactorial(r) - logFactorial(n-r) }
	size := math.Inf(-1)
	for e := 0; e <= min(radius, n); e++ {
		size = logSum(size, choose(n, e)+power(k-1, e))
	}
	both := math.Inf(-1)
	for a := 0; a <= distance; a++ {
		for b := 0; a+b <= distance; b++ {
			c := distance - a - b
			ways := logFactorial(distance) - logFactorial(a) - logFactorial(b) - logFactorial(c) + power(k-2, c)
			for e := 0; e <= n-distance && max(a, b)+c+e <= radius; e++ {
				both = logSum(both, ways+choose(n-distance, e)+power(k-1, e))
			}
		}
	}
	return crf.Exp(both - size)
}

// power is the logarithm of a^n.
func power(a, n int) float64 {
	if n == 0 {
		return 0
	}
	if a <= 0 {
		return math.Inf(-1)
	}
	return float64(float64(n) * crf.Log(float64(a)))
}

func logFactorial(n int) float64 {
	sum := 0.0
	for i := 2; i <= n; i++ {
		sum += crf.Log(float64(i))
	}
	return sum
}

// logSum is log(e^a + e^b).
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + crf.Log(1+crf.Exp(b-a))
}

// overlaps of balls by distance, from 0 on as far as they are not 0.
func overlaps(n, k, radius int) []float64 {
	var out []float64
	for d := 0; d <= min(2*radius, n); d++ {
		out = append(out, ballOverlap(n, k, radius, d))
	}
	return out
}

// nearest streams the M best labellings, the candidates for a reward that ends a
// few nodes away. Close ends it.
type nearest struct {
	next  func() (herding.Hypothesis, error, bool)
	Close func()
	made  [][]uint8
}

func newNearest(ctx context.Context, m *crf.Model, solver crf.Options) *nearest {
	var n nearest
	n.next, n.Close = iter.Pull2((&mbest.BMMF{Model: m, Solver: solver}).Run(ctx, math.MaxInt))
	return &n
}

// first returns the first count of them, or all.
func (n *nearest) first(count int) ([][]uint8, error) {
	for len(n.made) < count {
		h, err, ok := n.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		n.made = append(n.made, h.Labels)
	}
	return n.made[:min(count, len(n.made))], nil
}

// inBalls are the candidates for the reward of balls: those of the M best, and
// labellings pushed as far from the set as balls reach.
func (g *greedy) inBalls() ([][]uint8, error) {
	if g.Balls == 0 {
		return nil, nil
	}
	out, err := g.near.first(len(g.set) + 1)
	if err != nil {
		return nil, err
	}
	reach := float64(2*g.Ball+1) / float64(g.Model.Nodes)
	equal := (&herding.Problem{Model: g.Model}).Shares()
	return append(out[:len(out):len(out)], g.capped(g.Lambda*g.Balls, reach, equal)...), nil
}

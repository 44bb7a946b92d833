package choose

import (
	"cmp"
	"slices"

	"collie/herding"
)

// EMBR is empirical minimum Bayes risk (Premachandran, Tarlow and Batra 2014,
// 'Empirical Minimum Bayes Risk Prediction'): given M labellings with
// probabilities p_m ∝ exp(E(x^m)/T), the one with the best expected mean IoU
// comes first, assuming that one of them is the truth.
type EMBR struct{ Temperature float64 } // T; 0 = infinity: equal weights

// Choose returns the indices of the labellings, at least one, from the best on, and
// their probabilities. O(M²·n).
func (c EMBR) Choose(p *herding.Problem, xs [][]uint8) (order []int, w []float64, err error) {
	if err := check(p, xs); err != nil {
		return nil, nil, err
	}
	if w, err = weights(p, xs, c.Temperature); err != nil {
		return nil, nil, err
	}
	alike := Alike(xs, p.Shares(), p.Model.Labels)
	// Equal labellings have equal rows, so the sums in this order are equal to the
	// last bit and the first of them stays first.
	order = make([]int, len(xs))
	quality := make([]float64, len(xs))
	for m, row := range alike {
		order[m] = m
		for other, q := range row {
			quality[m] += float64(w[other] * q)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(quality[b], quality[a]) })
	return order, w, nil
}

// Consensus is EMBR that isn't limited to the set: from the labellings'
// weighted mode it changes one node at a time to a label that one of them has
// there, as long as the expected mean IoU rises. Clamped nodes agree in all
// labellings, so they don't change.
type Consensus struct{ Temperature float64 } // as in EMBR

// consensusSweeps over the nodes, at most, and the least gain of a change.
const (
	consensusSweeps = 5
	leastGain       = 1e-10
)

// Choose returns what EMBR.Choose does and the consensus. O(M·k) per change tried.
func (c Consensus) Choose(p *herding.Problem, xs [][]uint8) (order []int, w []float64, consensus []uint8, err error) {
	if order, w, err = EMBR(c).Choose(p, xs); err != nil {
		return nil, nil, nil, err
	}
	area := p.Shares()
	x := mode(xs, w, p.Model.Labels)
	overlaps := make([]overlap, len(xs))
	for m, y := range xs {
		overlaps[m] = overlapOf(x, y, area, p.Model.Labels)
	}
	expected := func() float64 {
		sum := 0.0
		for m, o := range overlaps {
			sum += float64(w[m] * o.mean())
		}
		return sum
	}
	move := func(i int, to uint8) {
		for m, o := range overlaps {
			o.move(x[i], to, xs[m][i], area[i])
		}
		x[i] = to
	}
	value := expected()
	for range consensusSweeps {
		changed := false
		for i := range x {
			for _, y := range xs {
				from := x[i]
				if y[i] == from {
					continue
				}
				move(i, y[i])
				if v := expected(); v > value+leastGain {
					value, changed = v, true
				} else {
					move(i, from)
				}
			}
		}
		if !changed {
			break
		}
	}
	return order, w, x, nil
}

// mode is the label of largest weight at each node; ties go to the first labelling.
func mode(xs [][]uint8, w []float64, labels int) []uint8 {
	q := make([]float64, len(xs[0])*labels)
	for m, x := range xs {
		for i, l := range x {
			q[i*labels+int(l)] += w[m]
		}
	}
	out := slices.Clone(xs[0])
	for i := range out {
		for _, x := range xs {
			if q[i*labels+int(x[i])] > q[i*labels+int(out[i])]+leastGain {
				out[i] = x[i]
			}
		}
	}
	return out
}

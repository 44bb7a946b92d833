// Package choose judges a finished set of labellings: which to offer first, how
// to weigh them, and how to combine them into one.
//
// A choice is a guess. When it changes the first labelling of a real list, it
// is wrong a third to half of the time, so it suits an additional labelling
// better than a silent reorder.
package choose

import (
	"errors"
	"fmt"
	"math"

	"collie/crf"
	"collie/herding"
)

// ErrNone: the list is empty.
var ErrNone = errors.New("choose: no labellings")

// check wants labellings of a valid problem.
func check(p *herding.Problem, xs [][]uint8) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if len(xs) == 0 {
		return ErrNone
	}
	for m, x := range xs {
		if len(x) != p.Model.Nodes {
			return fmt.Errorf("%w: labelling %d has %d labels for %d nodes", herding.ErrShape, m, len(x), p.Model.Nodes)
		}
		for i, l := range x {
			if int(l) >= p.Model.Labels {
				return fmt.Errorf("%w: labelling %d gives node %d the label %d of %d", herding.ErrRange, m, i, l, p.Model.Labels)
			}
		}
	}
	return nil
}

// weights are p_m ∝ exp(E(x^m)/T); equal ones for T = 0, which means infinity.
func weights(p *herding.Problem, xs [][]uint8, temperature float64) ([]float64, error) {
	if !(temperature >= 0) || math.IsInf(temperature, 1) {
		return nil, fmt.Errorf("%w: temperature %v, accepted are finite numbers from 0, where 0 means infinity", herding.ErrRange, temperature)
	}
	w := make([]float64, len(xs))
	if temperature == 0 {
		for m := range w {
			w[m] = 1 / float64(len(w))
		}
		return w, nil
	}
	top := math.Inf(-1)
	for m, x := range xs {
		w[m] = p.Model.Energy(x)
		top = max(top, w[m])
	}
	sum := 0.0
	for m, e := range w {
		w[m] = crf.Exp((e - top) / temperature)
		sum += w[m]
	}
	for m := range w {
		w[m] /= sum
	}
	return w, nil
}

// MeanIoU is the agreement of two labellings: the intersection over union by
// area, averaged over the labels that occur in either. 1 for equal ones.
func MeanIoU(x, y []uint8, area []float64, labels int) float64 {
	a := overlapOf(x, y, area, labels)
	return a.mean()
}

// overlap holds the areas for comparing two labellings.
type overlap struct{ both, first, second []float64 } // per label

func overlapOf(x, y []uint8, area []float64, labels int) overlap {
	sums := make([]float64, 3*labels)
	o := overlap{sums[:labels], sums[labels : 2*labels], sums[2*labels:]}
	for i, l := range x {
		o.first[l] += area[i]
		o.second[y[i]] += area[i]
		if l == y[i] {
			o.both[l] += area[i]
		}
	}
	return o
}

// present is the least area of a label that counts as present; less can be left
// by rounding.
const present = 1e-12

func (o overlap) mean() float64 {
	sum, count := 0.0, 0
	for l, both := range o.both {
		if union := o.first[l] + o.second[l] - both; union > present {
			sum += max(both, 0) / union
			count++
		}
	}
	if count == 0 {
		return 1
	}
	return sum / float64(count)
}

// move takes a node of area a from label u to v in the first labelling; the
// second has it as l.
func (o overlap) move(u, v, l uint8, a float64) {
	o.first[u] -= a
	o.first[v] += a
	switch l {
	case u:
		o.both[u] -= a
	case v:
		o.both[v] += a
	}
}

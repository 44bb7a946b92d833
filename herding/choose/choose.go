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
		return nil, fmt.Errorf("%w: temperature %v, want finite numbers from 0, where 0 means infinity", herding.ErrRange, temperature)
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

// Alike are the mean IoUs of labellings with each other, M×M. O(M²·n).
func Alike(xs [][]uint8, area []float64, labels int) [][]float64 {
	covered := make([][]float64, len(xs))
	alike := make([][]float64, len(xs))
	for m, x := range xs {
		covered[m] = make([]float64, labels)
		for i, l := range x {
			covered[m][l] += area[i]
		}
		alike[m] = make([]float64, len(xs))
		alike[m][m] = 1
	}
	both := make([]float64, lanes*labels)
	for m, x := range xs {
		for first := 0; first < m; first += lanes {
			var ys [lanes][]uint8
			for n := range ys {
				ys[n] = xs[min(first+n, m)]
			}
			agreement(x, ys, area, both)
			for n := first; n < min(first+lanes, m); n++ {
				o := overlap{both[(n-first)*labels:][:labels], covered[m], covered[n]}
				alike[m][n] = o.mean()
				alike[n][m] = alike[m][n]
			}
		}
	}
	return alike
}

// A sum waits for the one before; so many, of several labellings, can go on at the
// same time.
const lanes = 4

// agreement sums the area on which x agrees with each of ys, lanes×labels.
func agreement(x []uint8, ys [lanes][]uint8, area, both []float64) {
	clear(both)
	k := len(both) / lanes
	a, b, c, d := ys[0][:len(x)], ys[1][:len(x)], ys[2][:len(x)], ys[3][:len(x)]
	ofA, ofB, ofC, ofD := both[:k], both[k:2*k], both[2*k:3*k], both[3*k:]
	for i, l := range x {
		size := math.Float64bits(area[i])
		ofA[l] += where(a[i] == l, size)
		ofB[l] += where(b[i] == l, size)
		ofC[l] += where(c[i] == l, size)
		ofD[l] += where(d[i] == l, size)
	}
}

// where is the number of the given bits where a condition holds, else 0. A branch
// would be mispredicted at every border.
func where(holds bool, bits uint64) float64 {
	one := uint64(0)
	if holds {
		one = 1
	}
	return math.Float64frombits(bits & -one)
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

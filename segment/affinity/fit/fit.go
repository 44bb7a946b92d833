package fit

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"collie/segment/affinity"
)

// ridge is the weight of the squared weights, in which features have deviation 1,
// against a row's log loss. It keeps weights that hardly matter near 0.
const ridge = 200

// ErrOneClass is the error for images that have nothing to learn from.
var ErrOneClass = errors.New("the masks hold no two superpixels of different classes, or none of the same: there is nothing to learn; where white pixels are an object, save them as its class, such as 1, because 255 is void")

// mostSteps of Newton's method are made; about eight are enough.
const mostSteps = 25

// fit finds the regression of greatest likelihood, less ½·ridge·|w|², among those
// in which no distance has a positive weight, by Newton's method. Sums are made
// image by image and added up in order, so the result does not depend on the
// number of cores.
func fit(each Each, what string, features []affinity.Feature, parts []*Rows) (affinity.Regression, error) {
	s, err := scaleOf(parts, len(features))
	if err != nil {
		return affinity.Regression{}, err
	}
	n := 2*len(features) + 1
	w := make([]float64, n) // the last of them the bias
	for range mostSteps {
		sums := make([]*newton, len(parts))
		err := each(what, len(parts), func(i int) error {
			sums[i] = s.newton(parts[i], w)
			return nil
		})
		if err != nil {
			return affinity.Regression{}, err
		}
		slope, curve := make([]float64, n), mat.NewSymDense(n, nil)
		for _, sum := range sums {
			for i, v := range sum.slope {
				slope[i] += v
			}
			curve.AddSym(curve, sum.curve)
		}
		for i := range n - 1 {
			slope[i] -= ridge * w[i]
			curve.SetSym(i, i, curve.At(i, i)+ridge)
		}
		step := bounded(curve, slope, func(i int) float64 {
			if i < n-1 && features[i/2].Distance {
				return -w[i]
			}
			return math.Inf(1)
		})
		largest := 0.0
		for i, v := range step {
			w[i] += v
			largest = max(largest, math.Abs(v))
		}
		if largest < 1e-3 {
			break
		}
	}
	return s.regression(w), nil
}

// bounded maximises slope·d - ½·d·curve·d over all d that don't exceed most, by
// one coordinate after the other.
func bounded(curve *mat.SymDense, slope []float64, most func(i int) float64) []float64 {
	n := len(slope)
	d := make([]float64, n)
	rest := slices.Clone(slope) // slope - curve·d
	for range 5000 {
		largest := 0.0
		for i := range n {
			change := min(d[i]+rest[i]/curve.At(i, i), most(i)) - d[i]
			if change == 0 {
				continue
			}
			d[i] += change
			largest = max(largest, math.Abs(change))
			for j := range n {
				rest[j] -= change * curve.At(i, j)
			}
		}
		if largest < 1e-6 {
			break
		}
	}
	return d
}

// scale holds the bounds of each feature, and the mean and the inverse deviation
// of the feature and of its logarithm.
type scale struct {
	terms        []affinity.Term // without weights
	mean, factor []float64
}

// forms writes both forms of each of a row's features.
func (s *scale) forms(dst []float64, features []float32) {
	for f, x := range features {
		linear, log := s.terms[f].Forms(x)
		dst[2*f], dst[2*f+1] = float64(linear), float64(log)
	}
}

// beyond is the share of rows in which a feature is below its lower bound, and the
// share in which it is above the upper one.
const beyond = 0.005

// bounds are those of each feature.
func bounds(parts []*Rows, width int) []affinity.Term {
	terms := make([]affinity.Term, width)
	column := []float32{}
	for f := range terms {
		column = column[:0]
		for _, p := range parts {
			for r := range p.same {
				column = append(column, p.features[r*width+f])
			}
		}
		slices.Sort(column)
		out := int(beyond * float64(len(column)))
		terms[f].Low, terms[f].High = rounded(float64(column[out])), rounded(float64(column[len(column)-1-out]))
	}
	return terms
}

func scaleOf(parts []*Rows, width int) (*scale, error) {
	if !slices.ContainsFunc(parts, func(p *Rows) bool { return len(p.same) > 0 }) {
		return nil, ErrOneClass
	}
	s := &scale{terms: bounds(parts, width), mean: make([]float64, 2*width), factor: make([]float64, 2*width)}
	values := make([]float64, 2*width)
	count, same := 0.0, 0.0
	for _, p := range parts {
		for r := range p.same {
			s.forms(values, p.features[r*width:][:width])
			for f, v := range values {
				s.mean[f] += v
				s.factor[f] += v * v
			}
			count++
			if p.same[r] {
				same++
			}
		}
	}
	if same == 0 || same == count {
		return nil, ErrOneClass
	}
	for f := range s.mean {
		s.mean[f] /= count
		if variance := s.factor[f]/count - s.mean[f]*s.mean[f]; variance > 1e-9 {
			s.factor[f] = 1 / math.Sqrt(variance)
		} else {
			s.factor[f] = 0
		}
	}
	return s, nil
}

// newton is the slope and the negative curvature of the log likelihood.
type newton struct {
	slope []float64
	curve *mat.SymDense
}

func (s *scale) newton(p *Rows, w []float64) *newton {
	n := len(w)
	out := &newton{slope: make([]float64, n), curve: mat.NewSymDense(n, nil)}
	const block = 512
	weighted := make([]float64, 0, block*n)
	flush := func() {
		if len(weighted) > 0 {
			blas64.Syrk(blas.Trans, 1, blas64.General{Rows: len(weighted) / n, Cols: n, Stride: n, Data: weighted}, 1, out.curve.RawSymmetric())
			weighted = weighted[:0]
		}
	}
	values := make([]float64, n)
	values[n-1] = 1
	for r, same := range p.same {
		s.forms(values, p.features[r*p.width:][:p.width])
		for f, m := range s.mean {
			values[f] = (values[f] - m) * s.factor[f]
		}
		logit := 0.0
		for f, v := range values {
			logit += v * w[f]
		}
		probability := 1 / (1 + math.Exp(-logit))
		miss := -probability
		if same {
			miss++
		}
		root := math.Sqrt(max(probability*(1-probability), 1e-6))
		for f, v := range values {
			out.slope[f] += miss * v
			weighted = append(weighted, root*v)
		}
		if len(weighted) == cap(weighted) {
			flush()
		}
	}
	flush()
	return out
}

// regression takes weights of scaled features back to features. Five digits are
// kept, so that the table is short and hardly depends on the machine.
func (s *scale) regression(w []float64) affinity.Regression {
	out := affinity.Regression{Terms: slices.Clone(s.terms)}
	bias := w[len(w)-1]
	for f := range s.mean {
		v := w[f] * s.factor[f]
		bias -= v * s.mean[f]
		if term := &out.Terms[f/2]; f%2 == 0 {
			term.Linear = rounded(v)
		} else {
			term.Log = rounded(v)
		}
	}
	out.Bias = rounded(bias)
	return out
}

func rounded(v float64) float32 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 32)
	if err != nil {
		panic(err)
	}
	return float32(short)
}

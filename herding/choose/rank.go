package choose

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"collie/crf"
	"collie/disjoint"
	"collie/herding"
)

// Ranker orders labellings by a linear score of their features, learned from lists
// whose quality is known (Yadollahpour, Batra and Shakhnarovich 2013,
// doi:10.1109/CVPR.2013.253; by ridge regression instead of a structured SVM, and
// without features of appearance). Features are standardised within a list, so
// scores compare labellings of one list only.
type Ranker struct{ Weights Features }

// Features of a labelling within a list, see FeatureNames. Areas are shares of
// the whole.
type Features [featureCount]float64

const (
	rank = iota
	first
	gap
	likelihood
	toFirst
	toMode
	toAll
	moments
	smallest
	border
	cut
	strength
	parts
	unclicked
	largest
	expectedIoU
	featureCount
)

// FeatureNames describe the features in their order.
var FeatureNames = [featureCount]string{
	rank: "rank", first: "is first", gap: "energy below the first", likelihood: "mean log probability",
	toFirst: "distance to the first", toMode: "distance to the mode", toAll: "mean distance to all",
	moments: "distance of class areas to their moments", smallest: "area of the smallest class",
	border: "edges cut", cut: "weight cut", strength: "mean weight cut",
	parts: "regions", unclicked: "regions without a click", largest: "area of the largest of those",
	expectedIoU: "expected mean IoU",
}

// ErrMarginals: the problem has no unary moments, which a Ranker takes as
// probabilities.
var ErrMarginals = errors.New("choose: ranking needs the marginals of the nodes; use EMBR")

// Score is the expected mean IoU of a labelling with the given features above the
// mean of its list.
func (r Ranker) Score(f *Features) (score float64) {
	for n, v := range f {
		score += float64(v * r.Weights[n])
	}
	return score
}

// FeaturesOf returns the features of each labelling of a list, standardised within
// the list; one that all have in common is 0.
func FeaturesOf(p *herding.Problem, xs [][]uint8) ([]Features, error) {
	if err := check(p, xs); err != nil {
		return nil, err
	}
	if p.UnaryMoments == nil {
		return nil, ErrMarginals
	}
	n, k, area := p.Model.Nodes, p.Model.Labels, p.Shares()
	expected, err := herding.AreaMoments(p.UnaryMoments, k, area)
	if err != nil {
		return nil, err
	}
	equal, err := weights(p, xs, 0)
	if err != nil {
		return nil, err
	}
	mode, alike := mode(xs, equal, k), Alike(xs, area, k)
	out := make([]Features, len(xs))
	top := p.Model.Energy(xs[0])
	for m, x := range xs {
		f := &out[m]
		f[rank] = float64(m)
		if m == 0 {
			f[first] = 1
		}
		f[gap] = top - p.Model.Energy(x)
		covered := make([]float64, k)
		for i, l := range x {
			f[likelihood] += float64(area[i] * crf.Log(max(p.UnaryMoments[i*k+int(l)], herding.Floor)))
			covered[l] += area[i]
		}
		f[toFirst], f[toMode] = Differing(x, xs[0], area), Differing(x, mode, area)
		for other, y := range xs {
			if other != m {
				f[toAll] += Differing(x, y, area)
				f[expectedIoU] += alike[m][other]
			}
		}
		for l, c := range covered {
			f[moments] += math.Abs(c - expected[l])
		}
		f[smallest] = slices.Min(covered)
		joined := disjoint.New(n)
		for _, e := range p.Model.Edges {
			if x[e.A] == x[e.B] {
				joined.Join(e.A, e.B)
			} else {
				f[border]++
				f[cut] += e.W
			}
		}
		f[strength] = f[cut] / (f[border] + 1)
		f.count(p.Model, joined, area)
	}
	standardise(out)
	return out, nil
}

// count fills in what depends on the connected regions.
func (f *Features) count(m *crf.Model, joined disjoint.Sets, area []float64) {
	sizes, clicked := make([]float64, m.Nodes), make([]bool, m.Nodes)
	for i, a := range area {
		root := joined.Find(int32(i))
		sizes[root] += a
		clicked[root] = clicked[root] || m.Fixed != nil && m.Fixed[i] >= 0
	}
	for i := range area {
		if int(joined.Find(int32(i))) != i {
			continue
		}
		f[parts]++
		if !clicked[i] {
			f[unclicked]++
			f[largest] = max(f[largest], sizes[i])
		}
	}
}

// standardise gives each feature the mean 0 and the deviation 1 within a list.
func standardise(list []Features) {
	for n := range featureCount {
		mean, square := 0.0, 0.0
		for _, f := range list {
			mean += f[n] / float64(len(list))
		}
		for _, f := range list {
			square += float64((f[n] - mean) * (f[n] - mean))
		}
		deviation := math.Sqrt(square / float64(len(list)))
		for m := range list {
			if list[m][n] -= mean; deviation > 1e-9 {
				list[m][n] /= deviation
			} else {
				list[m][n] = 0
			}
		}
	}
}

// Differing is the area on which two labellings differ, the share of the nodes
// if there are no areas.
func Differing(x, y []uint8, area []float64) float64 {
	sum := 0.0
	for i, l := range x {
		switch {
		case l == y[i]:
		case area == nil:
			sum += 1 / float64(len(x))
		default:
			sum += area[i]
		}
	}
	return sum
}

// Known is a list of labellings whose quality, such as their mean IoU, is known.
type Known struct {
	Features []Features
	Quality  []float64
}

// FitRanker learns a Ranker from lists: the least squares of quality, with
// ridge·labellings added to the diagonal. The mean of a list doesn't count, because
// that of each feature is 0. ridge is a finite number above 0.
func FitRanker(lists []Known, ridge float64) (Ranker, error) {
	if !(ridge > 0) || math.IsInf(ridge, 1) {
		return Ranker{}, fmt.Errorf("%w: ridge %v, want finite numbers above 0", herding.ErrRange, ridge)
	}
	a, b := mat.NewSymDense(featureCount, nil), mat.NewVecDense(featureCount, nil)
	count := 0.0
	for n, list := range lists {
		if len(list.Features) != len(list.Quality) {
			return Ranker{}, fmt.Errorf("%w: list %d has %d labellings and %d qualities", herding.ErrShape, n, len(list.Features), len(list.Quality))
		}
		for m, f := range list.Features {
			v := mat.NewVecDense(featureCount, slices.Clone(f[:]))
			a.SymRankOne(a, 1, v)
			b.AddScaledVec(b, list.Quality[m], v)
			count++
		}
	}
	if count == 0 {
		return Ranker{}, ErrNone
	}
	for i := range featureCount {
		a.SetSym(i, i, a.At(i, i)+float64(ridge*count))
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(a) {
		return Ranker{}, fmt.Errorf("%w: the lists' features are not finite numbers", herding.ErrRange)
	}
	var w mat.VecDense
	if err := cholesky.SolveVecTo(&w, b); err != nil {
		return Ranker{}, fmt.Errorf("choose: fitting: %w", err)
	}
	var r Ranker
	for i := range r.Weights {
		r.Weights[i] = w.AtVec(i)
	}
	return r, nil
}

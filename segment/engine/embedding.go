package engine

import (
	"math"

	"collie/segment"
	"collie/superpixels"
)

// Embedding compares superpixels, and cells, by points that another program made
// of the image. It adds to the log odds of learned affinities; the formulas that
// were set by hand don't know it. Immutable.
type Embedding struct {
	dims           int
	points         []float32 // of the superpixels, then of the cells, row-major
	borders, pairs segment.Likelihood
}

// NewEmbedding returns the points of the superpixels of a cut, the means of
// their cells' weighted by area; nil without an embedding. cells is the graph of
// the cells.
func NewEmbedding(e *segment.Embedding, cut *superpixels.Cut, cells *superpixels.Graph) *Embedding {
	if e == nil {
		return nil
	}
	dims := e.Dims
	out := &Embedding{dims: dims, points: make([]float32, (cut.N+len(cut.Parent))*dims), borders: e.Borders, pairs: e.Pairs}
	sums, areas := make([]float64, cut.N*dims), make([]float64, cut.N)
	for cell, superpixel := range cut.Parent {
		area := float64(cells.Regions[cell].Area)
		areas[superpixel] += area
		for i, v := range e.Values[cell*dims:][:dims] {
			x := float64((float64(v) - 128) * e.Scale)
			out.points[(cut.N+cell)*dims+i] = float32(x)
			sums[int(superpixel)*dims+i] += float64(area * x)
		}
	}
	for i, sum := range sums {
		out.points[i] = float32(sum / areas[i/dims])
	}
	return out
}

// Weighed returns the same points with other weights.
func (e *Embedding) Weighed(borders, pairs segment.Likelihood) *Embedding {
	out := *e
	out.borders, out.pairs = borders, pairs
	return &out
}

// Distance is that of the points of two superpixels. To name a cell, add the
// number of superpixels.
func (e *Embedding) Distance(a, b int32) float64 {
	p, q := e.points[int(a)*e.dims:][:e.dims], e.points[int(b)*e.dims:][:e.dims]
	sum := 0.0
	for i, v := range p {
		d := float64(v) - float64(q[i])
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

// Border implements affinity.Evidence.
func (e *Embedding) Border(a, b int32) float64 { return e.likelihood(e.borders, a, b) }

// Pair implements affinity.Evidence.
func (e *Embedding) Pair(a, b int32) float64 { return e.likelihood(e.pairs, a, b) }

func (e *Embedding) likelihood(l segment.Likelihood, a, b int32) float64 {
	if l == (segment.Likelihood{}) {
		return 0
	}
	return l.Bias + float64(l.Slope*e.Distance(a, b))
}

// counts reports whether the points make a difference.
func (e *Embedding) counts() bool {
	return e != nil && (e.borders != segment.Likelihood{} || e.pairs != segment.Likelihood{})
}

// Embed lets the model compare superpixels by the points of an embedding, too,
// which can be nil. It returns m and comes before everything else, as Divide.
func (m *Model) Embed(e *Embedding) *Model {
	if e.counts() {
		m.embedding = e
	}
	return m
}

package engine

import (
	"math"

	"collie/crf"
	"collie/superpixels"
)

// handMade are affinities whose formulas were set by hand.
type handMade struct {
	*Parameters
	graph    *superpixels.Graph
	features []features
}

func newHandMade(g *superpixels.Graph, p *Parameters) *handMade {
	return &handMade{p, g, p.features(g)}
}

func (h *handMade) conductances() []crf.Edge {
	c := make([]crf.Edge, len(h.graph.Edges))
	for i := range c {
		e := &h.graph.Edges[i]
		c[i] = crf.Edge{A: e.A, B: e.B, W: h.handMade(e)}
	}
	return c
}

// handMade is the conductance of a border by the formula that was set by hand.
func (p *Parameters) handMade(e *superpixels.Edge) float64 {
	log := float64(p.Length*crf.Log(float64(e.Length))) +
		float64(p.Texture*crf.Log(float64(e.Texture)+0.5)) -
		float64(p.Contour*crf.Log(float64(e.Contour)+0.5)) -
		float64(p.Colour*crf.Log(float64(e.DeltaE)+0.5)) -
		float64(p.Pattern*float64(e.TextureDistance))
	return crf.Exp(log) + p.Floor
}

// similarity returns the similarity exp(-½d²), with d the distance between the
// features.
func (h *handMade) similarity(click int, _ []float64) []float64 {
	out := make([]float64, len(h.features))
	own := &h.features[click]
	for i := range h.features {
		d2 := 0.0
		for axis, v := range own {
			d := h.features[i][axis] - v
			d2 += float64(d * d)
		}
		if d2 <= leastSimilar {
			out[i] = crf.Exp(-d2 / 2)
		}
	}
	return out
}

func (h *handMade) clicks(fixed []int16, k int) *comparison { return oneByOne(h, fixed, k) }

// leastSimilar is the squared distance from which on two superpixels have
// nothing in common: e^-20 is far below Doubtful.
const leastSimilar = 40

// features are the numbers that superpixels are compared by.
type features [8]float64

// features returns the means and standard deviations of L, a and b and the
// centroids of the superpixels, in units in which the similarity is e^-½ at
// distance 1.
func (p *Parameters) features(g *superpixels.Graph) []features {
	const (
		chroma = 1.8 // weight of a and b against L, √3.2 as in ΔE
		spread = 1.5 // weight of the deviations against the means
	)
	var width, height int32
	for _, r := range g.Regions {
		width, height = max(width, r.Bounds.MaxX), max(height, r.Bounds.MaxY)
	}
	position := 1 / (p.Reach * math.Sqrt(float64(int64(width)*int64(width)+int64(height)*int64(height))))
	colour := 1 / p.Alike
	out := make([]features, len(g.Regions))
	for i, r := range g.Regions {
		deviation := func(variance float32) float64 { return math.Sqrt(max(0, float64(variance))) }
		out[i] = features{
			colour * float64(r.Mean[0]), chroma * colour * float64(r.Mean[1]), chroma * colour * float64(r.Mean[2]),
			spread * colour * deviation(r.Cov[0]), spread * chroma * colour * deviation(r.Cov[3]), spread * chroma * colour * deviation(r.Cov[5]),
			position * float64(r.Centroid[0]), position * float64(r.Centroid[1]),
		}
	}
	return out
}

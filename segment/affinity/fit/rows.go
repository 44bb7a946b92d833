package fit

import (
	"math/rand/v2"
	"slices"

	"collie/segment"
	"collie/segment/affinity"
	"collie/superpixels"
)

// Image is one image to learn from.
type Image struct {
	Graph *superpixels.Graph
	Class []uint8 // of each region of the graph, segment.Void where it isn't known
	scene *affinity.Scene
	seed  uint64
}

// NewImage returns an image with the given classes of the regions of its graph, which
// must have Merges. The seed chooses what is learned from.
func NewImage(g *superpixels.Graph, class []uint8, seed uint64) *Image {
	return &Image{g, class, affinity.NewScene(g), seed}
}

// Rows are features with the right answer: whether both regions have the same
// class.
type Rows struct {
	width    int
	features []float32
	same     []bool
}

func (r *Rows) add(features []float32, same bool) {
	r.width = len(features)
	r.features = append(r.features, features...)
	r.same = append(r.same, same)
}

// Logits calls yield with the log odds that a regression gives each row, and its
// answer.
func (r *Rows) Logits(m *affinity.Regression, yield func(logit float64, same bool)) {
	for i, same := range r.same {
		yield(float64(m.Logit(r.features[i*r.width:][:r.width])), same)
	}
}

// Of the borders of an image every fourth is learned from: neighbouring ones are much
// alike. Of very many it is fewer.
const (
	edgeStep  = 4
	mostEdges = 4000 // rows
)

// EdgeRows are borders of an image with a class on both sides.
func EdgeRows(e *Image) *Rows {
	out := &Rows{}
	features := make([]float32, len(affinity.EdgeFeatures))
	for i := 0; i < len(e.Graph.Edges); i += max(edgeStep, len(e.Graph.Edges)/mostEdges) {
		edge := &e.Graph.Edges[i]
		if p, q := e.Class[edge.A], e.Class[edge.B]; p != segment.Void && q != segment.Void {
			e.scene.Edge(features, i)
			out.add(features, p == q)
		}
	}
	return out
}

// From each image some regions are drawn, as if they were clicked, and for each
// of them some others.
const (
	drawnClicks = 12
	drawnOthers = 40
)

// PairRows are pairs of regions that are drawn from an image; paths between them cross
// borders that a regression weighs.
func PairRows(e *Image, edges *affinity.Regression) *Rows {
	logits := make([]float64, len(e.Graph.Edges))
	features := make([]float32, len(affinity.EdgeFeatures))
	for i := range logits {
		e.scene.Edge(features, i)
		logits[i] = float64(edges.Logit(features))
	}
	costs := affinity.Costs(logits)
	var known []int
	for i, c := range e.Class {
		if c != segment.Void {
			known = append(known, i)
		}
	}
	rng := rand.New(rand.NewPCG(0, e.seed))
	draw := func(count int) []int {
		rng.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
		return slices.Clone(known[:min(count, len(known))])
	}
	out := &Rows{}
	for _, i := range draw(drawnClicks) {
		wanted := make([]bool, len(e.Class))
		for _, j := range draw(drawnOthers) {
			wanted[j] = true
		}
		e.scene.Pairs(i, costs, func(j int, features []float32) {
			if wanted[j] {
				out.add(features, e.Class[i] == e.Class[j])
			}
		})
	}
	return out
}

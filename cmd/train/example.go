package main

import (
	"fmt"
	"math/rand/v2"

	"collie/segment"
	"collie/segment/affinity"
	"collie/segment/simulate"
	"collie/superpixels"
)

// example is one image to learn from.
type example struct {
	id    string
	graph *superpixels.Graph
	scene *affinity.Scene
	class []uint8 // of each region, segment.Void where all is void
}

func open(p simulate.Picture, regions, classes int) (*example, error) {
	img, mask, err := p.LoadLabelled()
	if err != nil {
		return nil, err
	}
	h, g := superpixels.Divide(img, regions)
	truth, err := simulate.Cover(h.Runs().Map(), mask, classes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Mask(), err)
	}
	return &example{p.ID, g, affinity.NewScene(g), simulate.Majority(truth)}, nil
}

// rows are features with the right answer: whether both regions have the same
// class.
type rows struct {
	width    int
	features []float32
	same     []bool
}

func (r *rows) add(features []float32, same bool) {
	r.width = len(features)
	r.features = append(r.features, features...)
	r.same = append(r.same, same)
}

// edgeRows are every fourth border of an image with a class on both sides:
// neighbouring borders are much alike.
func edgeRows(e *example) *rows {
	out := &rows{}
	features := make([]float32, len(affinity.EdgeFeatures))
	for i := 0; i < len(e.graph.Edges); i += 4 {
		edge := &e.graph.Edges[i]
		if p, q := e.class[edge.A], e.class[edge.B]; p != segment.Void && q != segment.Void {
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

// pairRows returns a function that draws pairs of regions of an image by its name;
// paths between them cross borders that a regression weighs.
func pairRows(edges *affinity.Regression) func(e *example) *rows {
	return func(e *example) *rows {
		logits := make([]float64, len(e.graph.Edges))
		features := make([]float32, len(affinity.EdgeFeatures))
		for i := range logits {
			e.scene.Edge(features, i)
			logits[i] = float64(edges.Logit(features))
		}
		costs := affinity.Costs(logits)
		var known []int
		for i, c := range e.class {
			if c != segment.Void {
				known = append(known, i)
			}
		}
		rng := rand.New(rand.NewPCG(0, simulate.Hash(e.id)))
		draw := func(count int) []int {
			rng.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
			return append([]int(nil), known[:min(count, len(known))]...)
		}
		out := &rows{}
		for _, i := range draw(drawnClicks) {
			wanted := make([]bool, len(e.class))
			for _, j := range draw(drawnOthers) {
				wanted[j] = true
			}
			e.scene.Pairs(i, costs, func(j int, features []float32) {
				if wanted[j] {
					out.add(features, e.class[i] == e.class[j])
				}
			})
		}
		return out
	}
}

// gather returns the rows of all images, in their order.
func gather(t *terminal, what string, examples []*example, of func(*example) *rows) ([]*rows, error) {
	parts := make([]*rows, len(examples))
	return parts, t.Each(what, len(examples), func(i int) error {
		parts[i] = of(examples[i])
		return nil
	})
}

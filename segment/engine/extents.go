package engine

import (
	"context"
	"image"
	"slices"

	"collie/crf"
	"collie/herding"
	"collie/segment/schedule"
)

// What a person means by a first click is a part, an object or a group of them.
// So as long as there are two classes in play, the clicked one and the rest,
// and nothing of the rest is clicked, the sequence begins with masks of
// different extent: rungs of the exact ladder of the model (see crf.Ladder), the
// regions of the merge hierarchy around the click, and what some of both become when
// their colours count (see recolour). A small neural network, see
// package chooser, tells how probable it is that each is the best of them, and the cards are
// chosen greedily to maximise the expected quality of the best one shown so far.

// Extent is a mask that a first click can mean.
type Extent struct {
	Mask     []bool // per superpixel
	Features ExtentFeatures
}

// leastGrowth is the least relative growth from one region of the hierarchy to
// the next.
const leastGrowth = 0.1

// Extents returns what the first click or box of some evidence can mean, the most
// probable labelling first; nil if it asks something else. Used to train choosers.
func (m *Model) Extents(e Evidence) ([]Extent, error) {
	classes, rest := e.inPlay(m.shares)
	index := indexOf(classes)
	where, ok := e.pointed(m, rest, &index)
	if !ok || len(classes) != 2 {
		return nil, nil
	}
	p, err := NewSequence(m, e, 0).problem(context.Background(), schedule.First)
	if err != nil {
		return nil, err
	}
	return m.extents(p, 1-rest, where)
}

// pointed is where a person points first.
type pointed struct {
	at         [2]float64 // in pixels
	superpixel int        // there
	clicked    bool
	box        image.Rectangle // around all boxes, or empty
}

// extents returns the masks that a first click or box of label thing can mean, in a
// problem with two labels; the first is the most probable labelling.
func (m *Model) extents(p *herding.Problem, thing int, where pointed) ([]Extent, error) {
	model := lifting(p.Model, thing)
	ladder, err := crf.NewLadder(model, nil)
	if err != nil {
		return nil, err
	}
	var out []Extent
	seen := map[string]bool{}
	d := m.extentDescriber(p, thing, where)
	add := func(x []uint8) {
		if key := string(x); !seen[key] {
			seen[key] = true
			mask := make([]bool, len(x))
			for i, l := range x {
				mask[i] = l == 1
			}
			out = append(out, Extent{mask, d.describe(mask, len(out) == 0)})
		}
	}
	for _, shift := range shifts() {
		ladder.At(shift) // once in this order, which is the fastest
	}
	add(ladder.At(0))
	for t := 1; t <= rungs; t++ {
		add(ladder.At(shift(t)))
		add(ladder.At(shift(-t)))
	}
	for _, inside := range m.enclosing(where.superpixel) {
		x := make([]uint8, model.Nodes)
		for i, f := range model.Fixed {
			if f > 0 || f < 0 && inside(int32(i)) && !herding.RuledOut(model, i, 1) {
				x[i] = 1
			}
		}
		add(x)
	}
	return out, m.recolour(ladder, out, add)
}

// enclosing returns the regions of the hierarchy around a superpixel, from the
// smallest one on: which superpixels are inside.
func (m *Model) enclosing(seed int) (out []func(i int32) bool) {
	if m.shells == nil {
		return nil
	}
	shell := m.shells(seed)
	last := slices.Max(shell)
	area := make([]float64, last+1)
	for i, s := range shell {
		area[s] += m.shares[i]
	}
	sum, taken := 0.0, 0.0
	for s, a := range area {
		sum += a
		if s == int(last) || sum < float64((1+leastGrowth)*taken) {
			continue
		}
		taken = sum
		out = append(out, func(i int32) bool { return int(shell[i]) <= s })
	}
	return out
}

// logs returns the logarithms of the probabilities in p, with a floor.
func logs(p []float64) []float64 {
	out := make([]float64, len(p))
	for i, q := range p {
		out[i] = crf.Log(max(q, herding.Floor))
	}
	return out
}

func squareOf(dx, dy float64) float64 { return float64(dx*dx) + float64(dy*dy) }

// Overlaps returns the IoUs of all pairs of extents, row-major.
// O(extents²·superpixels).
func (m *Model) Overlaps(extents []Extent) []float64 {
	parts := make([][]int32, len(extents))
	for i, e := range extents {
		for node, in := range e.Mask {
			if in {
				parts[i] = append(parts[i], int32(node))
			}
		}
	}
	return m.overlaps(parts)
}

// boundsOf returns the bounding box of a mask.
func (m *Model) boundsOf(mask []bool) (bounds image.Rectangle) {
	for i, in := range mask {
		if in {
			bounds = bounds.Union(m.bounds[i])
		}
	}
	return bounds
}

// overlap returns the IoU of two rectangles, 0 if both are empty.
func overlap(a, b image.Rectangle) float64 {
	area := func(r image.Rectangle) float64 { return float64(float64(r.Dx()) * float64(r.Dy())) }
	both := area(a.Intersect(b))
	union := area(a) + area(b) - both
	if union == 0 {
		return 0
	}
	return both / union
}

// overlaps returns the IoUs of all pairs of masks, row-major, given the superpixels
// of each, ascending.
func (m *Model) overlaps(parts [][]int32) []float64 {
	n := len(parts)
	iou := make([]float64, n*n)
	areas := make([]float64, n)
	masks := make([][]bool, n)
	for i, part := range parts {
		masks[i] = make([]bool, len(m.shares))
		for _, node := range part {
			areas[i] += m.shares[node]
			masks[i][node] = true
		}
	}
	for i := range n {
		iou[i*n+i] = 1
		for j := range i {
			few, other := parts[i], masks[j]
			if len(parts[j]) < len(few) {
				few, other = parts[j], masks[i]
			}
			both := 0.0
			for _, node := range few {
				if other[node] {
					both += m.shares[node]
				}
			}
			if union := areas[i] + areas[j] - both; union > 0 {
				iou[i*n+j], iou[j*n+i] = both/union, both/union
			}
		}
	}
	return iou
}

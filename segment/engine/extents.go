package engine

import (
	"image"
	"math"
	"slices"

	"collie/crf"
	"collie/herding"
)

// What a person means by a first click is a part, an object or a group of them.
// So as long as there are two classes in play, the clicked one and the rest,
// and nothing of the rest is clicked, the sequence begins with masks of
// different extent: rungs of the exact ladder of the model (see crf.Ladder) and
// the regions of the merge hierarchy around the click. The expected quality of
// each is a linear function of its features, with weights learned from other
// images, and the cards are chosen greedily to maximise the expected quality of
// the best one shown so far.

// Extent is a mask that a first click can mean.
type Extent struct {
	Mask     []bool // per superpixel
	Features Features
}

// Features are the features of an extent. A is its share of the image, Ā the
// share that the walker expects, p the walker's probability of the clicked
// class; sums over the extent are weighted by area, those over borders by
// length.
type Features [featureCount]float64

const (
	logArea     = iota // log A
	logArea2           // its square
	logRatio2          // (log A/Ā)²
	likelihood         // mean log probability of the whole labelling
	purity             // mean p inside
	missed             // Σp outside / Ā
	contour            // mean log odds that its border is one, see borders
	inner              // the same of the borders inside
	rim                // share of the superpixels at the image's border that are inside
	sqrtRim            // its square root
	compactness        // perimeter / √area, in pixels
	cut                // Potts weight of the border / √area
	offset             // distance of the click to the middle, in radii of a disc of the same area
	depth              // distance of the click to the border, in the same
	featureCount
)

// leastGrowth is the least relative growth from one region of the hierarchy to
// the next.
const leastGrowth = 0.1

// Extents returns what the first click of some evidence can mean; nil if it
// asks something else. Used to fit weights.
func (m *Model) Extents(e Evidence) ([]Extent, error) {
	classes, rest := e.inPlay(m.shares)
	index := indexOf(classes)
	at, seed, first := e.pointed(m, rest, &index)
	if !first || len(classes) != 2 {
		return nil, nil
	}
	_, fixed, pull := m.Terms(e)
	p, err := m.Problem(fixed, len(classes), pull)
	if err != nil {
		return nil, err
	}
	return m.extents(p, 1-rest, at, seed)
}

// Rank orders extents by weights of their features, as hypotheses are.
func (m *Model) Rank(extents []Extent, weights Features) []int {
	return m.rank(extents, &weights, image.Rectangle{})
}

// extents returns the masks that clicks of label thing can mean, in a problem
// with two labels; the first is the most probable labelling. at is where the
// person pointed, in pixels, and seed a superpixel there.
func (m *Model) extents(p *herding.Problem, thing int, at [2]float64, seed int) ([]Extent, error) {
	model := lifting(p.Model, thing)
	ladder, err := crf.NewLadder(model, nil)
	if err != nil {
		return nil, err
	}
	var out []Extent
	seen := map[string]bool{}
	likelihoods := logs(p.UnaryMoments)
	add := func(x []uint8) {
		if key := string(x); !seen[key] {
			seen[key] = true
			mask := make([]bool, len(x))
			for i, l := range x {
				mask[i] = l == 1
			}
			out = append(out, Extent{mask, m.features(p, thing, mask, at, likelihoods)})
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
	for _, inside := range m.enclosing(seed) {
		x := make([]uint8, model.Nodes)
		for i, f := range model.Fixed {
			if f > 0 || f < 0 && inside(int32(i)) {
				x[i] = 1
			}
		}
		add(x)
	}
	return out, nil
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

// features are those of a mask of label thing; likelihoods are the logs of the
// problem's unary moments.
func (m *Model) features(p *herding.Problem, thing int, mask []bool, at [2]float64, likelihoods []float64) (f Features) {
	var area, expected, inside, outside, likely, touching, border float64
	var middle [2]float64
	for i, s := range m.shares {
		row := p.UnaryMoments[2*i : 2*i+2]
		q := row[thing]
		expected += float64(s * q)
		if m.rim[i] {
			border++
		}
		if !mask[i] {
			outside += float64(s * q)
			likely += float64(s * likelihoods[2*i+1-thing])
			continue
		}
		area += s
		inside += float64(s * q)
		likely += float64(s * likelihoods[2*i+thing])
		if m.rim[i] {
			touching++
		}
		for axis, v := range m.centres[i] {
			middle[axis] += float64(s * float64(v))
		}
	}
	if area == 0 {
		return f
	}
	// distance to the border, or to the image's
	square := min(at[0]+1, at[1]+1, float64(m.size.X)-at[0], float64(m.size.Y)-at[1])
	square = float64(square * square)
	var perimeter, edges, within, held, weight float64
	borders := m.borders()
	for e, edge := range borders.weights {
		length, odds := float64(borders.length[e]), float64(borders.odds[e])
		switch a, b := mask[edge.A], mask[edge.B]; {
		case a && b:
			within += length
			held += float64(length * odds)
		case a != b:
			perimeter += length
			edges += float64(length * odds)
			weight += edge.W
			other := edge.A
			if a {
				other = edge.B
			}
			c := m.centres[other]
			square = min(square, squareOf(float64(c[0])-at[0], float64(c[1])-at[1]))
		}
	}
	pixels := area * float64(m.size.X) * float64(m.size.Y)
	radius := math.Sqrt(pixels / math.Pi)
	log := crf.Log(area)
	ratio := crf.Log(area / (expected + 1e-6))
	f = Features{
		logArea: log, logArea2: float64(log * log), logRatio2: float64(ratio * ratio), likelihood: likely,
		purity: inside / area, missed: outside / (expected + 1e-6),
		contour: edges / (perimeter + 1), inner: held / (within + 1),
		rim: touching / border, sqrtRim: math.Sqrt(touching / border),
		compactness: perimeter / math.Sqrt(pixels), cut: weight / math.Sqrt(pixels),
		offset: math.Sqrt(squareOf(at[0]-middle[0]/area, at[1]-middle[1]/area)) / radius,
		depth:  math.Sqrt(square) / radius,
	}
	return f
}

func squareOf(dx, dy float64) float64 { return float64(dx*dx) + float64(dy*dy) }

// rank orders extents: the best first, then each next one by the expected gain
// of the best one shown. People draw boxes tightly, so with a box, which can be
// empty, an extent is better the better it fills the box.
// O(extents²·superpixels).
func (m *Model) rank(extents []Extent, weights *Features, box image.Rectangle) []int {
	n := len(extents)
	chance := make([]float64, n) // that the extent is meant
	top := math.Inf(-1)
	for i, e := range extents {
		for j, v := range e.Features {
			chance[i] += float64(v * weights[j])
		}
		if !box.Empty() {
			chance[i] += float64(boxWeight * overlap(m.boundsOf(e.Mask), box))
		}
		top = max(top, chance[i])
	}
	for i, q := range chance {
		chance[i] = crf.Exp(float64(sharpness * (q - top)))
	}
	parts := make([][]int32, n)
	for i, e := range extents {
		for node, in := range e.Mask {
			if in {
				parts[i] = append(parts[i], int32(node))
			}
		}
	}
	return inOrder(chance, m.overlaps(parts), n)
}

// inOrder returns the first count of n masks in the order in which they are shown:
// the best one, then each next one by the expected gain of the best one shown.
// chance is what each is proportional to being meant, and iou their overlaps.
func inOrder(chance, iou []float64, count int) []int {
	n := len(chance)
	best := make([]float64, n) // IoU of each with the best one shown
	shown := make([]bool, n)
	order := make([]int, 0, min(count, n))
	for range min(count, n) {
		at, most := -1, -1.0
		for i := range n {
			if shown[i] {
				continue
			}
			gain := 0.0
			for j, b := range best {
				gain += float64(chance[j] * max(0, iou[i*n+j]-b))
			}
			if gain > most {
				at, most = i, gain
			}
		}
		shown[at] = true
		order = append(order, at)
		for j := range best {
			best[j] = max(best[j], iou[at*n+j])
		}
	}
	return order
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
	area := func(r image.Rectangle) float64 { return float64(r.Dx()) * float64(r.Dy()) }
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

// boxWeight is the weight of filling the box relative to the features.
const boxWeight = 2

// sharpness turns expected qualities into probabilities.
const sharpness = 10

// ExtentWeights are a linear score of the IoU with the object that is meant, as
// 'evaluate extents' fits it to the objects of 338 images of PASCAL VOC (the 2012
// validation images that are not in the 2011 set), on which no figure is reported.
var ExtentWeights = Features{
	logArea: 0.0091, logArea2: -0.0034, logRatio2: -0.0062, likelihood: 0.0526,
	purity: 0.3057, missed: -0.3840, contour: 0.0201, inner: -0.0124, rim: -0.0514, sqrtRim: 0.0169,
	compactness: 0.0054, cut: -0.1005, offset: -0.0269, depth: 0.2961,
}

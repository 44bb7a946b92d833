package engine

import (
	"image"
	"math"

	"collie/crf"
	"collie/herding"
)

// ExtentFeatures are the features of an extent. A is its share of the image, Ā the
// share that the walker expects, p the walker's probability of the class of the click
// or box; sums over the extent are weighted by area, those over borders by length.
// Those about a click or a box are 0 without one.
type ExtentFeatures [extentFeatureCount]float64

const (
	logArea        = iota // log A
	logRatio              // log A/Ā
	likelihood            // mean log probability of the whole labelling
	purity                // mean p inside
	missed                // log (Σp outside / A)
	contour               // mean log odds that its border is one, see borders
	inner                 // the same of the borders inside
	rim                   // share of the superpixels at the image's border that are inside
	sqrtRim               // its square root
	compactness           // perimeter / √area, in pixels
	cut                   // Potts weight of the border / √area
	meanCut               // mean Potts weight of the border
	offset                // distance of the click, or of the middle of the boxes, to the middle, in radii of a disc of the same area
	depth                 // distance of the same to the border, in the same
	likeness              // mean similarity to the clicked superpixel inside
	likenessMissed        // log (Σ similarity outside / A)
	fill                  // IoU of its bounding box and the box
	covered               // its share of the box's area
	boxRim                // share of the superpixels across the border of the box that are inside
	leak                  // share of the extent whose superpixels have their middle outside the box
	isFirst               // 1 for the most probable labelling
	isClicked             // 1 after a click
	isBoxed               // 1 with a box
	extentFeatureCount
)

// extentDescriber has what the features of all extents have in common.
type extentDescriber struct {
	*Model
	p           *herding.Problem
	thing       int
	where       pointed
	likelihoods []float64 // logs of the unary moments
	similarity  []float64 // to the clicked superpixel, or nil
	expected    float64   // Ā
	similar     float64   // Σ similarity
	border      float64   // superpixels at the image's border
}

func (m *Model) extentDescriber(p *herding.Problem, thing int, where pointed) *extentDescriber {
	d := &extentDescriber{Model: m, p: p, thing: thing, where: where, likelihoods: logs(p.UnaryMoments)}
	if where.clicked {
		d.similarity = m.affinities().similarity(where.superpixel, nil)
	}
	for i, s := range m.shares {
		d.expected += float64(s * p.UnaryMoments[2*i+thing])
		if d.similarity != nil {
			d.similar += float64(s * d.similarity[i])
		}
		if m.rim[i] {
			d.border++
		}
	}
	return d
}

// describe returns the features of a mask.
func (d *extentDescriber) describe(mask []bool, first bool) (f ExtentFeatures) {
	var area, inside, likely, similar, touching float64
	var middle [2]float64
	for i, s := range d.shares {
		row := 2 * i
		if !mask[i] {
			likely += float64(s * d.likelihoods[row+1-d.thing])
			continue
		}
		area += s
		inside += float64(s * d.p.UnaryMoments[row+d.thing])
		likely += float64(s * d.likelihoods[row+d.thing])
		if d.similarity != nil {
			similar += float64(s * d.similarity[i])
		}
		if d.rim[i] {
			touching++
		}
		for axis, v := range d.centres[i] {
			middle[axis] += float64(s * float64(v))
		}
	}
	if first {
		f[isFirst] = 1
	}
	if d.where.clicked {
		f[isClicked] = 1
	}
	if !d.where.box.Empty() {
		f[isBoxed] = 1
	}
	if area == 0 {
		return f
	}
	x, y := d.where.at[0], d.where.at[1]
	// distance to the border, or to the image's
	square := min(x+1, y+1, float64(d.size.X)-x, float64(d.size.Y)-y)
	square = float64(square * square)
	var perimeter, edges, within, held, weight float64
	borders := d.borders()
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
			c := d.centres[other]
			square = min(square, squareOf(float64(c[0])-x, float64(c[1])-y))
		}
	}
	pixels := area * float64(d.size.X) * float64(d.size.Y)
	radius := math.Sqrt(pixels / math.Pi)
	f[logArea], f[logRatio] = crf.Log(area), crf.Log(area/(d.expected+smaller))
	f[likelihood], f[purity], f[missed] = likely, inside/area, crf.Log(small+max(d.expected-inside, 0)/area)
	f[contour], f[inner] = edges/(perimeter+1), held/(within+1)
	f[rim], f[sqrtRim] = touching/d.border, math.Sqrt(touching/d.border)
	f[compactness], f[cut], f[meanCut] = perimeter/math.Sqrt(pixels), weight/math.Sqrt(pixels), weight/(perimeter+1)
	f[offset] = math.Sqrt(squareOf(x-middle[0]/area, y-middle[1]/area)) / radius
	f[depth] = math.Sqrt(square) / radius
	if d.where.clicked {
		f[likeness], f[likenessMissed] = similar/area, crf.Log(small+max(d.similar-similar, 0)/area)
	}
	if box := d.where.box; !box.Empty() {
		f[fill] = overlap(d.boundsOf(mask), box)
		f[covered] = pixels / (float64(box.Dx()) * float64(box.Dy()))
		f[boxRim], f[leak] = d.across(mask, box)
		f[leak] /= area
	}
	return f
}

// across returns the share of the superpixels across the border of a box that are in
// a mask, and the area of the mask's superpixels with their middle outside.
func (m *Model) across(mask []bool, box image.Rectangle) (share, outside float64) {
	var all, inside float64
	for i, bounds := range m.bounds {
		if bounds.Overlaps(box) && !bounds.In(box) {
			all += m.shares[i]
			if mask[i] {
				inside += m.shares[i]
			}
		}
		if c := m.centres[i]; mask[i] && !image.Pt(int(c[0]), int(c[1])).In(box) {
			outside += m.shares[i]
		}
	}
	if all > 0 {
		share = inside / all
	}
	return share, outside
}

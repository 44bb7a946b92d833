package engine

import (
	"image"
	"math"
	"slices"

	"collie/crf"
)

// CorrectionFeatures are the features of a correction. The part is what turns to the
// class of the click; p is the walker's probability of that class; sums over
// superpixels are weighted by area, those over borders by length. Areas are shares of
// the image, distances parts of its mean side.
type CorrectionFeatures [correctionFeatureCount]float64

const (
	partArea        = iota // log area of the part
	partOfRegion           // log (area / that of what could turn and is joined to the click)
	partOfClass            // log (area / that of what is shown as the class)
	classArea              // log of the latter
	partPurity             // mean p inside
	partGain               // mean log (p / probability of what is shown) inside, at least -3
	partMissed             // log (Σp of what could turn but doesn't / area)
	partAlike              // mean similarity to the clicked superpixel inside
	missedAlike            // log (Σ similarity of what could turn but doesn't / area)
	newContour             // mean log odds that the new border is one, see borders
	oldContour             // the same of the border that vanishes
	innerContour           // the same of the borders inside
	vanishing              // share of the part's border that vanishes
	newCut                 // Potts weight of the new border / √area in pixels
	partCompactness        // perimeter / √area, in pixels
	newLength              // length of the new border / √area, in pixels
	newWeight              // mean Potts weight of the new border
	clickOffset            // distance of the click to the middle, in radii of a disc of the same area
	clickDepth             // distance of the click to the border, in the same
	clickDistance          // log of the latter distance
	clickDeeper            // log (the same distance / that to the nearest superpixel shown as the class)
	classDistance          // log distance to that one
	sameClick              // log (distance to the nearest click of the class / radius)
	otherClick             // log (the same of other classes / radius)
	sameDistance           // log distance to the nearest click of the class
	otherDistance          // log distance to the nearest click of another class
	clicksBeside           // clicked superpixels of other classes right beside the part
	clickCount             // log number of clicked superpixels
	classCount             // log number of classes in play
	partRim                // share of the superpixels of the part that are at the image's border
	turnedAway             // area that turns from the class to others / area
	isProbable             // 1 for the first correction
	isRest                 // 1 where the class of the click is the rest
	filled                 // IoU of a box and the bounding box of its class inside, after the correction; the least of all boxes
	fillGain               // how much more that is than in what is shown
	boxCovered             // share of a box that has its class then; the least of all boxes
	partOutside            // share of the part whose superpixels have their middle outside all boxes
	hasBox                 // 1 with a box; without one the four before are 0
	correctionFeatureCount
)

// describer has what the features of all corrections of a click have in common.
type describer struct {
	*turn
	likelihoods []float64 // logs of the unary moments
	similarity  []float64 // to the clicked superpixel
	region      float64   // area of what could turn, and of the click
	missed      float64   // Σp of it
	alike       float64   // Σ similarity of it
	ofClass     float64   // area of what is shown as the class
	nearest     float64   // distance in pixels to the nearest superpixel shown as the class
	same, other float64   // the same to the nearest click of the class and of other classes
	clicks      float64   // number of clicked superpixels
	marked      bool      // there are lateMark marks, and the class is not new
	fill        float64   // filled of what is shown
	edges       []int     // that are inside of what could turn, or at its border
	in          []bool    // scratch
}

func (t *turn) describer() *describer {
	d := &describer{
		turn: t, likelihoods: logs(t.p.UnaryMoments), similarity: t.affinities().similarity(int(t.click), nil),
		in: make([]bool, len(t.now)),
	}
	k := t.p.Model.Labels
	nearest, same, other := float64(t.side*t.side), float64(t.side*t.side), float64(t.side*t.side)
	for i, l := range t.now {
		if t.could(int32(i)) {
			d.region += t.shares[i]
			d.missed += float64(t.shares[i] * t.p.UnaryMoments[i*k+t.class])
			d.alike += float64(t.shares[i] * d.similarity[i])
		}
		fixed := t.p.Model.Fixed[i]
		if fixed >= 0 {
			d.clicks++
		}
		if i == int(t.click) {
			continue
		}
		square := t.square(i, int(t.click))
		if int(l) == t.class {
			d.ofClass += t.shares[i]
			nearest = min(nearest, square)
		}
		switch {
		case int(fixed) == t.class:
			same = min(same, square)
		case fixed >= 0:
			other = min(other, square)
		}
	}
	for e, edge := range t.borders().weights {
		if t.could(edge.A) || t.could(edge.B) {
			d.edges = append(d.edges, e)
		}
	}
	d.nearest, d.same, d.other = math.Sqrt(nearest), math.Sqrt(same), math.Sqrt(other)
	d.fill, _ = d.fills(d.now)
	if d.ofClass > 0 {
		marks := 0
		for range t.marks(t.p.Model.Fixed) {
			if marks++; marks == lateMark {
				d.marked = true
				break
			}
		}
	}
	return d
}

// small is an area that is hardly seen, and smaller one that keeps logarithms finite.
const (
	small   = 1e-3
	smaller = 1e-6
)

// describe returns the features of a correction. Only the probable one can turn
// something away from the class.
func (d *describer) describe(c *Correction, probable bool) (f CorrectionFeatures) {
	k := d.p.Model.Labels
	clear(d.in)
	missed, alike := d.missed, d.alike
	var area, inside, gain, similar, rim float64
	var middle [2]float64
	add := func(i int32) {
		d.in[i] = true
		s, row := d.shares[i], int(i)*k
		area += s
		p := d.p.UnaryMoments[row+d.class]
		inside += float64(s * p)
		similar += float64(s * d.similarity[i])
		gain += float64(s * (d.likelihoods[row+d.class] - d.likelihoods[row+int(d.now[i])]))
		if d.could(i) {
			missed -= float64(s * p)
			alike -= float64(s * d.similarity[i])
		}
		if d.rim[i] {
			rim++
		}
		for axis, v := range d.centres[i] {
			middle[axis] += float64(s * float64(v))
		}
	}
	add(d.click)
	for _, i := range c.part {
		add(i)
	}
	away := 0.0
	if probable {
		for i, l := range d.now {
			if int(l) == d.class && int(c.Labels[i]) != d.class {
				away += d.shares[i]
			}
		}
	}

	c.late = d.marked && area+away > mostLate

	at := d.centres[d.click]
	x, y := float64(at[0]), float64(at[1])
	square := min(x+1, y+1, float64(d.size.X)-x, float64(d.size.Y)-y) // to the image's border, or the part's
	square = float64(square * square)
	var perimeter, fresh, freshOdds, gone, goneOdds, weight, within, withinOdds, beside float64
	borders := d.borders()
	for _, e := range d.edges {
		edge := &borders.weights[e]
		length, odds := float64(borders.length[e]), float64(borders.odds[e])
		a, b := edge.A, edge.B
		switch {
		case d.in[a] && d.in[b]:
			within += length
			withinOdds += float64(length * odds)
			continue
		case d.in[a] == d.in[b]:
			continue
		case d.in[b]:
			b = a
		}
		perimeter += length
		if int(d.now[b]) == d.class {
			gone += length
			goneOdds += float64(length * odds)
		} else {
			fresh += length
			freshOdds += float64(length * odds)
			weight += edge.W
			if d.p.Model.Fixed[b] >= 0 {
				beside++
			}
		}
		square = min(square, d.square(int(b), int(d.click)))
	}
	pixels := float64(area*d.side) * d.side
	root, radius, depth := math.Sqrt(pixels), math.Sqrt(pixels/math.Pi), math.Sqrt(square)
	f = CorrectionFeatures{
		partArea: crf.Log(area), partOfRegion: crf.Log(area / (d.region + smaller)),
		partOfClass: crf.Log(area / (d.ofClass + small)), classArea: crf.Log(d.ofClass + small),
		partPurity: inside / area, partGain: max(gain/area, -3), partMissed: crf.Log(small + max(missed, 0)/area),
		partAlike: similar / area, missedAlike: crf.Log(small + max(alike, 0)/area),
		newContour: freshOdds / (fresh + 1), oldContour: goneOdds / (gone + 1), innerContour: withinOdds / (within + 1),
		vanishing: gone / (perimeter + 1), newCut: weight / root, partCompactness: perimeter / root, newLength: fresh / root, newWeight: weight / (fresh + 1),
		clickOffset: math.Sqrt(squareOf(x-middle[0]/area, y-middle[1]/area)) / radius,
		clickDepth:  depth / radius, clickDistance: crf.Log((depth + smaller) / d.side), clickDeeper: crf.Log((depth + 1) / (d.nearest + 1)),
		classDistance: crf.Log((d.nearest + smaller) / d.side),
		sameClick:     crf.Log((d.same + 1) / (radius + 1)), otherClick: crf.Log((d.other + 1) / (radius + 1)),
		sameDistance: crf.Log((d.same + smaller) / d.side), otherDistance: crf.Log((d.other + smaller) / d.side),
		clicksBeside: beside, clickCount: crf.Log(d.clicks), classCount: crf.Log(float64(k)),
		partRim: rim / float64(len(c.part)+1), turnedAway: away / area,
	}
	if probable {
		f[isProbable] = 1
	}
	if d.class == d.rest {
		f[isRest] = 1
	}
	if len(d.boxes) > 0 {
		f[hasBox] = 1
		f[filled], f[boxCovered] = d.fills(c.Labels)
		f[fillGain] = f[filled] - d.fill
		for _, i := range c.part {
			at := image.Pt(int(d.centres[i][0]), int(d.centres[i][1]))
			if !slices.ContainsFunc(d.boxes, func(b boxed) bool { return at.In(b.bounds) }) {
				f[partOutside] += d.shares[i]
			}
		}
		f[partOutside] /= area
	}
	return f
}

// boxed is a box of the evidence.
type boxed struct {
	class  int // index of those in play
	bounds image.Rectangle
	inside []int32 // superpixels that overlap it
	area   float64 // of them
}

func (m *Model) boxed(boxes []Box, index *[256]int16) (out []boxed) {
	for _, b := range boxes {
		of := boxed{class: int(index[b.Class]), bounds: b.Bounds}
		for i, outside := range b.Outside {
			if !outside {
				of.inside = append(of.inside, int32(i))
				of.area += m.shares[i]
			}
		}
		if len(of.inside) > 0 {
			out = append(out, of)
		}
	}
	return out
}

// fills returns filled and boxCovered of a labelling, 1 without boxes.
func (d *describer) fills(x []uint8) (fill, covered float64) {
	fill, covered = 1, 1
	for _, b := range d.boxes {
		var bounds image.Rectangle
		area := 0.0
		for _, i := range b.inside {
			if int(x[i]) == b.class {
				bounds = bounds.Union(d.bounds[i])
				area += d.shares[i]
			}
		}
		fill = min(fill, overlap(bounds, b.bounds))
		covered = min(covered, area/b.area)
	}
	return fill, covered
}

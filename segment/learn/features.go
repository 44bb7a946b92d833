package learn

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"

	"collie/superpixels"
)

// Features is an image as the classifier sees it: bytes that describe each
// superpixel of its default granularity, and the superpixels' relations.
// Immutable once made.
type Features struct {
	N         int
	Area      []int32               // pixels of each superpixel
	Ancestors [coarseLevels][]int32 // region of each superpixel at each coarser level
	Offsets   [offsets][]int32      // superpixel at a fixed offset from the middle of each
	Borders   []Border              // between superpixels
	Values    []uint8               // Count × N: those of one feature are together
}

// Border is the length of the border that superpixels A < B share, in pixel
// sides.
type Border struct{ A, B, Length int32 }

// A superpixel is described by itself and by its region at the next coarser
// level only. What few large regions or the whole image have in common, like
// its mean colour, tells the few finished images apart, so trees would learn
// the images instead of the classes. Coarser levels are for the context.
const (
	coarseLevels = 3 // with a quarter of the regions of the level before, starting from the superpixels
	described    = 2 // levels with features, including the superpixels themselves

	levelFeatures  = 33
	offsetFeatures = 4

	// Count is the number of features of a superpixel.
	Count = described*(levelFeatures+patternBins) + 1 + offsets*offsetFeatures
)

// MaxSuperpixels is the largest number of superpixels of an image to learn
// from.
const MaxSuperpixels = 1 << 16

// Describe makes the features of an image at the granularity of n superpixels
// from its hierarchy, the graph of the hierarchy's finest level, and its pixels.
// 0 < n ≤ MaxSuperpixels. O(pixels + superpixels).
func Describe(img *image.NRGBA, h *superpixels.Hierarchy, finest *superpixels.Graph, n int) *Features {
	cells := h.Runs()
	if img.Rect.Dx() != cells.Width || img.Rect.Dy() != cells.Height || len(finest.Regions) != cells.N || n < 1 || n > MaxSuperpixels {
		panic(fmt.Sprintf("learn: image of %v, hierarchy of %d×%d with %d regions, graph of %d, %d superpixels wanted",
			img.Rect.Size(), cells.Width, cells.Height, cells.N, len(finest.Regions), n))
	}
	d := newDescriber(h, finest, n)
	for level := range d.graphs {
		d.describeLevel(level)
	}
	d.describeRank()
	d.describeOffsets()
	d.describePatterns(img)
	return d.out
}

// describer holds the state of Describe.
type describer struct {
	out           *Features
	cells         *superpixels.Runs
	parent        []int32                       // superpixel of each cell
	graphs        [described]*superpixels.Graph // by level
	above         [described][]int32            // region of each superpixel at each level
	mean, spread  [3]float64                    // of the image
	width, height float64                       // pixels
	next          int                           // feature to come
}

func newDescriber(h *superpixels.Hierarchy, finest *superpixels.Graph, n int) *describer {
	cells := h.Runs()
	d := &describer{cells: cells, width: float64(cells.Width), height: float64(cells.Height)}
	alike := make([]uint8, cells.N)
	cut := h.Cut(finest, n, alike, 0)
	d.parent, d.graphs[0] = cut.Parent, finest.Coarsen(cut.Parent, cut.N)
	d.out = &Features{N: cut.N, Area: make([]int32, cut.N), Values: make([]uint8, Count*cut.N)}
	d.above[0] = make([]int32, cut.N)
	for i, r := range d.graphs[0].Regions {
		d.above[0][i] = int32(i)
		d.out.Area[i] = int32(r.Area)
	}
	for _, e := range d.graphs[0].Edges {
		d.out.Borders = append(d.out.Borders, Border{e.A, e.B, int32(e.Length)})
	}
	for i := range d.out.Ancestors {
		n = max(n/4, 1)
		coarse := h.Cut(finest, n, alike, 0)
		ancestors := make([]int32, cut.N)
		for cell, s := range cut.Parent {
			ancestors[s] = coarse.Parent[cell]
		}
		d.out.Ancestors[i] = ancestors
		if level := i + 1; level < described {
			d.above[level], d.graphs[level] = ancestors, d.graphs[0].Coarsen(ancestors, coarse.N)
		}
	}
	d.measureImage()
	return d
}

// column returns the values of the next feature.
func (d *describer) column() []uint8 {
	at := d.next * d.out.N
	d.next++
	return d.out.Values[at : at+d.out.N]
}

// spreadOver writes the next features, which are those of the regions of a
// level: values is features × regions.
func (d *describer) spreadOver(level int, values []uint8) {
	regions := len(d.graphs[level].Regions)
	for of := range slices.Chunk(values, regions) {
		to := d.column()
		for i, r := range d.above[level] {
			to[i] = of[r]
		}
	}
}

// measureImage takes the mean and the standard deviation of the image's colour.
func (d *describer) measureImage() {
	var sum, square [3]float64
	area := 0.0
	for i := range d.graphs[0].Regions {
		r := &d.graphs[0].Regions[i]
		w := float64(r.Area)
		area += w
		for c, at := range diagonal {
			m := float64(r.Mean[c])
			sum[c] += float64(w * m)
			square[c] += float64(w * (float64(m*m) + float64(r.Cov[at])))
		}
	}
	for c := range sum {
		d.mean[c] = sum[c] / area
		d.spread[c] = math.Sqrt(max(0, square[c]/area-float64(d.mean[c]*d.mean[c])))
	}
}

// diagonal is where a covariance has the variances of L, a and b.
var diagonal = [3]int{0, 3, 5}

// describeRank writes the rank of each superpixel's lightness.
func (d *describer) describeRank() {
	regions := d.graphs[0].Regions
	order := make([]int32, len(regions))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(regions[a].Mean[0], regions[b].Mean[0]) })
	to := d.column()
	for rank, i := range order {
		to[i] = uint8(rank * 255 / len(order))
	}
}

// The three scales on which numbers become bytes. They are monotone, which is
// all that a tree sees, and made of exact operations, so the bytes are the same
// on every machine.

// share is the byte of a number from 0 to 1.
func share(v float64) uint8 { return uint8(float64(min(max(v, 0), 1)*255) + 0.5) }

// positive is the byte of a number from 0, 128 for one of the given scale.
func positive(v, scale float64) uint8 { return share(v / (v + scale)) }

// signed is the byte of a number, 128 for 0, 64 and 191 for ± scale.
func signed(v, scale float64) uint8 { return share(0.5 + 0.5*v/(math.Abs(v)+scale)) }

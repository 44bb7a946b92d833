package simulate

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"

	"collie/segment"
)

// Classes of an object's mask.
const (
	Rest  = 0 // what is not the object
	Thing = 1 // the object
)

// Object is one thing in an image, as the field's protocol for clicks per object
// has it: Mask holds Rest, Thing or, for pixels that don't count, segment.Void,
// row-major.
type Object struct {
	Width, Height int
	Mask          []uint8
}

// NewObject checks a mask, which the object keeps.
func NewObject(size image.Point, mask []uint8) (*Object, error) {
	some := false
	for p, class := range mask {
		switch class {
		case Thing:
			some = true
		case Rest, segment.Void:
		default:
			return nil, fmt.Errorf("pixel (%d, %d) is %d; want 0 for the rest, 1 for the object and %d for pixels that don't count (--largest takes masks of classes)",
				p%size.X, p/size.X, class, segment.Void)
		}
	}
	if !some {
		return nil, fmt.Errorf("the mask has no object: no pixel is %d; where white pixels are the object, save them as %d, because %d doesn't count", Thing, Thing, segment.Void)
	}
	return &Object{size.X, size.Y, mask}, nil
}

// Largest returns the first of Objects, nil without any.
func Largest(size image.Point, mask []uint8) *Object {
	if all := Objects(size, mask, 1, 1); len(all) > 0 {
		return all[0]
	}
	return nil
}

// Objects returns the largest connected parts (4-neighbours) of at least so many
// pixels that classes other than 0 have in a mask of classes, each as an object of
// its own, the largest and of several the first one first, and count at most. Pixels
// that are void stay so.
func Objects(size image.Point, mask []uint8, pixels, count int) (out []*Object) {
	parts := slices.DeleteFunc(Pieces(mask, size.X), func(part []int) bool { return mask[part[0]] == 0 || len(part) < pixels })
	slices.SortStableFunc(parts, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	for _, part := range parts[:min(count, len(parts))] {
		o := &Object{size.X, size.Y, make([]uint8, len(mask))}
		for p, class := range mask {
			if class == segment.Void {
				o.Mask[p] = segment.Void
			}
		}
		for _, p := range part {
			o.Mask[p] = Thing
		}
		out = append(out, o)
	}
	return out
}

// Pieces are the 4-connected parts of the classes in a mask of so many columns, without
// void, in the order of their first pixels. A piece begins with its first pixel. O(pixels).
func Pieces(mask []uint8, width int) [][]int {
	var out [][]int
	seen := make([]bool, len(mask))
	for start, class := range mask {
		if seen[start] || class == segment.Void {
			continue
		}
		seen[start] = true
		piece := []int{start}
		visit := func(p int) {
			if !seen[p] && mask[p] == class {
				seen[p] = true
				piece = append(piece, p)
			}
		}
		for at := 0; at < len(piece); at++ {
			p := piece[at]
			if p >= width {
				visit(p - width)
			}
			if p%width > 0 {
				visit(p - 1)
			}
			if p%width < width-1 {
				visit(p + 1)
			}
			if p < len(mask)-width {
				visit(p + width)
			}
		}
		out = append(out, piece)
	}
	return out
}

// Box is the smallest rectangle around the object, grown on each side by a share
// of its width and height and cut off at the image's border.
func (o *Object) Box(grow float64) image.Rectangle {
	return o.BoxGrown(func() float64 { return grow })
}

// BoxGrown is Box with a share for each side: left, top, right and bottom.
func (o *Object) BoxGrown(grow func() float64) image.Rectangle {
	var box image.Rectangle
	for p, class := range o.Mask {
		if class == Thing {
			x, y := p%o.Width, p/o.Width
			box = box.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	by := func(size int) int { return int(math.Round(grow() * float64(size))) }
	w, h := box.Dx(), box.Dy()
	box.Min = box.Min.Sub(image.Pt(by(w), by(h)))
	box.Max = box.Max.Add(image.Pt(by(w), by(h)))
	return box.Intersect(image.Rect(0, 0, o.Width, o.Height))
}

// Point is a click: a pixel and the class that the person gives it.
type Point struct {
	X, Y  int
	Class uint8
}

// Hand places clicks where the published protocol does: in the middle of the
// larger of the two errors, missed object and wrongly covered rest, the larger
// being the deeper one by the Euclidean distance to what is right (Xu et al.
// 2016, doi:10.1109/CVPR.2016.47, as later work has made it precise). Of several
// deepest pixels it takes the first in raster order, and no pixel twice.
type Hand struct {
	*Object
	// Jitter places each click anywhere within half the depth, as people do,
	// drawn from the name and the number of the click alone.
	Jitter bool
	Name   string

	clicked map[image.Point]bool
}

// Next is the click into the largest error of shown, which holds a class per
// pixel; false when nothing is wrong.
func (h *Hand) Next(shown []uint8) (Point, bool) {
	missed := h.deepest(func(p int) bool { return h.Mask[p] == Thing && shown[p] != Thing })
	covered := h.deepest(func(p int) bool { return h.Mask[p] == Rest && shown[p] == Thing })
	larger, class := covered, uint8(Rest)
	if missed.depth > covered.depth {
		larger, class = missed, Thing
	}
	if larger.depth == 0 {
		return Point{}, false
	}
	at := larger.at
	if h.Jitter {
		at = h.near(larger)
	}
	if h.clicked == nil {
		h.clicked = map[image.Point]bool{}
	}
	h.clicked[at] = true
	return Point{at.X, at.Y, class}, true
}

// mistake is one kind of error: the depths of the wrong pixels within bounds, row-major, and
// the first of the deepest that are not clicked.
type mistake struct {
	bounds image.Rectangle
	depths []float64
	depth  float64
	at     image.Point
}

// deepest measures the pixels that are wrong.
func (h *Hand) deepest(wrong func(p int) bool) (m mistake) {
	bounds := image.Rect(h.Width, h.Height, 0, 0)
	for y := range h.Height {
		for x := range h.Width {
			if wrong(y*h.Width + x) {
				bounds.Min.X, bounds.Min.Y = min(bounds.Min.X, x), min(bounds.Min.Y, y)
				bounds.Max.X, bounds.Max.Y = max(bounds.Max.X, x+1), max(bounds.Max.Y, y+1)
			}
		}
	}
	if bounds.Empty() {
		return m
	}
	m.bounds = bounds
	in := make([]bool, 0, bounds.Dx()*bounds.Dy())
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			in = append(in, wrong(y*h.Width+x))
		}
	}
	m.depths = depths(bounds.Dx(), bounds.Dy(), in)
	for p, d := range m.depths {
		if at := bounds.Min.Add(image.Pt(p%bounds.Dx(), p/bounds.Dx())); d > m.depth && !h.clicked[at] {
			m.depth, m.at = d, at
		}
	}
	return m
}

// near draws one of the wrong pixels within half the depth of the deepest.
func (h *Hand) near(m mistake) image.Point {
	var pool []image.Point
	r := int(m.depth / 2)
	for dy := -r; dy <= r; dy++ {
		for dx := -r; dx <= r; dx++ {
			// The disc lies within the error, as its radius is below the depth.
			if at := m.at.Add(image.Pt(dx, dy)); float64(dx*dx+dy*dy) <= m.depth*m.depth/4 && !h.clicked[at] {
				pool = append(pool, at)
			}
		}
	}
	return pool[rand.New(rand.NewPCG(uint64(len(h.clicked)), Hash(h.Name))).IntN(len(pool))]
}

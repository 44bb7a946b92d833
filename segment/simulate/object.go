package simulate

import (
	"fmt"
	"hash/fnv"
	"image"
	"math"
	"math/rand/v2"

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
			return nil, fmt.Errorf("pixel (%d, %d) is %d; accepted are 0 for the rest, 1 for the object and %d for pixels that don't count",
				p%size.X, p/size.X, class, segment.Void)
		}
	}
	if !some {
		return nil, fmt.Errorf("the mask holds no object: no pixel is %d", Thing)
	}
	return &Object{size.X, size.Y, mask}, nil
}

// Box is the smallest rectangle around the object, grown on each side by a share
// of its width and height and cut off at the image's border.
func (o *Object) Box(grow float64) image.Rectangle {
	var box image.Rectangle
	for p, class := range o.Mask {
		if class == Thing {
			x, y := p%o.Width, p/o.Width
			box = box.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	dx, dy := int(math.Round(grow*float64(box.Dx()))), int(math.Round(grow*float64(box.Dy())))
	return image.Rect(box.Min.X-dx, box.Min.Y-dy, box.Max.X+dx, box.Max.Y+dy).Intersect(image.Rect(0, 0, o.Width, o.Height))
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

	clicked map[int]bool
}

// Next is the click into the largest error of shown, which holds a class per
// pixel; false when nothing is wrong.
func (h *Hand) Next(shown []uint8) (Point, bool) {
	missed, missedDepth, missedAt := h.deepest(func(p int) bool { return h.Mask[p] == Thing && shown[p] != Thing })
	covered, coveredDepth, coveredAt := h.deepest(func(p int) bool { return h.Mask[p] == Rest && shown[p] == Thing })
	depths, depth, at, class := missed, missedDepth, missedAt, uint8(Thing)
	if coveredDepth >= missedDepth {
		depths, depth, at, class = covered, coveredDepth, coveredAt, Rest
	}
	if depth == 0 {
		return Point{}, false
	}
	if h.clicked == nil {
		h.clicked = map[int]bool{}
	}
	if h.Jitter {
		at = h.near(at, depth, depths)
	}
	h.clicked[at] = true
	return Point{at % h.Width, at / h.Width, class}, true
}

// deepest is the first of the deepest pixels that are wrong and not clicked.
func (h *Hand) deepest(wrong func(p int) bool) (all []float64, depth float64, at int) {
	in := make([]bool, len(h.Mask))
	for p := range in {
		in[p] = wrong(p)
	}
	all = depths(h.Width, h.Height, in)
	for p, d := range all {
		if d > depth && !h.clicked[p] {
			depth, at = d, p
		}
	}
	return all, depth, at
}

// near draws one of the wrong pixels within half the depth of a pixel.
func (h *Hand) near(at int, depth float64, depths []float64) int {
	x, y, r := at%h.Width, at/h.Width, int(depth/2)
	var pool []int
	for dy := -r; dy <= r; dy++ {
		for dx := -r; dx <= r; dx++ {
			if p := (y+dy)*h.Width + x + dx; float64(dx*dx+dy*dy) <= depth*depth/4 && depths[p] > 0 && !h.clicked[p] {
				pool = append(pool, p)
			}
		}
	}
	hash := fnv.New64a()
	hash.Write([]byte(h.Name))
	return pool[rand.New(rand.NewPCG(uint64(len(h.clicked)), hash.Sum64())).IntN(len(pool))]
}

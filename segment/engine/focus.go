package engine

import (
	"image"
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// Focus is a cut that is finer where the person works: the superpixel of each click and
// the ones around it are divided into cells. A click is a point. It labels the
// cell that it lies in, and the model decides what goes with it, so slivers and thin
// things can be clicked. The cut depends on the base cut, on where the clicks
// are and on the box alone, not on their order.
type Focus struct {
	Cut    *superpixels.Cut
	Clicks []uint8 // class clicked, or Void, per superpixel of Cut; of several the last
	// Beside is the class of the clicks in the same superpixel of the base cut
	// for those that are not clicked themselves; Void where there are none or
	// they are of several classes.
	Beside []uint8
}

// CellClick is a click on a cell.
type CellClick struct {
	Cell  int32
	Class uint8
}

// smallBox is the number of superpixels up to which those of a box are divided.
const smallBox = 40

// NewFocus returns the focus for clicks, in order, and a box, which may be
// empty. cells is the graph of the finest superpixels. O(cells and their edges).
func NewFocus(base *superpixels.Cut, cells *superpixels.Graph, clicks []CellClick, box image.Rectangle) *Focus {
	clicked := slices.Repeat([]uint8{segment.Void}, base.N)
	mixed := make([]bool, base.N)
	var split []int32
	for _, c := range clicks {
		s := base.Parent[c.Cell]
		mixed[s] = mixed[s] || clicked[s] != segment.Void && clicked[s] != c.Class
		clicked[s] = c.Class
		split = append(split, s)
	}
	for _, e := range cells.Edges {
		a, b := base.Parent[e.A], base.Parent[e.B]
		if a != b && clicked[a] != segment.Void {
			split = append(split, b)
		}
		if a != b && clicked[b] != segment.Void {
			split = append(split, a)
		}
	}
	split = append(split, inside(base, cells, box)...)
	f := &Focus{Cut: base.Divide(split)}
	f.Clicks = slices.Repeat([]uint8{segment.Void}, f.Cut.N)
	f.Beside = slices.Clone(f.Clicks)
	for cell, s := range f.Cut.Parent {
		if of := base.Parent[cell]; !mixed[of] {
			f.Beside[s] = clicked[of]
		}
	}
	for _, c := range clicks {
		s := f.Cut.Parent[c.Cell]
		f.Clicks[s], f.Beside[s] = c.Class, segment.Void
	}
	return f
}

// inside are the superpixels that a box meets when they are few.
func inside(base *superpixels.Cut, cells *superpixels.Graph, box image.Rectangle) (met []int32) {
	if box.Empty() {
		return nil
	}
	for cell, s := range base.Parent {
		if cells.Regions[cell].Bounds.Overlaps(box) {
			met = append(met, s)
		}
	}
	slices.Sort(met)
	if met = slices.Compact(met); len(met) > smallBox {
		return nil
	}
	return met
}

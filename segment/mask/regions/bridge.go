package regions

import (
	"cmp"
	"image"
	"slices"
)

// maxBridging bounds the steps of joining the holes of one region with the loop
// around it: holes × corners.
const maxBridging = 50_000_000

// Bridged joins the loops of an outline into one closed path: each hole is
// reached by a zero-width bridge from its left, so filling the path by the
// even-odd or the non-zero rule gives the region's pixels. If there are too
// many holes, they stay filled and ok is false.
func (o Outline) Bridged() (path Loop, ok bool) {
	path = slices.Clone(o[0])
	holes := slices.Clone(o[1:])
	corners := 0
	for i, hole := range holes {
		corners += len(hole)
		holes[i] = fromLeftmost(hole)
	}
	if len(holes)*(corners+len(path)) > maxBridging {
		return path, false
	}
	slices.SortFunc(holes, func(a, b Loop) int {
		return cmp.Or(cmp.Compare(a[0].X, b[0].X), cmp.Compare(a[0].Y, b[0].Y))
	})
	for _, hole := range holes {
		// What lies to the left of a hole's leftmost corner is the loop around
		// the region or a hole that is already joined.
		side, landing := path.leftOf(hole[0])
		detour := make(Loop, 0, len(hole)+3)
		detour = append(detour, landing)
		detour = append(detour, hole...)
		detour = append(detour, hole[0], landing)
		path = slices.Insert(path, side+1, detour...)
	}
	return path, true
}

// fromLeftmost rotates a loop so that it begins with its leftmost corner, the
// uppermost one of several.
func fromLeftmost(l Loop) Loop {
	first := 0
	for i, at := range l {
		if at.X < l[first].X || at.X == l[first].X && at.Y < l[first].Y {
			first = i
		}
	}
	return append(slices.Clone(l[first:]), l[:first]...)
}

// leftOf finds the nearest upright side of a path to the left of a point, and
// where the row of the point meets it.
func (l Loop) leftOf(p image.Point) (side int, at image.Point) {
	at.X = -1
	for i, from := range l {
		to := l[(i+1)%len(l)]
		if from.X == to.X && from.X < p.X && from.X > at.X && min(from.Y, to.Y) <= p.Y && p.Y <= max(from.Y, to.Y) {
			side, at = i, image.Pt(from.X, p.Y)
		}
	}
	return side, at
}

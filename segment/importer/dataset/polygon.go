package dataset

import (
	"math"
	"slices"

	"collie/segment"
)

// Limits of outlines.
const (
	maxVertices = 1_000_000
	maxOutline  = 13 << 20 // pixels along one outline
)

// fifths is the number of steps per pixel along an outline.
const fifths = 5

// fill sets the pixels inside a closed outline x0, y0, x1, y1, … to class and
// returns their number. Inside is as in the reference implementation of COCO
// (cocodataset/cocoapi, rleFrPoly), so that masks equal those of its tools: the
// outline is followed in steps of a fifth of a pixel, and a column changes
// between inside and outside where the outline crosses its middle.
// Self-intersecting outlines are filled by the even-odd rule. Coordinates are
// in pixels, with (0, 0) at the upper left corner of the image, and can exceed
// the image by its own size. O(length of the outline + pixels inside).
func (m *Mask) fill(outline []float64, class uint8) (int, error) {
	xs, ys, err := m.corners(outline, fifths, func(v float64) int { return int(v + .5) })
	if err != nil {
		return 0, err
	}
	var crossings []int // column-major positions where inside and outside change
	for i := 1; i < len(xs); i++ {
		crossings = m.cross(crossings, xs[i-1], ys[i-1], xs[i], ys[i])
	}
	slices.Sort(crossings)
	filled := 0
	for i := 0; i+1 < len(crossings); i += 2 {
		for at := crossings[i]; at < crossings[i+1]; at++ {
			m.set(at%m.Height*m.Width+at/m.Height, class)
			filled++
		}
	}
	return filled, m.spend(columnEffort * filled)
}

// corners returns an outline in steps, so many to a pixel, the first corner again at
// its end. round turns a coordinate into steps.
func (m *Mask) corners(outline []float64, steps int, round func(float64) int) (xs, ys []int, err error) {
	if len(outline)%2 != 0 || len(outline) < 6 || len(outline) > 2*maxVertices {
		return nil, nil, segment.Errorf(segment.Unreadable, "An outline has %d numbers; it needs an x and a y for each of 3 to %d corners.", len(outline), maxVertices)
	}
	w, h := float64(m.Width), float64(m.Height)
	xs, ys = make([]int, 0, len(outline)/2+1), make([]int, 0, len(outline)/2+1)
	length := 0
	for i := 0; i < len(outline); i += 2 {
		x, y := outline[i], outline[i+1]
		if !(x >= -w && x <= 2*w && y >= -h && y <= 2*h) {
			return nil, nil, segment.Errorf(segment.Unreadable, "An outline has a corner at (%g, %g), far outside its image of %d×%d pixels.", x, y, m.Width, m.Height)
		}
		xs, ys = append(xs, round(float64(steps)*x)), append(ys, round(float64(steps)*y))
	}
	xs, ys = append(xs, xs[0]), append(ys, ys[0])
	for i := 1; i < len(xs); i++ {
		length += max(abs(xs[i]-xs[i-1]), abs(ys[i]-ys[i-1]))
	}
	if length > maxOutline*steps {
		return nil, nil, segment.Errorf(segment.TooLarge, "An outline is longer than %d million pixels.", maxOutline>>20)
	}
	return xs, ys, m.spend(stepEffort * length)
}

// cross appends where the edge from (xa, ya) to (xb, yb), in fifths of a pixel,
// crosses the middles of columns.
func (m *Mask) cross(crossings []int, xa, ya, xb, yb int) []int {
	dx, dy := abs(xb-xa), abs(yb-ya)
	flip := dx >= dy && xa > xb || dx < dy && ya > yb
	if flip { // an edge has the same points in both directions
		xa, ya, xb, yb = xb, yb, xa, ya
	}
	at := func(t int) (x, y int) {
		switch {
		case dx == 0 && dy == 0:
			return xa, ya
		case dx >= dy:
			return xa + t, int(float64(ya) + float64(yb-ya)/float64(dx)*float64(t) + .5)
		}
		return int(float64(xa) + float64(xb-xa)/float64(dy)*float64(t) + .5), ya + t
	}
	x0, y0 := at(0)
	for t := 1; t <= max(dx, dy); t++ {
		x, y := at(t)
		if left := min(x, x0); x != x0 && left >= 0 && left%fifths == fifths/2 && left/fifths < m.Width {
			row := math.Ceil(float64(min(y, y0)-fifths/2) / fifths)
			crossings = append(crossings, left/fifths*m.Height+min(max(int(row), 0), m.Height))
		}
		x0, y0 = x, y
	}
	return crossings
}

func abs(v int) int { return max(v, -v) }

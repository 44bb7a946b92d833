package regions

import (
	"image"
	"slices"

	"collie/segment/mask"
)

// Outline is the border of a region: the loop around it, then the loops around
// its holes. A loop is the corners of a closed path along the sides of pixels,
// with the region on its right (rows go down): coordinates are those of pixel
// corners, 0..width and 0..height. Where two pixels of a region touch only at a
// corner, its loops pass the corner twice instead of crossing it, so that
// filling them gives exactly the region's pixels.
type Outline []Loop

// Loop is one closed path of an outline, by its corners.
type Loop []image.Point

// directions in the order of right turns: right, down, left, up.
var directions = [4]image.Point{{X: 1}, {Y: 1}, {X: -1}, {Y: -1}}

// Outlines traces the borders of all regions: one pass over the pixels, and one
// over each border.
func (p *Partition) Outlines() []Outline {
	out := make([]Outline, len(p.Regions))
	traced := make([]bool, len(p.IDs)) // the upper side of the pixel belongs to a loop
	for i, id := range p.IDs {
		if id < 0 || traced[i] || i >= p.Width && p.IDs[i-p.Width] == id {
			continue
		}
		// Every loop has an upper side; the first one of a region is on its
		// outer loop, which contains the region's first pixel.
		out[id] = append(out[id], p.trace(image.Pt(i%p.Width, i/p.Width), id, traced))
	}
	return out
}

// trace follows the border of region id from the upper left corner of a pixel
// along its upper side until it is back.
func (p *Partition) trace(start image.Point, id int32, traced []bool) Loop {
	corners := Loop{start} // the side to the left is not an upper side of the region
	at, heading := start, 0
	for {
		if heading == 0 {
			traced[at.Y*p.Width+at.X] = true
		}
		at = at.Add(directions[heading])
		next := heading
		switch {
		case !p.ahead(at, heading, true, id):
			next = (heading + 1) % 4
		case p.ahead(at, heading, false, id):
			next = (heading + 3) % 4
		}
		if at == start && next == 0 {
			return corners
		}
		if next != heading {
			corners = append(corners, at)
		}
		heading = next
	}
}

// ahead reports whether the pixel in front of a corner, to the right or left of
// the heading, belongs to region id.
func (p *Partition) ahead(at image.Point, heading int, right bool, id int32) bool {
	// The pixel right-down of the corner is at itself.
	var offset image.Point
	switch heading {
	case 0:
		offset = image.Pt(0, -1)
		if right {
			offset.Y = 0
		}
	case 1:
		offset = image.Pt(0, 0)
		if right {
			offset.X = -1
		}
	case 2:
		offset = image.Pt(-1, 0)
		if right {
			offset.Y = -1
		}
	case 3:
		offset = image.Pt(-1, -1)
		if right {
			offset.X = 0
		}
	}
	x, y := at.X+offset.X, at.Y+offset.Y
	return x >= 0 && y >= 0 && x < p.Width && y < p.Height && p.IDs[y*p.Width+x] == id
}

// Inner turns a loop around a region into the pixels along it, on the inside:
// the polygon for readers that interpret coordinates as pixel centres and also
// draw the border. Steps in the same direction are joined.
func (l Loop) Inner() []image.Point {
	var walk []image.Point
	for i, from := range l {
		to := l[(i+1)%len(l)]
		step := image.Pt(sign(to.X-from.X), sign(to.Y-from.Y))
		heading := slices.Index(directions[:], step)
		for at := from; at != to; at = at.Add(step) {
			// The pixel on the right of a side, by its heading.
			pixel := at.Add([4]image.Point{{}, {X: -1}, {X: -1, Y: -1}, {Y: -1}}[heading])
			if len(walk) == 0 || walk[len(walk)-1] != pixel {
				walk = append(walk, pixel)
			}
		}
	}
	if len(walk) > 1 && walk[len(walk)-1] == walk[0] {
		walk = walk[:len(walk)-1]
	}
	return straighten(walk)
}

// straighten drops the points of a closed path where it doesn't turn.
func straighten(walk []image.Point) []image.Point {
	var out []image.Point
	for i, at := range walk {
		before, after := walk[(i+len(walk)-1)%len(walk)], walk[(i+1)%len(walk)]
		if at.Sub(before) != after.Sub(at) {
			out = append(out, at)
		}
	}
	if len(out) == 0 {
		return walk
	}
	return out
}

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}

// Outlines returns the closed outlines of the regions of each of n objects,
// around them and their holes: x and y in turn, along the sides of pixels. of
// has the object of each pixel of the mask, or -1; it can be nil if n is 0.
func Outlines(m mask.Mask, of []int32, n int) [][][]int {
	all := make([][][]int, n)
	p := Divide(m, of)
	for i, o := range p.Outlines() {
		object := p.Regions[i].Object
		if object < 0 {
			continue
		}
		for _, l := range o {
			flat := make([]int, 0, 2*len(l))
			for _, at := range l {
				flat = append(flat, at.X, at.Y)
			}
			all[object] = append(all[object], flat)
		}
	}
	return all
}

package regions

import (
	"cmp"
	"image"
	"iter"
	"slices"

	"collie/segment/mask"
	"collie/superpixels"
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

// Outlines traces the borders of all regions.
func (p *Partition) Outlines() []Outline {
	out := make([]Outline, len(p.Regions))
	for id, l := range p.loops(func(int) bool { return true }) {
		out[id] = append(out[id], slices.Clone(l))
	}
	return out
}

// loops traces the borders of the wanted regions: one pass over the runs, and one
// over each border. Each loop comes with its region; the next overwrites it.
func (p *Partition) loops(wanted func(id int) bool) iter.Seq2[int, Loop] {
	return func(yield func(int, Loop) bool) {
		traced := make(sides, (len(p.Pixels)+63)/64)
		var l Loop
		for y := range p.Height {
			row := y * p.Width
			for run := range p.Runs.Between(row, row+p.Width) {
				if run.Region < 0 || !wanted(run.Region) {
					continue
				}
				// Every loop has an upper side; the first one of a region is on its
				// outer loop, which contains the region's first pixel.
				for start := range p.upper(run) {
					if traced.has(start) {
						continue
					}
					if l = p.trace(l[:0], image.Pt(start-row, y), run.Region, traced); !yield(run.Region, l) {
						return
					}
				}
			}
		}
	}
}

// upper gives the first pixels of the parts of a run, in one row, above which there are
// other regions; parts beside each other can be one.
func (p *Partition) upper(run superpixels.Run) iter.Seq[int] {
	return func(yield func(int) bool) {
		if run.Start < p.Width {
			yield(run.Start)
			return
		}
		for above := range p.Runs.Between(run.Start-p.Width, run.End-p.Width) {
			if above.Region != run.Region && !yield(above.Start+p.Width) {
				return
			}
		}
	}
}

// sides are the pixels whose upper side belongs to a loop, a bit for each.
type sides []uint64

func (s sides) has(pixel int) bool { return s[pixel/64]>>(pixel%64)&1 == 1 }
func (s sides) add(pixel int)      { s[pixel/64] |= 1 << (pixel % 64) }

// trace follows the border of region id from the upper left corner of a pixel
// along its upper side until it is back, and appends the corners.
func (p *Partition) trace(corners Loop, start image.Point, id int, traced sides) Loop {
	corners = append(corners, start) // the side to the left is not an upper side of the region
	at, heading := start, 0
	for {
		if heading == 0 {
			traced.add(at.Y*p.Width + at.X)
		}
		at = at.Add(directions[heading])
		next := heading
		switch {
		case !p.ahead(at, heading, id):
			next = (heading + 1) % 4
		case p.ahead(at, (heading+3)%4, id):
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

// onRight is where the pixel in front of a corner is, on the right of each heading; on
// the left it is that of the heading before.
var onRight = [4]image.Point{{}, {X: -1}, {X: -1, Y: -1}, {Y: -1}}

// ahead reports whether the pixel in front of a corner, on the right of the heading,
// belongs to region id.
func (p *Partition) ahead(at image.Point, heading, id int) bool {
	at = at.Add(onRight[heading])
	return at.X >= 0 && at.Y >= 0 && at.X < p.Width && at.Y < p.Height && p.Runs.At(at.X, at.Y) == id
}

// Inner turns a loop around a region into the pixels along it, on the inside:
// the polygon for readers that interpret coordinates as pixel centres and also
// draw the border. Steps in the same direction are joined.
func (l Loop) Inner() []image.Point {
	var walk []image.Point
	for i, from := range l {
		to := l[(i+1)%len(l)]
		step := image.Pt(cmp.Compare(to.X, from.X), cmp.Compare(to.Y, from.Y))
		heading := slices.Index(directions[:], step)
		for at := from; at != to; at = at.Add(step) {
			pixel := at.Add(onRight[heading])
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

// Outlines returns the closed outlines of the regions of each of n objects,
// around them and their holes: x and y in turn, along the sides of pixels. of
// has the object of each pixel of the mask, or -1; it can be nil if n is 0.
func Outlines(m mask.Mask, of *superpixels.Runs, n int) [][][]int32 {
	p := Divide(m, of)
	byRegion := make([][][]int32, len(p.Regions))
	for id, l := range p.loops(func(id int) bool { return p.Regions[id].Object >= 0 }) {
		flat := make([]int32, 0, 2*len(l))
		for _, at := range l {
			flat = append(flat, int32(at.X), int32(at.Y))
		}
		byRegion[id] = append(byRegion[id], flat)
	}
	all := make([][][]int32, n)
	for id, loops := range byRegion {
		if object := p.Regions[id].Object; object >= 0 {
			all[object] = append(all[object], loops...)
		}
	}
	return all
}

package superpixels

import (
	"bytes"
	"math/bits"
)

// partition divides an image into connected regions, and these into connected
// leaves.
type partition struct {
	width, height int
	regions       []int32 // of each pixel
	leaves        []int32 // of each pixel; nil when every region is a leaf
}

// borderPass moves pixels across the borders of regions. They move from leaf
// to leaf, which keeps all levels in between connected too.
type borderPass struct {
	partition              // changed in place
	mean      [][3]float32 // per region: CIELAB
	lab       *planes      // colours of the pixels; where it is nil, colour returns them
	colour    func(x, y int) [3]float32
	parent    []int32 // of regions, and of what they become part of
	ring      ring    // regions around the visited pixel
}

// straight is the value of one more neighbour in the same region, in squared
// ΔE: it keeps borders straight where colours don't decide.
const straight = 10

// ring holds the labels around a pixel, clockwise from the top left; −1
// outside the image. Odd positions share a side with it.
type ring [8]int32

// sides masks the positions of a ring that share a side with the pixel.
const sides = 1<<1 | 1<<3 | 1<<5 | 1<<7

// mask sets bit i when position i holds label.
func (r *ring) mask(label int32) int {
	return same(r[0], label) | same(r[1], label)<<1 | same(r[2], label)<<2 | same(r[3], label)<<3 |
		same(r[4], label)<<4 | same(r[5], label)<<5 | same(r[6], label)<<6 | same(r[7], label)<<7
}

// same is 1 when a equals b, else 0, without a branch.
func same(a, b int32) int {
	if a == b {
		return 1
	}
	return 0
}

// removable[mask] tells whether a pixel can leave a region, given which of its
// ring (bit i for position i) belong to the region: those that share a side
// with it must exist and stay connected without it.
var removable [256]bool

func init() {
	for mask := range removable {
		groups := 0 // runs of members around the ring that hold a side
		for i := 1; i < 8; i += 2 {
			// The side at i opens a group unless the one before, at i−2,
			// reaches it over the corner at i−1.
			corner, before := (i+7)%8, (i+6)%8
			if mask>>i&1 == 1 && (mask>>corner&1 == 0 || mask>>before&1 == 0) {
				groups++
			}
		}
		removable[mask] = groups == 1
	}
}

// run visits the pixels at borders, sweeps times. A pixel moves to the
// neighbouring region with the least ΔE² − straight·(neighbours in it) if that
// leaves all regions, of all levels, connected.
//
// A sweep follows the previous one a few rows behind, while their pixels are
// still in the processor's cache. A visit reads and marks only its own row and
// the rows next to it, so the result is that of one sweep after the other.
func (b *borderPass) run(sweeps int) {
	const distance = 3
	w, h := b.width, b.height
	rows := distance * (sweeps + 1) // in progress
	window := make([]byte, rows*w)
	// due holds, for each pixel of a row, the sweep that visits it, from 1.
	due := func(y int) []byte { return window[min(max(y, 0), h-1)%rows*w:][:w] }
	row := func(y int) []int32 { return b.regions[min(max(y, 0), h-1)*w:][:w] }
	for y := range h + distance*sweeps {
		if y < h {
			markBorders(due(y), row(y-1), row(y), row(y+1))
		}
		for sweep := 1; sweep <= sweeps; sweep++ {
			if y := y - distance*sweep; y >= 0 && y < h {
				b.sweep(y, byte(sweep), due(y-1), due(y), due(y+1))
			}
		}
	}
}

// sweep visits the pixels of row y that are due now. The neighbours of changed
// pixels become due in the next sweep, or in this one if it has yet to reach
// them. At the frame the row itself replaces the one outside.
func (b *borderPass) sweep(y int, now byte, above, row, below []byte) {
	for x := 0; x < len(row); x++ {
		if row[x] != now {
			skip := bytes.IndexByte(row[x:], now)
			if skip < 0 {
				break
			}
			x += skip
		}
		if !b.visit(x, y) {
			continue
		}
		for _, side := range [4]*byte{&above[x], &row[max(x-1, 0)], &row[min(x+1, len(row)-1)], &below[x]} {
			if *side != now {
				*side = now + 1
			}
		}
	}
}

// markBorders sets marks to 1 for the pixels of a row that share a side with
// another region, else to 0, given the regions of the row and of its neighbours.
func markBorders(marks []byte, above, row, below []int32) {
	above, row, below = above[:len(marks)], row[:len(marks)], below[:len(marks)]
	left := row[0]
	for x, r := range row {
		right := row[min(x+1, len(row)-1)]
		mark := byte(0)
		if (r^left)|(r^right)|(r^above[x])|(r^below[x]) != 0 {
			mark = 1
		}
		marks[x] = mark
		left = r
	}
}

// around sets r to the labels around a pixel and returns which positions of the
// ring are inside the image.
func (p *partition) around(r *ring, labels []int32, x, y int) (inside int) {
	w, at := p.width, y*p.width+x
	if x > 0 && y > 0 && x+1 < w && y+1 < p.height {
		above, row, below := labels[at-w-1:][:3], labels[at-1:][:3], labels[at+w-1:][:3]
		r[0], r[1], r[2], r[3] = above[0], above[1], above[2], row[2]
		r[4], r[5], r[6], r[7] = below[2], below[1], below[0], row[0]
		return 255
	}
	for i, d := range ringSteps {
		nx, ny := x+d[0], y+d[1]
		r[i] = -1
		if nx >= 0 && ny >= 0 && nx < w && ny < p.height {
			r[i] = labels[ny*w+nx]
			inside |= 1 << i
		}
	}
	return inside
}

// ringSteps lead from a pixel to the positions of its ring.
var ringSteps = [8][2]int{{-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}}

// visit moves pixel (x, y) if that improves the score and reports whether it
// did.
func (b *borderPass) visit(x, y int) bool {
	r, at := &b.ring, y*b.width+x
	inside := b.around(r, b.regions, x, y)
	own := b.regions[at]
	mask := r.mask(own)
	if !removable[mask] {
		return false
	}
	var colour [3]float32
	if b.lab != nil {
		colour = [3]float32{b.lab.l[at], b.lab.a[at], b.lab.b[at]}
	} else {
		colour = b.colour(x, y)
	}
	// No other region can have more than the rest of the ring.
	best, side := b.score(&colour, own, mask), 0
	if best <= -straight*float32(8-bits.OnesCount8(uint8(mask))) {
		return false
	}
	for rest := inside & sides &^ mask; rest != 0; {
		i := bits.TrailingZeros8(uint8(rest))
		mask := r.mask(r[i&7])
		if v := b.score(&colour, r[i&7], mask); v < best {
			best, side = v, i
		}
		rest &^= mask
	}
	if side == 0 || !b.removableFromLeaf(x, y, mask) {
		return false
	}
	for rest := inside & sides &^ mask &^ r.mask(r[side]); rest != 0; {
		other := r[bits.TrailingZeros8(uint8(rest))&7]
		third := r.mask(other)
		if !touch(mask, third) && union(b.parent, own, other) < union(b.parent, own, r[side]) {
			return false // at some level this pixel may be the only link between own and other
		}
		rest &^= third
	}
	to := at + ringSteps[side][1]*b.width + ringSteps[side][0]
	b.regions[at] = b.regions[to]
	if b.leaves != nil {
		b.leaves[at] = b.leaves[to]
	}
	return true
}

// touch reports whether a position of one mask is beside one of the other.
func touch(a, b int) bool { return (a<<1|a>>7)&b|(b<<1|b>>7)&a != 0 }

// union returns the lowest common ancestor of two nodes. Parents have higher
// numbers than their children.
func union(parent []int32, a, b int32) int32 {
	for a != b {
		if a < b {
			a = parent[a]
		} else {
			b = parent[b]
		}
	}
	return a
}

// removableFromLeaf reports whether pixel (x, y) can leave its leaf, given which
// positions of its ring are in its region. The levels in between stay connected if
// the leaf does and no other leaf of the region is connected through this pixel.
func (b *borderPass) removableFromLeaf(x, y, inRegion int) bool {
	if b.leaves == nil {
		return true
	}
	var r ring
	b.around(&r, b.leaves, x, y)
	inLeaf := r.mask(b.leaves[y*b.width+x])
	return removable[inLeaf] && (inLeaf^inRegion)&sides == 0
}

// score is the cost of a pixel in a region that holds the positions mask of its
// ring.
func (b *borderPass) score(colour *[3]float32, region int32, mask int) float32 {
	m := &b.mean[region]
	dl, da, db := colour[0]-m[0], colour[1]-m[1], colour[2]-m[2]
	return float32(dl*dl) + float32(mergeWeights.chroma*(float32(da*da)+float32(db*db))) - float32(straight*float32(bits.OnesCount8(uint8(mask))))
}

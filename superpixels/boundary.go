package superpixels

import "math/bits"

// borderPass moves pixels across the borders of regions.
type borderPass struct {
	regions       []int32 // per pixel, moved in place
	width, height int
	mean          [][3]float32 // per region: CIELAB
	// colour returns the CIELAB colour of a pixel.
	colour func(x, y int) [3]float32
	// move is asked last: may pixel (x, y) go to the region at position side
	// of ring? It must refuse what would tear another level of the hierarchy
	// apart.
	move func(x, y, side int) bool
	ring ring // of the pixel that is visited
}

// straight is what one more neighbour in the same region is worth, in squared
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

// removable[mask] tells whether a pixel may leave a region, given which of its
// ring (bit i for position i) belong to it: those that share a side with it
// must exist and hang together without it.
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
func (b *borderPass) run(sweeps int) {
	w, h := b.width, b.height
	queue, next := b.atBorders(), []int32(nil)
	queued := make([]bool, len(b.regions))
	for range sweeps {
		next = next[:0]
		for _, p := range queue {
			queued[p] = false
			x, y := int(p)%w, int(p)/w
			if !b.visit(x, y) {
				continue
			}
			// Next time, look again at the sides of what changed.
			for i, q := range [4]int32{p - int32(w), p - 1, p + 1, p + int32(w)} {
				inside := [4]bool{y > 0, x > 0, x+1 < w, y+1 < h}[i]
				if inside && !queued[q] {
					queued[q] = true
					next = append(next, q)
				}
			}
		}
		queue, next = next, queue
	}
}

// atBorders lists the pixels that share a side with another region.
func (b *borderPass) atBorders() []int32 {
	list := make([]int32, 0, len(b.regions)/8)
	w := b.width
	for y := range b.height {
		row := b.regions[y*w : (y+1)*w]
		above, below := row, row
		if y > 0 {
			above = b.regions[(y-1)*w : y*w]
		}
		if y+1 < b.height {
			below = b.regions[(y+1)*w : (y+2)*w]
		}
		left := row[0]
		for x, l := range row {
			right := l
			if x+1 < w {
				right = row[x+1]
			}
			if (l^left)|(l^right)|(l^above[x])|(l^below[x]) != 0 {
				list = append(list, int32(y*w+x))
			}
			left = l
		}
	}
	return list
}

// around sets r to the ring of a pixel in plane.
func (b *borderPass) around(r *ring, plane []int32, x, y int) {
	w, p := b.width, y*b.width+x
	if x > 0 && y > 0 && x+1 < w && y+1 < b.height {
		above, row, below := plane[p-w-1:][:3], plane[p-1:][:3], plane[p+w-1:][:3]
		r[0], r[1], r[2], r[3] = above[0], above[1], above[2], row[2]
		r[4], r[5], r[6], r[7] = below[2], below[1], below[0], row[0]
		return
	}
	for i, d := range [8][2]int{{-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}} {
		nx, ny := x+d[0], y+d[1]
		r[i] = -1
		if nx >= 0 && ny >= 0 && nx < w && ny < b.height {
			r[i] = plane[ny*w+nx]
		}
	}
}

// visit moves pixel (x, y) if that is better and reports whether it did.
func (b *borderPass) visit(x, y int) bool {
	p := y*b.width + x
	own := b.regions[p]
	r := &b.ring
	b.around(r, b.regions, x, y)
	mask := r.mask(own)
	if !removable[mask] {
		return false
	}
	colour := b.colour(x, y)
	// No other region can hold more than the rest of the ring.
	best, side := b.score(&colour, own, mask), 0
	if best <= -straight*float32(8-bits.OnesCount8(uint8(mask))) {
		return false
	}
	for i := 1; i < 8; i += 2 {
		if r[i] < 0 || r[i] == own || i > 1 && r[i] == r[i-2] {
			continue
		}
		if v := b.score(&colour, r[i], r.mask(r[i])); v < best {
			best, side = v, i
		}
	}
	if side == 0 || !b.move(x, y, side) {
		return false
	}
	b.regions[p] = r[side]
	return true
}

// score is what it costs a pixel to be in a region that holds the positions
// mask of its ring.
func (b *borderPass) score(colour *[3]float32, region int32, mask int) float32 {
	m := &b.mean[region]
	dl, da, db := colour[0]-m[0], colour[1]-m[1], colour[2]-m[2]
	return float32(dl*dl) + float32(mergeWeights.chroma*(float32(da*da)+float32(db*db))) - float32(straight*float32(bits.OnesCount8(uint8(mask))))
}

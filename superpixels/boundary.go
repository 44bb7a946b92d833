package superpixels

// borderPass moves pixels across the borders of regions.
type borderPass struct {
	labels        []int32 // per pixel: leaf, moved in place
	width, height int
	coarse        []int32      // per leaf: region
	mean          [][3]float32 // per region: CIELAB
}

// Ring positions around a pixel, clockwise from the left-top; bit i of a mask
// is set when neighbour i has the wanted label. Odd ones share a side.
const (
	straight = 2.5 // gain per neighbour in the same region, in squared ΔE
)

// removable[mask] tells whether a pixel may leave a region, given which of its
// eight neighbours (clockwise from the top left, bit 0 first) belong to it: its
// neighbours by a side must be there and hang together without it.
var removable [256]bool

func init() {
	for mask := range removable {
		// Walk around the ring and count runs of members that contain a
		// side neighbour (odd positions).
		runs, inRun, sides := 0, false, 0
		startAt := 0
		for startAt < 8 && mask>>startAt&1 == 1 {
			startAt++
		}
		if startAt == 8 {
			continue
		}
		hasSide := false
		for k := 1; k <= 8; k++ {
			i := (startAt + k) % 8
			if mask>>i&1 == 1 {
				if !inRun {
					inRun, hasSide = true, false
				}
				if i%2 == 1 {
					sides++
					if !hasSide {
						hasSide = true
						runs++
					}
				}
			} else {
				inRun = false
			}
		}
		removable[mask] = sides > 0 && runs == 1
	}
}

// run visits the pixels once in raster order. A pixel at the border of its
// region moves to the neighbouring region with the least
// ΔE² − straight·(neighbours in it) if that leaves all regions connected.
func (b *borderPass) run(lab *planes) {
	w, h := b.width, b.height
	for y := range h {
		for x := range w {
			p := y*w + x
			leaf := b.labels[p]
			own := b.coarse[leaf]
			// Side neighbours: up, right, down, left.
			side := [4]int32{leaf, leaf, leaf, leaf}
			if y > 0 {
				side[0] = b.labels[p-w]
			}
			if x+1 < w {
				side[1] = b.labels[p+1]
			}
			if y+1 < h {
				side[2] = b.labels[p+w]
			}
			if x > 0 {
				side[3] = b.labels[p-1]
			}
			if side[0] == leaf && side[1] == leaf && side[2] == leaf && side[3] == leaf {
				continue
			}
			b.consider(lab, x, y, leaf, own, side)
		}
	}
}

func (b *borderPass) consider(lab *planes, x, y int, leaf, own int32, side [4]int32) {
	w := b.width
	p := y*w + x
	other := false
	for _, s := range side {
		if s != leaf {
			if b.coarse[s] == own {
				return // a finer level could fall apart here
			}
			other = true
		}
	}
	if !other {
		return
	}
	var ring [8]int32
	for i := range ring {
		ring[i] = -1
	}
	up, down, left, right := y > 0, y+1 < b.height, x > 0, x+1 < w
	if up {
		ring[1] = side[0]
		if left {
			ring[0] = b.labels[p-w-1]
		}
		if right {
			ring[2] = b.labels[p-w+1]
		}
	}
	if right {
		ring[3] = side[1]
	}
	if down {
		ring[5] = side[2]
		if right {
			ring[4] = b.labels[p+w+1]
		}
		if left {
			ring[6] = b.labels[p+w-1]
		}
	}
	if left {
		ring[7] = side[3]
	}
	mask := 0
	for i, r := range ring {
		if r == leaf {
			mask |= 1 << i
		}
	}
	if !removable[mask] {
		return
	}
	best, to := b.score(lab, p, own, &ring), leaf
	for _, s := range side {
		if s == leaf {
			continue
		}
		if v := b.score(lab, p, b.coarse[s], &ring); v < best {
			best, to = v, s
		}
	}
	b.labels[p] = to
}

func (b *borderPass) score(lab *planes, p int, region int32, ring *[8]int32) float32 {
	m := &b.mean[region]
	dl, da, db := lab.l[p]-m[0], lab.a[p]-m[1], lab.b[p]-m[2]
	v := float32(dl*dl) + float32(3.2*(float32(da*da)+float32(db*db)))
	for _, r := range ring {
		if r >= 0 && b.coarse[r] == region {
			v -= straight
		}
	}
	return v
}

package superpixels

import "math"

const (
	latticeSide = 6    // side of the cells that divide flat areas, in pixels
	latticeRise = 0.01 // height of their walls, far below any visible gradient
)

// dishes is a brick lattice of shallow dishes that is added to gradients, so
// that areas without any split into equal compact basins.
var dishes [2 * latticeSide][2 * latticeSide]float32

func init() {
	for y := range dishes {
		for x := range dishes[y] {
			dy := y%latticeSide - latticeSide/2
			dx := (x+y/latticeSide*latticeSide/2)%latticeSide - latticeSide/2
			dishes[y][x] = latticeRise * float32(dx*dx+dy*dy) / (latticeSide * latticeSide / 2)
		}
	}
}

// relief turns row y of gradient magnitudes into the heights that the
// watershed floods: the bits of the number, which order like the number
// itself, with the lowest three cleared.
func relief(out []int32, g []float32, y int) {
	dish := &dishes[y%len(dishes)]
	k := 0
	for x, v := range g[:len(out)] {
		out[x] = int32(math.Float32bits(v+dish[k])) &^ 7
		if k++; k == len(dish) {
			k = 0
		}
	}
}

// outside is higher than any height.
const outside = math.MaxInt32 &^ 7

// basins sets labels to the basins of the gradient magnitudes g by steepest descent:
// each pixel points to its lowest 4-neighbour if that is lower than itself,
// and pixels whose pointers end at the same minimum share a basin. Basins are
// 4-connected by construction and numbered in raster order; O(pixels). There
// are at least atLeast when there are so many pixels: where the image alone
// has too few, square cells that pointers don't leave divide them.
func basins(labels []int32, g []float32, width, height, atLeast int) (n int) {
	descend(labels, g, width, height, max(width, height))
	n = follow(labels)
	for cell := 64; n < min(atLeast, len(g)); cell /= 2 {
		descend(labels, g, width, height, cell)
		n = follow(labels)
	}
	return n
}

// descend sets the pointers of all pixels; minima point to themselves. A pointer
// to pixel p is ^p, which is negative, unlike the number of a basin.
func descend(to []int32, g []float32, width, height, cell int) {
	rows := make([]int32, 4*width)
	walls, up, mid, down := rows[:width], rows[width:2*width], rows[2*width:3*width], rows[3*width:]
	for x := range walls {
		walls[x] = outside
	}
	relief(down, g, 0)
	for y := range height {
		up, mid, down = mid, down, up
		above, below := up, down
		if y%cell == 0 {
			above = walls
		}
		if y+1 < height {
			relief(down, g[(y+1)*width:], y+1)
		}
		if y+1 == height || (y+1)%cell == 0 {
			below = walls
		}
		for x := 0; x < width; x += cell {
			end := min(x+cell, width)
			descendRow(to[y*width+x:y*width+end], above[x:], mid[x:], below[x:], y*width+x, width)
		}
	}
}

// descendRow sets the pointers of the pixels of one cell in one row, from the
// pixel first on, given the heights there, above and below. A neighbour's
// direction is kept in the three free bits of its height; the pixel itself
// wins a tie.
func descendRow(to, up, mid, down []int32, first, width int) {
	offset := [8]int32{0, int32(width), 1, -1, -int32(width)} // of the pointers
	last := len(to) - 1
	left, pointer := int32(outside), ^int32(first)
	up, down, right := up[:last], down[:last], mid[1:][:last]
	for x, here := range mid[:last] {
		low := lower(lower(up[x]|1, left|2), lower(right[x]|3, down[x]|4))
		to[x] = pointer + offset[lower(here, low)&7]
		left = here
		pointer--
	}
	low := lower(lower(up[:last+1][last]|1, left|2), down[:last+1][last]|4)
	to[last] = pointer + offset[lower(mid[last], low)&7]
}

// lower is min for numbers ≥ 0 without a branch, which would often be
// predicted wrong.
func lower(a, b int32) int32 {
	d := a - b
	return b + d&(d>>31)
}

// follow replaces the pointers by the numbers of the minima they lead to and
// returns how many there are. One sweep in each direction leaves few ways longer
// than a step.
func follow(labels []int32) (n int) {
	for p := len(labels) - 1; p >= 0; p-- {
		labels[p] = labels[^labels[p]]
	}
	for p, q := range labels {
		labels[p] = labels[^q]
	}
	for p, q := range labels {
		if q >= 0 {
			continue // a minimum that has its number
		}
		id := labels[^q]
		for id < 0 && id != q {
			q, id = id, labels[^id]
		}
		if id < 0 {
			id = int32(n)
			labels[^q] = id
			n++
		}
		labels[p] = id
	}
	return n
}

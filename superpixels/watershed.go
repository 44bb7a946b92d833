package superpixels

import (
	"image"
	"math"
)

const (
	latticeSide = 6    // side of the cells that divide flat areas, in pixels
	latticeRise = 0.01 // height of their walls, far below any visible gradient
)

// relief turns gradient magnitudes into the heights that the watershed floods:
// the bits of the number, which order like the number itself, with the lowest
// three cleared. A shallow dish per cell of a brick lattice is added, so that
// areas without any gradient split into equal compact basins.
func relief(g []float32, width int) []uint32 {
	var dish [2 * latticeSide][2 * latticeSide]float32
	for y := range dish {
		for x := range dish[y] {
			dy := y%latticeSide - latticeSide/2
			dx := (x+y/latticeSide*latticeSide/2)%latticeSide - latticeSide/2
			dish[y][x] = latticeRise * float32(dx*dx+dy*dy) / (latticeSide * latticeSide / 2)
		}
	}
	out := make([]uint32, len(g))
	for o, y := 0, 0; o < len(g); o, y = o+width, y+1 {
		row, to, add := g[o:o+width], out[o:o+width], &dish[y%len(dish)]
		k := 0
		for x, v := range row {
			to[x] = math.Float32bits(v+add[k]) &^ 7
			if k++; k == len(add) {
				k = 0
			}
		}
	}
	return out
}

// watershed labels the basins of the relief by steepest descent: each pixel
// points to its lowest 4-neighbour if that is lower than itself, and pixels
// whose pointers end at the same minimum share a basin. Basins are 4-connected
// by construction. Pointers don't leave the square cells of the given side, so
// that there are at least as many basins as cells. Basins are numbered in
// raster order; O(pixels).
func watershed(relief []uint32, width, height, cell int) (labels []int32, n int) {
	labels = make([]int32, len(relief))
	for y := 0; y < height; y += cell {
		for x := 0; x < width; x += cell {
			descend(labels, relief, width, image.Rect(x, y, min(x+cell, width), min(y+cell, height)))
		}
	}
	// A pixel holds its pointer until it is labelled, then ^label (negative).
	for p := range labels {
		q := int32(p)
		for labels[q] >= 0 && labels[q] != q {
			q = labels[q]
		}
		id := labels[q]
		if id >= 0 {
			id = ^int32(n)
			n++
		}
		for q = int32(p); labels[q] >= 0; {
			next := labels[q]
			labels[q] = id
			q = next
		}
	}
	for p := range labels {
		labels[p] = ^labels[p]
	}
	return labels, n
}

// descend sets the pointers of the pixels of one cell. A neighbour's direction
// is kept in the three free bits of its height, so that the lowest is found
// without branches; the pixel itself wins a tie.
func descend(to []int32, relief []uint32, width int, cell image.Rectangle) {
	offset := [8]int32{0, -int32(width), -1, 1, int32(width)}
	const outside = math.MaxUint32
	walls := make([]uint32, cell.Dx())
	for i := range walls {
		walls[i] = outside
	}
	line := func(y int) []uint32 {
		if y < cell.Min.Y || y >= cell.Max.Y {
			return walls
		}
		return relief[y*width+cell.Min.X:][:len(walls)]
	}
	for y := cell.Min.Y; y < cell.Max.Y; y++ {
		up, mid, down := line(y-1), line(y), line(y+1)
		first := int32(y*width + cell.Min.X)
		out := to[first:][:len(mid)]
		left := uint32(outside)
		for x := range mid[:len(mid)-1] {
			lowest := min(mid[x], up[x]|1, left|2, mid[x+1]|3, down[x]|4)
			out[x] = first + int32(x) + offset[lowest&7]
			left = mid[x]
		}
		x := len(mid) - 1
		lowest := min(mid[x], up[x]|1, left|2, down[x]|4)
		out[x] = first + int32(x) + offset[lowest&7]
	}
}

// basins returns the watershed of the gradient magnitudes g, at least atLeast
// basins when there are so many pixels: where the image alone has too few,
// square cells divide them.
func basins(g []float32, width, height, atLeast int) ([]int32, int) {
	atLeast = min(atLeast, width*height)
	heights := relief(g, width)
	labels, n := watershed(heights, width, height, max(width, height))
	for cell := 64; n < atLeast; cell /= 2 {
		labels, n = watershed(heights, width, height, cell)
	}
	return labels, n
}

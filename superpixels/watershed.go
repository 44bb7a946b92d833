package superpixels

// watershed labels the basins of the map g by steepest descent: each pixel
// points to its lowest 4-neighbour if that is lower than itself, and pixels
// whose pointers end at the same minimum share a basin. Basins are 4-connected
// by construction. Pointers don't leave the square cells of side cell (0: no
// cells), so that there are at least as many basins as cells. Basins are
// numbered in raster order; O(pixels).
func watershed(g []float32, width, height, cell int) (labels []int32, n int) {
	labels = make([]int32, len(g))
	if cell == 0 {
		cell = max(width, height)
	}
	for y := range height {
		row := y * width
		up, down := y%cell != 0, y+1 < height && (y+1)%cell != 0
		for x := range width {
			p := row + x
			best, to := g[p], p
			if up && g[p-width] < best {
				best, to = g[p-width], p-width
			}
			if x%cell != 0 && g[p-1] < best {
				best, to = g[p-1], p-1
			}
			if x+1 < width && (x+1)%cell != 0 && g[p+1] < best {
				best, to = g[p+1], p+1
			}
			if down && g[p+width] < best {
				to = p + width
			}
			labels[p] = int32(to)
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

package learn

import "image"

const (
	binaryBins    = 10 // of local binary patterns
	directionBins = 6  // of gradient directions
	patternBins   = binaryBins + directionBins

	patternPixels = 180_000 // size of the copy that patterns are counted on
)

// patternOf is the bin of each local binary pattern of eight neighbours (Ojala,
// Pietikäinen, Mäenpää 2002, doi:10.1109/TPAMI.2002.1017623): the number of
// brighter ones where they follow each other, the last bin where they don't.
var patternOf = func() (bins [256]uint8) {
	for p := range bins {
		set, changes := 0, 0
		for i := range 8 {
			set += p >> i & 1
			if p>>i&1 != p>>((i+1)%8)&1 {
				changes++
			}
		}
		bins[p] = uint8(set)
		if changes > 2 {
			bins[p] = binaryBins - 1
		}
	}
	return bins
}()

// describePatterns writes the shares of local binary patterns and of gradient
// directions in the superpixels and in the regions of the levels above them that are described.
func (d *describer) describePatterns(img *image.NRGBA) {
	grey, width, height, step := greyCopy(img)
	n := d.out.N
	counts := make([]int32, patternBins*n)
	row := make([]int32, width) // superpixel of each pixel of the copy
	for y := 1; y < height-1; y++ {
		d.superpixelsOf(row, y*step+step/2, step)
		above, here, below := grey[(y-1)*width:][:width], grey[y*width:][:width], grey[(y+1)*width:][:width]
		for x := 1; x < width-1; x++ {
			bins := counts[int(row[x])*patternBins:][:patternBins]
			v := here[x] + 1 // a difference below two grey levels is noise
			pattern := brighter(above[x-1], v) | brighter(above[x], v)<<1 | brighter(above[x+1], v)<<2 | brighter(here[x+1], v)<<3 |
				brighter(below[x+1], v)<<4 | brighter(below[x], v)<<5 | brighter(below[x-1], v)<<6 | brighter(here[x-1], v)<<7
			bins[patternOf[pattern]]++
			dx, dy := here[x+1]-here[x-1], below[x]-above[x]
			bins[binaryBins+direction(dx, dy)] += max(dx, -dx) + max(dy, -dy)
		}
	}
	for level := range described {
		d.writePatterns(level, counts)
	}
}

// writePatterns adds the counts of superpixels up to those of a level's regions
// and writes their shares.
func (d *describer) writePatterns(level int, counts []int32) {
	regions := len(d.graphs[level].Regions)
	sums := make([]int64, patternBins*regions)
	for i, r := range d.above[level] {
		for bin, c := range counts[i*patternBins:][:patternBins] {
			sums[int(r)*patternBins+bin] += int64(c)
		}
	}
	values := make([]uint8, patternBins*regions)
	for r := range regions {
		bins := sums[r*patternBins:][:patternBins]
		for _, part := range [2][2]int{{0, binaryBins}, {binaryBins, patternBins}} {
			total := int64(0)
			for _, c := range bins[part[0]:part[1]] {
				total += c
			}
			for bin := part[0]; bin < part[1] && total > 0; bin++ {
				values[bin*regions+r] = uint8(bins[bin] * 255 / total)
			}
		}
	}
	d.spreadOver(level, values)
}

// superpixelsOf writes the superpixel at the middle of each step of line y.
func (d *describer) superpixelsOf(row []int32, y, step int) {
	start := y * d.cells.Width
	x := 0
	for run := range d.cells.Between(start, start+d.cells.Width) {
		s := d.parent[run.Region]
		for ; x < len(row) && start+x*step+step/2 < run.End; x++ {
			row[x] = s
		}
	}
}

// brighter is 1 when a > b, else 0.
func brighter(a, b int32) uint32 { return uint32(b-a) >> 31 }

// direction is the bin of a gradient whose sign does not count: six sectors of
// 30°, the first two and the last two beside the horizontal.
func direction(dx, dy int32) int {
	if dy < 0 || dy == 0 && dx < 0 {
		dx, dy = -dx, -dy
	}
	// tan 30° and tan 60° as 0.577 and 1.732.
	flat, steep := 1000*dy < 577*max(dx, -dx), 1000*dy >= 1732*max(dx, -dx)
	switch {
	case dx >= 0 && flat:
		return 0
	case dx >= 0 && !steep:
		return 1
	case dx >= 0:
		return 2
	case steep:
		return 3
	case !flat:
		return 4
	}
	return 5
}

// greyCopy returns the brightness, 0 to 255, of every step-th pixel across and
// down, each the mean of four of its block, with step such that at most
// patternPixels are left.
func greyCopy(img *image.NRGBA) (grey []int32, width, height, step int) {
	step = 1
	for (img.Rect.Dx()/step)*(img.Rect.Dy()/step) > patternPixels {
		step++
	}
	width, height = max(img.Rect.Dx()/step, 1), max(img.Rect.Dy()/step, 1)
	grey = make([]int32, width*height)
	at := func(p []uint8) int32 { return 77*int32(p[0]) + 150*int32(p[1]) + 29*int32(p[2]) }
	first, second := step/4, (3*step)/4
	for y := range height {
		upper := img.Pix[(y*step+first)*img.Stride:]
		lower := img.Pix[(y*step+second)*img.Stride:]
		to := grey[y*width:][:width]
		if step == 1 {
			for x := range to {
				to[x] = at(upper[4*x:4*x+4]) >> 8
			}
			continue
		}
		for x := range to {
			left, right := 4*(x*step+first), 4*(x*step+second)
			to[x] = (at(upper[left:left+4]) + at(upper[right:right+4]) + at(lower[left:left+4]) + at(lower[right:right+4])) >> 10
		}
	}
	return grey, width, height, step
}

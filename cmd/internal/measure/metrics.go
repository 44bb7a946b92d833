// Package measure scores superpixel maps, mostly against human segmentations,
// with the metrics as Stutz, Hermans and Leibe define them ('Superpixels: An
// evaluation of the state-of-the-art', Computer Vision and Image Understanding
// 166, 2018, doi:10.1016/j.cviu.2017.03.007, §4).
//
// A segmentation is a row-major slice of labels ≥ 0 with its width. All
// functions panic when lengths don't fit together, are deterministic and take
// time linear in the number of pixels.
package measure

import (
	"image"
	"math"
)

// BoundaryRecall returns the share of the boundary pixels of truth that have a
// boundary pixel of labels within a square of half side round(tolerance·d), d
// the image diagonal; 0.0025 is the usual tolerance. A boundary pixel differs
// from one of its four neighbours. Without any boundary in truth it is 1.
func BoundaryRecall(labels, truth []int32, width int, tolerance float64) float64 {
	height := check(labels, truth, width)
	r := int(math.Round(tolerance * math.Hypot(float64(width), float64(height))))
	want, have := boundary(truth, width), boundary(labels, width)
	found, all := 0, 0
	for p, on := range want {
		if !on {
			continue
		}
		all++
		x, y := p%width, p/width
		if anyIn(have, width, max(x-r, 0), max(y-r, 0), min(x+r, width-1), min(y+r, height-1)) {
			found++
		}
	}
	if all == 0 {
		return 1
	}
	return float64(found) / float64(all)
}

func anyIn(on []bool, width, x0, y0, x1, y1 int) bool {
	for y := y0; y <= y1; y++ {
		for _, v := range on[y*width+x0 : y*width+x1+1] {
			if v {
				return true
			}
		}
	}
	return false
}

// boundary marks the pixels that differ from one of their four neighbours.
func boundary(labels []int32, width int) []bool {
	on := make([]bool, len(labels))
	for p, l := range labels {
		if (p+1)%width != 0 && labels[p+1] != l {
			on[p], on[p+1] = true, true
		}
		if p+width < len(labels) && labels[p+width] != l {
			on[p], on[p+width] = true, true
		}
	}
	return on
}

// Undersegmentation returns the undersegmentation error of Neubert and
// Protzel: over all superpixels S and segments G of truth that meet, the mean
// per pixel of min(|S∩G|, |S\G|). 0 is best.
func Undersegmentation(labels, truth []int32, width int) float64 {
	check(labels, truth, width)
	total := 0
	overlaps(labels, truth, func(size int, shares []int) {
		for _, s := range shares {
			total += min(s, size-s)
		}
	})
	return float64(total) / float64(len(labels))
}

// ASA returns the achievable segmentation accuracy: the share of the pixels
// that are right when every superpixel takes its most frequent label of truth.
func ASA(labels, truth []int32, width int) float64 {
	check(labels, truth, width)
	total := 0
	overlaps(labels, truth, func(_ int, shares []int) {
		best := 0
		for _, s := range shares {
			best = max(best, s)
		}
		total += best
	})
	return float64(total) / float64(len(labels))
}

// overlaps calls f for every superpixel with its size and the sizes of its
// intersections with the segments of truth that it meets.
func overlaps(labels, truth []int32, f func(size int, shares []int)) {
	n, k := count(labels), count(truth)
	start := make([]int, n+1)
	for _, l := range labels {
		start[l+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	sorted := make([]int32, len(labels)) // truth labels, superpixel by superpixel
	next := append([]int(nil), start[:n]...)
	for p, l := range labels {
		sorted[next[l]] = truth[p]
		next[l]++
	}
	tally := make([]int, k)
	var shares []int
	for i := range n {
		members := sorted[start[i]:start[i+1]]
		shares = shares[:0]
		for _, t := range members {
			tally[t]++
		}
		for _, t := range members {
			if tally[t] > 0 {
				shares = append(shares, tally[t])
				tally[t] = 0
			}
		}
		f(len(members), shares)
	}
}

// ExplainedVariation returns the share of the variance of the RGB colours that
// remains when every superpixel takes its mean colour; 1 is best, and also the
// value of a one-colour image.
func ExplainedVariation(labels []int32, img *image.NRGBA) float64 {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	if len(labels) != width*height {
		panic("measure: labels and image differ in size")
	}
	n := count(labels)
	sums, sizes := make([][3]float64, n), make([]float64, n)
	var all, squares [3]float64
	for p, l := range labels {
		px := img.Pix[p/width*img.Stride+p%width*4:]
		sizes[l]++
		for c := range 3 {
			v := float64(px[c])
			sums[l][c] += v
			all[c] += v
			squares[c] += v * v
		}
	}
	top, bottom := 0.0, 0.0
	for c := range 3 {
		square := all[c] * all[c] / float64(len(labels))
		bottom += squares[c] - square
		top -= square
		for i, size := range sizes {
			if size > 0 {
				top += sums[i][c] * sums[i][c] / size
			}
		}
	}
	if bottom <= 0 {
		return 1
	}
	return top / bottom
}

// Compactness returns the mean over the pixels of 4π·area/perimeter² of the
// superpixel that a pixel belongs to, the perimeter counted in pixel sides
// (the image frame included); π/4 for squares.
func Compactness(labels []int32, width int) float64 {
	height := check(labels, labels, width)
	n := count(labels)
	area, perimeter := make([]float64, n), make([]float64, n)
	for p, l := range labels {
		area[l]++
		x, y := p%width, p/width
		for _, inside := range [4]bool{
			x > 0 && labels[max(p-1, 0)] == l,
			x+1 < width && labels[min(p+1, len(labels)-1)] == l,
			y > 0 && labels[max(p-width, 0)] == l,
			y+1 < height && labels[min(p+width, len(labels)-1)] == l,
		} {
			if !inside {
				perimeter[l]++
			}
		}
	}
	total := 0.0
	for i, a := range area {
		if a > 0 {
			total += a * 4 * math.Pi * a / (perimeter[i] * perimeter[i])
		}
	}
	return total / float64(len(labels))
}

// check panics unless labels and truth are of the same whole number of rows,
// which it returns.
func check(labels, truth []int32, width int) int {
	if width < 1 || len(labels) == 0 || len(labels) != len(truth) || len(labels)%width != 0 {
		panic("measure: segmentations differ in size or don't fill their rows")
	}
	return len(labels) / width
}

// count returns one more than the largest label.
func count(labels []int32) int {
	n := int32(0)
	for _, l := range labels {
		n = max(n, l+1)
	}
	return int(n)
}

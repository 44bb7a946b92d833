package superpixels

import "math"

// lightnessBin returns the bin of a lightness L, 0..100, in steps of 6.25.
func lightnessBin(l float32) int { return min(max(int(l*(ColourBins/100.0)), 0), ColourBins-1) }

// chromaSteps are the lower ends of the bins of |a| and |b|, where most pixels
// of photographs are near 0. All are multiples of ½.
var chromaSteps = [ColourBins / 2]float32{0, 2.5, 5, 8, 12, 18, 26, 38}

// chromaStep is the last step up to half its index.
var chromaStep [2*38 + 1]uint8

func init() {
	for i := range chromaStep {
		for step, from := range chromaSteps {
			if float32(i) >= 2*from {
				chromaStep[i] = uint8(step)
			}
		}
	}
}

// chromaBin returns the bin of a or b: 8 and up for values from 0, 7 and down
// for those below.
func chromaBin(v float32) int {
	step := int(chromaStep[min(int(2*abs(v)), len(chromaStep)-1)])
	if v < 0 {
		return ColourBins/2 - 1 - step
	}
	return ColourBins/2 + step
}

// abs clears the sign; max(v, -v), which cares for NaN, costs several times as much.
func abs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

// shares turns counts among n pixels into units of 1/255.
func shares(dst []uint8, counts []int32, n float64) {
	for i, c := range counts {
		dst[i] = uint8(float64(255*float64(c))/n + 0.5)
	}
}

// leastGradient is the least difference of L over two pixels at which a
// gradient has a direction.
const leastGradient = 1

// directions fills in the histograms of gradient directions.
func (d *describer) directions() {
	bins := make([][DirectionBins]int32, d.m.N)
	width, height, l := d.lab.width, d.lab.height, d.lab.l
	counts := d.measure(func(region int32, y, from, to int) {
		above, row, below := l[max(y-1, 0)*width:][:width], l[y*width:][:width], l[min(y+1, height-1)*width:][:width]
		histogram := &bins[region]
		for x := from; x < to; x++ {
			dx := row[min(x+1, width-1)] - row[max(x-1, 0)]
			dy := below[x] - above[x]
			if abs(dx) >= leastGradient || abs(dy) >= leastGradient {
				histogram[sector(dx, dy)]++
			}
		}
	})
	for i := range bins {
		shares(d.out.Regions[i].Directions[:], bins[i][:], counts[i])
	}
}

// tangents are those of 11.25°, 33.75°, 56.25° and 78.75°, the ends of sectors.
var tangents = [DirectionBins / 2]float32{0.19891237, 0.66817864, 1.4966058, 5.0273395}

// sector returns which of the eight directions 0°, 22.5°, … 157.5° that of a
// gradient is nearest to; its sign does not count.
func sector(dx, dy float32) int {
	if dy < 0 {
		dx, dy = -dx, -dy
	}
	size := abs(dx)
	// All of them, without a branch: which one ends it is hard to foresee.
	k := atLeast(dy, float32(tangents[0]*size)) + atLeast(dy, float32(tangents[1]*size)) +
		atLeast(dy, float32(tangents[2]*size)) + atLeast(dy, float32(tangents[3]*size))
	if dx < 0 && k > 0 {
		return DirectionBins - k
	}
	return k
}

func atLeast(a, b float32) int {
	if a >= b {
		return 1
	}
	return 0
}

package photo

import (
	"encoding/binary"
	"image"
	"math"
)

// kernel weighs the pixels around a sample by their distance, in pixels of the
// copy; those at reach or farther weigh nothing.
type kernel struct {
	reach float64
	at    func(distance float64) float64
}

var (
	// catmullRom is Catmull and Rom's cubic (Keys 1981, doi:10.1109/TASSP.1981.1163711).
	catmullRom = kernel{2, func(d float64) float64 {
		if d < 1 {
			return float64((float64(1.5*d)-2.5)*float64(d*d)) + 1
		}
		return float64((float64((float64(-0.5*d)+2.5)*d)-4)*d) + 2
	}}
	// box averages.
	box = kernel{0.5, func(float64) float64 { return 1 }}
)

// taps are the pixels that a sample of the copy is made of: those from first on,
// with weights that sum to unit.
type taps struct {
	first   int
	weights []uint64 // two's complement
}

// Red, green and blue share a number, one lane of 21 bits each, so that one
// multiplication weighs all three. A sum of weighted pixels lies between -¼ and
// 1¼ of white, which bias moves into a lane.
const (
	unit  = 1 << 12
	lane  = 21
	lanes = 1 | 1<<lane | 1<<(2*lane)
	below = 64                            // whole units under black
	bias  = (below*unit + unit/2) * lanes // with half a unit for rounding
)

// clamped[below+v] is v within 0 to 255.
var clamped [512]uint8

func init() {
	for i := range clamped {
		clamped[i] = uint8(min(max(i-below, 0), 255))
	}
}

// reduce returns img, which is opaque, at a size that is smaller on both sides.
// It reads each pixel once: rows are reduced as they come and weighed into those
// of the copy. O(pixels of img + pixels of the copy · ratio of the heights).
func reduce(img *image.NRGBA, size image.Point, k kernel) *image.NRGBA {
	across, down := k.taps(img.Rect.Dx(), size.X), k.taps(img.Rect.Dy(), size.Y)
	height := 0
	for _, t := range down {
		height = max(height, len(t.weights))
	}
	recent := make([]uint64, height*size.X) // row y is at y mod height
	row := func(y int) []uint64 { return recent[y%height*size.X:][:size.X] }
	source, sums := make([]uint64, img.Rect.Dx()), make([]uint64, size.X)
	out := image.NewNRGBA(image.Rectangle{Max: size})
	next := 0
	for y, t := range down {
		for ; next < t.first+len(t.weights); next++ {
			unpack(source, img.Pix[next*img.Stride:])
			reduceRow(row(next), source, across)
		}
		for x := range sums {
			sums[x] = bias
		}
		weights := t.weights
		for i := t.first; len(weights) > 1; i += 2 {
			v, w := weights[0], weights[1]
			weights = weights[2:]
			p, q := row(i)[:len(sums)], row(i + 1)[:len(sums)]
			for x := range sums {
				sums[x] += v*p[x] + w*q[x]
			}
		}
		if len(weights) > 0 {
			for x, p := range row(t.first + len(t.weights) - 1)[:len(sums)] {
				sums[x] += weights[0] * p
			}
		}
		pix := out.Pix[y*out.Stride:][:4*size.X]
		for _, s := range sums {
			r, g, b := colours(s)
			binary.LittleEndian.PutUint32(pix, uint32(r)|uint32(g)<<8|uint32(b)<<16|0xff<<24)
			pix = pix[4:]
		}
	}
	return out
}

// unpack spreads pixels over lanes.
func unpack(dst []uint64, pix []uint8) {
	pix = pix[:4*len(dst)]
	for x := range dst {
		v := uint64(binary.LittleEndian.Uint32(pix))
		dst[x] = v&0xff | v&0xff00<<(lane-8) | v&0xff0000<<(2*lane-16)
		pix = pix[4:]
	}
}

func reduceRow(dst, src []uint64, across []taps) {
	for x, t := range across[:len(dst)] {
		sum := uint64(bias)
		for i, p := range src[t.first:][:len(t.weights)] {
			sum += t.weights[i] * p
		}
		r, g, b := colours(sum)
		dst[x] = uint64(r) | uint64(g)<<lane | uint64(b)<<(2*lane)
	}
}

// colours rounds the lanes of a sum.
func colours(sum uint64) (r, g, b uint8) {
	return clamped[sum>>12&511], clamped[sum>>(12+lane)&511], clamped[sum>>(12+2*lane)&511]
}

// taps returns those of each of the samples that replace a number of pixels.
func (k kernel) taps(pixels, samples int) []taps {
	out := make([]taps, samples)
	ratio := float64(pixels) / float64(samples)
	var raw []float64
	var weights []uint64 // of all samples
	for s := range out {
		centre := float64((float64(s)+0.5)*ratio) - 0.5
		from := max(int(math.Ceil(centre-float64(k.reach*ratio))), 0)
		to := min(int(math.Floor(centre+float64(k.reach*ratio))), pixels-1)
		sum := 0.0
		raw = raw[:0]
		for i := from; i <= to; i++ {
			w := k.at(math.Abs(float64(i)-centre) / ratio)
			raw = append(raw, w)
			sum += w
		}
		// Rounded so that they sum to a unit.
		done, given := 0.0, 0.0
		start := len(weights)
		for _, w := range raw {
			done += w
			share := math.Round(float64(done*unit)/sum) - given
			given += share
			weights = append(weights, uint64(int64(share)))
		}
		out[s] = taps{from, weights[start:len(weights):len(weights)]}
	}
	return out
}

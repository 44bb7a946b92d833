// Package pretend makes what a classifier and an embedding network would say of an
// image, from the right answer and as good or bad as is wanted.
package pretend

import (
	"math"
	"math/rand/v2"
	"slices"

	"collie/crf"
	"collie/segment/importer/npz"
	"collie/segment/simulate"
	"collie/superpixels"
)

// Classifier makes its scores from the truth.
//
// Each connected piece of one class of the truth, a segment, gives the part
// 1-Doubt of every pixel's score to its class and the rest to a second one
// drawn at random; with the probability Corrupt it is the other way round. The
// scores are then blurred by a Gaussian whose standard deviation is Blur times
// the image's diagonal; void pixels have no scores of their own and take part
// of their surroundings'. The scores of a pixel add up to one; far inside void
// all are equal. Finally each superpixel swaps, with the probability Corrupt,
// the scores of its best and its second class, of one drawn at random where no
// other class scores.
//
// Random draws depend on the image's name and the number of the draw; whatever is
// wrong at one rate is wrong at all higher ones.
type Classifier struct {
	Blur, Doubt, Corrupt float64
	Classes              int // at least 2
}

// Scores are those of the superpixels of an image with this mask, superpixels×Classes.
func (c Classifier) Scores(mask []uint8, m *superpixels.Map, name string, draw int) ([]float64, error) {
	rng := rand.New(rand.NewPCG(uint64(draw), simulate.Hash(name)))
	width, height := m.Width, m.Height
	planes := c.planes(mask, width, rng)
	kernel := gaussian(c.Blur * math.Hypot(float64(width), float64(height)))
	for _, p := range planes {
		if p != nil {
			blur(p, width, kernel)
		}
	}
	out, err := c.stack(planes, width, height).PerSuperpixel(m.Runs())
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(out); i += c.Classes {
		row := out[i : i+c.Classes]
		best := slices.Index(row, slices.Max(row))
		second := c.other(best, rng)
		for class, v := range row {
			if class != best && v > row[second] {
				second = class
			}
		}
		if rng.Float64() < c.Corrupt {
			row[best], row[second] = row[second], row[best]
		}
	}
	return out, nil
}

// planes are the scores of each class before the blur, nil where all are zero.
func (c Classifier) planes(mask []uint8, width int, rng *rand.Rand) [][]float32 {
	planes := make([][]float32, c.Classes)
	for _, piece := range simulate.Pieces(mask, width) {
		best := int(mask[piece[0]])
		second := c.other(best, rng)
		if rng.Float64() < c.Corrupt {
			best, second = second, best
		}
		for _, part := range []struct {
			class int
			share float64
		}{{best, 1 - c.Doubt}, {second, c.Doubt}} {
			if part.share == 0 {
				continue
			}
			if planes[part.class] == nil {
				planes[part.class] = make([]float32, len(mask))
			}
			for _, p := range piece {
				planes[part.class][p] = float32(part.share)
			}
		}
	}
	return planes
}

// other draws another class.
func (c Classifier) other(class int, rng *rand.Rand) int {
	return (class + 1 + rng.IntN(c.Classes-1)) % c.Classes
}

// stack puts planes together pixel by pixel, so that the scores of each add up to one.
func (c Classifier) stack(planes [][]float32, width, height int) *npz.Scores {
	s := &npz.Scores{
		Name: "truth", Width: width, Height: height, Rows: width * height, Classes: c.Classes,
		Values: make([]float32, width*height*c.Classes),
	}
	for p := range s.Rows {
		row := s.Values[p*c.Classes : (p+1)*c.Classes]
		sum := float32(0)
		for class, plane := range planes {
			if plane != nil {
				row[class] = plane[p]
				sum += plane[p]
			}
		}
		for class := range row {
			if sum > 0 {
				row[class] /= sum
			} else {
				row[class] = 1 / float32(c.Classes)
			}
		}
	}
	return s
}

// gaussian is half of a kernel: the weights at the distances 0, 1, … to three
// standard deviations.
func gaussian(sigma float64) []float32 {
	kernel := []float32{1}
	for d := 1.0; d <= 3*sigma; d++ {
		kernel = append(kernel, float32(crf.Exp(-d*d/(2*sigma*sigma))))
	}
	return kernel
}

// blur convolves a plane with a kernel in both directions; outside counts as zero.
// The weights need not add up to one, as stack divides by the sum.
func blur(plane []float32, width int, kernel []float32) {
	if len(kernel) == 1 {
		return
	}
	from := make([]float32, len(plane))
	copy(from, plane)
	for p := range plane { // down
		plane[p] = float32(kernel[0] * from[p])
	}
	for d := 1; d < len(kernel) && d*width < len(plane); d++ {
		accumulate(plane[d*width:], from, kernel[d])
		accumulate(plane, from[d*width:], kernel[d])
	}
	copy(from, plane)
	for start := 0; start < len(plane); start += width { // across
		to, row := plane[start:start+width], from[start:start+width]
		for x := range to {
			to[x] = float32(kernel[0] * row[x])
		}
		for d := 1; d < min(len(kernel), width); d++ {
			accumulate(to[d:], row, kernel[d])
			accumulate(to, row[d:], kernel[d])
		}
	}
}

// accumulate adds weight·from to to over the shorter of both.
func accumulate(to, from []float32, weight float32) {
	n := min(len(to), len(from))
	to, from = to[:n], from[:n]
	for i, v := range from {
		to[i] += float32(weight * v)
	}
}

package engine

import (
	"cmp"
	"slices"

	"collie/crf"
	"collie/superpixels"
)

// A mask that is roughly right can be mended by its colours: what looks more like its
// inside than like its outside joins it, and the other way round. This is one round of
// GrabCut (Rother, Kolmogorov and Blake 2004, doi:10.1145/1015706.1015720) with
// histograms, for masks of different sizes.
const (
	leastMended, mostMended = 0.001, 0.9 // of the image
	mendedGrowth            = 2          // from one mended mask to the next larger one
	mendedShift             = 3          // of the unaries, for less and more than the mended mask
	unseenColour            = 0.01       // is added to the share of each colour
)

// colours are the shares of a superpixel's pixels with L, a and b in each bin, in units
// of 1/255.
type colours [3][superpixels.ColourBins]uint8

// recolour calls add with what masks become when their colours count. ladder is that of
// the model whose label 1 is inside. O(mended masks · superpixels), and three cuts for each.
func (m *Model) recolour(ladder *crf.Ladder, masks []Extent, add func(x []uint8)) error {
	last, palettes := 0.0, m.palettes()
	for _, mask := range m.byArea(masks) {
		if mask.area < leastMended || mask.area > mostMended || mask.area < mendedGrowth*last {
			continue
		}
		last = mask.area
		if err := ladder.Tilt(m.colourOdds(palettes, mask.in)); err != nil {
			return err
		}
		for _, shift := range []float64{-mendedShift, 0, mendedShift} {
			add(ladder.At(shift))
		}
	}
	return nil
}

// sized is a mask and its share of the image's area.
type sized struct {
	in   []bool
	area float64
}

// byArea sorts masks, the smallest first.
func (m *Model) byArea(masks []Extent) []sized {
	out := make([]sized, len(masks))
	for i, mask := range masks {
		out[i].in = mask.Mask
		for j, in := range mask.Mask {
			if in {
				out[i].area += m.shares[j]
			}
		}
	}
	slices.SortStableFunc(out, func(a, b sized) int { return cmp.Compare(a.area, b.area) })
	return out
}

// palette lists the bins that a superpixel has pixels in, of L, a and b in a row.
type palette []occupied

type occupied struct{ bin, share uint8 }

// palettes are those of the superpixels; most bins of a superpixel are empty.
func (m *Model) palettes() []palette {
	out := make([]palette, len(m.colours))
	all := make([]occupied, 0, 16*len(out))
	for i := range m.colours {
		from := len(all)
		for c, bins := range m.colours[i] {
			for bin, share := range bins {
				if share > 0 {
					all = append(all, occupied{uint8(c*len(bins) + bin), share})
				}
			}
		}
		out[i] = all[from:]
	}
	return out
}

// colourOdds are, for each superpixel, the mean log odds that its colours are of the inside of
// a mask, summed over L, a and b.
func (m *Model) colourOdds(palettes []palette, in []bool) []float64 {
	var sides [2]tally
	for i, of := range palettes {
		side := 0
		if in[i] {
			side = 1
		}
		sides[side].add(of, m.shares[i])
	}
	var odds [colourBins]float64
	for bin := range odds {
		odds[bin] = crf.Log(sides[1].share(bin) / sides[0].share(bin))
	}
	out := make([]float64, len(in))
	meansOf(out, 1, palettes, &odds)
	return out
}

// meansOf writes the mean of a bin's number over the pixels of each superpixel, summed over
// L, a and b, to every step-th place.
func meansOf(dst []float64, step int, palettes []palette, number *[colourBins]float64) {
	for i, of := range palettes {
		sum := 0.0
		for _, o := range of {
			sum += float64(float64(o.share) * number[o.bin])
		}
		dst[i*step] = sum / 255
	}
}

// colourBins are those of L, a and b together.
const colourBins = 3 * superpixels.ColourBins

// tally counts the colours of superpixels.
type tally struct {
	pixels [colourBins]float64 // in each bin, in units of 1/255
	area   float64
}

// add counts a superpixel of the given area, or the part of one.
func (t *tally) add(of palette, area float64) {
	t.area += area
	for _, o := range of {
		t.pixels[o.bin] += float64(area * float64(o.share))
	}
}

// share is that of the area with a colour in a bin, and unseenColour.
func (t *tally) share(bin int) float64 { return unseenColour + t.pixels[bin]/(255*t.area) }

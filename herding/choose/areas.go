package choose

import "slices"

// AreaRange is what the area of a label is between, as a share of the whole.
type AreaRange struct{ Low, High float64 }

// Wider is how much AreaRanges should widen a range at either end, in widths, so
// that about 8 of 10 hold the true area: the labellings of a diverse.Strip vary
// less than the truth. Fitted on training images with affinities learned from
// other images.
const Wider = 0.2

// AreaRanges are, for each label, the areas that the middle 80 % of the labellings
// give it, widened at either end by so many widths; area is each node's share. At
// least one labelling.
func AreaRanges(xs [][]uint8, labels int, area []float64, wider float64) []AreaRange {
	covered := make([][]float64, labels)
	for m, x := range xs {
		for l := range covered {
			covered[l] = append(covered[l], 0)
		}
		for i, l := range x {
			covered[l][m] += area[i]
		}
	}
	out := make([]AreaRange, labels)
	for l, v := range covered {
		slices.Sort(v)
		cut := len(v) / 10
		low, high := v[cut], v[len(v)-1-cut]
		more := float64(wider * (high - low))
		out[l] = AreaRange{max(0, min(low-more, 1)), min(high+more, 1)} // rounding can make all of it more than 1
	}
	return out
}

package choose

import "slices"

// AreaRange is what the area of a label is between, as a share of the whole.
type AreaRange struct{ Low, High float64 }

// AreaRanges are, for each label, the areas that the middle 80 % of the labellings
// give it; area is each node's share. At least one labelling.
func AreaRanges(xs [][]uint8, labels int, area []float64) []AreaRange {
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
		out[l] = AreaRange{v[cut], v[len(v)-1-cut]}
	}
	return out
}

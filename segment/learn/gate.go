package learn

import (
	"slices"

	"collie/segment/engine"
)

// usual is the share of a class's median area below which a prediction of it is
// rather a mistake: a class that the image doesn't have takes a click for each of
// its regions, and one that comes into play late is a single click away.
const usual = 0.5

// gate returns for each class the share of an image's area that it has to win to
// come into play: half the median of its shares in the examples that have it.
// Classes that no example has need the whole image.
func gate(examples []Example, classes []uint8) []float64 {
	shares := make([][]float64, len(classes))
	for _, e := range examples {
		for l, share := range wins(e.Features, e.Labels, classes) {
			if share > 0 {
				shares[l] = append(shares[l], share)
			}
		}
	}
	thresholds := make([]float64, len(classes))
	for l, s := range shares {
		thresholds[l] = 1
		if len(s) > 0 {
			slices.Sort(s)
			thresholds[l] = usual * s[len(s)/2]
		}
	}
	return thresholds
}

// wins returns the classes' shares of an image's area by the labels of its
// superpixels.
func wins(f *Features, labels, classes []uint8) []float64 {
	var areas [256]float64
	total := 0.0
	for i, area := range f.Area {
		areas[labels[i]] += float64(area)
		total += float64(area)
	}
	shares := make([]float64, len(classes))
	for l, class := range classes {
		shares[l] = areas[class] / total
	}
	return shares
}

// likeliest returns the most probable class of each superpixel.
func likeliest(p []float32, classes []uint8) []uint8 {
	labels := make([]uint8, 0, len(p)/len(classes))
	for row := range slices.Chunk(p, len(classes)) {
		labels = append(labels, classes[slices.Index(row, slices.Max(row))])
	}
	return labels
}

// guess makes a first guess from probabilities, with classes sorted by id. Those
// that win less than their thresholds are in reserve, except the one that wins
// most.
func guess(f *Features, p []float32, classes []uint8, thresholds []float64) *engine.Guess {
	k := len(classes)
	shares := wins(f, likeliest(p, classes), classes)
	most := slices.Index(shares, slices.Max(shares))
	order := make([]int, k)
	for l := range order {
		order[l] = l
	}
	slices.SortFunc(order, func(a, b int) int { return int(classes[a]) - int(classes[b]) })
	g := &engine.Guess{Shares: make([]float64, 0, f.N*k)}
	for _, l := range order {
		g.Classes = append(g.Classes, classes[l])
		if shares[l] < thresholds[l] && l != most {
			g.Reserve = append(g.Reserve, classes[l])
		}
	}
	for i := range f.N {
		for _, l := range order {
			g.Shares = append(g.Shares, float64(p[i*k+l]))
		}
	}
	return g
}

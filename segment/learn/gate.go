package learn

import (
	"math"
	"slices"

	"collie/segment/engine"
)

// usualShare is the default threshold: the share of an image's area from which
// a class comes into play.
const usualShare = 0.02

// caution is how many times as much a false class costs as a missed one: a
// false one can take a click for each of its regions, and a missed one comes
// into play with the first click.
const caution = 4

// gate returns for each class the threshold of its predicted share of the area
// above which it comes into play: the one with the least cost on the out-of-bag
// predictions, and of equal ones the nearest to usualShare.
func gate(examples []Example, said [][]float32, classes []uint8) []float64 {
	k := len(classes)
	type seen struct {
		share   float64
		present bool
	}
	columns := make([][]seen, k)
	for i, e := range examples {
		shares := areaShares(e.Features, said[i], k)
		for l, class := range classes {
			columns[l] = append(columns[l], seen{shares[l], slices.Contains(e.Labels, class)})
		}
	}
	thresholds := make([]float64, k)
	for l, column := range columns {
		slices.SortFunc(column, func(a, b seen) int {
			switch {
			case a.share < b.share:
				return -1
			case a.share > b.share:
				return 1
			}
			return 0
		})
		cost := 0 // if the class is always in play
		for _, s := range column {
			if !s.present {
				cost += caution
			}
		}
		least, nearest := math.MaxInt, math.Inf(1)
		low := 0.0
		for i := range len(column) + 1 {
			high := 1.0
			if i < len(column) {
				high = column[i].share
			}
			threshold := min(max(usualShare, low), high)
			distance := max(threshold/usualShare, usualShare/max(threshold, 1e-9))
			if cost < least || cost == least && distance < nearest {
				least, nearest, thresholds[l] = cost, distance, threshold
			}
			if i == len(column) {
				break
			}
			// Above this threshold, this image doesn't get the class.
			if column[i].present {
				cost++
			} else {
				cost -= caution
			}
			low = math.Nextafter(column[i].share, 1)
		}
	}
	return thresholds
}

// areaShares returns the classes' shares of an image's area by its superpixels'
// probabilities.
func areaShares(f *Features, p []float32, classes int) []float64 {
	shares := make([]float64, classes)
	total := 0.0
	for i, area := range f.Area {
		total += float64(area)
		for l, v := range p[i*classes:][:classes] {
			shares[l] += float64(float64(area) * float64(v))
		}
	}
	for l := range shares {
		shares[l] /= total
	}
	return shares
}

// guess makes a first guess from probabilities, with classes sorted by id. Those
// below their thresholds are in reserve, except the most probable one.
func guess(f *Features, p []float32, classes []uint8, thresholds []float64) *engine.Guess {
	k := len(classes)
	shares := areaShares(f, p, k)
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

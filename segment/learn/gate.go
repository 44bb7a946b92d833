package learn

import (
	"math"
	"slices"

	"collie/segment/engine"
)

// usualShare is the share of an image's area at which a class is let in when its
// examples say nothing else.
const usualShare = 0.02

// gate returns for each class the predicted share of an image's area from which
// on it is let in: of all thresholds one that makes the fewest mistakes on the
// honest predictions, where to let in a class that is not there counts caution
// times as much as to miss one, and of those the nearest to usualShare.
func gate(examples []Example, said [][]float32, classes []uint8, caution int) []float64 {
	k := len(classes)
	type seen struct {
		share   float64
		present bool
	}
	columns := make([][]seen, k)
	for i, e := range examples {
		shares := areaShares(e.Features, said[i], k)
		for place, class := range classes {
			columns[place] = append(columns[place], seen{shares[place], slices.Contains(e.Labels, class)})
		}
	}
	thresholds := make([]float64, k)
	for place, column := range columns {
		slices.SortFunc(column, func(a, b seen) int {
			switch {
			case a.share < b.share:
				return -1
			case a.share > b.share:
				return 1
			}
			return 0
		})
		cost := 0 // of letting in all
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
				least, nearest, thresholds[place] = cost, distance, threshold
			}
			if i == len(column) {
				break
			}
			// Beyond this share its image is kept out.
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

// areaShares are the shares of an image's area that its superpixels' probabilities
// give to the classes.
func areaShares(f *Features, p []float32, classes int) []float64 {
	shares := make([]float64, classes)
	total := 0.0
	for i, area := range f.Area {
		total += float64(area)
		for place, v := range p[i*classes:][:classes] {
			shares[place] += float64(float64(area) * float64(v))
		}
	}
	for place := range shares {
		shares[place] /= total
	}
	return shares
}

// guess makes a first guess of probabilities: the classes that pass the
// thresholds, of which the most probable one always does, sorted by id. What the
// others have is doubt.
func guess(f *Features, p []float32, classes []uint8, thresholds []float64) *engine.Guess {
	k := len(classes)
	shares := areaShares(f, p, k)
	var in []int
	most := slices.Index(shares, slices.Max(shares))
	for place, share := range shares {
		if share >= thresholds[place] || place == most {
			in = append(in, place)
		}
	}
	slices.SortFunc(in, func(a, b int) int { return int(classes[a]) - int(classes[b]) })
	g := &engine.Guess{Shares: make([]float64, 0, f.N*len(in))}
	for _, place := range in {
		g.Classes = append(g.Classes, classes[place])
	}
	for i := range f.N {
		for _, place := range in {
			g.Shares = append(g.Shares, float64(p[i*k+place]))
		}
	}
	return g
}

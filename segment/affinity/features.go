package affinity

import (
	"fmt"
	"slices"
)

// Feature is an input of a regression.
type Feature struct {
	Name string
	// Distance says that the feature is not negative and can only make it less
	// probable, the larger it is, that two regions have one class. Regressions
	// must respect this, because they are used on images unlike those they were
	// learned from.
	Distance bool
}

func distances(names ...string) []Feature { return features(true, names) }
func others(names ...string) []Feature    { return features(false, names) }

func features(distance bool, names []string) []Feature {
	out := make([]Feature, len(names))
	for i, name := range names {
		out[i] = Feature{name, distance}
	}
	return out
}

// EdgeFeatures and PairFeatures are the features of neighbours and of any two
// regions, in the order in which Scene.Edge and Scene.Pairs write them.
var (
	EdgeFeatures = slices.Concat(comparison,
		others("smaller", "larger", "length", "perimeter"),
		distances("contour", "median-contour", "contour-by-texture"), others("hand-made"),
		distances("merge", "merge-late"),
		distances("rank-contour", "rank-colour", "rank-hand-made", "rank-histogram"), others("image-contour", "image-colour"),
		perLevel("colour", "histogram", "contour"),
		others(
			"others-least", "others-most", "others-mean", "above-first", "above-second",
			"place-first", "place-second", "colour-above-first", "colour-above-second",
		))
	PairFeatures = slices.Concat(comparison,
		others("smaller", "larger"), distances("distance", "merge"),
		perLevel("colour", "histogram", "texture"), distances("path", "path-largest", "path-hops"))
)

func perLevel(names ...string) (out []Feature) {
	for _, share := range ancestorShares {
		for _, name := range names {
			out = append(out, Feature{fmt.Sprintf("%s-%.3g%%", name, 100*share), true})
		}
	}
	return out
}

// Edge writes the features of edge i of the graph to dst, which holds
// len(EdgeFeatures) numbers.
func (s *Scene) Edge(dst []float32, i int) {
	e, m := &s.graph.Edges[i], &s.edges[i]
	a, b := &s.regions[e.A], &s.regions[e.B]
	dst = a.compare(dst, b)
	met := s.merged[s.meeting(e.A, e.B)]
	first := max(s.merged[s.parents[e.A]], s.merged[s.parents[e.B]])
	size := root(float32(min(s.graph.Regions[e.A].Area, s.graph.Regions[e.B].Area)))
	copy(dst, []float32{
		min(a.size, b.size) - s.area, max(a.size, b.size) - s.area, float32(e.Length) / size, 10 * s.ofPerimeter(i),
		e.Contour, e.MedianContour, strangeness(e), m.handMade,
		2 * met, 2 * (met - first),
		4 * m.ranks[0], 4 * m.ranks[1], 4 * m.ranks[2], 4 * m.ranks[3],
		s.medians[0], s.medians[1],
	})
	dst = dst[16:]
	for l := range s.levels {
		level := &s.levels[l]
		p, q := &level.regions[level.of[e.A]], &level.regions[level.of[e.B]]
		dst[0], dst[1], dst[2] = 0, 0, level.strange[i]
		if p != q {
			dst[0], dst[1] = p.deltaE(q), p.histograms(q)
		}
		dst = dst[3:]
	}
	s.beside(dst, i)
}

// ofPerimeter returns an edge's share of the smaller region's perimeter,
// without the frame.
func (s *Scene) ofPerimeter(i int) float32 {
	e := &s.graph.Edges[i]
	least := 0
	for _, region := range [2]int32{e.A, e.B} {
		sum := 0
		for _, j := range s.borders[region] {
			sum += s.graph.Edges[j].Length
		}
		if least == 0 || sum < least {
			least = sum
		}
	}
	return float32(e.Length) / float32(least)
}

// beside writes features that compare an edge with the other edges of its two
// regions.
func (s *Scene) beside(dst []float32, i int) {
	e := &s.graph.Edges[i]
	own, colour := -s.edges[i].handMade, e.DeltaE
	type side struct{ least, most, mean, place, colour float32 }
	var sides [2]side
	for k, region := range [2]int32{e.A, e.B} {
		t := side{least: own, most: own}
		count := float32(0)
		for _, j := range s.borders[region] {
			if int(j) == i {
				continue
			}
			v := -s.edges[j].handMade
			t.least, t.most = min(t.least, v), max(t.most, v)
			t.mean += v
			t.colour += s.graph.Edges[j].DeltaE
			if v < own {
				t.place++
			}
			count++
		}
		if count == 0 {
			t.mean, t.colour, count = own, colour, 1
		}
		t.mean, t.colour, t.place = t.mean/count, t.colour/count, t.place/count
		sides[k] = t
	}
	p, q := &sides[0], &sides[1]
	above := func(a, b float32) (float32, float32) { return min(a, b), max(a, b) }
	dst[0], dst[1], dst[2] = min(p.least, q.least), max(p.most, q.most), (p.mean+q.mean)/2
	dst[3], dst[4] = above(own-p.mean, own-q.mean)
	dst[5], dst[6] = above(4*p.place, 4*q.place)
	dst[7], dst[8] = above(colour-p.colour, colour-q.colour)
}

// Pairs calls yield with the features of region i and each other region, in the
// order of their ids; the slice is reused. costs are those of the edges,
// -ln of the probability that their regions are of one class.
func (s *Scene) Pairs(i int, costs []float64, yield func(j int, features []float32)) {
	n := len(s.regions)
	features := make([]float32, len(PairFeatures))
	ways := s.cheapest(i, costs)
	merged := s.meetings(i)
	var coarse [ancestorLevels][][3]float32
	for l := range s.levels {
		coarse[l] = s.levels[l].from(i)
	}
	a := &s.regions[i]
	for j := range n {
		if j == i {
			continue
		}
		b := &s.regions[j]
		dst := a.compare(features, b)
		dst[0], dst[1] = min(a.size, b.size)-s.area, max(a.size, b.size)-s.area
		dst[2] = 10 * length(a.centre[0]-b.centre[0], a.centre[1]-b.centre[1]) / s.across
		dst[3] = 2 * merged[j]
		dst = dst[4:]
		for l := range coarse {
			copy(dst, coarse[l][s.levels[l].of[j]][:])
			dst = dst[3:]
		}
		w := &ways[j]
		dst[0], dst[1], dst[2] = float32(w.sum), float32(w.largest), float32(w.hops)
		yield(j, features)
	}
}

// from compares the ancestor of region i with all ancestors of the level.
func (l *ancestors) from(i int) [][3]float32 {
	p := &l.regions[l.of[i]]
	out := make([][3]float32, len(l.regions))
	for j := range out {
		if q := &l.regions[j]; q != p {
			out[j] = [3]float32{p.deltaE(q), p.histograms(q), hellinger(p.gradients[:], q.gradients[:])}
		}
	}
	return out
}

// meetings returns the level at which each region and region i become one.
func (s *Scene) meetings(i int) []float32 {
	out := make([]float32, len(s.parents))
	path := make([]bool, len(s.parents)) // nodes that hold i
	for node := int32(i); ; node = s.parents[node] {
		path[node] = true
		if s.parents[node] == node {
			break
		}
	}
	for node := len(out) - 1; node >= 0; node-- { // parents come first
		out[node] = s.merged[node]
		if !path[node] {
			out[node] = out[s.parents[node]]
		}
	}
	return out[:len(s.regions)]
}

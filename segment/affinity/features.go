package affinity

import (
	"fmt"
	"slices"

	"collie/superpixels"
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

// party is one of the two regions of an edge: a region of the scene or a part of
// one.
type party struct {
	*appearance
	region   int32              // of the scene, that it is or is part of
	part     bool               // of a region
	id       int32              // in graph
	graph    *superpixels.Graph // of the regions of its kind
	of       []int32            // region of the scene of each region of graph; nil: itself
	borders  []int32            // its edges in graph
	handMade []float32          // of the edges of graph; nil: not known
}

func (s *Scene) party(region int32) party {
	return party{
		appearance: &s.regions[region], region: region, id: region,
		graph: s.graph, borders: s.borders.of(region), handMade: s.handMade,
	}
}

// faces reports whether an edge of p's graph leads to q.
func (p *party) faces(e *superpixels.Edge, q *party) bool {
	to := e.A + e.B - p.id
	switch {
	case !p.part:
		return to == q.region
	case q.part:
		return to == q.id
	}
	return p.of[to] == q.region
}

// handMadeOf is the logarithm of the handmade conductance of an edge of p's graph.
func (p *party) handMadeOf(edge int32) float32 {
	if p.handMade == nil {
		return handMade(&p.graph.Edges[edge])
	}
	return p.handMade[edge]
}

// perimeter is without the frame.
func (p *party) perimeter() int {
	sum := 0
	for _, j := range p.borders {
		sum += int(p.graph.Edges[j].Length)
	}
	return sum
}

// Edge writes the features of edge i of the graph to dst, which holds
// len(EdgeFeatures) numbers.
func (s *Scene) Edge(dst []float32, i int) { s.edgeOf(dst, i, all.transport) }

// edgeOf is Edge for callers that need the transport of only some channels.
func (s *Scene) edgeOf(dst []float32, i int, transport channels) {
	e := &s.graph.Edges[i]
	p, q := s.party(e.A), s.party(e.B)
	s.edge(dst, e, s.handMade[i], s.colours[i], &p, &q, transport)
}

// edge writes the features of an edge between two parties, whose histograms are
// given.
func (s *Scene) edge(dst []float32, e *superpixels.Edge, handMade float32, histograms [3]float32, p, q *party, transport channels) {
	dst = p.compare(dst, q.appearance, histograms, transport)
	met := s.merged[s.meeting(p.region, q.region)]
	first := max(s.firstMerged(p), s.firstMerged(q))
	size := root(float32(min(p.graph.Regions[p.id].Area, q.graph.Regions[q.id].Area)))
	copy(dst, []float32{
		min(p.size, q.size) - s.area, max(p.size, q.size) - s.area,
		float32(e.Length) / size, 10 * (float32(e.Length) / float32(min(p.perimeter(), q.perimeter()))),
		e.Contour, e.MedianContour, strangeness(e), handMade,
		2 * met, 2 * (met - first),
	})
	for c, v := range measures(e, handMade, mean(histograms)) {
		dst[10+c] = 4 * s.rank(c, v)
	}
	dst[14], dst[15] = s.medians[0], s.medians[1]
	dst = dst[16:]
	for l := range s.levels {
		measures := s.levels[l].between(p.region, q.region)
		copy(dst, measures[:])
		dst = dst[3:]
	}
	beside(dst, e.DeltaE, handMade, p, q)
}

// between returns the measures of the border between the ancestors of two
// neighbours; zeros if they have the same one.
func (l *ancestors) between(p, q int32) [3]float32 {
	a, b := l.of[p], l.of[q]
	if a > b {
		a, b = b, a
	}
	for i := l.first[a]; i < l.first[a+1]; i++ { // few
		if l.to[i] == b {
			return l.borders[i]
		}
	}
	return [3]float32{}
}

// firstMerged is the level at which a party first becomes part of a region.
func (s *Scene) firstMerged(p *party) float32 {
	if p.part {
		return 0
	}
	return s.merged[s.parents[p.region]]
}

// beside writes features that compare the edge between two parties, of the given
// measures, with their other edges.
func beside(dst []float32, colour, handMade float32, parties ...*party) {
	own := -handMade
	type side struct{ least, most, mean, place, colour float32 }
	var sides [2]side
	for k, p := range parties {
		t := side{least: own, most: own}
		count := float32(0)
		for _, j := range p.borders {
			e := &p.graph.Edges[j]
			if p.faces(e, parties[1-k]) {
				continue
			}
			v := -p.handMadeOf(j)
			t.least, t.most = min(t.least, v), max(t.most, v)
			t.mean += v
			t.colour += e.DeltaE
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
	s.pairs(i, costs, all, yield)
}

// pairs is Pairs for callers that need only some costly features.
func (s *Scene) pairs(i int, costs []float64, wanted costly, yield func(j int, features []float32)) {
	features := make([]float32, len(PairFeatures))
	ways, _ := s.cheapest(i, costs)
	var c pairing
	c.start(s, int32(i), &s.regions[i], wanted)
	merged := s.meetings(i)
	for j := range s.regions {
		if j != i {
			c.to(features, int32(j), &s.regions[j], merged[j])
			ways[j].write(features[beforePath:])
			yield(j, features)
		}
	}
}

// beforePath is how many features of a pair come before those of the path.
var beforePath = len(PairFeatures) - 3

// pairing compares one region, or a part of one, with others.
type pairing struct {
	*appearance
	scene    *Scene
	wanted   costly
	occupied occupied
	region   int32 // of the scene, that it is or is part of
	met      struct {
		region int32
		level  float32
	}
	coarse [ancestorLevels]struct {
		known    []bool // by ancestor
		measures [][3]float32
	}
}

// start makes c compare a region, or a part of one, with others.
func (c *pairing) start(s *Scene, region int32, look *appearance, wanted costly) {
	c.appearance, c.scene, c.wanted, c.occupied, c.region = look, s, wanted, look.occupied(), region
	c.met.region = -1
	for l := range c.coarse {
		coarse, n := &c.coarse[l], len(s.levels[l].regions)
		if coarse.known == nil {
			coarse.known, coarse.measures = make([]bool, n), make([][3]float32, n)
		}
		clear(coarse.known)
	}
}

// merged returns the level at which c's region and another one become one. Parts of
// the same region are usually asked for one after the other.
func (c *pairing) merged(region int32) float32 {
	if c.met.region != region {
		c.met.region, c.met.level = region, c.scene.merged[c.scene.meeting(c.region, region)]
	}
	return c.met.level
}

// to writes the features up to those of the path for another region, or a part of
// it; merged is the level at which the regions become one.
func (c *pairing) to(dst []float32, region int32, look *appearance, merged float32) {
	s := c.scene
	dst = c.compare(dst, look, c.compared(&c.occupied, look, c.wanted.histograms), c.wanted.transport)
	dst[0], dst[1] = min(c.size, look.size)-s.area, max(c.size, look.size)-s.area
	dst[2] = 10 * length(c.centre[0]-look.centre[0], c.centre[1]-look.centre[1]) / s.across
	dst[3] = 2 * merged
	dst = dst[4:]
	for l := range c.coarse {
		level, coarse := &s.levels[l], &c.coarse[l]
		other := level.of[region]
		if !coarse.known[other] {
			coarse.known[other] = true
			coarse.measures[other] = level.compare(level.of[c.region], other)
		}
		copy(dst, coarse.measures[other][:])
		dst = dst[3:]
	}
}

// compare compares two regions of the level.
func (l *ancestors) compare(a, b int32) [3]float32 {
	if a == b {
		return [3]float32{}
	}
	p, q := &l.regions[a], &l.regions[b]
	return [3]float32{p.deltaE(q), mean(p.histograms(q)), hellinger(p.gradients[:], q.gradients[:])}
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

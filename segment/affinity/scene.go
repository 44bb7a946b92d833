package affinity

import (
	"fmt"
	"image"
	"math"
	"slices"

	"collie/superpixels"
)

// ancestorShares are the levels at which the ancestors of two regions are
// compared, as shares of the number of regions.
var ancestorShares = [ancestorLevels]float64{0.4, 0.17, 0.07, 0.025}

const ancestorLevels = 4

// Scene has the data from which the features of one graph are computed. It is
// immutable once made and safe for concurrent use.
type Scene struct {
	graph   *superpixels.Graph
	regions []appearance
	levels  [ancestorLevels]ancestors
	parents []int32   // of each node of the hierarchy; the root is its own
	merged  []float32 // ln(n/regions left) when each node was made; 0 for the regions
	borders borders
	area    float32 // ln of the mean area
	across  float32 // diagonal of the image, pixels

	handMade []float32                // logarithm of the handmade conductance per length of each edge
	colours  [][3]float32             // distances of the colour histograms of each edge
	sorted   [rankedMeasures][]uint32 // measures of all edges, to rank one among them; see ordered
	medians  [2]float32               // of the first two
}

// rankedMeasures are contour, colour, handmade conductance and histograms.
const rankedMeasures = 4

// ancestors is a coarser level.
type ancestors struct {
	of      []int32 // of each region
	regions []appearance
	// The borders of region i to higher ones are first[i] up to first[i+1].
	first   []int32
	to      []int32
	borders [][3]float32 // distance of colours, of their histograms, and strangeness
}

// NewScene prepares the features of a graph, which must have Merges; otherwise
// it panics. It takes a few ms for 600 regions.
func NewScene(g *superpixels.Graph) *Scene {
	n := len(g.Regions)
	if len(g.Merges) != n-1 {
		panic(fmt.Sprintf("affinity: %d merges for %d regions", len(g.Merges), n))
	}
	s := &Scene{graph: g, regions: appearances(g.Regions), borders: bordersOf(g)}
	var all image.Rectangle
	total := 0
	for i := range g.Regions {
		all = all.Union(g.Regions[i].Bounds.Rect())
		total += int(g.Regions[i].Area)
	}
	s.area = superpixels.Ln(float32(total) / float32(n))
	s.across = float32(math.Sqrt(float64(all.Dx()*all.Dx() + all.Dy()*all.Dy())))
	s.climb()
	s.coarsen()
	s.measure()
	return s
}

// borders are the edges of each region, in their order: those of region r are
// edges[first[r]] up to edges[first[r+1]].
type borders struct{ first, edges []int32 }

func (b *borders) of(region int32) []int32 { return b.edges[b.first[region]:b.first[region+1]] }

func bordersOf(g *superpixels.Graph) borders {
	b := borders{make([]int32, len(g.Regions)+1), make([]int32, 2*len(g.Edges))}
	for i := range g.Edges {
		b.first[g.Edges[i].A+1]++
		b.first[g.Edges[i].B+1]++
	}
	for r := range g.Regions {
		b.first[r+1] += b.first[r]
	}
	next := slices.Clone(b.first)
	for i := range g.Edges {
		for _, r := range [2]int32{g.Edges[i].A, g.Edges[i].B} {
			b.edges[next[r]] = int32(i)
			next[r]++
		}
	}
	return b
}

// climb fills in the nodes of the hierarchy.
func (s *Scene) climb() {
	n := len(s.graph.Regions)
	s.parents, s.merged = make([]int32, 2*n-1), make([]float32, 2*n-1)
	for i, pair := range s.graph.Merges {
		s.parents[pair[0]], s.parents[pair[1]] = int32(n+i), int32(n+i)
		s.merged[n+i] = superpixels.Ln(float32(n) / float32(n-1-i))
	}
	s.parents[2*n-2] = int32(2*n - 2)
}

// withoutEdges returns a scene without what only Edge looks at.
func (s *Scene) withoutEdges() *Scene {
	out := *s
	out.colours = nil
	return &out
}

// coarsen fills in the levels, each made from the previous one.
func (s *Scene) coarsen() {
	n := len(s.graph.Regions)
	g := s.graph
	of := make([]int32, n) // region of g
	for i := range of {
		of[i] = int32(i)
	}
	for l, share := range ancestorShares {
		left := max(int(share*float64(n)), 1)
		parent := level(g, left)
		g = g.Coarsen(parent, left)
		next := make([]int32, n)
		for i, a := range of {
			next[i] = parent[a]
		}
		of = next
		level := &s.levels[l]
		*level = ancestors{
			of: of, regions: owned(appearances(g.Regions)),
			first: make([]int32, len(g.Regions)+1), to: make([]int32, len(g.Edges)), borders: make([][3]float32, len(g.Edges)),
		}
		for i := range g.Edges {
			e := &g.Edges[i]
			p, q := &level.regions[e.A], &level.regions[e.B]
			level.first[e.A+1] = int32(i + 1)
			level.to[i], level.borders[i] = e.B, [3]float32{p.deltaE(q), mean(p.histograms(q)), strangeness(e)}
		}
		for i := range g.Regions {
			level.first[i+1] = max(level.first[i+1], level.first[i])
		}
	}
}

// level returns, for each region of g, which of the remaining regions it is
// part of after the first merges, numbered in the order of their lowest
// regions.
func level(g *superpixels.Graph, left int) []int32 {
	n := len(g.Regions)
	root := make([]int32, 2*n-left)
	for i := range root {
		root[i] = int32(i)
	}
	for i := n - left - 1; i >= 0; i-- {
		for _, child := range g.Merges[i] {
			root[child] = root[n+i]
		}
	}
	id := make([]int32, len(root))
	next := int32(0)
	for i := range n {
		if r := root[i]; id[r] == 0 {
			next++
			id[r] = next
		}
		root[i] = id[root[i]] - 1
	}
	return root[:n]
}

// strangeness is a contour relative to the texture around it.
func strangeness(e *superpixels.Edge) float32 { return e.Contour / (e.Texture + 1) }

// handMade is the logarithm of an edge's handmade conductance per length.
func handMade(e *superpixels.Edge) float32 {
	return float32(2.9*superpixels.Ln(e.Texture+0.5)) - float32(3*superpixels.Ln(e.Contour+0.5)) - float32(1.8*superpixels.Ln(e.DeltaE+0.5)) - float32(2*e.TextureDistance)
}

// measures are what an edge is ranked by.
func measures(e *superpixels.Edge, handMade, colours float32) [rankedMeasures]float32 {
	return [...]float32{e.Contour, e.DeltaE, -handMade, colours}
}

// measure fills in what edges are compared by.
func (s *Scene) measure() {
	edges := s.graph.Edges
	s.handMade, s.colours = make([]float32, len(edges)), make([][3]float32, len(edges))
	for c := range s.sorted {
		s.sorted[c] = make([]uint32, len(edges))
	}
	for i := range edges {
		e := &edges[i]
		s.handMade[i] = handMade(e)
		s.colours[i] = s.regions[e.A].histograms(&s.regions[e.B])
		for c, v := range measures(e, s.handMade[i], mean(s.colours[i])) {
			s.sorted[c][i] = ordered(v)
		}
	}
	for c, values := range s.sorted {
		slices.Sort(values)
		if c < len(s.medians) && len(values) > 0 {
			s.medians[c] = unordered(values[len(values)/2])
		}
	}
}

// rank returns the share of the edges that have less of a measure. A single region
// has no edges, but its parts do.
func (s *Scene) rank(measure int, v float32) float32 {
	values := s.sorted[measure]
	if len(values) == 0 {
		return 0
	}
	at, _ := slices.BinarySearch(values, ordered(v))
	return float32(at) / float32(len(values))
}

// ordered turns numbers into integers of the same order, which are compared
// faster because none is NaN; unordered turns them back.
func ordered(v float32) uint32 {
	bits := math.Float32bits(v + 0) // -0 is 0
	if bits>>31 == 1 {
		return ^bits
	}
	return bits | 1<<31
}

func unordered(o uint32) float32 {
	if o>>31 == 1 {
		return math.Float32frombits(o &^ (1 << 31))
	}
	return math.Float32frombits(^o)
}

// meeting returns the lowest common ancestor of two nodes of the hierarchy.
func (s *Scene) meeting(a, b int32) int32 {
	for a != b {
		if a < b {
			a = s.parents[a]
		} else {
			b = s.parents[b]
		}
	}
	return a
}

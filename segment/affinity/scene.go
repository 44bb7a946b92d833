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
	edges   []edgeMeasures
	levels  [ancestorLevels]ancestors
	parents []int32   // of each node of the hierarchy; the root is its own
	merged  []float32 // ln(n/regions left) when each node was made; 0 for the regions
	borders [][]int32 // edges of each region
	area    float32   // ln of the mean area
	across  float32   // diagonal of the image, pixels
	medians [2]float32
}

// ancestors is a coarser level.
type ancestors struct {
	of      []int32 // of each region
	regions []appearance
	strange []float32 // of each edge of the scene: strangeness of the border between the ancestors, 0 within one
}

// edgeMeasures are values shared by several features of an edge and its
// neighbours.
type edgeMeasures struct {
	handMade float32 // logarithm of the handmade conductance per length
	colours  float32 // distance of the colour histograms
	ranks    [4]float32
}

// NewScene prepares the features of a graph, which must have Merges; otherwise
// it panics. It takes a few ms for 600 regions.
func NewScene(g *superpixels.Graph) *Scene {
	n := len(g.Regions)
	if len(g.Merges) != n-1 {
		panic(fmt.Sprintf("affinity: %d merges for %d regions", len(g.Merges), n))
	}
	s := &Scene{graph: g, regions: appearances(g.Regions), borders: make([][]int32, n)}
	var all image.Rectangle
	total := 0
	for i := range g.Regions {
		all = all.Union(g.Regions[i].Bounds)
		total += g.Regions[i].Area
	}
	s.area = superpixels.Ln(float32(total) / float32(n))
	s.across = float32(math.Sqrt(float64(all.Dx()*all.Dx() + all.Dy()*all.Dy())))
	for i := range g.Edges {
		e := &g.Edges[i]
		s.borders[e.A] = append(s.borders[e.A], int32(i))
		s.borders[e.B] = append(s.borders[e.B], int32(i))
	}
	s.climb()
	s.coarsen()
	s.measure()
	return s
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

// forPairs returns a scene without what only Edge looks at.
func (s *Scene) forPairs() *Scene {
	out := *s
	out.edges = nil
	for l := range out.levels {
		out.levels[l].strange = nil
	}
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
		s.levels[l] = ancestors{of: of, regions: owned(appearances(g.Regions)), strange: make([]float32, len(s.graph.Edges))}
		for i, e := range s.graph.Edges {
			if a, b := of[e.A], of[e.B]; a != b {
				s.levels[l].strange[i] = strangeness(edgeBetween(g, min(a, b), max(a, b)))
			}
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

// edgeBetween returns the edge between two neighbours a < b.
func edgeBetween(g *superpixels.Graph, a, b int32) *superpixels.Edge {
	at, _ := slices.BinarySearchFunc(g.Edges, [2]int32{a, b}, func(e superpixels.Edge, pair [2]int32) int {
		if e.A != pair[0] {
			return int(e.A - pair[0])
		}
		return int(e.B - pair[1])
	})
	return &g.Edges[at]
}

// strangeness is a contour relative to the texture around it.
func strangeness(e *superpixels.Edge) float32 { return e.Contour / (e.Texture + 1) }

// measure fills in the edges and their ranks.
func (s *Scene) measure() {
	g := s.graph
	s.edges = make([]edgeMeasures, len(g.Edges))
	columns := [len(edgeMeasures{}.ranks)][]float32{}
	for c := range columns {
		columns[c] = make([]float32, len(g.Edges))
	}
	for i := range g.Edges {
		e, m := &g.Edges[i], &s.edges[i]
		m.handMade = float32(2.9*superpixels.Ln(e.Texture+0.5)) - float32(3*superpixels.Ln(e.Contour+0.5)) - float32(1.8*superpixels.Ln(e.DeltaE+0.5)) - float32(2*e.TextureDistance)
		m.colours = s.regions[e.A].histograms(&s.regions[e.B])
		columns[0][i], columns[1][i], columns[2][i], columns[3][i] = e.Contour, e.DeltaE, -m.handMade, m.colours
	}
	for c, values := range columns {
		sorted := make([]uint32, len(values))
		for i, v := range values {
			sorted[i] = ordered(v)
		}
		slices.Sort(sorted)
		for i, v := range values {
			at, _ := slices.BinarySearch(sorted, ordered(v))
			s.edges[i].ranks[c] = float32(at) / float32(len(sorted))
		}
		if c < len(s.medians) && len(sorted) > 0 {
			s.medians[c] = unordered(sorted[len(sorted)/2])
		}
	}
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

package superpixels

import (
	"cmp"
	"fmt"
	"image"
	"slices"

	"collie/disjoint"
)

// Coarsen returns the map whose region parent[i] holds region i of r, with ids
// 0..n-1 in the raster order of first pixels, as Hierarchy.Cut makes them.
// O(runs); the result shares no memory with r.
func (r *Runs) Coarsen(parent []int32, n int) *Runs {
	if len(parent) != r.N {
		panic(fmt.Sprintf("superpixels: %d parents for %d regions", len(parent), r.N))
	}
	spans := make([]span, 0, len(r.spans)/2) // of a quarter of the regions
	for _, s := range r.spans {
		spans = extend(spans, span{s.end, parent[s.region]})
	}
	return newRuns(r.Width, r.Height, n, spans)
}

// Coarsen returns the graph of n regions; region parent[i] contains region i of
// g. Areas, bounds and border lengths are exact. Means, covariances, textures
// and histograms are averages of the parts weighted by area, contours by
// length. They equal what Describe measures on the coarse map up to rounding
// (and, above 0.6 megapixels, sampling). MedianContour is the parts' median
// weighted by length, an approximation. Differences between regions are
// recomputed. Regions merge when the first of their parts do. O(regions +
// edges·log edges); g is not changed.
func (g *Graph) Coarsen(parent []int32, n int) *Graph {
	if len(parent) != len(g.Regions) {
		panic(fmt.Sprintf("superpixels: %d parents for %d regions", len(parent), len(g.Regions)))
	}
	out := &Graph{Regions: joinRegions(g.Regions, parent, n)}
	out.Edges = out.joinEdges(g.Edges, parent)
	if g.Merges != nil {
		out.Merges = joinMerges(g.Merges, parent, n)
	}
	return out
}

// joinMerges returns the order in which n regions merge, which is that of their
// parts; region parent[i] contains part i.
func joinMerges(merges [][2]int32, parent []int32, n int) [][2]int32 {
	out := make([][2]int32, 0, n-1)
	roots := disjoint.New(2*n - 1)                                       // the node of the result that a node has become part of represents it
	some := append(make([]int32, 0, len(parent)+len(merges)), parent...) // a region of each node of the parts
	for _, pair := range merges {
		a, b := roots.Find(some[pair[0]]), roots.Find(some[pair[1]])
		some = append(some, some[pair[0]])
		if a != b {
			node := int32(n + len(out))
			roots.Join(a, node)
			roots.Join(b, node)
			out = append(out, [2]int32{a, b})
		}
	}
	return out
}

// regionSums are the sums over pixels that describe a union of regions.
type regionSums struct {
	bounds              image.Rectangle
	area, x, y, texture float64
	mean                [3]float64
	square              [6]float64 // of products of the colours
	histogram           [HistogramBins]float64
	colours             [3][ColourBins]int64 // in units of 1/255 pixel
	directions          [DirectionBins]int64
}

// colourPairs are the entries of a covariance.
var colourPairs = [6][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}

// joinRegions returns n regions; region parent[i] contains regions[i].
func joinRegions(regions []Region, parent []int32, n int) []Region {
	sums := make([]regionSums, n)
	for i := range regions {
		sums[parent[i]].add(&regions[i])
	}
	out := make([]Region, n)
	for i := range sums {
		out[i] = sums[i].region()
	}
	return out
}

func (s *regionSums) add(r *Region) {
	w := float64(r.Area)
	s.area += w
	s.x += float64(w * float64(r.Centroid[0]))
	s.y += float64(w * float64(r.Centroid[1]))
	s.texture += float64(w * float64(r.Texture))
	for c, v := range r.Mean {
		s.mean[c] += float64(w * float64(v))
	}
	for k, p := range colourPairs {
		product := float64(float64(r.Mean[p[0]]) * float64(r.Mean[p[1]]))
		s.square[k] += float64(w * (float64(r.Cov[k]) + product))
	}
	for k, v := range r.Histogram {
		s.histogram[k] += float64(w * float64(v))
	}
	for c := range r.Colours {
		for k, v := range r.Colours[c] {
			s.colours[c][k] += int64(r.Area) * int64(v)
		}
	}
	for k, v := range r.Directions {
		s.directions[k] += int64(r.Area) * int64(v)
	}
	s.bounds = s.bounds.Union(r.Bounds.Rect())
}

func (s *regionSums) region() (r Region) {
	r.Area, r.Bounds = int32(s.area), BoxOf(s.bounds)
	r.Centroid = [2]float32{float32(s.x / s.area), float32(s.y / s.area)}
	r.Texture = float32(s.texture / s.area)
	var mean [3]float64
	for c := range mean {
		mean[c] = s.mean[c] / s.area
		r.Mean[c] = float32(mean[c])
	}
	for k, p := range colourPairs {
		cov := s.square[k]/s.area - float64(mean[p[0]]*mean[p[1]])
		if p[0] == p[1] {
			cov = max(cov, 0) // rounding
		}
		r.Cov[k] = float32(cov)
	}
	for k, v := range s.histogram {
		r.Histogram[k] = float32(v / s.area)
	}
	area := int64(r.Area)
	for c := range r.Colours {
		for k, v := range s.colours[c] {
			r.Colours[c][k] = uint8((v + area/2) / area)
		}
	}
	for k, v := range s.directions {
		r.Directions[k] = uint8((v + area/2) / area)
	}
	return r
}

// joinEdges returns the edges between g's regions, joined from those between
// their parts.
func (g *Graph) joinEdges(parts []Edge, parent []int32) []Edge {
	order := borderOrder(parts, parent, len(g.Regions))
	count := 0
	for i := range order {
		if i == 0 || order[i].a != order[i-1].a || order[i].b != order[i-1].b {
			count++
		}
	}
	out := slices.Grow([]Edge(nil), count)
	for start := 0; start < len(order); {
		first := &order[start]
		e := Edge{A: first.a, B: first.b}
		end, length, contour := start, int32(0), 0.0
		for ; end < len(order) && order[end].a == e.A && order[end].b == e.B; end++ {
			part := &parts[order[end].part]
			length += part.Length
			contour += float64(float64(part.Length) * float64(part.Contour))
		}
		e.Length, e.Contour = length, float32(contour/float64(length))
		half := int32(0)
		for i := start; 2*half < length; i++ {
			part := &parts[order[i].part]
			half += part.Length
			e.MedianContour = part.MedianContour
		}
		g.compare(&e)
		out = append(out, e)
		start = end
	}
	return out
}

// borderPart is a part of the border between regions a < b.
type borderPart struct {
	a, b, part int32
	contour    float32 // median
}

// borderOrder lists the parts whose ends belong to two of n regions, by region,
// then median, then their place. O(parts + n + Σ k·log k over the k parts of a
// region's borders).
func borderOrder(parts []Edge, parent []int32, n int) []borderPart {
	first := make([]int32, n+1)
	between := make([]borderPart, 0, len(parts))
	for i, e := range parts {
		a, b := parent[e.A], parent[e.B]
		if a == b {
			continue
		}
		if a > b {
			a, b = b, a
		}
		first[a+1]++
		between = append(between, borderPart{a, b, int32(i), e.MedianContour})
	}
	for i := range n {
		first[i+1] += first[i]
	}
	order := make([]borderPart, len(between))
	next := slices.Clone(first)
	for _, p := range between {
		order[next[p.a]] = p
		next[p.a]++
	}
	for i := range n {
		slices.SortFunc(order[first[i]:first[i+1]], func(p, q borderPart) int {
			return cmp.Or(cmp.Compare(p.b, q.b), cmp.Compare(p.contour, q.contour), cmp.Compare(p.part, q.part))
		})
	}
	return order
}

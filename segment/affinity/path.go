package affinity

import (
	"math"
	"slices"
)

// way is the cheapest path to a region: the sum and the largest of the costs of
// its edges, and how many there are.
type way struct {
	sum, largest float64
	hops         int32
}

// far is the cost for regions that can't be reached.
const far = 100

// write writes the features of the way.
func (w *way) write(dst []float32) {
	dst[0], dst[1], dst[2] = float32(w.sum), float32(w.largest), float32(w.hops)
}

// cheapest returns the cheapest ways from region i over edges of the given
// costs, ≥ 0 (Dijkstra 1959), and the last edge of each, -1 without one. Of equally near
// regions the lower one comes first.
func (s *Scene) cheapest(i int, costs []float64) (ways []way, last []int32) {
	ways, last = make([]way, len(s.regions)), make([]int32, len(s.regions))
	done := make([]bool, len(s.regions))
	for j := range ways {
		ways[j], last[j] = way{sum: math.Inf(1)}, -1
	}
	ways[i] = way{}
	queue := front{{0, int32(i)}}
	for len(queue) > 0 {
		at := queue.pop()
		if done[at.region] {
			continue
		}
		done[at.region] = true
		from := ways[at.region]
		for _, k := range s.borders.of(at.region) {
			e := &s.graph.Edges[k]
			to := e.A + e.B - at.region
			if sum := from.sum + costs[k]; sum < ways[to].sum {
				ways[to], last[to] = from.on(costs[k]), k
				queue.push(reach{sum, to})
			}
		}
	}
	for j := range ways {
		if !done[j] {
			ways[j] = way{far, far, far}
		}
	}
	return ways, last
}

// on is the way that goes on over an edge.
func (w way) on(cost float64) way { return way{w.sum + cost, max(w.largest, cost), w.hops + 1} }

// routes are the ways from one region, made of their last edges as they are asked for.
type routes struct {
	last  []int32
	known []bool // by region
	ways  []way
	stack []int32 // scratch
}

// start makes the routes those from a region.
func (r *routes) start(from int32, last []int32) {
	if r.known == nil {
		r.known, r.ways = make([]bool, len(last)), make([]way, len(last))
	}
	clear(r.known)
	r.last = last
	r.known[from], r.ways[from] = true, way{}
}

// to returns the way to a region, as Scene.cheapest did.
func (r *routes) to(s *Scene, region int32, costs []float64) *way {
	r.stack = r.stack[:0]
	at := region
	for !r.known[at] && r.last[at] >= 0 {
		r.stack = append(r.stack, at)
		e := &s.graph.Edges[r.last[at]]
		at = e.A + e.B - at
	}
	if !r.known[at] {
		r.known[at], r.ways[at] = true, way{far, far, far}
	}
	for _, next := range slices.Backward(r.stack) {
		r.known[next], r.ways[next] = true, r.ways[at].on(costs[r.last[next]])
		at = next
	}
	return &r.ways[region]
}

// reach is a region reached by a path of the given cost.
type reach struct {
	sum    float64
	region int32
}

func (r reach) before(o reach) bool { return r.sum < o.sum || r.sum == o.sum && r.region < o.region }

// front is a binary heap of reached regions, nearest first.
type front []reach

func (f *front) push(r reach) {
	h := append(*f, r)
	i := len(h) - 1
	for i > 0 && r.before(h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = r
	*f = h
}

func (f *front) pop() reach {
	h := *f
	first, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(last) {
			break
		}
		h[i] = h[child]
		i = child
	}
	if len(h) > 0 {
		h[i] = last
	}
	*f = h
	return first
}

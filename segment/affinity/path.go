package affinity

import "math"

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
// costs, ≥ 0 (Dijkstra 1959). Of equally near regions the lower one comes first.
func (s *Scene) cheapest(i int, costs []float64) []way {
	ways := make([]way, len(s.regions))
	done := make([]bool, len(s.regions))
	for j := range ways {
		ways[j] = way{sum: math.Inf(1)}
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
				ways[to] = way{sum, max(from.largest, costs[k]), from.hops + 1}
				queue.push(reach{sum, to})
			}
		}
	}
	for j := range ways {
		if !done[j] {
			ways[j] = way{far, far, far}
		}
	}
	return ways
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

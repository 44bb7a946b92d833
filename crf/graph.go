package crf

import (
	"cmp"
	"math"
	"slices"
)

// graph is a model without its clamped nodes: their edges are folded into the
// unaries of their free neighbours, parallel edges are merged. The structure
// is made once; load refreshes the numbers.
type graph struct {
	labels int
	free   []int32 // free node -> node of the model, ascending
	of     []int32 // node of the model -> free node, or -1
	merged []int32 // edge of the model -> merged edge, or -1 when an end is clamped

	ends [][2]int32 // merged edge -> free nodes, lower first; in lexicographic order
	w    []float64  // merged edge -> weight
	// first[i] to first[i+1] are the merged edges of free node i to higher nodes.
	first []int32

	// CSR adjacency: arcs[start[i]:start[i+1]] are the edges of free node i,
	// those to lower nodes before those to higher ones (from middle[i] on).
	start, middle []int32
	arcs          []arc

	theta    []float64 // free×labels, folded unaries
	constant float64   // energy of the clamped nodes
	negative bool      // some merged edge is negative

	model *Model
	hops  []uint16 // see near; nil until the first tie
}

type arc struct{ to, edge int32 }

func newGraph(m *Model) *graph {
	g := &graph{model: m, labels: m.Labels, of: make([]int32, m.Nodes), merged: make([]int32, len(m.Edges))}
	for i := range m.Nodes {
		g.of[i] = -1
		if m.Fixed == nil || m.Fixed[i] < 0 {
			g.of[i] = int32(len(g.free))
			g.free = append(g.free, int32(i))
		}
	}
	g.mergeEdges(m)
	g.w = make([]float64, len(g.ends))
	g.theta = make([]float64, len(g.free)*m.Labels)
	g.adjacency()
	return g
}

// twin is a graph of the same structure whose numbers load has to fill in.
func (g *graph) twin() *graph {
	t := *g
	t.w, t.theta = make([]float64, len(g.w)), make([]float64, len(g.theta))
	return &t
}

// mergeEdges numbers the pairs of free neighbours in lexicographic order.
func (g *graph) mergeEdges(m *Model) {
	pairs := make([]uint64, len(m.Edges)) // the lower node in the upper half
	order := make([]int32, 0, len(m.Edges))
	for i, e := range m.Edges {
		g.merged[i] = -1
		if a, b := g.of[e.A], g.of[e.B]; a >= 0 && b >= 0 {
			pairs[i] = uint64(min(a, b))<<32 | uint64(max(a, b))
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(e, f int32) int { return cmp.Compare(pairs[e], pairs[f]) })
	g.ends = make([][2]int32, 0, len(order))
	last := uint64(0) // no pair: its nodes differ
	for _, e := range order {
		if p := pairs[e]; p != last {
			last = p
			g.ends = append(g.ends, [2]int32{int32(p >> 32), int32(p & math.MaxUint32)})
		}
		g.merged[e] = int32(len(g.ends) - 1)
	}
}

func (g *graph) adjacency() {
	n := len(g.free)
	g.start = make([]int32, n+1)
	g.middle = make([]int32, n)
	g.first = make([]int32, n+1)
	for _, p := range g.ends {
		g.first[p[0]+1]++
		g.start[p[0]+1]++
		g.start[p[1]+1]++
		g.middle[p[1]]++
	}
	for i := range n {
		g.first[i+1] += g.first[i]
		g.start[i+1] += g.start[i]
		g.middle[i] += g.start[i]
	}
	g.arcs = make([]arc, 2*len(g.ends))
	lower := slices.Clone(g.start[:n])
	upper := slices.Clone(g.middle)
	for e, p := range g.ends {
		g.arcs[upper[p[0]]] = arc{p[1], int32(e)}
		upper[p[0]]++
		g.arcs[lower[p[1]]] = arc{p[0], int32(e)}
		lower[p[1]]++
	}
}

// near returns the hops from free node i to the nearest click of each label. Most
// models have no ties, so the first call makes the table.
func (g *graph) near(i int) []uint16 {
	if g.hops == nil {
		g.nearest()
	}
	return g.hops[i*g.labels : (i+1)*g.labels]
}

// nearest fills hops by one breadth-first search from the clicks of all labels.
func (g *graph) nearest() {
	m, k := g.model, g.labels
	g.hops = make([]uint16, len(g.theta))
	for i := range g.hops {
		g.hops[i] = math.MaxUint16
	}
	if m.Fixed == nil {
		return
	}
	type visit struct{ node, label int32 }
	queue := make([]visit, 0, len(g.hops))
	reach := func(v visit, hops uint16) {
		if near := &g.hops[int(v.node)*k+int(v.label)]; *near == math.MaxUint16 {
			*near = hops
			queue = append(queue, v)
		}
	}
	for _, e := range m.Edges {
		switch a, b := g.of[e.A], g.of[e.B]; {
		case a >= 0 && b < 0:
			reach(visit{a, int32(m.Fixed[e.B])}, 1)
		case b >= 0 && a < 0:
			reach(visit{b, int32(m.Fixed[e.A])}, 1)
		}
	}
	for q := 0; q < len(queue); q++ {
		v := queue[q]
		hops := g.hops[int(v.node)*k+int(v.label)]
		for _, a := range g.arcs[g.start[v.node]:g.start[v.node+1]] {
			reach(visit{a.to, v.label}, min(hops, math.MaxUint16-2)+1)
		}
	}
}

// load takes the current unaries and weights of m.
func (g *graph) load(m *Model) {
	k := g.labels
	g.constant = 0
	for i := range m.Nodes {
		row := m.Unary[i*k : (i+1)*k]
		if f := g.of[i]; f >= 0 {
			copy(g.theta[int(f)*k:], row)
		} else {
			g.constant += row[m.Fixed[i]]
		}
	}
	clear(g.w)
	for e, edge := range m.Edges {
		if me := g.merged[e]; me >= 0 {
			g.w[me] += edge.W
			continue
		}
		a, b := g.of[edge.A], g.of[edge.B]
		switch {
		case a >= 0:
			g.theta[int(a)*k+int(m.Fixed[edge.B])] += edge.W
		case b >= 0:
			g.theta[int(b)*k+int(m.Fixed[edge.A])] += edge.W
		case m.Fixed[edge.A] == m.Fixed[edge.B]:
			g.constant += edge.W
		}
	}
	g.negative = false
	for _, w := range g.w {
		if w < 0 {
			g.negative = true
			break
		}
	}
}

// energy of the labels of the free nodes, without the constant.
func (g *graph) energy(x []uint8) float64 {
	sum := 0.0
	k := g.labels
	for i, l := range x {
		sum += g.theta[i*k+int(l)]
	}
	for e, p := range g.ends {
		if x[p[0]] == x[p[1]] {
			sum += g.w[e]
		}
	}
	return sum
}

// best is the label of the highest score of free node i; ties go to the label
// clicked nearest, then to the lowest.
func (g *graph) best(i int, score []float64) uint8 {
	// min costs less than max, and two chains of comparisons less than one.
	low, other, l := -score[0], -score[len(score)-1], 1
	for ; l+1 < len(score); l += 2 {
		low = min(low, -score[l])
		other = min(other, -score[l+1])
	}
	top := -min(low, other)
	at := 0
	for score[at] < top {
		at++
	}
	for l := at + 1; l < len(score); l++ {
		if score[l] == top {
			if near := g.near(i); near[l] < near[at] {
				at = l
			}
		}
	}
	return uint8(at)
}

// local scores free node i's labels given its neighbours' labels.
func (g *graph) local(i int, x []uint8, score []float64) {
	copy(score, g.theta[i*g.labels:(i+1)*g.labels])
	for _, a := range g.arcs[g.start[i]:g.start[i+1]] {
		score[x[a.to]] += g.w[a.edge]
	}
}

// icm changes one label at a time while that raises the energy (iterated
// conditional modes, Besag 1986), at most 100 sweeps.
func (g *graph) icm(x []uint8, score []float64) {
	for range 100 {
		changed := false
		for i := range x {
			g.local(i, x, score)
			if l := g.best(i, score); score[l] > score[x[i]] {
				x[i] = l
				changed = true
			}
		}
		if !changed {
			return
		}
	}
}

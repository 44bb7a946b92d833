package herding

import (
	"fmt"
	"math"

	"collie/crf"
)

// Harmonic computes the probabilities that a random walker which starts at a
// node reaches a click of each label first (Grady 2006,
// doi:10.1109/TPAMI.2006.233): the Dirichlet problem of the graph's Laplacian
// with the clicked nodes fixed. They are the moments that know where the
// evidence reaches.
//
// The sparse Laplacian is factored anew for each Solve as L·D·Lᵀ (Davis 2005,
// doi:10.1145/1114268.1114277) over an ordering and a pattern made once, and
// then solved for all labels in one traversal, so the result depends on the
// present clicks alone and not on the way they came about. Laplacians are
// M-matrices, for which this is accurate whatever the spread of the
// conductances. On a planar graph a factorisation takes O(n^1.5) and a solve
// O(n·log n) per label. Not for concurrent use.
type Harmonic struct {
	n     int
	edges []crf.Edge
	order []int32 // step -> node
	place []int32 // node -> step

	// Strictly upper triangle of the ordered matrix by columns: rows[start[j]:start[j+1]].
	start, rows []int32
	edgeOf      []int32 // entry -> edge

	ldl    factor
	x      []float64 // right-hand sides, step-major n×labels
	diag   []float64 // per node
	values []float64 // scratch: a column
	state  []uint8   // per node: reached by evidence, clicked
}

// Prior draws the walker of each node towards labels of its own (Grady 2005,
// 'Multilabel Random Walker Image Segmentation Using Prior Models'): node i
// has an extra conductance Weight[i]·Share[i*k+l] to a virtual click of label l.
type Prior struct {
	Weight []float64 // n, ≥ 0
	Share  []float64 // n×k row-major, ≥ 0, rows sum to 1 (or 0: no prior there)
}

// NewHarmonic prepares for a graph whose edge weights are conductances, finite
// and ≥ 0. Edges with both ends clicked or with weight 0 do nothing.
func NewHarmonic(nodes int, edges []crf.Edge) (*Harmonic, error) {
	m := crf.Model{Nodes: nodes, Labels: 1, Edges: edges}
	if nodes > 0 {
		m.Unary = make([]float64, nodes)
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	for i, e := range edges {
		if e.W < 0 {
			return nil, fmt.Errorf("%w: conductance of edge %d is %v, accepted are numbers from 0", ErrRange, i, e.W)
		}
	}
	h := &Harmonic{n: nodes, edges: edges, state: make([]uint8, nodes), place: make([]int32, nodes)}
	h.order = minimumDegree(neighbours(nodes, edges))
	for step, i := range h.order {
		h.place[i] = int32(step)
	}
	h.columns()
	h.ldl = newFactor(h.n, h.start, h.rows)
	h.values = make([]float64, len(edges))
	return h, nil
}

// neighbours lists each node's distinct neighbours.
func neighbours(n int, edges []crf.Edge) [][]int32 {
	seen := make(map[[2]int32]bool, len(edges))
	adjacent := make([][]int32, n)
	for _, e := range edges {
		p := [2]int32{min(e.A, e.B), max(e.A, e.B)}
		if !seen[p] {
			seen[p] = true
			adjacent[e.A] = append(adjacent[e.A], e.B)
			adjacent[e.B] = append(adjacent[e.B], e.A)
		}
	}
	return adjacent
}

// columns sorts the edges into the columns of their later end. Parallel edges
// stay separate entries and add up in the factorisation.
func (h *Harmonic) columns() {
	h.start = make([]int32, h.n+1)
	for _, e := range h.edges {
		h.start[max(h.place[e.A], h.place[e.B])+1]++
	}
	for j := range h.n {
		h.start[j+1] += h.start[j]
	}
	next := append([]int32(nil), h.start[:h.n]...)
	h.rows = make([]int32, len(h.edges))
	h.edgeOf = make([]int32, len(h.edges))
	for i, e := range h.edges {
		a, b := h.place[e.A], h.place[e.B]
		at := next[max(a, b)]
		next[max(a, b)]++
		h.rows[at] = min(a, b)
		h.edgeOf[at] = int32(i)
	}
}

const (
	reached = 1 << iota
	clicked
)

// Solve returns p, nodes×labels row-major: p[i*labels+l] is the probability of
// label l at node i, rows sum to 1. fixed holds the clicked label of each node
// or -1; prior may be nil. Nodes that no evidence reaches get the uniform
// distribution. The result is written to dst, which is grown when too small.
func (h *Harmonic) Solve(dst []float64, labels int, fixed []int16, prior *Prior) ([]float64, error) {
	if err := h.check(labels, fixed, prior); err != nil {
		return nil, err
	}
	k := labels
	if cap(dst) < h.n*k {
		dst = make([]float64, h.n*k)
	}
	dst = dst[:h.n*k]
	h.reach(fixed, prior)
	h.system(k, fixed, prior)
	h.ldl.solve(h.x, k)
	for i := range h.n {
		p := dst[i*k : (i+1)*k]
		row := h.x[int(h.place[i])*k:][:k]
		switch {
		case h.state[i]&clicked != 0:
			clear(p)
			p[fixed[i]] = 1
		case h.state[i]&reached != 0:
			normalise(p, row)
		default:
			for l := range p {
				p[l] = 1 / float64(k)
			}
		}
	}
	return dst, nil
}

func (h *Harmonic) check(k int, fixed []int16, prior *Prior) error {
	if k < 1 || k > crf.MaxLabels {
		return fmt.Errorf("%w: %d labels, accepted are 1 to %d", ErrRange, k, crf.MaxLabels)
	}
	if len(fixed) != h.n {
		return fmt.Errorf("%w: %d clicks for %d nodes", ErrShape, len(fixed), h.n)
	}
	for i, f := range fixed {
		if f < -1 || int(f) >= k {
			return fmt.Errorf("%w: node %d is clicked as label %d of %d", ErrRange, i, f, k)
		}
	}
	if prior == nil {
		return nil
	}
	if len(prior.Weight) != h.n || len(prior.Share) != h.n*k {
		return fmt.Errorf("%w: prior of %d weights and %d shares for %d nodes × %d labels",
			ErrShape, len(prior.Weight), len(prior.Share), h.n, k)
	}
	for _, v := range [][]float64{prior.Weight, prior.Share} {
		for i, w := range v {
			if !(w >= 0 && w < math.Inf(1)) {
				return fmt.Errorf("%w: prior value %d is %v, accepted are finite numbers from 0", ErrRange, i, w)
			}
		}
	}
	return nil
}

// reach marks the nodes connected to a click or a prior.
func (h *Harmonic) reach(fixed []int16, prior *Prior) {
	// Union along the edges until nothing changes: edges are few and the
	// graph shallow in reading order, so sweeps are cheaper than lists.
	k := 0
	if prior != nil {
		k = len(prior.Share) / h.n
	}
	for i := range h.state {
		h.state[i] = 0
		if fixed[i] >= 0 {
			h.state[i] = reached | clicked
		} else if prior != nil && prior.Weight[i] > 0 && total(prior.Share[i*k:(i+1)*k]) > 0 {
			h.state[i] = reached
		}
	}
	for changed := true; changed; {
		changed = false
		spread := func(e crf.Edge) {
			if e.W > 0 && (h.state[e.A]^h.state[e.B])&reached != 0 {
				h.state[e.A] |= reached
				h.state[e.B] |= reached
				changed = true
			}
		}
		for _, e := range h.edges {
			spread(e)
		}
		for i := len(h.edges) - 1; i >= 0; i-- {
			spread(h.edges[i])
		}
	}
}

func total(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum
}

// normalise writes row / Σ row to p. Rounding may leave tiny negative values.
func normalise(p, row []float64) {
	sum := 0.0
	for l, v := range row {
		p[l] = max(v, 0)
		sum += p[l]
	}
	for l := range p {
		p[l] /= sum
	}
}

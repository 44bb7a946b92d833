// Package crf holds pairwise conditional random fields with signed Potts edges
// and finds labellings of high energy (maximum a posteriori inference).
//
// The energy is always maximised, as in Ozkan, Roig, Goksel and Boix, 'Herding
// Generalizes Diverse M-Best Solutions':
//
//	E(x) = Σ_i θ_i(x_i) + Σ_ij w_ij·1(x_i = x_j)
//
// A positive weight attracts, a negative one repels; Herding makes some of them
// negative, so graph cuts alone do not suffice. The package knows nothing of
// images. Everything here is deterministic: the same model gives the same bits
// for any number of threads and on every machine, because no sum is reordered
// and every product is rounded before it is added (no fused multiply-add).
//
// What limits the speed: two labels without negative weights are one minimum
// cut, 0.1 to 0.3 ms for 600 superpixels. Otherwise it is message passing,
// bound by memory and arithmetic at about 1 ns per message entry (0.08 ms a sweep
// for 600 nodes, 1,700 edges and 5 labels, 0.3 ms for 21), and the number of
// sweeps: a few where unaries are informative, dozens where few clicks have to
// reach far. An entry takes about three additions or comparisons, so 1 ns is
// near what scalar code can do; four-wide vector instructions, which Go's
// compiler does not make, would set the next limit, at most four times lower
// (an estimate, not a measurement). Tree moves and kicks, 0.05 to 0.2 ms each, dominate with negative
// weights, and in thorough searches fusion moves over all nodes, 0.5 to 2 ms each.
package crf

import (
	"errors"
	"fmt"
	"math"
)

// MaxLabels is the largest number of labels of a model: labels are bytes, and
// 255 is left for 'void'.
const MaxLabels = 255

// Errors that Validate wraps; test with errors.Is.
var (
	ErrShape     = errors.New("crf: wrong length")
	ErrNotFinite = errors.New("crf: not a finite number")
	ErrRange     = errors.New("crf: out of range")
	ErrSelfLoop  = errors.New("crf: edge from a node to itself")
)

// Edge is a signed Potts term W·1(x_A = x_B) between two nodes.
type Edge struct {
	A, B int32
	W    float64
}

// Model is a pairwise model over Nodes variables with Labels values each.
// Several edges between the same two nodes add up.
type Model struct {
	Nodes, Labels int
	Unary         []float64 // Nodes×Labels row-major, Unary[i*Labels+l]; a missing unary is a zero row
	Fixed         []int16   // the label a node is clamped to (a click), or -1; nil = none
	Edges         []Edge
}

// Validate returns the first error of the model, which wraps ErrShape,
// ErrNotFinite, ErrRange or ErrSelfLoop. It takes O(Nodes·Labels + edges).
func (m *Model) Validate() error {
	if m.Nodes < 1 || m.Nodes > math.MaxInt32 {
		return fmt.Errorf("%w: %d nodes, need at least 1", ErrRange, m.Nodes)
	}
	if m.Labels < 1 || m.Labels > MaxLabels {
		return fmt.Errorf("%w: %d labels, want 1 to %d", ErrRange, m.Labels, MaxLabels)
	}
	if len(m.Unary) != m.Nodes*m.Labels {
		return fmt.Errorf("%w: %d unaries for %d nodes × %d labels", ErrShape, len(m.Unary), m.Nodes, m.Labels)
	}
	for i, u := range m.Unary {
		if !finite(u) {
			return fmt.Errorf("%w: unary of node %d, label %d is %v", ErrNotFinite, i/m.Labels, i%m.Labels, u)
		}
	}
	if m.Fixed != nil && len(m.Fixed) != m.Nodes {
		return fmt.Errorf("%w: %d clamps for %d nodes", ErrShape, len(m.Fixed), m.Nodes)
	}
	for i, f := range m.Fixed {
		if f < -1 || int(f) >= m.Labels {
			return fmt.Errorf("%w: node %d is clamped to label %d of %d", ErrRange, i, f, m.Labels)
		}
	}
	for i, e := range m.Edges {
		switch {
		case e.A < 0 || e.B < 0 || int(e.A) >= m.Nodes || int(e.B) >= m.Nodes:
			return fmt.Errorf("%w: edge %d joins nodes %d and %d of %d", ErrRange, i, e.A, e.B, m.Nodes)
		case e.A == e.B:
			return fmt.Errorf("%w: edge %d at node %d", ErrSelfLoop, i, e.A)
		case !finite(e.W):
			return fmt.Errorf("%w: weight of edge %d is %v", ErrNotFinite, i, e.W)
		}
	}
	return nil
}

// Energy is E(x), summed in the order of the nodes and then of the edges.
// It panics when x has the wrong length or a label out of range.
func (m *Model) Energy(x []uint8) float64 {
	if len(x) != m.Nodes {
		panic(fmt.Sprintf("crf: Energy of %d labels for %d nodes", len(x), m.Nodes))
	}
	sum := 0.0
	for i, l := range x {
		sum += m.Unary[i*m.Labels : (i+1)*m.Labels][l]
	}
	for _, e := range m.Edges {
		if x[e.A] == x[e.B] {
			sum += e.W
		}
	}
	return sum
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

package crf

import (
	"math"
	"slices"
)

// Mask forbids labels at nodes of a model without changing its structure, so
// that one Solver serves any number of masks. A forbidden label loses so much
// that no labelling of highest energy has it if its node has another label
// left: 1 + (max θ_i - min θ_i) + Σ_j |w_ij|, where that is large a millionth more, as
// rounding would swallow the 1. That is small enough for a bound to prove an optimum;
// infinity or -1e9 is not.
type Mask struct {
	// Model is the masked model. It shares edges and clamps with the one it
	// was made of; its unaries belong to the mask.
	Model *Model

	theta     []float64 // the unaries without a mask
	loss      []float64 // penalty of a forbidden label, per node
	forbidden []bool    // nodes × labels
	left      []int     // labels that a node has left
	empty     int       // nodes without one
}

// newMask returns a mask of a valid model that forbids nothing. The model must
// not change while the mask is in use. O(nodes·labels + edges).
func newMask(m *Model) *Mask {
	masked := *m
	masked.Unary = slices.Clone(m.Unary)
	k := &Mask{
		Model: &masked, theta: slices.Clone(m.Unary), loss: make([]float64, m.Nodes),
		forbidden: make([]bool, len(m.Unary)), left: make([]int, m.Nodes),
	}
	for i := range k.loss {
		row := m.Unary[i*m.Labels : (i+1)*m.Labels]
		k.loss[i] = 1 + slices.Max(row) - slices.Min(row)
	}
	for _, e := range m.Edges {
		k.loss[e.A] += math.Abs(e.W)
		k.loss[e.B] += math.Abs(e.W)
	}
	for i, loss := range k.loss {
		if loss > 1e6 {
			k.loss[i] += float64(1e-6 * loss)
		}
	}
	k.Reset()
	return k
}

// Reset allows everything that the clamps allow.
func (k *Mask) Reset() {
	copy(k.Model.Unary, k.theta)
	clear(k.forbidden)
	k.empty = 0
	for i := range k.left {
		k.left[i] = k.Model.Labels
		if f := k.clamp(i); f >= 0 {
			k.left[i] = 1
			for l := range k.Model.Labels {
				k.forbidden[i*k.Model.Labels+l] = l != f
			}
		}
	}
}

func (k *Mask) clamp(i int) int {
	if k.Model.Fixed == nil {
		return -1
	}
	return int(k.Model.Fixed[i])
}

// Forbid forbids label l at node i.
func (k *Mask) Forbid(i int, l uint8) {
	at := i*k.Model.Labels + int(l)
	if k.forbidden[at] {
		return
	}
	k.forbidden[at] = true
	k.Model.Unary[at] -= k.loss[i]
	if k.left[i]--; k.left[i] == 0 {
		k.empty++
	}
}

// Only forbids all labels but l at node i.
func (k *Mask) Only(i int, l uint8) {
	for other := range k.Model.Labels {
		if other != int(l) {
			k.Forbid(i, uint8(other))
		}
	}
}

// Allowed reports whether node i can have label l.
func (k *Mask) Allowed(i int, l uint8) bool { return !k.forbidden[i*k.Model.Labels+int(l)] }

// obeyed reports whether a labelling of all nodes obeys the mask.
func (k *Mask) obeyed(x []uint8) bool {
	for i, l := range x {
		if !k.Allowed(i, l) {
			return false
		}
	}
	return true
}

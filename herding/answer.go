package herding

import (
	"fmt"
	"slices"
)

// Answer solves as if node, which is not clicked, were clicked with an extra
// class, number labels: q is nodes×(labels+1) row-major. Conductances don't
// depend on the class of a click, so after the answer l the probabilities are
// q_i(·), with q_i(labels) added to q_i(l): one solution for all answers (Zhu,
// Lafferty and Ghahramani 2003). prior, which can be nil, has labels+1 shares
// per node. dst grows if it is too small. It costs as much as Solve.
func (h *Harmonic) Answer(dst []float64, labels int, fixed []int16, prior *Prior, node int) ([]float64, error) {
	if node < 0 || node >= len(fixed) || fixed[node] >= 0 {
		return nil, fmt.Errorf("%w: node %d is clicked already or doesn't exist", ErrRange, node)
	}
	fixed = slices.Clone(fixed)
	fixed[node] = int16(labels)
	q, err := h.Solve(dst, labels+1, fixed, prior)
	if err != nil {
		return nil, err
	}
	for i, s := range h.state {
		if s == unreached { // unreached by this answer, too
			row := q[i*(labels+1) : (i+1)*(labels+1)]
			for l := range labels {
				row[l] = 1 / float64(labels)
			}
			row[labels] = 0
		}
	}
	return q, nil
}

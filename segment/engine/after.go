package engine

import (
	"slices"

	"collie/herding"
	"collie/herding/ask"
)

// After returns what the marginals become after the answer at a superpixel,
// for clicks and a pull as in Problem. An answer costs a sparse factorisation,
// whatever the number of clicks.
func (m *Model) After(fixed []int16, k int, pull *herding.Prior) ask.After {
	return m.after(m.affinities().clicks(fixed, k).all(), fixed, k, pull)
}

// after is After with what the comparison with the clicks says.
func (m *Model) after(known *alike, fixed []int16, k int, pull *herding.Prior) ask.After {
	of := widen(known.of, k) // the answer has a label of its own
	if pull != nil {
		pull = &herding.Prior{Weight: pull.Weight, Share: widen(pull.Share, k)}
	}
	var q []float64
	return func(node int) ([]float64, error) {
		a := &alike{k + 1, slices.Clone(of), slices.Clone(known.each)}
		a.add(m.affinities().similarity(node, nil), k)
		prior := m.jumps(fixed, a)
		join(prior, pull, k+1)
		m.mu.Lock()
		defer m.mu.Unlock()
		walker, err := m.walker()
		if err != nil {
			return nil, err
		}
		q, err = walker.Answer(q, k, fixed, prior, node)
		return q, err
	}
}

// widen gives rows of k shares another one, which is 0.
func widen(shares []float64, k int) []float64 {
	out := make([]float64, 0, len(shares)/k*(k+1))
	for row := range slices.Chunk(shares, k) {
		out = append(append(out, row...), 0)
	}
	return out
}

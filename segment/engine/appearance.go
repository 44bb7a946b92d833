package engine

import (
	"collie/herding"
)

// appearance is the part of the evidence that does not come across borders:
// from each superpixel the walker may jump to the clicks, to each in proportion
// to its likeness. With the sum S of all likenesses the conductance of the jumps
// together is Jump·S/(S+Doubtful), so what looks like nothing clicked keeps to
// its neighbours.
func (m *Model) appearance(fixed []int16, k int) *herding.Prior {
	a := newAlike(len(fixed), k)
	for c, f := range fixed {
		if f >= 0 {
			a.add(m.affinities().likeness(c), int(f))
		}
	}
	return m.jumps(fixed, a)
}

// alike sums the likeness of each superpixel to the clicks: of each of k
// classes, superpixels × k, and of all.
type alike struct {
	k        int
	of, each []float64
}

func newAlike(n, k int) *alike { return &alike{k, make([]float64, n*k), make([]float64, n)} }

// add counts the likeness to a superpixel that is clicked with a class.
func (a *alike) add(likeness []float64, class int) {
	for i, v := range likeness {
		a.of[i*a.k+class] += v
		a.each[i] += v
	}
}

// jumps turns likenesses into conductances of the superpixels without a click.
func (m *Model) jumps(fixed []int16, a *alike) *herding.Prior {
	prior := &herding.Prior{Weight: make([]float64, len(fixed)), Share: make([]float64, len(fixed)*a.k)}
	for i, sum := range a.each {
		if fixed[i] >= 0 || sum == 0 {
			continue
		}
		share := prior.Share[i*a.k : (i+1)*a.k]
		for l, v := range a.of[i*a.k : (i+1)*a.k] {
			share[l] = v / sum
		}
		prior.Weight[i] = m.Jump * sum / (sum + m.Doubtful)
	}
	return prior
}

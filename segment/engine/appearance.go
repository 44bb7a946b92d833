package engine

import (
	"collie/herding"
)

// appearance is the part of the evidence that doesn't cross borders: from each
// superpixel the walker can jump to the clicks, to each in proportion to its
// similarity. With the sum S of all similarities the conductance of all jumps
// is Jump·S/(S+Doubtful), so a superpixel unlike every click follows its
// neighbours.
func (m *Model) appearance(fixed []int16, k int) *herding.Prior {
	return m.jumps(fixed, m.affinities().clicks(fixed, k))
}

// alike sums the similarity of each superpixel to the clicks, of each of k
// classes (superpixels × k) and of all.
type alike struct {
	k        int
	of, each []float64
}

// oneByOne is affinities.clicks by similarity.
func oneByOne(of affinities, fixed []int16, k int) *alike {
	a := &alike{k, make([]float64, len(fixed)*k), make([]float64, len(fixed))}
	room := make([]float64, len(fixed))
	for c, f := range fixed {
		if f >= 0 {
			a.add(of.similarity(c, room), int(f))
		}
	}
	return a
}

// add adds the similarity to a superpixel clicked with a class.
func (a *alike) add(similarity []float64, class int) {
	for i, v := range similarity {
		a.of[i*a.k+class] += v
		a.each[i] += v
	}
}

// jumps turns similarities into conductances of the superpixels without a
// click.
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

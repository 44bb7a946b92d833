package engine

import (
	"time"

	"collie/herding"
)

// comparison sums the similarities to clicks, some clicks at a time: thousands of them on
// thousands of superpixels take minutes.
type comparison struct {
	add  func(enough func() bool) (left bool) // adds a click, and others until there are enough
	sums func() *alike                        // once no click is left
}

// some goes on for so long and reports whether clicks are left.
func (c *comparison) some(d time.Duration) (left bool) {
	began := time.Now()
	return c.add(func() bool { return time.Since(began) >= d })
}

// all compares with all clicks that are left.
func (c *comparison) all() *alike {
	c.add(func() bool { return false })
	return c.sums()
}

// alike sums the similarity of each superpixel to the clicks, of each of k
// classes (superpixels × k) and of all.
type alike struct {
	k        int
	of, each []float64
}

// oneByOne is affinities.clicks by similarity.
func oneByOne(of affinities, fixed []int16, k int) *comparison {
	a := &alike{k, make([]float64, len(fixed)*k), make([]float64, len(fixed))}
	room := make([]float64, len(fixed))
	at := 0
	add := func(enough func() bool) (left bool) {
		for added := false; at < len(fixed); at++ {
			f := fixed[at]
			if f < 0 {
				continue
			}
			if added && enough() {
				return true
			}
			a.add(of.similarity(at, room), int(f))
			added = true
		}
		return false
	}
	return &comparison{add, func() *alike { return a }}
}

// add adds the similarity to a superpixel clicked with a class.
func (a *alike) add(similarity []float64, class int) {
	for i, v := range similarity {
		a.of[i*a.k+class] += v
		a.each[i] += v
	}
}

// jumps is the part of the evidence that doesn't cross borders: from each
// superpixel without a click the walker can jump to the clicks, to each in
// proportion to its similarity. With the sum S of all similarities the conductance
// of all jumps is Jump·S/(S+Doubtful), so a superpixel unlike every click follows
// its neighbours.
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

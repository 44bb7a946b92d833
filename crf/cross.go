package crf

import "math/rand/v2"

// crosser merges labellings: the nodes on which two of them differ fall into
// connected components that do not influence each other, so each component can
// take the better of its two labellings (partition crossover, Tinós, Whitley
// and Chicano 2015, doi:10.1145/2739480.2754808).
type crosser struct {
	g     *graph
	mark  []bool
	queue []int32
}

func newCrosser(g *graph) crosser {
	return crosser{g, make([]bool, len(g.free)), make([]int32, 0, len(g.free))}
}

// cross takes over into x what y does better and returns the gain in energy,
// ≥ 0. O(nodes + edges).
func (c *crosser) cross(x, y []uint8) float64 { return c.anneal(x, y, 0, nil) }

// anneal is cross at a temperature: a loss is taken with probability
// exp(-loss/temperature), as Metropolis et al. 1953 do.
func (c *crosser) anneal(x, y []uint8, temperature float64, rng *rand.PCG) float64 {
	total := 0.0
	for i := range x {
		c.mark[i] = x[i] != y[i]
	}
	for i := range x {
		if !c.mark[i] {
			continue
		}
		gain := c.component(int32(i), x, y)
		least := 1e-12
		if temperature > 0 {
			u := float64(rng.Uint64()>>11+1) / (1 << 53)
			least = float64(temperature * Log(u))
		}
		if gain > least {
			total += gain
			for _, j := range c.queue {
				x[j] = y[j]
			}
		}
	}
	return total
}

// component lists the nodes around i that differ and what they gain from y.
func (c *crosser) component(i int32, x, y []uint8) float64 {
	g := c.g
	gain := 0.0
	c.queue = append(c.queue[:0], i)
	c.mark[i] = false
	for q := 0; q < len(c.queue); q++ {
		i := c.queue[q]
		row := g.theta[int(i)*g.labels : (int(i)+1)*g.labels]
		gain += row[y[i]] - row[x[i]]
		for _, a := range g.arcs[g.start[i]:g.start[i+1]] {
			w := g.w[a.edge]
			if x[a.to] != y[a.to] {
				w /= 2 // met again from the other end
			}
			if y[i] == y[a.to] {
				gain += w
			}
			if x[i] == x[a.to] {
				gain -= w
			}
			if c.mark[a.to] {
				c.mark[a.to] = false
				c.queue = append(c.queue, a.to)
			}
		}
	}
	return gain
}

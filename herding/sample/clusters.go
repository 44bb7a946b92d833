package sample

import (
	"math"

	"collie/crf"
	"collie/disjoint"
)

// clusters is a partition of the free nodes by bonds.
type clusters struct {
	f       *crf.Folded
	sets    disjoint.Sets
	next    []int32   // the nodes of a cluster as a list
	first   []int32   // representative -> first node, -1 for none
	order   []int32   // representatives, ascending by their first node
	decided []bool    // per representative, of swaps
	in      []bool    // node takes part
	sum     []float64 // labels
}

func newClusters(f *crf.Folded) clusters {
	n := len(f.Free)
	return clusters{
		f: f, sets: disjoint.New(n), next: make([]int32, n), first: make([]int32, n),
		decided: make([]bool, n), in: make([]bool, n), sum: make([]float64, f.Labels),
	}
}

// bond joins the ends of each edge that opens, among the nodes that take part,
// and lists the clusters.
func (c *clusters) bond(opens func(i int, a crf.Neighbour) bool) {
	c.sets.Reset()
	for i := range c.first {
		c.first[i] = -1
	}
	for i := range c.in {
		if !c.in[i] {
			continue
		}
		for _, a := range c.f.Around(i) {
			if int(a.To) > i && c.in[a.To] && opens(i, a) {
				c.sets.Join(a.To, int32(i))
			}
		}
	}
	c.order = c.order[:0]
	for i := len(c.in) - 1; i >= 0; i-- {
		if c.in[i] {
			r := c.sets.Find(int32(i))
			c.next[i], c.first[r] = c.first[r], int32(i)
		}
	}
	for i := range c.in {
		if c.in[i] {
			if r := c.sets.Find(int32(i)); c.first[r] == int32(i) {
				c.order = append(c.order, r)
			}
		}
	}
}

// recolour is a step of Clusters. Given the bonds, positive edges have no say
// any more; negative ones still have between clusters. Edges to clamped nodes
// are part of the unaries, where they count as a field.
func (w *Walk) recolour() {
	c, t := &w.clusters, w.from.Temperature
	for i := range c.in {
		c.in[i] = true
	}
	c.bond(func(i int, a crf.Neighbour) bool {
		return a.W > 0 && w.x[i] == w.x[a.To] && uniform(w.rng) < 1-crf.Exp(-a.W/t)
	})
	for _, r := range c.order {
		clear(c.sum)
		for i := c.first[r]; i >= 0; i = c.next[i] {
			for l, v := range w.f.Row(int(i)) {
				c.sum[l] += v
			}
			for _, a := range w.f.Around(int(i)) {
				if a.W < 0 && c.sets.Find(a.To) != r {
					c.sum[w.x[a.To]] += a.W
				}
			}
		}
		to := w.choose(c.sum)
		for i := c.first[r]; i >= 0; i = c.next[i] {
			w.x[i] = to
		}
	}
}

// swap is a step of Swaps. All clusters are decided before any label changes,
// so that a decision doesn't depend on another one.
func (w *Walk) swap() {
	k := w.f.Labels
	if k < 2 {
		return
	}
	c, t := &w.clusters, w.from.Temperature
	alpha := uint8(below(w.rng, k))
	beta := uint8((int(alpha) + 1 + below(w.rng, k-1)) % k)
	for i, l := range w.x {
		c.in[i] = l == alpha || l == beta
	}
	c.bond(func(i int, a crf.Neighbour) bool {
		return (w.x[i] == w.x[a.To]) == (a.W > 0) && uniform(w.rng) < 1-crf.Exp(-math.Abs(a.W)/t)
	})
	for _, r := range c.order {
		gain := 0.0
		for i := c.first[r]; i >= 0; i = c.next[i] {
			row := w.f.Row(int(i))
			if w.x[i] == alpha {
				gain += row[beta] - row[alpha]
			} else {
				gain += row[alpha] - row[beta]
			}
		}
		c.decided[r] = uniform(w.rng) < 1/(1+crf.Exp(-gain/t))
	}
	for _, r := range c.order {
		if !c.decided[r] {
			continue
		}
		for i := c.first[r]; i >= 0; i = c.next[i] {
			w.x[i] = alpha + beta - w.x[i]
		}
	}
}

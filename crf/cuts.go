package crf

import (
	"math"
	"slices"
)

// cuts maximises models without negative weights by minimum cuts.
type cuts struct {
	g    *graph
	f    *flow
	c    *crosser
	next []uint8
	seen []bool

	// Of the last cut of two labels: what the terminals and the edges could carry, and
	// the most that a terminal could since the flow began.
	pull, weight []float64
	most         float64
}

func newCuts(g *graph, c *crosser) *cuts {
	n := len(g.free)
	return &cuts{g: g, f: newFlow(g), c: c, next: make([]uint8, n), seen: make([]bool, n), pull: make([]float64, n)}
}

// forget makes the next cut start without a flow.
func (c *cuts) forget() { c.weight = c.weight[:0] }

// coarsest is how much larger terminals may have been before: a flow keeps their
// rounding, and beyond this it would be felt.
const coarsest = 1e6

// twoLabels writes a labelling of highest energy to x (Greig, Porteous and
// Seheult 1989). Connected nodes that can go either way go with the click
// nearest to one of them, then to label 0. While the weights stay as they are the
// flow goes on from the last one, which leaves little to do after a small change of
// the unaries (Kohli and Torr 2007, doi:10.1109/TPAMI.2007.1128). After a change that
// pulls most nodes to the other side it starts from scratch, which is faster then.
func (c *cuts) twoLabels(x []uint8) {
	f := c.f
	most, turned := 0.0, 0
	for i := range x {
		pull := c.g.theta[2*i] - c.g.theta[2*i+1]
		f.terminal[i] += pull - c.pull[i]
		c.pull[i] = pull
		if t := f.terminal[i]; t > 0 && f.tree[i] != source || t < 0 && f.tree[i] != sink {
			turned++
		}
		if size := math.Abs(pull); size > most {
			most = size
		}
	}
	if 2*turned <= len(x) && slices.Equal(c.weight, c.g.w) && c.most <= coarsest*most {
		c.most = max(c.most, most)
		f.resume()
	} else {
		c.most = most
		c.weight = append(c.weight[:0], c.g.w...)
		copy(f.terminal, c.pull)
		f.empty()
		f.run()
	}
	for i := range x {
		x[i] = 0
		if f.tree[i] == sink {
			x[i] = 1
		}
		c.seen[i] = f.tree[i] != free
	}
	for i := range x {
		if !c.seen[i] {
			c.undecided(int32(i), x)
		}
	}
}

// undecided labels the free component around node i. It uses the queue of the
// crosser.
func (c *cuts) undecided(i int32, x []uint8) {
	g := c.g
	queue := append(c.c.queue[:0], i)
	c.seen[i] = true
	zero, one := uint16(math.MaxUint16), uint16(math.MaxUint16)
	for q := 0; q < len(queue); q++ {
		i := queue[q]
		near := g.near(int(i))
		zero, one = min(zero, near[0]), min(one, near[1])
		for _, a := range g.arcs[g.start[i]:g.start[i+1]] {
			if !c.seen[a.to] && g.w[a.edge] > 0 {
				c.seen[a.to] = true
				queue = append(queue, a.to)
			}
		}
	}
	if one < zero {
		for _, i := range queue {
			x[i] = 1
		}
	}
}

// expand raises the energy of x by letting each label in turn grow as it likes
// (expansion moves, Boykov, Veksler and Zabih 2001, doi:10.1109/34.969114),
// until no label gains or cycles are over. Each move is one minimum cut.
func (c *cuts) expand(x []uint8, cycles int) {
	idle := 0
	for range cycles {
		for l := range c.g.labels {
			c.move(x, uint8(l))
			if c.c.cross(x, c.next) > 0 {
				idle = 0
			} else if idle++; idle == c.g.labels {
				return
			}
		}
	}
}

// move writes the best expansion of label l in x to next: the nodes on the
// sink's side take the label.
func (c *cuts) move(x []uint8, l uint8) {
	g, f := c.g, c.f
	for i := range x {
		row := g.theta[i*g.labels : (i+1)*g.labels]
		f.terminal[i] = row[x[i]] - row[l]
	}
	// The costs of a pair are w·1(labels differ) for keeping both labels (a),
	// for the second or first alone taking l (b, c), and 0 when both do.
	for e, w := range g.w {
		i, j := g.ends[e][0], g.ends[e][1]
		var both, second, first float64
		if x[i] != x[j] {
			both = w
		}
		if x[i] != l {
			second = w
		}
		if x[j] != l {
			first = w
		}
		f.terminal[i] += first - both
		f.terminal[j] -= first
		a := f.upward[e]
		f.residual[a], f.residual[f.opposite[a]] = second+first-both, 0
	}
	f.run()
	for i := range x {
		c.next[i] = x[i]
		if f.tree[i] == sink {
			c.next[i] = l
		}
	}
}

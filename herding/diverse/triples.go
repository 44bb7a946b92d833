package diverse

import "collie/crf"

// triple looks for the best change of node i and two others that the three make
// connected: two of its neighbours, or a neighbour and one of that one's. It
// raises gain and returns the change if one is better. About 30·k³ trials on a
// planar graph.
func (c *Climber) triple(y []uint8, i int32, gain *float64) (nodes [3]int32, labels [3]uint8, found bool) {
	around := c.f.Around(int(i))
	c.f.Local(int(i), y, c.score)
	for n, a := range around {
		c.f.Local(int(a.To), y, c.other)
		for _, b := range around[n+1:] {
			found = c.together(y, [3]int32{i, a.To, b.To}, [3]float64{a.W, b.W, c.weight(a.To, b.To)}, gain, &nodes, &labels) || found
		}
		for _, b := range c.f.Around(int(a.To)) {
			// A neighbour of both has been tried.
			if b.To != i && !c.beside(i, b.To) {
				found = c.together(y, [3]int32{i, a.To, b.To}, [3]float64{a.W, 0, b.W}, gain, &nodes, &labels) || found
			}
		}
	}
	return nodes, labels, found
}

// together tries all labels of three nodes that differ from theirs at each of
// them. w are the weights of their edges 01, 02 and 12, 0 without one; score and
// other hold the local scores of the first two.
func (c *Climber) together(y []uint8, at [3]int32, w [3]float64, gain *float64, nodes *[3]int32, labels *[3]uint8) (found bool) {
	k := c.f.Labels
	c.f.Local(int(at[2]), y, c.third)
	now := [3]uint8{y[at[0]], y[at[1]], y[at[2]]}
	// worth is the energy of the three given the rest. A local score counts the
	// edges to the other two with their current labels.
	worth := func(l [3]uint8) float64 {
		v := c.score[l[0]] + c.other[l[1]] + c.third[l[2]]
		for e, p := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
			a, b := p[0], p[1]
			v += float64(w[e] * (same(l[a], l[b]) - same(l[a], now[b]) - same(now[a], l[b])))
		}
		return v
	}
	before := worth(now)
	for l := range k {
		for o := range k {
			for m := range k {
				to := [3]uint8{uint8(l), uint8(o), uint8(m)}
				if to[0] == now[0] || to[1] == now[1] || to[2] == now[2] {
					continue
				}
				if g := worth(to) - before; g > *gain {
					*gain, *nodes, *labels, found = g, at, to, true
				}
			}
		}
	}
	return found
}

func same(a, b uint8) float64 {
	if a == b {
		return 1
	}
	return 0
}

// weight of the edge between two free nodes, 0 without one.
func (c *Climber) weight(i, j int32) float64 {
	e, _ := c.edge(i, j)
	return e.W
}

// beside reports whether two free nodes are neighbours.
func (c *Climber) beside(i, j int32) bool {
	_, ok := c.edge(i, j)
	return ok
}

func (c *Climber) edge(i, j int32) (crf.Neighbour, bool) {
	for _, a := range c.f.Around(int(i)) {
		if a.To == j {
			return a, true
		}
	}
	return crf.Neighbour{}, false
}

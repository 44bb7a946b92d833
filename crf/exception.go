package crf

// Excepted maximises a model to which one entry of each edge and of each node can
// add: Node[i]·1(x_i = z_i) for free node i, and Edge[e]·1(x_a = z_a ∧ x_b = z_b) for
// its merged edge e. That is what keeping a labelling z away by spanning trees
// takes (Batra 2012, 'An Efficient Message-Passing Algorithm for the M-Best MAP
// Problem'). It is sequential tree-reweighted message passing as for models
// without exceptions; messages still take O(labels). Not for concurrent use.
type Excepted struct {
	Ends [][2]int32 // free nodes of each merged edge, lower first; shared
	Free []int32    // free node -> node of the model; shared
	Node []float64  // what free nodes add
	Edge []float64  // what merged edges add

	g       *graph
	msg     []float64 // merged edges × labels: of the last pass, to the higher or to the lower node
	gamma   []float64 // see chainShares
	sum, in []float64 // scratch, labels each
	z, x    []uint8   // of the free nodes
	all     []uint8
}

// NewExcepted prepares for a valid model and a labelling z of its nodes; nothing is
// added yet. The model must not change while it is in use.
func NewExcepted(m *Model, z []uint8) *Excepted {
	g := newGraph(m)
	g.load(m)
	e := &Excepted{
		Ends: g.ends, Free: g.free, Node: make([]float64, len(g.free)), Edge: make([]float64, len(g.ends)),
		g: g, msg: make([]float64, len(g.ends)*g.labels), gamma: chainShares(g),
		sum: make([]float64, g.labels), in: make([]float64, g.labels),
		z: make([]uint8, len(g.free)), x: make([]uint8, len(g.free)), all: append([]uint8(nil), z...),
	}
	for i, node := range g.free {
		e.z[i] = z[node]
	}
	return e
}

// Weight is that of a merged edge.
func (e *Excepted) Weight(edge int) float64 { return e.g.w[edge] }

// Keeps reports whether free node i has its label of z in the last labelling.
func (e *Excepted) Keeps(i int32) bool { return e.x[i] == e.z[i] }

// Solve continues from the messages of the call before. It returns the labelling
// that the last sweep reads off, which the next call overwrites, and the least
// upper bound met on the energy with what is added.
func (e *Excepted) Solve(sweeps int) (x []uint8, bound float64) {
	for sweep := range sweeps {
		e.forward()
		if b := e.backward() + e.g.constant; sweep == 0 || b < bound {
			bound = b
		}
	}
	for i, node := range e.Free {
		e.all[node] = e.x[i]
	}
	return e.all, bound
}

// belief is the unary of free node i with what it adds and all messages to it.
func (e *Excepted) belief(i int) []float64 {
	g, k := e.g, e.g.labels
	copy(e.sum, g.theta[i*k:(i+1)*k])
	e.sum[e.z[i]] += e.Node[i]
	for _, a := range g.arcs[g.start[i]:g.start[i+1]] {
		add(e.sum, e.msg[int(a.edge)*k:])
	}
	return e.sum
}

func (e *Excepted) forward() {
	g, k := e.g, e.g.labels
	for i := range g.free {
		higher := g.arcs[g.middle[i]:g.start[i+1]]
		in := e.in
		copy(in, g.theta[i*k:(i+1)*k])
		in[e.z[i]] += e.Node[i]
		for _, a := range higher {
			add(in, e.msg[int(a.edge)*k:])
		}
		for _, a := range g.arcs[g.start[i]:g.middle[i]] {
			in[e.x[a.to]] += g.w[a.edge]
			if e.Keeps(a.to) {
				in[e.z[i]] += e.Edge[a.edge]
			}
		}
		e.x[i] = g.best(i, in)
		sum := e.belief(i)
		scale(sum, e.gamma[i])
		for _, a := range higher {
			e.send(i, a, sum)
		}
	}
}

func (e *Excepted) backward() (bound float64) {
	g := e.g
	for i := len(g.free) - 1; i >= 0; i-- {
		sum := e.belief(i)
		top := sum[0]
		for _, v := range sum {
			top = max(top, v)
		}
		bound += top
		for l, v := range sum {
			sum[l] = float64((v - top) * e.gamma[i])
		}
		for _, a := range g.arcs[g.start[i]:g.middle[i]] {
			bound += e.send(i, a, sum)
		}
	}
	return bound
}

// send is that of trws with the exception: max over the sender's label of
// from - msg + w·1(equal) + c·1(both as in z), less the constant that it returns.
func (e *Excepted) send(i int, a arc, from []float64) float64 {
	k := e.g.labels
	msg := e.msg[int(a.edge)*k:][:k]
	w, c, mine, yours := e.g.w[a.edge], e.Edge[a.edge], int(e.z[i]), int(e.z[a.to])
	best, second := -1, -1
	for l := range msg {
		msg[l] = from[l] - msg[l]
		switch {
		case best < 0 || msg[l] > msg[best]:
			best, second = l, best
		case second < 0 || msg[l] > msg[second]:
			second = l
		}
	}
	at := msg[mine] + c
	if mine == yours {
		at += w
	}
	for l, v := range msg {
		if l != mine {
			if l == yours {
				v += w
			}
			at = max(at, v)
		}
	}
	// Top values are read before they are overwritten.
	first, other := msg[best], 0.0
	if second >= 0 {
		other = msg[second]
	}
	top := at
	for l, v := range msg {
		v += w
		if l != best {
			v = max(v, first)
		} else if second >= 0 {
			v = max(v, other)
		}
		msg[l] = v
		if l == yours {
			msg[l] = at
		}
		top = max(top, msg[l])
	}
	for l := range msg {
		msg[l] -= top
	}
	return top
}

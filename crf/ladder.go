package crf

import (
	"fmt"
	"slices"
)

// Ladder maximises a family of models with two labels and no negative weights
// that differ by a shift alone: Unary[i*2+1] + shift·rate[i]. A larger shift
// never takes label 1 away from a node, so the labellings are nested (parametric
// maximum flow, Gallo, Grigoriadis and Tarjan 1989, doi:10.1137/0218003). They are
// exact: one minimum cut each, of the nodes that differ between the rungs around
// it, which are few when the outermost rungs come first; see All. Even shifts are the layers of the joint M best
// diverse labellings (Kirillov et al. 2015, doi:10.1109/ICCV.2015.212). Not for
// concurrent use.
type Ladder struct {
	g     *graph
	rate  []float64 // per free node
	rungs []rung    // ascending by shift
	fixed []uint8   // labels of all nodes, those of the free ones 0

	f     *flow   // of the members of a cut
	place []int32 // of the free nodes among the members, or -1
	met   []int32 // arc of f that an edge of g was met as
}

// rung is a labelling of the free nodes.
type rung struct {
	shift float64
	x     []uint8
}

// NewLadder prepares the ladder of a valid model, which must not change while
// the ladder is in use. rate holds a number ≥ 0 per node, nil for 1 everywhere.
// The error wraps ErrRange when the model does not have two labels or a weight or a
// rate is negative, and ErrShape when there is not one rate per node.
func NewLadder(m *Model, rate []float64) (*Ladder, error) {
	if m.Labels != 2 {
		return nil, fmt.Errorf("%w: a ladder of %d labels, want 2", ErrRange, m.Labels)
	}
	if rate != nil && len(rate) != m.Nodes {
		return nil, fmt.Errorf("%w: %d rates for %d nodes", ErrShape, len(rate), m.Nodes)
	}
	for i, r := range rate {
		if !(r >= 0) || !finite(r) {
			return nil, fmt.Errorf("%w: rate of node %d is %v, want finite numbers from 0", ErrRange, i, r)
		}
	}
	g := newGraph(m)
	g.load(m)
	if g.negative {
		return nil, fmt.Errorf("%w: a ladder needs weights ≥ 0", ErrRange)
	}
	l := &Ladder{g: g, rate: make([]float64, len(g.free)), fixed: make([]uint8, m.Nodes), f: newFlow(&graph{start: []int32{0}}), place: make([]int32, len(g.free)), met: make([]int32, len(g.ends))}
	for i, node := range g.free {
		l.rate[i] = 1
		if rate != nil {
			l.rate[i] = rate[node]
		}
	}
	for i, f := range m.Fixed {
		if f > 0 {
			l.fixed[i] = uint8(f)
		}
	}
	return l, nil
}

// At returns a labelling of highest energy for the shift, one label per node;
// ties go to label 0. Shifts can come in any order. The caller owns the result.
func (l *Ladder) At(shift float64) []uint8 {
	at, met := slices.BinarySearchFunc(l.rungs, shift, func(r rung, s float64) int {
		switch {
		case r.shift < s:
			return -1
		case r.shift > s:
			return 1
		}
		return 0
	})
	if !met {
		l.rungs = slices.Insert(l.rungs, at, rung{shift, l.cut(shift, at)})
	}
	out := slices.Clone(l.fixed)
	for i, node := range l.g.free {
		out[node] = l.rungs[at].x[i]
	}
	return out
}

// All makes the labellings of ascending shifts, for At, in the order that is
// fastest: the outermost, then those in the middle of others. Together they cost
// about as much as one cut for each doubling of their number.
func (l *Ladder) All(shifts []float64) {
	if len(shifts) == 0 {
		return
	}
	l.At(shifts[0])
	l.At(shifts[len(shifts)-1])
	l.between(shifts)
}

// between makes the labellings between the first and the last shift.
func (l *Ladder) between(shifts []float64) {
	if len(shifts) < 3 {
		return
	}
	middle := len(shifts) / 2
	l.At(shifts[middle])
	l.between(shifts[:middle+1])
	l.between(shifts[middle:])
}

// cut is the labelling of the free nodes for a shift that becomes rung number at.
// Nodes on which the neighbouring rungs agree have their label.
func (l *Ladder) cut(shift float64, at int) []uint8 {
	x := make([]uint8, len(l.rate))
	if at > 0 {
		copy(x, l.rungs[at-1].x)
	}
	members := l.f.g.free[:0]
	for i, label := range x {
		l.place[i] = -1
		if label == 0 && (at == len(l.rungs) || l.rungs[at].x[i] == 1) {
			l.place[i] = int32(len(members))
			members = append(members, int32(i))
		}
	}
	l.f.g.free = members
	if len(members) == 0 {
		return x
	}
	l.connect(x)
	for k, i := range members {
		l.f.terminal[k] += l.g.theta[2*i] - l.g.theta[2*i+1] - float64(shift*l.rate[i])
	}
	l.f.run()
	for k, i := range members {
		if l.f.tree[k] == sink {
			x[i] = 1
		}
	}
	return x
}

// connect makes f the network of the members, in which other free nodes have their
// label in x.
func (l *Ladder) connect(x []uint8) {
	g, f := l.g, l.f
	part := f.g
	part.start, part.arcs = part.start[:1], part.arcs[:0]
	f.resize(len(part.free))
	f.opposite, f.residual = f.opposite[:0], f.residual[:0]
	for k, i := range part.free {
		f.terminal[k] = 0
		for _, a := range g.arcs[g.start[i]:g.start[i+1]] {
			weight := g.w[a.edge]
			to := l.place[a.to]
			if to < 0 {
				if x[a.to] == 1 {
					weight = -weight
				}
				f.terminal[k] += weight
				continue
			}
			this := int32(len(part.arcs))
			part.arcs, f.residual, f.opposite = append(part.arcs, arc{to: to}), append(f.residual, weight), append(f.opposite, -1)
			if a.to > i {
				l.met[a.edge] = this
			} else {
				back := l.met[a.edge]
				f.opposite[this], f.opposite[back] = back, this
			}
		}
		part.start = append(part.start, int32(len(part.arcs)))
	}
}

package crf

import (
	"cmp"
	"fmt"
	"slices"
)

// Ladder maximises a family of models with two labels and no negative weights
// that differ by a shift alone: Unary[i*2+1] + shift·rate[i]. A larger shift
// never takes label 1 away from a node, so the labellings are nested (parametric
// maximum flow, Gallo, Grigoriadis and Tarjan 1989, doi:10.1137/0218003). They are
// exact, a minimum cut each, up to rounding at the largest shift. Even shifts are the
// layers of the joint M best diverse labellings (Kirillov et al. 2015,
// doi:10.1109/ICCV.2015.212). Not for concurrent use.
type Ladder struct {
	g     *graph
	rate  []float64 // per free node
	rungs []rung    // ascending by shift
	fixed []uint8   // labels of all nodes, those of the free ones 0

	f     *flow
	begun bool      // there was a cut
	shift float64   // of the last one
	tilt  []float64 // per free node; nil before Tilt
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
	l := &Ladder{g: g, rate: make([]float64, len(g.free)), fixed: make([]uint8, m.Nodes), f: newFlow(g)}
	l.f.empty()
	for i, node := range g.free {
		l.f.terminal[i] = g.theta[2*i] - g.theta[2*i+1]
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
// ties go to label 0. Shifts can come in any order; each cut goes on from the flow of
// the last one, so small steps cost least. The caller owns the result.
func (l *Ladder) At(shift float64) []uint8 {
	at, met := slices.BinarySearchFunc(l.rungs, shift, func(r rung, s float64) int { return cmp.Compare(r.shift, s) })
	if !met {
		l.rungs = slices.Insert(l.rungs, at, rung{shift, l.cut(shift, at)})
	}
	out := slices.Clone(l.fixed)
	for i, node := range l.g.free {
		out[node] = l.rungs[at].x[i]
	}
	return out
}

// Tilt adds odds, one number per node, to Unary[i*2+1] from now on, instead of what it added
// before: another ladder, whose first cut goes on from the flow of the last one. The
// error wraps ErrShape or ErrNotFinite and leaves the ladder as it is.
func (l *Ladder) Tilt(odds []float64) error {
	if len(odds) != len(l.fixed) {
		return fmt.Errorf("%w: %d odds for %d nodes", ErrShape, len(odds), len(l.fixed))
	}
	for i, o := range odds {
		if !finite(o) {
			return fmt.Errorf("%w: odds of node %d are %v", ErrNotFinite, i, o)
		}
	}
	if l.tilt == nil {
		l.tilt = make([]float64, len(l.g.free))
	}
	for i, node := range l.g.free {
		l.f.terminal[i] -= odds[node] - l.tilt[i]
		l.tilt[i] = odds[node]
	}
	l.rungs = nil
	return nil
}

// cut is the labelling of the free nodes for a shift that becomes rung number at.
// See Kohli and Torr 2007, doi:10.1109/TPAMI.2007.1128.
func (l *Ladder) cut(shift float64, at int) []uint8 {
	for i, rate := range l.rate {
		l.f.terminal[i] -= float64((shift - l.shift) * rate)
	}
	l.shift = shift
	if l.begun {
		l.f.resume()
	} else {
		l.f.run()
		l.begun = true
	}
	x := make([]uint8, len(l.rate))
	if at > 0 {
		copy(x, l.rungs[at-1].x) // which rounding must not contradict
	}
	for i, tree := range l.f.tree {
		if tree == sink && (at == len(l.rungs) || l.rungs[at].x[i] == 1) {
			x[i] = 1
		}
	}
	return x
}

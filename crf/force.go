package crf

import "slices"

// Forcer asks what a labelling would become if some nodes had another label. It is
// made by a Confirmer. Not for concurrent use.
type Forcer struct {
	g      *graph
	base   []uint8 // free nodes
	x      []uint8
	labels []uint8 // all nodes
	held   []bool
	queued []bool
	queue  []int32
	change []int32 // free nodes that were changed
	score  []float64
}

// Forcer returns one for the model without a mask. x is the labelling to start
// from.
func (c *Confirmer) Forcer(x []uint8) *Forcer {
	m, g := c.model, c.solver.g.twin()
	g.load(m)
	n := len(g.free)
	f := &Forcer{
		g: g, base: make([]uint8, n), x: make([]uint8, n), labels: make([]uint8, m.Nodes),
		held: make([]bool, n), queued: make([]bool, n), score: make([]float64, m.Labels),
	}
	copy(f.labels, x)
	for i, node := range f.g.free {
		f.base[i] = x[node]
	}
	copy(f.x, f.base)
	return f
}

// Force gives nodes the label l, holds them, and lets the others follow one at
// a time while that raises the energy, from the neighbours outward (ICM with a
// queue). The gain is that of the result over the labelling it started from,
// usually negative; for a single node it is a lower bound of the max-marginal
// max{E(y): y_i = l} minus E(x). The cost depends on the number of changes, not
// on the size of the model. Clamped nodes keep their label. See Labels.
func (f *Forcer) Force(nodes []int32, l uint8) (gain float64) {
	for _, i := range f.change {
		f.x[i] = f.base[i]
	}
	f.change, f.queue = f.change[:0], f.queue[:0]
	for _, node := range nodes {
		if i := f.g.of[node]; i >= 0 && !f.held[i] {
			gain += f.set(i, l)
			f.held[i] = true
		}
	}
	// Energy rises with every change, so the queue empties; the limit guards
	// against rounding.
	for steps := 0; steps < len(f.queue) && steps < 100*len(f.x); steps++ {
		i := f.queue[steps]
		f.queued[i] = false
		if f.held[i] {
			continue
		}
		f.g.local(int(i), f.x, f.score)
		if best := f.g.best(int(i), f.score); f.score[best] > f.score[f.x[i]] {
			gain += f.set(i, best)
		}
	}
	for _, i := range f.queue {
		f.queued[i] = false
	}
	for _, node := range nodes {
		if i := f.g.of[node]; i >= 0 {
			f.held[i] = false
		}
	}
	return gain
}

// set changes the label of a free node and wakes its neighbours.
func (f *Forcer) set(i int32, l uint8) float64 {
	g := f.g
	if f.x[i] == l {
		return 0
	}
	f.g.local(int(i), f.x, f.score)
	gain := f.score[l] - f.score[f.x[i]]
	f.x[i] = l
	f.change = append(f.change, i)
	for _, a := range g.arcs[g.start[i]:g.start[i+1]] {
		if !f.queued[a.to] {
			f.queued[a.to] = true
			f.queue = append(f.queue, a.to)
		}
	}
	return gain
}

// Labels returns a copy of the labelling that the last Force led to.
func (f *Forcer) Labels() []uint8 {
	out := slices.Clone(f.labels)
	for i, node := range f.g.free {
		out[node] = f.x[i]
	}
	return out
}

// Confirmer finds the best labelling in which some nodes have a given label, by
// a full maximisation under a mask. Not for concurrent use.
type Confirmer struct {
	Mask   *Mask
	model  *Model
	solver *Solver
}

// NewConfirmer prepares for a valid model, which must not change while the
// Confirmer is in use.
func NewConfirmer(m *Model, opt Options) *Confirmer {
	mask := newMask(m)
	return &Confirmer{mask, m, NewSolver(mask.Model, opt)}
}

// Solve maximises under the current mask. start can be nil. Result.Energy,
// Bound and Optimal are of the masked model; a labelling that obeys the mask
// has the same energy without it.
func (c *Confirmer) Solve(start []uint8) Result { return c.solver.Solve(start) }

// Confirm resets the mask, allows the nodes only label l and maximises. It
// returns false if a clamp forbids the label. Result.Labels is the Confirmer's.
func (c *Confirmer) Confirm(nodes []int32, l uint8, start []uint8) (Result, bool) {
	c.Mask.Reset()
	for _, i := range nodes {
		c.Mask.Only(int(i), l)
	}
	if c.Mask.empty > 0 {
		return Result{}, false
	}
	return c.Solve(start), true
}

package crf

import "math"

// trws is sequential tree-reweighted message passing (Kolmogorov 2006,
// doi:10.1109/TPAMI.2006.200) with monotonic chains along the node order and
// one message per edge: after a forward pass it points to the higher node,
// after a backward pass to the lower one. Any message is a reparametrisation,
// so the messages of an earlier, similar model are a valid warm start.
type trws struct {
	g       *graph
	msg     []float64 // merged edges × labels
	gamma   []float64 // 1 / number of chains through a free node
	sum, in []float64 // scratch, labels each
}

func newTRWS(g *graph) *trws {
	t := &trws{
		g:     g,
		msg:   make([]float64, len(g.ends)*g.labels),
		gamma: make([]float64, len(g.free)),
		sum:   make([]float64, g.labels),
		in:    make([]float64, g.labels),
	}
	for i := range t.gamma {
		chains := max(g.middle[i]-g.start[i], g.start[i+1]-g.middle[i], 1)
		t.gamma[i] = 1 / float64(chains)
	}
	return t
}

// forward sends messages to higher nodes and reads off a labelling x: each node
// takes the best label given the labels of the lower nodes and the messages of
// the higher ones.
func (t *trws) forward(x []uint8) {
	g, k := t.g, t.g.labels
	sum, in := t.sum, t.in
	for i := range g.free {
		higher := g.arcs[g.middle[i]:g.start[i+1]]
		lower := g.arcs[g.start[i]:g.middle[i]]
		t.collect(in, g.theta[i*k:(i+1)*k], higher)
		t.collect(sum, in, lower)
		for _, a := range lower {
			in[x[a.to]] += g.w[a.edge]
		}
		x[i] = g.best(i, in)
		scale(sum, t.gamma[i])
		for _, a := range higher {
			send(t.msg[int(a.edge)*k:][:k], sum, g.w[a.edge])
		}
	}
}

// backward sends messages to lower nodes and returns the upper bound on the
// energy (without the constant) that the convex combination of chains proves.
func (t *trws) backward() float64 {
	g, k := t.g, t.g.labels
	sum := t.sum
	bound := 0.0
	for i := len(g.free) - 1; i >= 0; i-- {
		t.collect(sum, g.theta[i*k:(i+1)*k], g.arcs[g.start[i]:g.start[i+1]])
		top := sum[0]
		for _, v := range sum[1:] {
			top = max(top, v)
		}
		bound += top
		gamma := t.gamma[i]
		for l, v := range sum {
			sum[l] = float64((v - top) * gamma)
		}
		for _, a := range g.arcs[g.start[i]:g.middle[i]] {
			bound += send(t.msg[int(a.edge)*k:][:k], sum, g.w[a.edge])
		}
	}
	return bound
}

// collect sets sum to from plus the messages over arcs, added in their order.
func (t *trws) collect(sum, from []float64, arcs []arc) {
	k := len(sum)
	from = from[:k]
	for ; len(arcs) >= 2; arcs = arcs[2:] {
		a, b := t.msg[int(arcs[0].edge)*k:][:k], t.msg[int(arcs[1].edge)*k:][:k]
		for l, v := range from {
			sum[l] = v + a[l] + b[l]
		}
		from = sum
	}
	if len(arcs) > 0 {
		a := t.msg[int(arcs[0].edge)*k:][:k]
		for l, v := range from {
			sum[l] = v + a[l]
		}
	} else {
		copy(sum, from)
	}
}

func add(dst, src []float64) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] += src[i]
	}
}

func scale(dst []float64, f float64) {
	for i := range dst {
		dst[i] = float64(dst[i] * f)
	}
}

// positive is max(v, 0) without a branch, which would often be mispredicted.
func positive(v float64) float64 {
	b := math.Float64bits(v)
	return math.Float64frombits(b &^ uint64(int64(b)>>63))
}

// send replaces the opposite message msg by the message of a node whose
// belief is from, over an edge of weight w: max over the sender's label of
// from - msg + w·1(equal), less the constant that it returns. O(labels): with
// w ≥ 0 the sender either agrees or takes its best label; with w < 0 only its
// best label is affected.
func send(msg, from []float64, w float64) float64 {
	from = from[:len(msg)]
	if w >= 0 {
		// min costs less than max, so the differences are the other way round.
		low := msg[0] - from[0]
		msg[0] = low
		for l := 1; l < len(msg); l++ {
			v := msg[l] - from[l]
			msg[l] = v
			low = min(low, v)
		}
		shift := w + low
		for l, v := range msg {
			msg[l] = positive(shift - v)
		}
		return -low
	}
	low, next := msg[0]-from[0], math.Inf(1) // the two least
	msg[0] = low
	for l := 1; l < len(msg); l++ {
		v := msg[l] - from[l]
		msg[l] = v
		next = min(next, max(low, v))
		low = min(low, v)
	}
	at := 0
	for msg[at] > low {
		at++
	}
	clear(msg)
	msg[at] = max(w, low-next)
	return -low
}

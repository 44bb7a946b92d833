package crf

import "math"

// trws is sequential tree-reweighted message passing (Kolmogorov 2006,
// doi:10.1109/TPAMI.2006.200) with monotonic chains along the node order. Any
// messages are a reparametrisation, so those of an earlier, similar model are a
// valid warm start.
//
// Messages soon stop changing where the evidence is clear. A pass visits only
// stale nodes: those that got a message, or a model, that differs in any bit from
// that of their last visit in this direction. So the result is that of full passes.
type trws struct {
	g         *graph
	up, down  []float64 // merged edges × labels: messages to the higher node, to the lower one
	x         []uint8   // the labelling that forward reads off
	top, rest []float64 // what free nodes, and merged edges, contribute to the bound
	stale     []pass    // per free node
	gamma     []float64 // per free node, see chainShares
	sum, in   []float64 // scratch, labels each
}

// pass is a set of directions.
type pass uint8

const (
	forward pass = 1 << iota
	backward
)

func newTRWS(g *graph) *trws {
	n, messages := len(g.free), len(g.ends)*g.labels
	t := &trws{
		g:  g,
		up: make([]float64, messages), down: make([]float64, messages),
		x: make([]uint8, n), top: make([]float64, n), rest: make([]float64, len(g.ends)),
		stale: make([]pass, n), gamma: chainShares(g),
		sum: make([]float64, g.labels), in: make([]float64, g.labels),
	}
	t.reload()
	return t
}

// chainShares returns 1 / the number of chains through each free node.
func chainShares(g *graph) []float64 {
	shares := make([]float64, len(g.free))
	for i := range shares {
		chains := max(g.middle[i]-g.start[i], g.start[i+1]-g.middle[i], 1)
		shares[i] = 1 / float64(chains)
	}
	return shares
}

// reload makes all nodes stale; the model may have changed.
func (t *trws) reload() {
	for i := range t.stale {
		t.stale[i] = forward | backward
	}
}

// forget clears the messages that the next forward pass reads.
func (t *trws) forget() { clear(t.down) }

// scale multiplies these messages by f.
func (t *trws) scale(f float64) { scale(t.down, f) }

// forward sends messages to higher nodes and reads off a labelling x: each node
// takes the best label given the labels of the lower nodes and the messages of
// the higher ones.
func (t *trws) forward(x []uint8) {
	g, k := t.g, t.g.labels
	sum, in := t.sum, t.in
	for i, stale := range t.stale {
		if stale&forward == 0 {
			continue
		}
		t.stale[i] = stale &^ forward
		from, to := int(g.first[i]), int(g.first[i+1])
		lower := g.arcs[g.start[i]:g.middle[i]]
		collectRows(in, g.theta[i*k:(i+1)*k], t.down[from*k:to*k])
		collect(sum, in, t.up, lower)
		for _, a := range lower {
			in[t.x[a.to]] += g.w[a.edge]
		}
		if label := g.best(i, in); label != t.x[i] {
			t.x[i] = label
			for _, pair := range g.ends[from:to] {
				t.stale[pair[1]] |= forward
			}
		}
		scale(sum, t.gamma[i])
		for e := from; e < to; e++ {
			if _, changed := send(t.up[e*k:(e+1)*k], t.down[e*k:(e+1)*k], sum, g.w[e]); changed {
				t.stale[g.ends[e][1]] = forward | backward
			}
		}
	}
	copy(x, t.x)
}

// backward sends messages to lower nodes and returns the upper bound on the
// energy (without the constant) that the convex combination of chains proves.
func (t *trws) backward() float64 {
	g, k := t.g, t.g.labels
	bound := 0.0
	for i := len(t.stale) - 1; i >= 0; i-- {
		lower := g.arcs[g.start[i]:g.middle[i]]
		if t.stale[i]&backward == 0 {
			bound += t.top[i]
			for _, a := range lower {
				bound += t.rest[a.edge]
			}
			continue
		}
		t.stale[i] &^= backward
		sum := t.sum
		collect(sum, g.theta[i*k:(i+1)*k], t.up, lower)
		collectRows(sum, sum, t.down[int(g.first[i])*k:int(g.first[i+1])*k])
		top := sum[0]
		for _, v := range sum[1:] {
			top = max(top, v)
		}
		t.top[i] = top
		bound += top
		gamma := t.gamma[i]
		for l, v := range sum {
			sum[l] = float64((v - top) * gamma)
		}
		for _, a := range lower {
			at := int(a.edge) * k
			rest, changed := send(t.down[at:at+k], t.up[at:at+k], sum, g.w[a.edge])
			t.rest[a.edge] = rest
			bound += rest
			if changed {
				t.stale[a.to] = forward | backward
			}
		}
	}
	return bound
}

// collect sets sum to from plus the messages msg over arcs, added in their order.
// Here and below, two labels, the most common number, stay in registers.
func collect(sum, from, msg []float64, arcs []arc) {
	k := len(sum)
	from = from[:k]
	if k == 2 {
		u, v := from[0], from[1]
		for _, a := range arcs {
			m := msg[int(a.edge)*2:][:2]
			u += m[0]
			v += m[1]
		}
		sum[0], sum[1] = u, v
		return
	}
	for ; len(arcs) >= 2; arcs = arcs[2:] {
		a, b := msg[int(arcs[0].edge)*k:][:k], msg[int(arcs[1].edge)*k:][:k]
		for l, v := range from {
			sum[l] = v + a[l] + b[l]
		}
		from = sum
	}
	if len(arcs) > 0 {
		a := msg[int(arcs[0].edge)*k:][:k]
		for l, v := range from {
			sum[l] = v + a[l]
		}
	} else if k > 0 && &sum[0] != &from[0] {
		copy(sum, from)
	}
}

// collectRows is collect for messages that follow each other in memory.
func collectRows(sum, from, rows []float64) {
	k := len(sum)
	from = from[:k]
	if k == 2 {
		u, v := from[0], from[1]
		for ; len(rows) >= 2; rows = rows[2:] {
			u += rows[0]
			v += rows[1]
		}
		sum[0], sum[1] = u, v
		return
	}
	for ; len(rows) >= 2*k; rows = rows[2*k:] {
		a, b := rows[:k], rows[k:2*k]
		for l, v := range from {
			sum[l] = v + a[l] + b[l]
		}
		from = sum
	}
	if len(rows) > 0 {
		a := rows[:k]
		for l, v := range from {
			sum[l] = v + a[l]
		}
	} else if k > 0 && &sum[0] != &from[0] {
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
func positive(v float64) float64 { return math.Float64frombits(positiveBits(v)) }

func positiveBits(v float64) uint64 {
	b := math.Float64bits(v)
	return b &^ uint64(int64(b)>>63)
}

// send sets msg to the message of a node whose belief is from, over an edge of
// weight w and with the opposite message back: max over the sender's label of
// from - back + w·1(equal), less the constant that it returns. O(labels): with
// w ≥ 0 the sender either agrees or takes its best label; with w < 0 only its
// best label is affected. changed reports whether any bit of msg did; with w < 0,
// where most do, it is true without a look.
func send(msg, back, from []float64, w float64) (rest float64, changed bool) {
	back, from = back[:len(msg)], from[:len(msg)]
	var bits uint64 // in which the old and new messages differ
	// min costs less than max, so the differences are the other way round.
	low := back[0] - from[0]
	if w >= 0 && len(msg) == 2 {
		other := back[1] - from[1]
		least := min(low, other)
		shift := w + least
		u, v := positiveBits(shift-low), positiveBits(shift-other)
		bits = (u ^ math.Float64bits(msg[0])) | (v ^ math.Float64bits(msg[1]))
		msg[0], msg[1] = math.Float64frombits(u), math.Float64frombits(v)
		return -least, bits != 0
	}
	if w >= 0 {
		other, l := low, 1 // two chains of comparisons, as each waits for the one before
		if len(msg) > 1 {
			other, l = back[1]-from[1], 2
		}
		for ; l+1 < len(msg); l += 2 {
			low = min(low, back[l]-from[l])
			other = min(other, back[l+1]-from[l+1])
		}
		if l < len(msg) {
			low = min(low, back[l]-from[l])
		}
		low = min(low, other)
		shift := w + low
		for l, old := range msg {
			v := positiveBits(shift - (back[l] - from[l]))
			bits |= v ^ math.Float64bits(old)
			msg[l] = math.Float64frombits(v)
		}
		return -low, bits != 0
	}
	next := math.Inf(1) // the second least
	for l := 1; l < len(msg); l++ {
		v := back[l] - from[l]
		next = min(next, max(low, v))
		low = min(low, v)
	}
	at := 0
	for back[at]-from[at] > low {
		at++
	}
	for l := range msg { // clear would be a call, for which all others pay
		msg[l] = 0
		if l == at {
			msg[l] = max(w, low-next)
		}
	}
	return -low, true
}

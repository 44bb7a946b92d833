package crf

// lbp is loopy max-product belief propagation with a flooding schedule: all
// messages of a round are computed from those of the round before. It gives
// no bound. It is always started cold: warm messages make it stick.
type lbp struct {
	g    *graph
	old  []float64 // 2 merged edges × labels: message to the higher node, then to the lower
	next []float64
	sum  []float64
}

func newLBP(g *graph) *lbp {
	n := 2 * len(g.ends) * g.labels
	return &lbp{g: g, old: make([]float64, n), next: make([]float64, n), sum: make([]float64, g.labels)}
}

// run floods for a number of rounds from zero messages and writes the labels
// of highest belief to x. A new message is damping·old + (1-damping)·new.
func (b *lbp) run(rounds int, damping float64, x []uint8) {
	g, k := b.g, b.g.labels
	clear(b.old)
	for range rounds {
		for i := range g.free {
			b.belief(i)
			for _, a := range g.arcs[g.start[i]:g.start[i+1]] {
				in := int(a.edge) * 2 * k
				out := in
				if int(a.to) > i {
					in += k
				} else {
					out += k
				}
				msg := b.next[out : out+k]
				send(msg, b.old[in:in+k], b.sum, g.w[a.edge])
				if damping > 0 {
					for l, o := range b.old[out : out+k] {
						msg[l] = float64(damping*o) + float64((1-damping)*msg[l])
					}
				}
			}
		}
		b.old, b.next = b.next, b.old
	}
	for i := range g.free {
		b.belief(i)
		x[i] = g.best(i, b.sum)
	}
}

// belief sums the unary and the incoming messages of free node i.
func (b *lbp) belief(i int) {
	g, k := b.g, b.g.labels
	copy(b.sum, g.theta[i*k:(i+1)*k])
	for _, a := range g.arcs[g.start[i]:g.start[i+1]] {
		at := int(a.edge) * 2 * k
		if int(a.to) > i {
			at += k
		}
		add(b.sum, b.old[at:])
	}
}

package crf

import "math/rand/v2"

// fuser makes fusion moves (Lempitsky, Rother, Roth and Blake 2010,
// doi:10.1109/TPAMI.2009.143): each node keeps its label or takes that of a second
// labelling, and one set of switches is found for all. Weights may be negative.
// Energy never falls, up to rounding.
type fuser struct {
	g     *graph
	q     quadratic
	nodes []int32 // of the switches: where the labellings differ
	of    []int32 // node -> switch

	other, shuffled, mate []uint8 // scratch of swap: second labelling, labels, partner of each
}

// fusionWidth bounds the tables of a fusion at 2^fusionWidth values: much of a planar
// graph of some hundred nodes is exact, and a move over all takes 1 to 2 ms.
const fusionWidth = 10

func newFuser(g *graph, rng *rand.PCG) *fuser {
	n := len(g.free)
	return &fuser{
		g: g, q: quadratic{width: fusionWidth, rng: rng},
		of: make([]int32, n), other: make([]uint8, n),
		shuffled: make([]uint8, g.labels), mate: make([]uint8, g.labels),
	}
}

// fuse takes over into x what it can use of y and returns the gain in energy, up to
// rounding. The result is no worse than y either.
func (f *fuser) fuse(x, y []uint8) float64 {
	g, k, q := f.g, f.g.labels, &f.q
	f.nodes = f.nodes[:0]
	for i := range x {
		if x[i] != y[i] {
			f.of[i] = int32(len(f.nodes))
			f.nodes = append(f.nodes, int32(i))
		}
	}
	q.reset(len(f.nodes))
	for s, i := range f.nodes {
		gain := g.theta[int(i)*k+int(y[i])] - g.theta[int(i)*k+int(x[i])]
		for _, a := range g.arcs[g.start[i]:g.start[i+1]] {
			// What the edge is worth when none switches, i alone, the other alone, both.
			worth := func(l, m uint8) float64 {
				if l == m {
					return g.w[a.edge]
				}
				return 0
			}
			none, alone := worth(x[i], x[a.to]), worth(y[i], x[a.to])
			gain += alone - none
			if a.to > i && x[a.to] != y[a.to] {
				if v := worth(y[i], y[a.to]) - alone - worth(x[i], y[a.to]) + none; v != 0 {
					q.both = append(q.both, product{int32(s), f.of[a.to], v})
				}
			}
		}
		q.gain[s] = gain
	}
	gain := q.maximise()
	for s, i := range f.nodes {
		if q.on[s] {
			x[i] = y[i]
		}
	}
	return gain
}

// swap fuses x with itself under a random pairing of the labels, whose partners are
// swapped everywhere: many swap moves (Boykov, Veksler and Zabih 2001,
// doi:10.1109/34.969114) at once. An odd label stays.
func (f *fuser) swap(x []uint8) {
	for l := range f.shuffled {
		m := int(f.q.rng.Uint64() % uint64(l+1))
		f.shuffled[l] = f.shuffled[m]
		f.shuffled[m] = uint8(l)
	}
	for n, l := range f.shuffled {
		f.mate[l] = f.shuffled[min(n^1, len(f.shuffled)-1)]
	}
	for i, l := range x {
		f.other[i] = f.mate[l]
	}
	f.fuse(x, f.other)
}

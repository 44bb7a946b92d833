package crf

import (
	"math/rand/v2"

	"collie/disjoint"
)

// trees improves a labelling by exact moves over random induced forests: all
// labels of a forest are optimised at once given the labels around it. Energy
// never falls. One move takes O(edges + nodes·labels).
//
// Moves on models without negative weights have a forest each. Others need many
// moves, of which growing the forest would be the larger part, so they take turns
// with the same poolSize forests.
type trees struct {
	g      *graph
	rng    *rand.PCG
	order  []int32       // a permutation of the free nodes
	tree   disjoint.Sets // of the forest: the nodes of each tree
	met    []int32       // scratch of joins: 1 + the last node next to a tree, per root
	in     []bool        // node is in the forest
	pool   []forest
	turn   int    // of the pool
	fresh  forest // scratch of moves that take no turns
	belief []float64
	first  []uint8 // the best label of each node's belief
}

const poolSize = 16

// forest is an induced one.
type forest struct {
	visit  []int32 // its nodes, parents before children
	parent []arc   // of each node of visit; to = -1 at a root
	start  []int32 // the arcs of the n-th node of visit that leave the forest are around[start[n]:start[n+1]]
	around []arc
}

func newTrees(g *graph, rng *rand.PCG) *trees {
	n := len(g.free)
	return &trees{
		g: g, rng: rng,
		order: make([]int32, n), tree: disjoint.New(n), met: make([]int32, n), in: make([]bool, n),
		belief: make([]float64, n*g.labels), first: make([]uint8, n),
	}
}

// forget makes the next moves grow forests of their own.
func (t *trees) forget() { t.pool, t.turn = t.pool[:0], 0 }

// improve makes moves until patience of them in a row gain nothing, at most
// rounds.
func (t *trees) improve(x []uint8, rounds, patience int) {
	idle := 0
	for range rounds {
		if t.solve(t.next(), x) > 1e-9 {
			idle = 0
		} else if idle++; idle == patience {
			return
		}
	}
}

// next is the forest of the next move.
func (t *trees) next() *forest {
	f := &t.fresh
	if t.g.negative {
		t.turn = (t.turn + 1) % poolSize
		if t.turn < len(t.pool) {
			return &t.pool[t.turn]
		}
		t.turn = len(t.pool)
		if t.turn < cap(t.pool) {
			t.pool = t.pool[:t.turn+1] // one that was forgotten, for its memory
		} else {
			t.pool = append(t.pool, forest{})
		}
		f = &t.pool[t.turn]
	}
	t.grow()
	t.plan(f)
	return f
}

// grow picks a maximal random induced forest: in random order a node joins
// when its chosen neighbours lie in different components.
func (t *trees) grow() {
	for i := range t.order {
		j := int(t.rng.Uint64() % uint64(i+1))
		t.order[i] = t.order[j]
		t.order[j] = int32(i)
		t.in[i] = false
	}
	t.tree.Reset()
	clear(t.met)
	for _, i := range t.order {
		t.in[i] = t.joins(i)
	}
}

// joins adds node i to the forest if it can join it.
func (t *trees) joins(i int32) bool {
	arcs := t.g.arcs[t.g.start[i]:t.g.start[i+1]]
	for _, a := range arcs {
		if t.in[a.to] {
			root := t.tree.Find(a.to)
			if t.met[root] == i+1 {
				return false
			}
			t.met[root] = i + 1
		}
	}
	for _, a := range arcs {
		if t.in[a.to] {
			t.tree.Join(a.to, i)
		}
	}
	return true
}

// plan lists the trees of the forest, each breadth-first.
func (t *trees) plan(f *forest) {
	f.visit, f.parent, f.start, f.around = f.visit[:0], f.parent[:0], f.start[:0], f.around[:0]
	for _, root := range t.order {
		if !t.in[root] || t.met[root] < 0 {
			continue
		}
		t.met[root] = -1 // visited
		n := len(f.visit)
		f.visit, f.parent = append(f.visit, root), append(f.parent, arc{-1, -1})
		for ; n < len(f.visit); n++ {
			i := f.visit[n]
			f.start = append(f.start, int32(len(f.around)))
			for _, a := range t.g.arcs[t.g.start[i]:t.g.start[i+1]] {
				switch {
				case !t.in[a.to]:
					f.around = append(f.around, a)
				case t.met[a.to] >= 0:
					t.met[a.to] = -1
					f.visit, f.parent = append(f.visit, a.to), append(f.parent, arc{i, a.edge})
				}
			}
		}
	}
	f.start = append(f.start, int32(len(f.around)))
}

// solve sets x on the forest to the best labels given the rest and returns the
// gain in energy, up to rounding.
func (t *trees) solve(f *forest, x []uint8) (gain float64) {
	g, k := t.g, t.g.labels
	for n, i := range f.visit {
		b := t.belief[int(i)*k : (int(i)+1)*k]
		copy(b, g.theta[int(i)*k:])
		for _, a := range f.around[f.start[n]:f.start[n+1]] {
			b[x[a.to]] += g.w[a.edge]
		}
		gain -= b[x[i]]
		if p := f.parent[n]; p.to >= 0 && x[p.to] == x[i] {
			gain -= g.w[p.edge]
		}
	}
	for n := len(f.visit) - 1; n >= 0; n-- {
		i := int(f.visit[n])
		b := t.belief[i*k : (i+1)*k]
		first := g.best(i, b)
		t.first[i] = first
		gain += b[first]
		p := f.parent[n]
		if p.to < 0 {
			continue
		}
		up := t.belief[int(p.to)*k : (int(p.to)+1)*k]
		w := g.w[p.edge]
		if w >= 0 {
			top := b[first]
			for l, v := range b {
				up[l] += positive(v - top + w)
			}
			continue
		}
		if k > 1 {
			w = max(w, b[second(b, first)]-b[first])
		}
		up[first] += w
	}
	for n, i := range f.visit {
		x[i] = t.choose(int(i), f.parent[n], x)
	}
	return gain
}

// choose is the best label of node i given its parent's, x[p.to].
func (t *trees) choose(i int, p arc, x []uint8) uint8 {
	k := t.g.labels
	first := t.first[i]
	if p.to < 0 || k == 1 {
		return first
	}
	b := t.belief[i*k : (i+1)*k]
	w, up := t.g.w[p.edge], x[p.to]
	if w >= 0 {
		if b[up]+w >= b[first] {
			return up
		}
		return first
	}
	if up == first {
		if other := second(b, first); b[other] > b[first]+w {
			return other
		}
	}
	return first
}

// second is the label of the highest score besides first; ties go to the lowest
// label. There must be two labels.
func second(score []float64, first uint8) uint8 {
	at := 0
	if first == 0 {
		at = 1
	}
	for l := at + 1; l < len(score); l++ {
		if score[l] > score[at] && l != int(first) {
			at = l
		}
	}
	return uint8(at)
}

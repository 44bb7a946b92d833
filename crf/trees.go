package crf

import (
	"math/rand/v2"
	"slices"

	"collie/disjoint"
)

// trees improves a labelling by exact moves over random induced forests: all
// labels of a forest are optimised at once given the labels around it. Energy
// never falls. One move takes O(edges + nodes·labels).
type trees struct {
	g      *graph
	rng    *rand.PCG
	order  []int32       // a permutation of the free nodes
	tree   disjoint.Sets // of the forest: the nodes of each tree
	roots  []int32       // scratch: trees around a node
	in     []bool        // node is in the forest
	visit  []int32       // forest nodes, parents before children
	parent []arc         // to the parent; to = -1 at a root
	belief []float64
	top    []peak
}

// peak holds the two best labels of a node's belief.
type peak struct{ first, second uint8 }

func newTrees(g *graph, rng *rand.PCG) *trees {
	n := len(g.free)
	t := &trees{
		g: g, rng: rng,
		order: make([]int32, n), tree: disjoint.New(n), in: make([]bool, n),
		visit: make([]int32, 0, n), parent: make([]arc, n),
		belief: make([]float64, n*g.labels), top: make([]peak, n),
	}
	return t
}

// improve makes moves until patience of them in a row change nothing, at most
// rounds, and returns the energy of x (without the constant).
func (t *trees) improve(x []uint8, rounds, patience int) float64 {
	energy := t.g.energy(x)
	idle := 0
	for range rounds {
		t.grow()
		t.solve(x)
		e := t.g.energy(x)
		if e > energy+1e-9 {
			idle = 0
		} else if idle++; idle == patience {
			return e
		}
		energy = e
	}
	return energy
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
	for _, i := range t.order {
		if t.joins(i) {
			t.in[i] = true
			for _, root := range t.roots {
				t.tree.Join(root, i)
			}
		}
	}
}

// joins reports whether node i can join the forest; roots become those of the
// trees around it.
func (t *trees) joins(i int32) bool {
	t.roots = t.roots[:0]
	for _, a := range t.g.arcs[t.g.start[i]:t.g.start[i+1]] {
		if !t.in[a.to] {
			continue
		}
		root := t.tree.Find(a.to)
		if slices.Contains(t.roots, root) {
			return false
		}
		t.roots = append(t.roots, root)
	}
	return true
}

// solve sets x on the forest to the best labels given the rest.
func (t *trees) solve(x []uint8) {
	g, k := t.g, t.g.labels
	t.visit = t.visit[:0]
	for i := range t.parent {
		t.parent[i].to = -2
	}
	for _, i := range t.order {
		if t.in[i] && t.parent[i].to == -2 {
			t.parent[i] = arc{-1, -1}
			t.descend(i, x)
		}
	}
	for n := len(t.visit) - 1; n >= 0; n-- {
		i := int(t.visit[n])
		b := t.belief[i*k : (i+1)*k]
		t.top[i] = g.peaks(i, b)
		p := t.parent[i]
		if p.to < 0 {
			continue
		}
		up := t.belief[int(p.to)*k : (int(p.to)+1)*k]
		first := t.top[i].first
		w := g.w[p.edge]
		if w >= 0 {
			for l, v := range b {
				up[l] += positive(v - b[first] + w)
			}
		} else if k > 1 {
			up[first] += max(w, b[t.top[i].second]-b[first])
		}
	}
	for _, i := range t.visit {
		x[i] = t.choose(int(i), x)
	}
}

// descend lists a component breadth-first and gives its nodes their beliefs
// without the children's messages.
func (t *trees) descend(root int32, x []uint8) {
	g, k := t.g, t.g.labels
	from := len(t.visit)
	t.visit = append(t.visit, root)
	for q := from; q < len(t.visit); q++ {
		i := t.visit[q]
		b := t.belief[int(i)*k : (int(i)+1)*k]
		copy(b, g.theta[int(i)*k:])
		for _, a := range g.arcs[g.start[i]:g.start[i+1]] {
			switch {
			case !t.in[a.to]:
				b[x[a.to]] += g.w[a.edge]
			case t.parent[a.to].to == -2:
				t.parent[a.to] = arc{i, a.edge}
				t.visit = append(t.visit, a.to)
			}
		}
	}
}

// choose is the best label of node i given its parent's.
func (t *trees) choose(i int, x []uint8) uint8 {
	k := t.g.labels
	p, top := t.parent[i], t.top[i]
	if p.to < 0 || k == 1 {
		return top.first
	}
	b := t.belief[i*k : (i+1)*k]
	w, up := t.g.w[p.edge], x[p.to]
	if w >= 0 {
		if b[up]+w >= b[top.first] {
			return up
		}
		return top.first
	}
	if up == top.first && b[top.second] > b[top.first]+w {
		return top.second
	}
	return top.first
}

// peaks finds the two best labels of free node i with the usual ties.
func (g *graph) peaks(i int, score []float64) peak {
	first := int(g.best(i, score))
	second := -1
	for l, s := range score {
		if l != first && (second < 0 || s > score[second]) {
			second = l
		}
	}
	return peak{uint8(first), uint8(max(second, 0))}
}

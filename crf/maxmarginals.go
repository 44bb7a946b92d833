package crf

import (
	"cmp"
	"math"
	"slices"

	"collie/disjoint"
)

// MaxMarginals finds μ_i(l) = max{E(y): y_i = l} for all nodes and labels,
// nodes×labels row-major, for a labelling x of highest energy (or the best
// known). Labels against a clamp have -Inf.
//
// They are exact where the free nodes form a forest (two passes of max-product)
// and for two labels without negative weights (a minimum cut each that goes on
// from the flow of x, Kohli and Torr 2008, doi:10.1109/TPAMI.2007.1128), and
// exact says so. Otherwise they are lower bounds, see Forcer; the confirm best
// alternatives to x are then improved by a full maximisation each.
func MaxMarginals(m *Model, x []uint8, confirm int, opt Options) (mu []float64, exact bool) {
	g := newGraph(m)
	g.load(m)
	mu = make([]float64, m.Nodes*m.Labels)
	for i := range mu {
		mu[i] = math.Inf(-1)
	}
	energy := m.Energy(x)
	for i, f := range g.of {
		if f < 0 {
			mu[i*m.Labels+int(m.Fixed[i])] = energy
		}
	}
	switch {
	case g.forest():
		g.treeMarginals(mu)
		return mu, true
	case m.Labels == 2 && !g.negative:
		g.cutMarginals(mu, energy, x)
		return mu, true
	}
	forceMarginals(m, g, mu, energy, x, confirm, opt)
	return mu, false
}

// forest reports whether the free nodes have no cycle.
func (g *graph) forest() bool {
	components := disjoint.New(len(g.free))
	for _, p := range g.ends {
		if components.Find(p[0]) == components.Find(p[1]) {
			return false
		}
		components.Join(p[0], p[1])
	}
	return true
}

// treeMarginals runs max-product over a forest, towards the roots and back.
func (g *graph) treeMarginals(mu []float64) {
	k, n := g.labels, len(g.free)
	parent := make([]arc, n)
	for i := range parent {
		parent[i].to = -2
	}
	var order []int32 // parents first
	tree := make([]int32, n)
	for root := range int32(n) {
		if parent[root].to != -2 {
			continue
		}
		parent[root] = arc{-1, -1}
		order = append(order, root)
		for q := len(order) - 1; q < len(order); q++ {
			i := order[q]
			tree[i] = root
			for _, a := range g.arcs[g.start[i]:g.start[i+1]] {
				if parent[a.to].to == -2 {
					parent[a.to] = arc{i, a.edge}
					order = append(order, a.to)
				}
			}
		}
	}
	belief := slices.Clone(g.theta) // with the children's messages, at last with the parent's
	up := make([]float64, n*k)      // message to the parent
	for _, i := range slices.Backward(order) {
		if p := parent[i]; p.to >= 0 {
			message(up[int(i)*k:][:k], belief[int(i)*k:][:k], g.w[p.edge])
			add(belief[int(p.to)*k:][:k], up[int(i)*k:])
		}
	}
	down, rest := make([]float64, k), make([]float64, k)
	whole := g.constant
	for _, i := range order {
		p := parent[i]
		if p.to < 0 {
			whole += slices.Max(belief[int(i)*k : int(i+1)*k])
			continue
		}
		for l := range rest { // the parent's belief without this child
			rest[l] = belief[int(p.to)*k+l] - up[int(i)*k+l]
		}
		message(down, rest, g.w[p.edge])
		add(belief[int(i)*k:][:k], down)
	}
	best := make([]float64, n) // of the node's tree
	for i := range best {
		root := int(tree[i])
		best[i] = slices.Max(belief[root*k : (root+1)*k])
	}
	for i, node := range g.free {
		for l := range k {
			mu[int(node)*k+l] = whole - best[i] + belief[i*k+l]
		}
	}
}

// message is max over the sender's label of its belief + w·1(equal).
func message(to, from []float64, w float64) {
	for l := range to {
		to[l] = from[l] + w
		for other, v := range from {
			if other != l && v > to[l] {
				to[l] = v
			}
		}
	}
}

// cutMarginals forces each node of two labels to its other one.
func (g *graph) cutMarginals(mu []float64, energy float64, x []uint8) {
	f := newFlow(g)
	limit := 1.0 // more than any cut
	for i := range g.free {
		f.terminal[i] = g.theta[2*i] - g.theta[2*i+1]
		limit += math.Abs(f.terminal[i])
	}
	f.empty()
	for _, weight := range f.residual {
		limit += weight
	}
	f.run()
	terminal, residual := slices.Clone(f.terminal), slices.Clone(f.residual)
	y := make([]uint8, len(g.free))
	for i, node := range g.free {
		now := x[node]
		copy(f.terminal, terminal)
		copy(f.residual, residual)
		if now == 0 {
			f.terminal[i] -= limit
		} else {
			f.terminal[i] += limit
		}
		f.run()
		for j, t := range f.tree {
			y[j] = 0
			if t == sink || t == free && j == i && now == 0 {
				y[j] = 1
			}
		}
		mu[int(node)*2+int(now)] = energy
		mu[int(node)*2+1-int(now)] = g.energy(y) + g.constant
	}
}

// forceMarginals bounds all max-marginals from below and confirms the best.
func forceMarginals(m *Model, g *graph, mu []float64, energy float64, x []uint8, confirm int, opt Options) {
	k := m.Labels
	c := NewConfirmer(m, opt)
	force := c.Forcer(x)
	type alternative struct {
		node  int32
		label uint8
	}
	var all []alternative
	for _, node := range g.free {
		for l := range k {
			at := int(node)*k + l
			if mu[at] = energy; l != int(x[node]) {
				mu[at] += force.Force([]int32{node}, uint8(l))
				all = append(all, alternative{node, uint8(l)})
			}
		}
	}
	value := func(a alternative) float64 { return mu[int(a.node)*k+int(a.label)] }
	slices.SortStableFunc(all, func(a, b alternative) int { return cmp.Compare(value(b), value(a)) })
	for _, a := range all[:min(confirm, len(all))] {
		force.Force([]int32{a.node}, a.label)
		r, ok := c.Confirm([]int32{a.node}, a.label, force.Labels())
		if ok && c.Mask.obeyed(r.Labels) {
			at := int(a.node)*k + int(a.label)
			mu[at] = max(mu[at], r.Energy)
		}
	}
}

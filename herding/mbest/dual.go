package mbest

import (
	"cmp"
	"math"
	"slices"

	"collie/crf"
	"collie/disjoint"
)

// Bounding the second best labelling (Fromer and Globerson 2009, 'An LP View of
// the M-best MAP problem'): z is cut off by the inequality of each spanning tree T,
//
//	I_T(x) = Σ_i (1 - deg_T i)·1(x_i = z_i) + Σ_{ij∈T} 1(x_i = z_i ∧ x_j = z_j) ≤ C - 1,
//
// which is C, the number of the graph's parts, at z and less everywhere else. Batra
// 2012 solves that linear program by its Lagrangian, whose value for any λ ≥ 0 is
// an upper bound: maximise E(x) - Σ_T λ_T·(I_T(x) - C + 1) by message passing, and
// move λ along the violation.
const (
	dualRounds = 200
	dualSweeps = 10
	newTree    = 10 // rounds until the most violated tree is added
	tolerance  = 1e-6
)

// tree is a spanning forest of the free nodes.
type tree struct {
	edges  []int32
	degree []float64
	lambda float64
}

// secondBest looks for the best labelling that obeys the model m and isn't z; best
// is the energy of one that is known, -Inf for none. It returns a better one or
// nil, and an upper bound of all of them. At most 2000 sweeps.
func secondBest(m *crf.Model, z []uint8, best float64) (better []uint8, bound float64) {
	e := crf.NewExcepted(m, z)
	weight := make([]float64, len(e.Ends))
	for n := range weight {
		weight[n] = math.Abs(e.Weight(n))
	}
	first, parts := spanning(e, weight)
	trees := []*tree{first}
	bound = math.Inf(1)
	kept, together := make([]float64, len(e.Free)), make([]float64, len(e.Ends)) // means of the last rounds
	incumbent := best
	for round := range dualRounds {
		x, d := e.Solve(dualSweeps)
		for _, t := range trees {
			d += float64(t.lambda * float64(parts-1))
		}
		bound = min(bound, d)
		if !slices.Equal(x, z) {
			if v := m.Energy(x); v > incumbent+1e-10 {
				incumbent, better = v, slices.Clone(x)
			}
		}
		if bound-incumbent < tolerance {
			break
		}
		for i := range kept {
			if e.Keeps(int32(i)) {
				kept[i] += 1.0 / newTree
			}
		}
		for n, p := range e.Ends {
			if e.Keeps(p[0]) && e.Keeps(p[1]) {
				together[n] += 1.0 / newTree
			}
		}
		if (round+1)%newTree == 0 {
			for n, p := range e.Ends {
				weight[n] = together[n] - kept[p[0]] - kept[p[1]]
			}
			t, _ := spanning(e, weight)
			if !slices.ContainsFunc(trees, func(o *tree) bool { return slices.Equal(o.edges, t.edges) }) {
				trees = append(trees, t)
			}
			clear(kept)
			clear(together)
		}
		if !step(e, trees, parts, d-incumbent) {
			break // nothing is violated, and nothing is left to take back
		}
	}
	return better, bound
}

// step moves λ by (value - best)/‖violation‖² along the violation and reports
// whether that changes anything.
func step(e *crf.Excepted, trees []*tree, parts int, excess float64) bool {
	if math.IsInf(excess, 1) {
		excess = 1
	}
	violation, square := make([]float64, len(trees)), 0.0
	for n, t := range trees {
		violation[n] = 1 - float64(parts)
		for i, degree := range t.degree {
			if e.Keeps(int32(i)) {
				violation[n] += 1 - degree
			}
		}
		for _, edge := range t.edges {
			if p := e.Ends[edge]; e.Keeps(p[0]) && e.Keeps(p[1]) {
				violation[n]++
			}
		}
		if violation[n] < 0 && t.lambda == 0 {
			violation[n] = 0
		}
		square += float64(violation[n] * violation[n])
	}
	if square == 0 {
		return false
	}
	clear(e.Node)
	clear(e.Edge)
	for n, t := range trees {
		t.lambda = max(0, t.lambda+float64(excess/square*violation[n]))
		for i, degree := range t.degree {
			e.Node[i] -= float64(t.lambda * (1 - degree))
		}
		for _, edge := range t.edges {
			e.Edge[edge] -= t.lambda
		}
	}
	return true
}

// spanning is the forest of largest weight, and the number of parts it joins the
// free nodes to.
func spanning(e *crf.Excepted, weight []float64) (t *tree, parts int) {
	order := make([]int32, len(e.Ends))
	for n := range order {
		order[n] = int32(n)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(weight[b], weight[a]) })
	t = &tree{degree: make([]float64, len(e.Free))}
	joined := disjoint.New(len(e.Free))
	for _, n := range order {
		p := e.Ends[n]
		if joined.Find(p[0]) == joined.Find(p[1]) {
			continue
		}
		joined.Join(p[0], p[1])
		t.edges = append(t.edges, n)
		t.degree[p[0]]++
		t.degree[p[1]]++
	}
	slices.Sort(t.edges)
	return t, len(e.Free) - len(t.edges)
}

package diverse

import (
	"container/heap"
	"context"
	"math"
	"slices"

	"collie/crf"
)

// chains are the free nodes of a model in which no node has more than two
// neighbours and nothing is a circle, one row after the other. Between rows the
// weight is 0, so that all of them are one row.
type chains struct {
	f      *crf.Folded
	depth  int       // δ, at most the number of nodes
	order  []int32   // free nodes
	weight []float64 // of the edge between a place and the one before
	// best is, for a window of δ places from s on and the labels a before and b
	// after it, its largest energy: best[(s·k+a)·k+b]. What lies before the first
	// place and after the last one counts as label 0 at weight 0.
	best []float64
	// ahead is the largest energy of what follows place t, if the labels of the δ
	// places before t and that of t are the digits of a state: ahead[t·states +
	// state]. -Inf where no mode follows.
	ahead  []float64
	states int
}

// mostChainTrials bounds the labellings of windows that are tried, n·k^(δ+2),
// about a tenth of a second.
const mostChainTrials = 2e7

// newChains returns the chains of a model, nil where it has others or they are
// too large.
func newChains(m *crf.Model, depth int) *chains {
	f := crf.Fold(m)
	n := len(f.Free)
	c := &chains{f: f, depth: min(depth, n)}
	if n == 0 || float64(n)*math.Pow(float64(f.Labels), float64(c.depth+2)) > mostChainTrials {
		return nil
	}
	joined := func(i int) (to []crf.Neighbour) {
		for _, a := range f.Around(i) {
			if a.W != 0 {
				to = append(to, a)
			}
		}
		return to
	}
	seen := make([]bool, n)
	for i := range n {
		if seen[i] || len(joined(i)) > 1 {
			continue // not an end
		}
		at, w := int32(i), 0.0
		for at >= 0 {
			seen[at] = true
			c.order, c.weight = append(c.order, at), append(c.weight, w)
			next := int32(-1)
			around := joined(int(at))
			if len(around) > 2 {
				return nil
			}
			for _, a := range around {
				if !seen[a.To] {
					next, w = a.To, a.W
				}
			}
			at = next
		}
	}
	if len(c.order) < n {
		return nil // a circle, or a node of three neighbours without an end
	}
	return c
}

// modes are the count best δ-modes by falling energy. The labels of δ+2
// neighbouring places decide whether the δ in the middle can be improved, so a
// sequence of overlapping states is a mode if each step is (Chen et al. 2013,
// section 3). The best completion of each state, from the end to the start,
// leads a best-first search: it never enters a dead end. O(n·k^(δ+2) +
// count·n·k·log).
func (c *chains) modes(ctx context.Context, count int) ([][]uint8, error) {
	if err := c.prepare(ctx); err != nil {
		return nil, err
	}
	k := c.f.Labels
	var open partials
	add := func(p partial) {
		if v := c.ahead[p.at*c.states+p.state]; v > math.Inf(-1) {
			p.bound, p.number = p.energy+v, open.made
			open.made++
			heap.Push(&open, p)
		}
	}
	for l := range k {
		add(partial{state: l, energy: c.unary(0, l)})
	}
	var out [][]uint8
	for len(out) < count && open.Len() > 0 {
		p := heap.Pop(&open).(partial)
		if p.at == len(c.order)-1 {
			out = append(out, c.labels(&p))
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for l := range k {
			if c.allowed(p.at+1, p.state, l) {
				last := p.state % k
				add(partial{at: p.at + 1, state: (p.state*k + l) % c.states, energy: p.energy + c.unary(p.at+1, l) + c.pair(p.at+1, last, l), from: &p})
			}
		}
	}
	return out, nil
}

// prepare computes best and ahead.
func (c *chains) prepare(ctx context.Context) error {
	k, n := c.f.Labels, len(c.order)
	c.states = 1
	for range c.depth + 1 {
		c.states *= k
	}
	windows := n - c.depth + 1
	c.best = slices.Repeat([]float64{math.Inf(-1)}, windows*k*k)
	x := make([]int, c.depth)
	for s := range windows {
		if err := ctx.Err(); err != nil {
			return err
		}
		for code := range c.states / k {
			for j := c.depth - 1; j >= 0; j-- {
				x[j] = code % k
				code /= k
			}
			for a := range k {
				for b := range k {
					at := (s*k+a)*k + b
					c.best[at] = max(c.best[at], c.window(s, a, x, b))
				}
			}
		}
	}
	c.ahead = slices.Repeat([]float64{math.Inf(-1)}, n*c.states)
	for t := n - 1; t >= 0; t-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		for state := range c.states {
			at := t*c.states + state
			if t == n-1 {
				if c.allowed(n, state, 0) {
					c.ahead[at] = 0
				}
				continue
			}
			for l := range k {
				next := c.ahead[(t+1)*c.states+(state*k+l)%c.states]
				if !math.IsInf(next, -1) && c.allowed(t+1, state, l) {
					c.ahead[at] = max(c.ahead[at], c.unary(t+1, l)+c.pair(t+1, state%k, l)+next)
				}
			}
		}
	}
	return nil
}

// allowed reports whether label l at place t, after a state of place t-1, leaves
// the δ places before t without an improvement. t = n is behind the last place.
func (c *chains) allowed(t, state, l int) bool {
	if t < c.depth {
		return true
	}
	k := c.f.Labels
	var digits [4]int // of δ ≤ 3 places and the one before them
	for j := c.depth; j >= 0; j-- {
		digits[j] = state % k
		state /= k
	}
	s := t - c.depth
	return c.best[(s*k+digits[0])*k+l]-c.window(s, digits[0], digits[1:c.depth+1], l) <= least
}

// window is the energy of labels x from place s on, with their edges to a before
// and b after them.
func (c *chains) window(s, a int, x []int, b int) float64 {
	e, before := 0.0, a
	for j, l := range x {
		e += c.unary(s+j, l) + c.pair(s+j, before, l)
		before = l
	}
	if end := s + len(x); end < len(c.order) {
		e += c.pair(end, before, b)
	}
	return e
}

func (c *chains) unary(t, l int) float64 { return c.f.Theta[int(c.order[t])*c.f.Labels+l] }

func (c *chains) pair(t, before, l int) float64 {
	if before == l {
		return c.weight[t]
	}
	return 0
}

// labels are those of all nodes.
func (c *chains) labels(p *partial) []uint8 {
	y := make([]uint8, len(c.order))
	for ; p != nil; p = p.from {
		y[c.order[p.at]] = uint8(p.state % c.f.Labels)
	}
	return c.f.Whole(y)
}

// partial is a labelling of the places up to at.
type partial struct {
	at, state     int
	energy, bound float64
	number        int // breaks ties
	from          *partial
}

// partials is a heap of them, the one that can become best on top.
type partials struct {
	of   []partial
	made int
}

func (p *partials) Len() int { return len(p.of) }

func (p *partials) Less(i, j int) bool {
	a, b := &p.of[i], &p.of[j]
	return a.bound > b.bound || a.bound == b.bound && a.number < b.number
}

func (p *partials) Swap(i, j int) { p.of[i], p.of[j] = p.of[j], p.of[i] }

// Push is heap.Interface's.
func (p *partials) Push(x any) { p.of = append(p.of, x.(partial)) }

// Pop is heap.Interface's.
func (p *partials) Pop() any {
	last := p.of[len(p.of)-1]
	p.of = p.of[:len(p.of)-1]
	return last
}

package crf

import (
	"math"
	"math/rand/v2"
	"slices"
)

// quadratic maximises Σ gain_i·b_i + Σ both_ij·b_i·b_j over switches b that are off
// or on, by eliminating one switch after the other, that of the fewest neighbours
// first (the basic algorithm of Hammer, Rosenberg and Rudeanu, with Crama, Hansen and
// Jaumard 1990, doi:10.1016/0166-218X(90)90142-Y). A table keeps what an eliminated
// switch is worth for each state of its neighbours. Where all have too many of
// them, two are tied and from then on switched together, as Houdayer and Martin do
// with the spins of a block (1999, doi:10.1103/PhysRevLett.83.1030): that is exact
// but for the ties. No answer is worse than all off or all on.
type quadratic struct {
	width int // most neighbours of a switch that is eliminated
	rng   *rand.PCG

	gain []float64
	both []product
	on   []bool // the answer

	near  [][]bond    // of a switch that is left: to the others that are
	ready []queue     // number of neighbours -> switches that have, or had, so many
	rank  []int32     // of a switch in order; unranked while it is left
	order []int32     // eliminated switches
	left  []int32     // the others, and some that are gone
	tied  []int32     // the switch that a switch is tied to; itself if to none
	mine  [][]product // of each switch: the products in which it is eliminated first
	over  [][]int32   // of each switch: the tables to which it belongs until its own is made
	bit   []int32     // place of a switch in the current scope

	tables    []table
	off, with []float64 // of the current table: the values with its switch off and on
	place     []int32   // scratch of absorb
}

const unranked = math.MaxInt32

type product struct {
	a, b  int32
	value float64
}

// bond says how firmly two switches are thought to go together (or, < 0, apart); a
// path is as firm as its weakest bond, and paths add up.
type bond struct {
	to       int32
	strength float64
}

// queue of switches, first in, first out.
type queue struct {
	items []int32
	head  int
}

// table is the best that an eliminated switch, with those eliminated before that are
// joined to it, can add for each state of a scope: bit n of an index is switch n.
type table struct {
	node  int32
	scope []int32 // in falling rank
	value []float64
	on    []bool // what the switch does for it
}

// reset makes n switches without a gain.
func (q *quadratic) reset(n int) {
	q.gain = renew(q.gain, n)
	q.on = renew(q.on, n)
	q.bit = renew(q.bit, n)
	q.both, q.order, q.tables = q.both[:0], q.order[:0], q.tables[:0]
	q.near, q.mine, q.over = emptied(q.near, n), emptied(q.mine, n), emptied(q.over, n)
	q.rank, q.tied = renew(q.rank, n), renew(q.tied, n)
	for i := range n {
		q.rank[i], q.tied[i] = unranked, int32(i)
	}
	if q.ready == nil {
		q.ready = make([]queue, q.width+1)
	}
	for d := range q.ready {
		q.ready[d] = queue{items: q.ready[d].items[:0]}
	}
}

// renew is s with n zeros.
func renew[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// emptied is s with n empty lists.
func emptied[T any](s [][]T, n int) [][]T {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = s[i][:0]
	}
	return s
}

// maximise sets on and returns the sum.
func (q *quadratic) maximise() (sum float64) {
	for _, p := range q.both {
		q.bind(p.a, p.b, p.value)
		q.bind(p.b, p.a, p.value)
	}
	q.plan()
	for i := range q.tied {
		if r := q.leader(int32(i)); r != int32(i) {
			q.gain[r] += q.gain[i]
		}
	}
	for _, p := range q.both {
		a, b := q.leader(p.a), q.leader(p.b)
		switch {
		case a == b:
			q.gain[a] += p.value
		case q.rank[a] < q.rank[b]:
			q.mine[a] = append(q.mine[a], product{a, b, p.value})
		default:
			q.mine[b] = append(q.mine[b], product{b, a, p.value})
		}
	}
	for _, i := range q.order {
		sum += q.eliminate(i)
	}
	for n := len(q.tables) - 1; n >= 0; n-- {
		t := &q.tables[n]
		at := 0
		for b, j := range t.scope {
			if q.on[j] {
				at |= 1 << b
			}
		}
		q.on[t.node] = t.on[at]
	}
	for i := range q.on {
		q.on[i] = q.on[q.leader(int32(i))]
	}
	return sum
}

// plan ranks the switches, and ties some. It visits them in a random order.
func (q *quadratic) plan() {
	n := len(q.gain)
	q.left = q.left[:0]
	for i := range n {
		j := int(q.rng.Uint64() % uint64(i+1))
		q.left = append(q.left, int32(i))
		q.left[i], q.left[j] = q.left[j], int32(i)
	}
	for _, i := range q.left {
		q.enqueue(i)
	}
	for range n {
		i := q.next()
		if i < 0 {
			q.tie()
			continue
		}
		q.rank[i] = int32(len(q.order))
		q.order = append(q.order, i)
		for n, j := range q.near[i] {
			q.unbind(j.to, i)
			for _, h := range q.near[i][:n] {
				through := min(math.Abs(j.strength), math.Abs(h.strength))
				if (j.strength < 0) != (h.strength < 0) {
					through = -through
				}
				q.bind(j.to, h.to, through)
				q.bind(h.to, j.to, through)
			}
		}
		for _, j := range q.near[i] {
			q.enqueue(j.to)
		}
	}
}

// next is a switch of the fewest neighbours, or -1 when all have too many.
func (q *quadratic) next() int32 {
	for d := range q.ready {
		r := &q.ready[d]
		for r.head < len(r.items) {
			i := r.items[r.head]
			r.head++
			if !q.gone(i) && len(q.near[i]) == d {
				return i
			}
		}
	}
	return -1
}

// gone reports whether switch i has been eliminated or tied.
func (q *quadratic) gone(i int32) bool { return q.rank[i] != unranked || q.tied[i] != i }

func (q *quadratic) enqueue(i int32) {
	if d := len(q.near[i]); d <= q.width {
		q.ready[d].items = append(q.ready[d].items, i)
	}
}

// tie ties a switch, rather one of many neighbours, to one of them, rather to one
// that is firmly bound to it.
func (q *quadratic) tie() {
	q.left = slices.DeleteFunc(q.left, q.gone)
	i, top := int32(-1), -1.0
	for _, j := range q.left {
		if v := float64(len(q.near[j])) * (1 + uniform(q.rng)); v > top {
			i, top = j, v
		}
	}
	to, most := int32(-1), -1.0
	for _, j := range q.near[i] {
		if v := float64(math.Abs(j.strength) * uniform(q.rng)); v > most {
			to, most = j.to, v
		}
	}
	q.tied[i] = to
	for _, j := range q.near[i] {
		q.unbind(j.to, i)
		if j.to != to {
			q.bind(j.to, to, j.strength)
			q.bind(to, j.to, j.strength)
		}
	}
	for _, j := range q.near[i] {
		q.enqueue(j.to)
	}
}

// bind adds a bond from i to j.
func (q *quadratic) bind(i, j int32, strength float64) {
	for n := range q.near[i] {
		if q.near[i][n].to == j {
			q.near[i][n].strength += strength
			return
		}
	}
	q.near[i] = append(q.near[i], bond{j, strength})
}

// unbind deletes the bond from i to j.
func (q *quadratic) unbind(i, j int32) {
	list := q.near[i]
	at := slices.IndexFunc(list, func(b bond) bool { return b.to == j })
	list[at] = list[len(list)-1]
	q.near[i] = list[:len(list)-1]
}

// leader is the switch with which i is switched.
func (q *quadratic) leader(i int32) int32 {
	for q.tied[i] != i {
		q.tied[i] = q.tied[q.tied[i]]
		i = q.tied[i]
	}
	return i
}

// eliminate makes the table of switch i; if it has no neighbours left, its value is
// returned.
func (q *quadratic) eliminate(i int32) float64 {
	if n := len(q.tables); n < cap(q.tables) {
		q.tables = q.tables[:n+1]
	} else {
		q.tables = append(q.tables, table{})
	}
	t := &q.tables[len(q.tables)-1]
	t.node, t.scope = i, t.scope[:0]
	for _, j := range q.near[i] {
		if r := q.leader(j.to); !slices.Contains(t.scope, r) {
			t.scope = append(t.scope, r)
		}
	}
	slices.SortFunc(t.scope, func(a, b int32) int { return int(q.rank[b] - q.rank[a]) })
	for b, j := range t.scope {
		q.bit[j] = int32(b)
	}
	size := 1 << len(t.scope)
	q.off, q.with = renew(q.off, size), renew(q.with, size)
	q.with[0] = q.gain[i]
	for _, p := range q.mine[i] {
		q.with[1<<q.bit[p.b]] += p.value // the slope, until the loop below
	}
	for b := range t.scope {
		slope := q.with[1<<b]
		for s, v := range q.with[:1<<b] {
			q.with[1<<b+s] = v + slope
		}
	}
	for _, n := range q.over[i] {
		q.absorb(t, &q.tables[n])
	}
	t.value, t.on = renew(t.value, size), renew(t.on, size)
	for s, off := range q.off {
		with := q.with[s]
		t.value[s], t.on[s] = max(off, with), with > off
	}
	if size == 1 {
		return t.value[0]
	}
	next := t.scope[len(t.scope)-1]
	q.over[next] = append(q.over[next], int32(len(q.tables)-1))
	return 0
}

// absorb adds an earlier table to off and with.
func (q *quadratic) absorb(t, from *table) {
	q.place = renew(q.place, len(q.off)) // state of t's scope -> of the other's
	last := len(from.scope) - 1          // t's switch
	for b, j := range from.scope[:last] {
		q.place[1<<q.bit[j]] = 1 << b
	}
	for b := range t.scope {
		add := q.place[1<<b]
		for s, p := range q.place[:1<<b] {
			q.place[1<<b+s] = p + add
		}
	}
	for s, p := range q.place {
		q.off[s] += from.value[p]
		q.with[s] += from.value[int(p)+1<<last]
	}
}

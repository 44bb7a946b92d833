package herding

import "collie/crf"

// EliminationOrder orders the n nodes of a graph, whose weights don't matter, so
// that eliminating them in that order causes little fill-in: the approximate
// minimum degree of Amestoy, Davis and Duff 1996 (doi:10.1137/S0895479894278952) on
// a quotient graph, without its supervariables. Ties go to the lowest node. It
// returns order[step] = node.
func EliminationOrder(n int, edges []crf.Edge) []int32 {
	g := newQuotient(n, edges)
	q := newBuckets(n)
	degree := make([]int32, n)
	for i := range int32(n) {
		degree[i] = g.others[i]
		q.put(i, degree[i])
	}
	order := make([]int32, 0, n)
	for len(order) < n {
		p := q.pop()
		order = append(order, p)
		element := g.eliminate(p)
		size, left := int32(len(element)), int32(n-len(order))
		for _, i := range element {
			if d := min(g.touched(i, p)+size-1, degree[i]+size-1, left-1); d != degree[i] {
				q.remove(i, degree[i])
				degree[i] = d
				q.put(i, d)
			}
		}
	}
	return order
}

// quotient is a graph in the course of its elimination. An eliminated node has become
// an element, whose members are all connected to each other.
type quotient struct {
	// lists has, from start[i] on, the elements that node i belongs to and then its
	// neighbours that no element covers: an element takes the place of what it covers,
	// so they never become more.
	lists, start     []int32
	elements, others []int32 // how many there are of each
	members          [][]int32
	arena            []int32 // of members
	done             []bool

	step    int32
	mark    []int32 // node -> step in which it was seen
	stamp   []int32 // element -> step in which it was weighed
	outside []int32 // size of an element less what it shares with the new one
}

func newQuotient(n int, edges []crf.Edge) *quotient {
	g := &quotient{
		lists: make([]int32, 2*len(edges)), start: make([]int32, n+1), elements: make([]int32, n), others: make([]int32, n),
		members: make([][]int32, n), arena: make([]int32, 0, 8*n), done: make([]bool, n),
		mark: make([]int32, n), stamp: make([]int32, n), outside: make([]int32, n),
	}
	for _, e := range edges {
		g.start[e.A+1]++
		g.start[e.B+1]++
	}
	for i := range n {
		g.start[i+1] += g.start[i]
	}
	add := func(i, j int32) {
		g.lists[g.start[i]+g.others[i]] = j
		g.others[i]++
	}
	for _, e := range edges {
		add(e.A, e.B)
		add(e.B, e.A)
	}
	for i := range int32(n) { // parallel edges count once
		g.step++
		list := g.lists[g.start[i]:g.start[i+1]]
		g.others[i] = 0
		for _, j := range list {
			if g.mark[j] != g.step {
				g.mark[j] = g.step
				add(i, j)
			}
		}
	}
	return g
}

// eliminate makes node p an element and returns its members, all nodes that p was
// connected to.
func (g *quotient) eliminate(p int32) []int32 {
	g.step++
	g.done[p], g.mark[p] = true, g.step
	from := len(g.arena)
	list := g.lists[g.start[p]:][:g.elements[p]+g.others[p]]
	g.gather(list[g.elements[p]:])
	for _, e := range list[:g.elements[p]] {
		g.gather(g.members[e])
		g.members[e] = nil // the new element covers it
	}
	element := g.arena[from:len(g.arena):len(g.arena)]
	g.members[p] = element
	for _, i := range element {
		for _, e := range g.lists[g.start[i]:][:g.elements[i]] {
			if g.stamp[e] != g.step {
				g.stamp[e] = g.step
				g.outside[e] = int32(len(g.members[e]))
			}
			g.outside[e]--
		}
	}
	return element
}

// gather adds the nodes of a list to the new element.
func (g *quotient) gather(list []int32) {
	for _, i := range list {
		if !g.done[i] && g.mark[i] != g.step {
			g.mark[i] = g.step
			g.arena = append(g.arena, i)
		}
	}
}

// touched brings member i of the new element p up to date and returns how many
// nodes it is connected to outside of it, at most: those of several elements count
// several times.
func (g *quotient) touched(i, p int32) (degree int32) {
	list := g.lists[g.start[i]:g.start[i+1]]
	n := 0
	for _, e := range list[:g.elements[i]] {
		switch {
		case g.members[e] == nil:
		case g.outside[e] == 0:
			g.members[e] = nil // lies within the new element
		default:
			list[n] = e
			n++
			degree += g.outside[e]
		}
	}
	others := list[g.elements[i]:][:g.others[i]]
	g.elements[i], g.others[i] = int32(n+1), 0
	next := p // each goes where the one after it was
	for _, j := range others {
		if !g.done[j] && g.mark[j] != g.step {
			list[n], next = next, j
			n++
			g.others[i]++
		}
	}
	list[n] = next
	return degree + g.others[i]
}

// buckets is a queue of nodes by degree: doubly linked lists.
type buckets struct {
	head, next, prev []int32
	low              int32
}

func newBuckets(n int) *buckets {
	q := &buckets{head: make([]int32, n+1), next: make([]int32, n), prev: make([]int32, n)}
	for i := range q.head {
		q.head[i] = -1
	}
	return q
}

func (q *buckets) put(i, d int32) {
	h := q.head[d]
	q.next[i], q.prev[i] = h, -1
	if h >= 0 {
		q.prev[h] = i
	}
	q.head[d] = i
	q.low = min(q.low, d)
}

func (q *buckets) remove(i, d int32) {
	n, p := q.next[i], q.prev[i]
	if n >= 0 {
		q.prev[n] = p
	}
	if p >= 0 {
		q.next[p] = n
	} else {
		q.head[d] = n
	}
}

func (q *buckets) pop() int32 {
	for q.head[q.low] < 0 {
		q.low++
	}
	i := q.head[q.low]
	q.remove(i, q.low)
	return i
}

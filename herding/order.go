package herding

// minimumDegree orders the n nodes of a symmetric graph so that eliminating
// them in that order causes little fill-in: the approximate minimum degree of
// Amestoy, Davis and Duff 1996 (doi:10.1137/S0895479894278952) on a quotient
// graph, without its supervariables. Ties go to the lowest node. It returns
// order[step] = node.
func minimumDegree(adjacent [][]int32) []int32 {
	n := len(adjacent)
	vars := make([][]int32, n)  // neighbours of a node not yet covered by an element
	elems := make([][]int32, n) // elements (eliminated nodes) that a node belongs to
	members := make([][]int32, n)
	degree := make([]int, n)
	done := make([]bool, n)
	q := newBuckets(n)
	for i, a := range adjacent {
		vars[i] = append([]int32(nil), a...)
		degree[i] = len(a)
		q.put(int32(i), len(a))
	}
	mark := make([]int32, n) // node seen in step
	outside := make([]int, n)
	stamp := make([]int32, n) // element weighed in step
	order := make([]int32, 0, n)
	for step := int32(1); len(order) < n; step++ {
		p := q.pop()
		order = append(order, p)
		done[p] = true
		// The new element: all nodes that p is adjacent to, directly or through elements.
		var element []int32
		mark[p] = step
		gather := func(list []int32) {
			for _, i := range list {
				if !done[i] && mark[i] != step {
					mark[i] = step
					element = append(element, i)
				}
			}
		}
		gather(vars[p])
		for _, e := range elems[p] {
			gather(members[e])
			members[e] = nil // absorbed
		}
		members[p] = element
		vars[p], elems[p] = nil, nil
		// outside[e] becomes the size of element e less what it shares with the new one.
		for _, i := range element {
			for _, e := range elems[i] {
				if members[e] == nil {
					continue
				}
				if stamp[e] != step {
					stamp[e] = step
					outside[e] = len(members[e])
				}
				outside[e]--
			}
		}
		for _, i := range element {
			keep := elems[i][:0]
			d := len(element) - 1
			for _, e := range elems[i] {
				switch {
				case members[e] == nil:
				case outside[e] == 0:
					members[e] = nil // lies within the new element
				default:
					keep = append(keep, e)
					d += outside[e]
				}
			}
			elems[i] = append(keep, p)
			rest := vars[i][:0]
			for _, j := range vars[i] {
				if !done[j] && mark[j] != step {
					rest = append(rest, j)
				}
			}
			vars[i] = rest
			d = min(d+len(rest), degree[i]+len(element)-1, n-len(order)-1)
			if d != degree[i] {
				q.remove(i, degree[i])
				degree[i] = d
				q.put(i, d)
			}
		}
	}
	return order
}

// buckets is a queue of nodes by degree: doubly linked lists.
type buckets struct {
	head, next, prev []int32
	low              int
}

func newBuckets(n int) *buckets {
	q := &buckets{head: make([]int32, n+1), next: make([]int32, n), prev: make([]int32, n)}
	for i := range q.head {
		q.head[i] = -1
	}
	return q
}

func (q *buckets) put(i int32, d int) {
	h := q.head[d]
	q.next[i], q.prev[i] = h, -1
	if h >= 0 {
		q.prev[h] = i
	}
	q.head[d] = i
	q.low = min(q.low, d)
}

func (q *buckets) remove(i int32, d int) {
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

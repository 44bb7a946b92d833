package superpixels

// matchDown merges regions in rounds until about target are left (never
// fewer): in each round the cheaper half of the borders is taken in order of
// cost, and a border's regions merge unless one of them already did in this
// round. It returns the region of each former region.
func (r *rag) matchDown(target, rounds int) []int32 {
	owner := make([]int32, len(r.regions))
	for i := range owner {
		owner[i] = int32(i)
	}
	costs := make([]float32, len(r.borders))
	order := make([]int32, len(r.borders))
	for range rounds {
		n := len(r.regions)
		if n <= target+target/8 {
			break
		}
		mate := r.match(costs[:len(r.borders)], order[:len(r.borders)], n-target)
		r.contract(mate)
		for i, o := range owner {
			owner[i] = mate[o]
		}
	}
	return owner
}

// match pairs regions over cheap borders, at most limit pairs, and returns the
// new id of each region.
func (r *rag) match(costs []float32, order []int32, limit int) []int32 {
	n := len(r.regions)
	low, high := float32(1e30), float32(-1e30)
	for i := range r.borders {
		c := r.cost(&r.borders[i])
		costs[i] = c
		low, high = min(low, c), max(high, c)
	}
	// Counting sort by cost in fine steps; equal steps keep the border order.
	const steps = 1 << 12
	var start [steps + 1]int32
	scale := float32(steps-1) / max(high-low, 1e-6)
	step := func(c float32) int32 { return int32((c - low) * scale) }
	for _, c := range costs {
		start[step(c)+1]++
	}
	// start[s] becomes the number of costs below step s, up to the median.
	last := int32(0)
	for last < steps && int(start[last]) < (len(costs)+1)/2 {
		start[last+1] += start[last]
		last++
	}
	order = order[:start[last]]
	for i, c := range costs {
		if s := step(c); s < last {
			order[start[s]] = int32(i)
			start[s]++
		}
	}
	mate := make([]int32, n)
	for i := range mate {
		mate[i] = -1
	}
	for _, i := range order {
		e := &r.borders[i]
		if mate[e.a] >= 0 || mate[e.b] >= 0 {
			continue
		}
		mate[e.a], mate[e.b] = e.b, e.a
		if limit--; limit == 0 {
			break
		}
	}
	next := int32(0)
	for i := range mate {
		switch j := mate[i]; {
		case j < 0:
			mate[i] = next
			next++
		case int(j) > i: // the mate comes later and takes this id
			mate[i] = next
			next++
		default:
			mate[i] = mate[j]
		}
	}
	return mate
}

// contract merges regions that have the same new id in to.
func (r *rag) contract(to []int32) {
	merged := make([]region, 0, len(r.regions))
	for i, t := range to {
		if int(t) == len(merged) {
			merged = append(merged, r.regions[i])
		} else {
			merged[t] = merged[t].merged(&r.regions[i])
		}
	}
	r.regions = merged
	// Bucket the borders by their lower region, then join equal pairs.
	start := make([]int32, len(merged)+1)
	for i := range r.borders {
		e := &r.borders[i]
		e.a, e.b = to[e.a], to[e.b]
		if e.a > e.b {
			e.a, e.b = e.b, e.a
		}
		if e.a != e.b {
			start[e.a+1]++
		}
	}
	for i := range merged {
		start[i+1] += start[i]
	}
	bucket := make([]int32, start[len(merged)])
	for i := range r.borders {
		if e := &r.borders[i]; e.a != e.b {
			bucket[start[e.a]] = int32(i)
			start[e.a]++
		}
	}
	seen := make([]int32, len(merged)) // 1 + index in borders of the pair (a, b)
	borders := make([]border, 0, len(bucket))
	first := 0
	for _, i := range bucket {
		e := &r.borders[i]
		if len(borders) > 0 && borders[len(borders)-1].a != e.a {
			first = len(borders)
		}
		if s := int(seen[e.b]) - 1; s >= first && s < len(borders) && borders[s].b == e.b {
			borders[s].add(e)
			continue
		}
		borders = append(borders, *e)
		seen[e.b] = int32(len(borders))
	}
	r.borders = borders
}

// candidate is a border in the queue, valid while its stamp is the border's.
type candidate struct {
	cost          float32
	border, stamp int32
}

func (c candidate) before(d candidate) bool {
	return c.cost < d.cost || c.cost == d.cost && c.border < d.border
}

// merger merges the cheapest pair of a graph, one pair at a time: an exact
// greedy order, with a heap whose outdated entries are dropped when they
// surface. O(d log n) per merge for regions of degree d.
type merger struct {
	rag
	adjacent [][]int32 // borders of each region; may hold dead ones
	stamp    []int32   // per border; -1 when it is gone
	heap     []candidate
	seen     []int32 // scratch of join: 1 + border to a neighbour
	parent   []int32 // region into which a region was merged, or itself
	left     int
}

func newMerger(r *rag) *merger {
	n := len(r.regions)
	m := &merger{
		rag: *r, adjacent: make([][]int32, n), stamp: make([]int32, len(r.borders)),
		heap: make([]candidate, len(r.borders), 2*len(r.borders)), seen: make([]int32, n), parent: make([]int32, n), left: n,
	}
	degree := make([]int32, n)
	for i := range r.borders {
		degree[r.borders[i].a]++
		degree[r.borders[i].b]++
	}
	arena := make([]int32, 2*len(r.borders))
	for i, d := range degree {
		m.parent[i] = int32(i)
		m.adjacent[i], arena = arena[:0:d], arena[d:]
	}
	for i := range r.borders {
		e := &r.borders[i]
		m.adjacent[e.a] = append(m.adjacent[e.a], int32(i))
		m.adjacent[e.b] = append(m.adjacent[e.b], int32(i))
		m.heap[i] = candidate{m.cost(e), int32(i), 0}
	}
	for i := len(m.heap)/4 + 1; i >= 0; i-- {
		m.down(i)
	}
	return m
}

// next merges the cheapest pair and returns the region that stays and the one
// that is gone. There must be at least two regions.
func (m *merger) next() (stays, gone int32) {
	for {
		top := m.heap[0]
		m.pop()
		if m.stamp[top.border] == top.stamp {
			return m.join(top.border)
		}
	}
}

func (m *merger) join(i int32) (stays, gone int32) {
	stays, gone = m.borders[i].a, m.borders[i].b
	if len(m.adjacent[stays]) < len(m.adjacent[gone]) {
		stays, gone = gone, stays
	}
	m.stamp[i] = -1
	m.left--
	m.parent[gone] = stays
	m.regions[stays] = m.regions[stays].merged(&m.regions[gone])
	list := m.adjacent[stays][:0]
	for _, j := range m.adjacent[stays] {
		if m.stamp[j] < 0 {
			continue
		}
		e := &m.borders[j]
		m.seen[e.a+e.b-stays] = j + 1
		list = append(list, j)
	}
	for _, j := range m.adjacent[gone] {
		if m.stamp[j] < 0 {
			continue
		}
		e := &m.borders[j]
		other := e.a + e.b - gone
		if k := m.seen[other]; k > 0 {
			m.borders[k-1].add(e)
			m.stamp[j] = -1
			continue
		}
		e.a, e.b = min(stays, other), max(stays, other)
		list = append(list, j)
	}
	m.adjacent[stays], m.adjacent[gone] = list, nil
	for _, j := range list {
		e := &m.borders[j]
		m.seen[e.a+e.b-stays] = 0
		m.stamp[j]++
		m.push(candidate{m.cost(e), j, m.stamp[j]})
	}
	return stays, gone
}

// owners returns for each region the id, 0..left-1, of what it became part of.
func (m *merger) owners() []int32 {
	owner := make([]int32, len(m.parent))
	next := int32(0)
	for i, p := range m.parent {
		if int(p) == i {
			owner[i] = next
			next++
		}
	}
	for i := range m.parent {
		root := m.parent[i]
		for m.parent[root] != root {
			root = m.parent[root]
		}
		for j := int32(i); m.parent[j] != root; {
			j, m.parent[j] = m.parent[j], root
		}
		owner[i] = owner[root]
	}
	return owner
}

// The queue is a heap with four children per entry.

func (m *merger) push(c candidate) {
	i := len(m.heap)
	m.heap = append(m.heap, c)
	for i > 0 {
		up := (i - 1) / 4
		if !c.before(m.heap[up]) {
			break
		}
		m.heap[i] = m.heap[up]
		i = up
	}
	m.heap[i] = c
}

func (m *merger) pop() {
	last := len(m.heap) - 1
	m.heap[0] = m.heap[last]
	m.heap = m.heap[:last]
	m.down(0)
}

func (m *merger) down(i int) {
	if i >= len(m.heap) {
		return
	}
	c := m.heap[i]
	for {
		first := 4*i + 1
		if first >= len(m.heap) {
			break
		}
		best := first
		for k := first + 1; k < min(first+4, len(m.heap)); k++ {
			if m.heap[k].before(m.heap[best]) {
				best = k
			}
		}
		if !m.heap[best].before(c) {
			break
		}
		m.heap[i] = m.heap[best]
		i = best
	}
	m.heap[i] = c
}

package superpixels

// match merges the regions of r, which are the leaves, in rounds until about target
// are left (never fewer): in each round the cheaper half of the borders is taken in
// order of cost, and a border's regions merge unless one of them already did in this
// round. It returns the node of each region that is left.
func (t *tree) match(r *rag, target int) (node []int32) {
	node = r.room.ints.take(len(r.regions))
	for i := range node {
		node[i] = int32(i)
	}
	costs := r.room.floats.take(len(r.borders))
	ids, starts := r.room.ints.take(len(r.regions)), r.room.ints.take(len(r.regions)+1)
	for range matchRounds {
		n := len(r.regions)
		if n <= target+target/8 {
			break
		}
		to := ids[:n]
		joined := r.pairUp(to, costs[:len(r.borders)], n-target)
		for _, i := range joined {
			a, b := r.pairs[i][0], r.pairs[i][1]
			node[a] = t.join(node[a], node[b])
			node[b] = node[a]
		}
		r.contract(joined, to, starts)
		for i, id := range to {
			node[id] = node[i]
		}
	}
	return node[:len(r.regions)]
}

// pairUp pairs regions over cheap borders, at most limit pairs. It returns these
// borders in order of cost, in memory that r uses again, and sets to to the new id of
// each region. costs is scratch.
func (r *rag) pairUp(to []int32, costs []float32, limit int) (joined []int32) {
	low, high := float32(1e30), float32(-1e30)
	for i := range costs {
		c := r.cost(i)
		costs[i] = c
		if c < low {
			low = c
		}
		if c > high {
			high = c
		}
	}
	// Counting sort by cost in fine steps; equal costs keep the border order.
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
	order := r.scratch[:start[last]+1] // the last place is for those that are left out
	for i, c := range costs {
		s := min(step(c), last)
		order[start[s]] = int32(i)
		start[s] += int32(1 - same(s, last))
	}
	order = order[:start[last]]
	// to is -1 for a region without a mate, else the mate. This has no branches, which
	// would often be predicted wrong: each border is listed, and stays if both are free.
	for i := range to {
		to[i] = -1
	}
	n := 0
	for _, i := range order {
		a, b := r.pairs[i][0], r.pairs[i][1]
		free := to[a] & to[b] >> 31 // -1 if both are, else 0
		to[a], to[b] = b&free|to[a]&^free, a&free|to[b]&^free
		order[n] = i
		n -= int(free)
		if n == limit {
			break
		}
	}
	next := int32(0)
	for i, mate := range to {
		if mate >= 0 && int(mate) < i {
			to[i] = to[mate]
			continue
		}
		to[i] = next
		next++
	}
	return order[:n]
}

// contract merges the regions on both sides of each border in joined; to has the new
// id of each region. The borders are in the order of their lower regions afterwards.
// start is scratch with room for a number per region and one.
func (r *rag) contract(joined, to, start []int32) {
	for _, i := range joined {
		a, b := r.pairs[i][0], r.pairs[i][1]
		r.regions[a] = r.regions[a].merged(&r.regions[b])
	}
	left := int32(0)
	for i, t := range to {
		r.regions[left] = r.regions[i]
		left += int32(same(t, left))
	}
	r.regions = r.regions[:left]
	n := 0
	for i, pair := range r.pairs {
		a, b := to[pair[0]], to[pair[1]]
		r.pairs[n], r.borders[n] = [2]int32{min(a, b), max(a, b)}, r.borders[i]
		n += 1 - same(a, b)
	}
	r.pairs, r.borders = r.pairs[:n], r.borders[:n]
	// Bucket the borders by their lower region, to see which are equal.
	start = start[:left+1]
	clear(start)
	for _, pair := range r.pairs {
		start[pair[0]+1]++
	}
	for i := range r.regions {
		start[i+1] += start[i]
	}
	bucket := r.scratch[:n]
	for i, pair := range r.pairs {
		bucket[start[pair[0]]] = int32(i)
		start[pair[0]]++
	}
	// Equal ones join the first of them, again without branches.
	last := start[:left] // the last border to each region; of another bucket unless its lower region says so
	clear(last)
	pairs, borders := r.nextPairs[:n+1], r.nextBorders[:n+1]
	clear(borders)
	pairs[0] = [2]int32{-1, -1} // equals none
	end := int32(1)
	for _, i := range bucket {
		pair := r.pairs[i]
		known := last[pair[1]]
		equal := int32(same(pairs[known][0], pair[0]))
		at := end + (known-end)&-equal
		end += 1 - equal
		pairs[at] = pair
		borders[at].add(&r.borders[i])
		last[pair[1]] = at
	}
	r.nextPairs, r.nextBorders = r.pairs, r.borders
	r.pairs, r.borders = pairs[1:end], borders[1:end]
}

// merger merges the cheapest pair of a graph, one pair at a time: an exact
// greedy order. O(d log n) per merge for regions of degree d.
type merger struct {
	rag
	queue    *queue
	adjacent [][]int32 // borders of each region; can contain removed ones
	seen     []int32   // scratch of join: 1 + border to a neighbour
	left     int
}

func newMerger(r *rag) *merger {
	n := len(r.regions)
	m := &merger{rag: *r, adjacent: make([][]int32, n), seen: r.room.ints.zeros(n), left: n}
	degree := r.room.ints.zeros(n)
	for i := range r.pairs {
		degree[r.pairs[i][0]]++
		degree[r.pairs[i][1]]++
	}
	arena := r.room.ints.take(2 * len(r.borders))
	for i, d := range degree {
		m.adjacent[i], arena = arena[:0:d], arena[d:]
	}
	for i, pair := range r.pairs {
		for _, side := range pair {
			m.adjacent[side] = append(m.adjacent[side], int32(i))
		}
	}
	m.queue = newQueue(len(r.borders), m.cost)
	return m
}

// next merges the cheapest pair and returns the region that stays and the one
// that is removed. There must be at least two regions.
func (m *merger) next() (stays, gone int32) {
	i := m.queue.first()
	stays, gone = m.pairs[i][0], m.pairs[i][1]
	if len(m.adjacent[stays]) < len(m.adjacent[gone]) {
		stays, gone = gone, stays
	}
	m.queue.remove(i)
	m.left--
	m.regions[stays] = m.regions[stays].merged(&m.regions[gone])
	list := m.adjacent[stays][:0]
	for _, j := range m.adjacent[stays] {
		if m.queue.gone(j) {
			continue
		}
		m.seen[m.other(j, stays)] = j + 1
		list = append(list, j)
	}
	for _, j := range m.adjacent[gone] {
		if m.queue.gone(j) {
			continue
		}
		other := m.other(j, gone)
		if k := m.seen[other]; k > 0 {
			m.borders[k-1].add(&m.borders[j])
			m.queue.remove(j)
			continue
		}
		m.pairs[j] = [2]int32{min(stays, other), max(stays, other)}
		list = append(list, j)
	}
	m.adjacent[stays], m.adjacent[gone] = list, nil
	for _, j := range list {
		m.seen[m.other(j, stays)] = 0
		m.queue.update(j, m.cost(int(j)))
	}
	return stays, gone
}

// other returns the region on the other side of a border.
func (m *merger) other(border, side int32) int32 {
	pair := &m.pairs[border]
	return pair[0] + pair[1] - side
}

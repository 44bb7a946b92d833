package superpixels

import "collie/disjoint"

// matchDown merges regions in rounds until about target are left (never
// fewer): in each round the cheaper half of the borders is taken in order of
// cost, and a border's regions merge unless one of them already did in this
// round. It returns the region of each former region.
func (r *rag) matchDown(target, rounds int) []int32 {
	owner := r.room.ints.take(len(r.regions))
	for i := range owner {
		owner[i] = int32(i)
	}
	costs := r.room.floats.take(len(r.borders))
	mates, starts := r.room.ints.take(len(r.regions)), r.room.ints.take(len(r.regions)+1)
	for range rounds {
		n := len(r.regions)
		if n <= target+target/8 {
			break
		}
		mate := mates[:n]
		r.match(mate, costs[:len(r.borders)], n-target)
		r.contract(mate, starts)
		for i, o := range owner {
			owner[i] = mate[o]
		}
	}
	return owner
}

// match pairs regions over cheap borders, at most limit pairs, and sets mate to
// the new id of each region. costs is scratch.
func (r *rag) match(mate []int32, costs []float32, limit int) {
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
	for i := range mate {
		mate[i] = -1
	}
	for _, i := range order {
		a, b := r.pairs[i][0], r.pairs[i][1]
		if mate[a] >= 0 || mate[b] >= 0 {
			continue
		}
		mate[a], mate[b] = b, a
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
}

// contract merges regions that have the same new id in to. Borders keep their
// order. start is scratch with room for a number per region and one.
func (r *rag) contract(to, start []int32) {
	merged := r.regions[:0]
	for i, t := range to {
		if int(t) == len(merged) {
			merged = append(merged, r.regions[i])
		} else {
			merged[t] = merged[t].merged(&r.regions[i])
		}
	}
	r.regions = merged
	n := 0
	for i, pair := range r.pairs {
		a, b := to[pair[0]], to[pair[1]]
		r.pairs[n], r.borders[n] = [2]int32{min(a, b), max(a, b)}, r.borders[i]
		n += 1 - same(a, b)
	}
	r.pairs, r.borders = r.pairs[:n], r.borders[:n]
	// Bucket the borders by their lower region, to see which are equal.
	start = start[:len(merged)+1]
	clear(start)
	for _, pair := range r.pairs {
		start[pair[0]+1]++
	}
	for i := range merged {
		start[i+1] += start[i]
	}
	bucket := r.scratch[:n]
	for i, pair := range r.pairs {
		bucket[start[pair[0]]] = int32(i)
		start[pair[0]]++
	}
	// Equal ones join the first of them.
	seen := start[:len(merged)] // 1 + the last border to each region; of another bucket unless its lower region says so
	clear(seen)
	for _, i := range bucket {
		pair := r.pairs[i]
		if k := seen[pair[1]] - 1; k >= 0 && r.pairs[k] == pair {
			r.borders[k].add(&r.borders[i])
			r.pairs[i] = [2]int32{}
			continue
		}
		seen[pair[1]] = i + 1
	}
	n = 0
	for i, pair := range r.pairs {
		r.pairs[n], r.borders[n] = pair, r.borders[i]
		n += 1 - same(pair[0], pair[1])
	}
	r.pairs, r.borders = r.pairs[:n], r.borders[:n]
}

// merger merges the cheapest pair of a graph, one pair at a time: an exact
// greedy order. O(d log n) per merge for regions of degree d.
type merger struct {
	rag
	queue    *queue
	adjacent [][]int32     // borders of each region; can contain removed ones
	seen     []int32       // scratch of join: 1 + border to a neighbour
	merged   disjoint.Sets // merged regions; the one that stays represents them
	left     int
}

func newMerger(r *rag) *merger {
	n := len(r.regions)
	m := &merger{rag: *r, adjacent: make([][]int32, n), seen: r.room.ints.zeros(n), merged: disjoint.New(n), left: n}
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
	m.merged.Join(gone, stays)
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

// owners returns for each region the id, 0..left-1, of what it became part of.
func (m *merger) owners() []int32 {
	owner := make([]int32, len(m.merged))
	next := int32(0)
	for i, stays := range m.merged {
		if int(stays) == i {
			owner[i] = next
			next++
		}
	}
	for i := range owner {
		owner[i] = owner[m.merged.Find(int32(i))]
	}
	return owner
}

package crf

// flow finds minimum cuts of the graph by augmenting paths along two search
// trees that are kept between the augmentations (Boykov and Kolmogorov 2004,
// doi:10.1109/TPAMI.2004.60). Capacities are set by the caller before run.
// Every augmentation empties one residual exactly, so rounding can't make it
// run on for ever.
type flow struct {
	g        *graph
	opposite []int32   // arc -> the arc back
	upward   []int32   // merged edge -> its arc from the lower node
	residual []float64 // per arc: cut when its tail is on the source's side and its head on the sink's
	terminal []float64 // per node: residual from the source (> 0) or to the sink (< 0)

	tree     []side
	parent   []int32 // arc to the parent, or one of atRoot, orphaned, alone
	distance []int32 // to the root, as of the last update
	time     []int32
	now      int32
	active   []int32 // queue of nodes from which a tree can grow
	queued   []bool
	orphans  []int32
}

type side uint8

const (
	free side = iota
	source
	sink
)

const (
	alone    int32 = -1
	atRoot   int32 = -2
	orphaned int32 = -3
)

func newFlow(g *graph) *flow {
	n := len(g.free)
	f := &flow{
		g: g, opposite: make([]int32, len(g.arcs)), upward: make([]int32, len(g.ends)), residual: make([]float64, len(g.arcs)),
		terminal: make([]float64, n), tree: make([]side, n), parent: make([]int32, n),
		distance: make([]int32, n), time: make([]int32, n), queued: make([]bool, n),
	}
	for e := range f.upward {
		f.upward[e] = -1
	}
	for a, arc := range g.arcs {
		if b := f.upward[arc.edge]; b < 0 {
			f.upward[arc.edge] = int32(a)
		} else {
			f.opposite[a], f.opposite[b] = b, int32(a)
		}
	}
	return f
}

// empty lets each arc carry the weight of its edge.
func (f *flow) empty() {
	for a, arc := range f.g.arcs {
		f.residual[a] = f.g.w[arc.edge]
	}
}

// run computes a maximum flow. Afterwards tree tells the side of each node;
// free nodes can go to either.
func (f *flow) run() {
	f.active, f.now = f.active[:0], 0
	for i, t := range f.terminal {
		f.tree[i], f.parent[i], f.time[i], f.distance[i] = free, alone, 0, 1
		f.queued[i] = false
		if t != 0 {
			f.tree[i], f.parent[i] = source, atRoot
			if t < 0 {
				f.tree[i] = sink
			}
			f.wake(int32(i))
		}
	}
	f.drain()
}

// resume is run when only terminals have changed since the last one: it goes on
// from that one's search trees.
func (f *flow) resume() {
	f.active = f.active[:0]
	f.now++
	for i, t := range f.terminal {
		side := source
		switch {
		case t == 0:
			if f.parent[i] == atRoot {
				f.orphan(int32(i))
			}
			continue
		case t < 0:
			side = sink
		}
		f.parent[i], f.time[i], f.distance[i] = atRoot, f.now, 1
		if f.tree[i] != side {
			f.tree[i] = side
			f.wake(int32(i))
		}
	}
	for _, i := range f.active { // those that have changed their tree
		from, to := f.arcsOf(i)
		for a := from; a < to; a++ {
			j := f.g.arcs[a].to
			if f.tree[j] == free || f.tree[j] == f.tree[i] {
				continue
			}
			if f.open(f.tree[i], a) {
				f.wake(j)
			}
			if p := f.parent[j]; p >= 0 && f.g.arcs[p].to == i {
				f.orphan(j)
			}
		}
	}
	f.adopt()
	f.drain()
}

// drain grows the trees from the active nodes and sends what flows where they meet.
func (f *flow) drain() {
	for q := 0; q < len(f.active); q++ {
		i := f.active[q]
		f.queued[i] = false
		for f.tree[i] != free {
			bridge := f.grow(i)
			if bridge < 0 {
				break
			}
			f.now++
			f.augment(bridge)
			f.adopt()
		}
	}
}

func (f *flow) wake(i int32) {
	if !f.queued[i] {
		f.queued[i] = true
		f.active = append(f.active, i)
	}
}

// arcsOf are the indices of the arcs that leave node i.
func (f *flow) arcsOf(i int32) (from, to int32) { return f.g.start[i], f.g.start[i+1] }

// open reports whether flow can still pass between a node of tree t and the
// other end of its arc a, away from the source and towards the sink.
func (f *flow) open(t side, a int32) bool {
	if t == sink {
		a = f.opposite[a]
	}
	return f.residual[a] > 0
}

// grow takes free neighbours of node i into its tree until it meets the other
// one, and returns the arc from the source's tree to the sink's, or -1.
func (f *flow) grow(i int32) int32 {
	t := f.tree[i]
	from, to := f.arcsOf(i)
	for a := from; a < to; a++ {
		if !f.open(t, a) {
			continue
		}
		switch j := f.g.arcs[a].to; {
		case f.tree[j] == free:
			f.tree[j], f.parent[j] = t, f.opposite[a]
			f.time[j], f.distance[j] = f.time[i], f.distance[i]+1
			f.wake(j)
		case f.tree[j] != t:
			if t == source {
				return a
			}
			return f.opposite[a]
		case f.time[j] <= f.time[i] && f.distance[j] > f.distance[i]:
			// a shorter way to the root
			f.parent[j] = f.opposite[a]
			f.time[j], f.distance[j] = f.time[i], f.distance[i]+1
		}
	}
	return -1
}

// augment sends what fits along the path over the bridge.
func (f *flow) augment(bridge int32) {
	tail, head := f.g.arcs[f.opposite[bridge]].to, f.g.arcs[bridge].to
	amount := f.residual[bridge]
	i := tail
	for ; f.parent[i] != atRoot; i = f.g.arcs[f.parent[i]].to {
		amount = min(amount, f.residual[f.opposite[f.parent[i]]])
	}
	amount = min(amount, f.terminal[i])
	for i = head; f.parent[i] != atRoot; i = f.g.arcs[f.parent[i]].to {
		amount = min(amount, f.residual[f.parent[i]])
	}
	amount = min(amount, -f.terminal[i])

	f.residual[bridge] -= amount
	f.residual[f.opposite[bridge]] += amount
	for i = tail; f.parent[i] != atRoot; {
		p := f.parent[i]
		f.pass(f.opposite[p], p, amount, i)
		i = f.g.arcs[p].to
	}
	f.terminal[i] -= amount
	f.check(i)
	for i = head; f.parent[i] != atRoot; {
		p := f.parent[i]
		f.pass(p, f.opposite[p], amount, i)
		i = f.g.arcs[p].to
	}
	f.terminal[i] += amount
	f.check(i)
}

// pass moves an amount over an arc and orphans its child i when that is full.
func (f *flow) pass(arc, back int32, amount float64, i int32) {
	f.residual[arc] -= amount
	f.residual[back] += amount
	if f.residual[arc] == 0 {
		f.orphan(i)
	}
}

// check orphans a root whose terminal is used up.
func (f *flow) check(i int32) {
	if f.terminal[i] == 0 {
		f.orphan(i)
	}
}

func (f *flow) orphan(i int32) {
	f.parent[i] = orphaned
	f.orphans = append(f.orphans, i)
}

// adopt finds new parents for the orphans or sets them free.
func (f *flow) adopt() {
	for q := 0; q < len(f.orphans); q++ {
		i := f.orphans[q]
		t := f.tree[i]
		best, least := alone, int32(0)
		from, to := f.arcsOf(i)
		for a := from; a < to; a++ {
			j := f.g.arcs[a].to
			if f.tree[j] != t || !f.open(t, f.opposite[a]) {
				continue
			}
			if d := f.rooted(j); d > 0 && (best == alone || d < least) {
				best, least = a, d
			}
		}
		if best != alone {
			f.parent[i] = best
			f.time[i], f.distance[i] = f.now, least+1
			continue
		}
		f.tree[i], f.parent[i] = free, alone
		for a := from; a < to; a++ {
			j := f.g.arcs[a].to
			if f.tree[j] != t {
				continue
			}
			if f.open(t, f.opposite[a]) {
				f.wake(j)
			}
			if p := f.parent[j]; p >= 0 && f.g.arcs[p].to == i {
				f.orphan(j)
			}
		}
	}
	f.orphans = f.orphans[:0]
}

// rooted is the distance of node i to its root, 0 when an orphan lies between.
func (f *flow) rooted(i int32) int32 {
	steps := int32(0)
	j := i
	for f.time[j] != f.now {
		p := f.parent[j]
		if p == orphaned {
			return 0
		}
		steps++
		if p == atRoot {
			f.time[j], f.distance[j] = f.now, 1
			steps--
			break
		}
		j = f.g.arcs[p].to
	}
	d := f.distance[j] + steps
	for j, left := i, d; f.time[j] != f.now; left-- {
		f.time[j], f.distance[j] = f.now, left
		j = f.g.arcs[f.parent[j]].to
	}
	return d
}

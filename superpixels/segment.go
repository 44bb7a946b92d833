package superpixels

// segment is NewHierarchy for 1 ≤ finest ≤ pixels at the resolution of the
// scene; it returns the finest map and the tree over its regions.
//
// The order of the merges doesn't depend on finest, which only says which nodes of the
// tree are the leaves of the result. The last step straightens the borders of the
// regions of level base: what a pixel suits is decided by these, but the pixel moves
// from leaf to leaf, and only where every level stays connected. So the levels stay
// nested however fine the finest is.
func (s *scene) segment(base, finest int) (*Runs, *tree) {
	lab, g := s.lab, s.gradients
	width, height := lab.width, lab.height
	labels := s.room.ints.take(width * height)
	n := basins(labels, g.g1, width, height, max(finest, base))
	graph := s.newRAG(labels, n)
	t := &tree{leaves: n, merges: make([][2]int32, 0, n-1)}
	node := t.match(graph, matchFactor*base)
	m := newMerger(graph)
	t.grow(m, base, node)
	b := &borderPass{
		partition: partition{width: width, height: height, regions: s.room.ints.take(width * height), leaves: labels},
		lab:       lab,
	}
	id := make([]int32, 2*n) // of nodes, in the tree over these regions
	for i, of := range node {
		if r := &m.regions[i]; of >= 0 {
			id[of] = int32(len(b.mean))
			b.mean = append(b.mean, [3]float32{r.l, r.a, r.b})
		}
	}
	t.grow(m, 1, node)
	b.parent = t.above(base, id).parents()
	region, leaf := t.level(base), t.level(max(finest, base))
	for i, of := range region[:n] {
		region[i] = id[of]
	}
	for p, l := range labels {
		b.regions[p], labels[p] = region[l], leaf[l]
	}
	b.run(smoothSweeps)
	return t.trim(&Map{Width: width, Height: height, Labels: labels}, finest)
}

const (
	matchRounds  = 8 // so many rounds of matching at most,
	matchFactor  = 3 // down to this multiple of the default number of regions
	smoothSweeps = 3 // so many times borders are straightened
)

// tree collects merges in order; nodes 0..leaves-1 are leaves, node leaves+i
// comes from merges[i].
type tree struct {
	leaves int
	merges [][2]int32
}

// join merges two nodes and returns the new one.
func (t *tree) join(a, b int32) int32 {
	t.merges = append(t.merges, [2]int32{a, b})
	return int32(t.leaves + len(t.merges) - 1)
}

// grow merges until so many regions are left. node holds the tree node of each
// region of m, -1 of one that is gone.
func (t *tree) grow(m *merger, until int, node []int32) {
	for m.left > until {
		stays, gone := m.next()
		node[stays], node[gone] = t.join(node[stays], node[gone]), -1
	}
}

// level returns which node holds each node once n are left, for those that exist
// by then.
func (t *tree) level(n int) []int32 {
	count := t.leaves - n // merges up to then
	// Parents come after their children, so a backward sweep finds all of them.
	of := make([]int32, t.leaves+count)
	for i := range of {
		of[i] = int32(i)
	}
	for i := count - 1; i >= 0; i-- {
		for _, child := range t.merges[i] {
			of[child] = of[t.leaves+i]
		}
	}
	return of
}

// above returns the tree over the n nodes at a level, whose numbers in it id has; those
// of the nodes above are added to id.
func (t *tree) above(n int, id []int32) *tree {
	cut := t.leaves - n
	merges := make([][2]int32, n-1)
	for i, pair := range t.merges[cut:] {
		merges[i] = [2]int32{id[pair[0]], id[pair[1]]}
		id[t.leaves+cut+i] = int32(n + i)
	}
	return &tree{n, merges}
}

// parents returns the parent of each node, 0 for the root.
func (t *tree) parents() []int32 {
	parent := make([]int32, t.leaves+len(t.merges))
	for i, pair := range t.merges {
		parent[pair[0]], parent[pair[1]] = int32(t.leaves+i), int32(t.leaves+i)
	}
	return parent
}

// trim returns the map of the finest level, its regions numbered in raster order, and
// the tree over it; m has the node of each pixel at that level or a finer one.
func (t *tree) trim(m *Map, finest int) (*Runs, *tree) {
	root := t.level(finest)
	id := make([]int32, t.leaves+len(t.merges)) // new node ids
	for i := range id {
		id[i] = -1
	}
	next := int32(0)
	spans := m.Runs().spans
	out := spans[:0]
	for _, s := range spans {
		to := &id[root[s.region]]
		if *to < 0 {
			*to = next
			next++
		}
		out = extend(out, span{s.end, *to})
	}
	return newRuns(m.Width, m.Height, finest, out), t.above(finest, id)
}

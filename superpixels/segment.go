package superpixels

import "slices"

// segment is NewHierarchy for 1 ≤ finest ≤ pixels at the resolution of the
// scene; it returns the finest map and the tree over its regions.
//
// Below the finest level wanted, the merge order doesn't depend on finest. One
// pass that straightens borders comes where smoothAt regions are left: what a
// pixel suits is decided by the regions of that level, but the pixel moves
// between regions of the finest level, and only where every level in between
// stays connected. So the levels stay nested however fine the finest is.
func (s *scene) segment(base, finest int) (*Runs, *tree) {
	lab, g := s.lab, s.gradients
	width, height := lab.width, lab.height
	labels := s.room.ints.take(width * height)
	n := basins(labels, g.g1, width, height, max(finest, base))
	graph := s.newRAG(labels, n)
	owners := graph.matchDown(max(matchFactor*base, finest), matchRounds)

	m := newMerger(graph)
	smoothAt := min(int(smoothFactor*float64(base)), m.left)
	leaves := max(finest, smoothAt)
	for m.left > leaves {
		m.next()
	}
	leaf := m.owners()
	relabel(owners, owners, leaf)
	relabel(labels, labels, owners)
	t := &tree{leaves: leaves, merges: make([][2]int32, 0, leaves-1)}
	node := slices.Clone(leaf)
	t.grow(m, smoothAt, node)

	// The state at smoothAt regions: which leaves make up a region, and which
	// node of the tree it is.
	owner := m.owners()
	b := &borderPass{
		partition: partition{width: width, height: height, regions: s.room.ints.take(width * height), leaves: labels},
		mean:      make([][3]float32, smoothAt),
		lab:       lab,
	}
	after := &rag{room: s.room, regions: make([]region, smoothAt)}
	top := make([]int32, smoothAt)
	ownerOfLeaf := make([]int32, leaves)
	for i, o := range owner {
		ownerOfLeaf[leaf[i]] = o
		if int(m.merged[i]) == i {
			r := &m.regions[i]
			after.regions[o] = *r
			b.mean[o] = [3]float32{r.l, r.a, r.b}
			top[o] = node[i]
		}
	}
	relabel(b.regions, labels, ownerOfLeaf)
	b.run(smoothSweeps)
	after.gatherBorders(b.regions, g)
	t.grow(newMerger(after), 1, top)
	return t.trim(&Map{Width: width, Height: height, N: leaves, Labels: labels}, finest), t
}

const (
	matchRounds  = 6   // so many rounds of matching at most,
	matchFactor  = 3   // down to this multiple of the default number of regions
	smoothFactor = 1.2 // borders are straightened at this multiple,
	smoothSweeps = 2   // so many times
)

// relabel sets dst to to[labels[p]] for each p; dst can be labels.
func relabel(dst, labels, to []int32) {
	dst = dst[:len(labels)]
	for p, l := range labels {
		dst[p] = to[l]
	}
}

// tree collects merges in order; nodes 0..leaves-1 are leaves, node leaves+i
// comes from merges[i].
type tree struct {
	leaves int
	merges [][2]int32
}

// grow merges until so many regions are left. node holds the tree node of each
// region of m and is kept up to date for those that remain.
func (t *tree) grow(m *merger, until int, node []int32) {
	for m.left > until {
		stays, gone := m.next()
		t.merges = append(t.merges, [2]int32{node[stays], node[gone]})
		node[stays] = int32(t.leaves + len(t.merges) - 1)
	}
}

// trim cuts the tree at finest ≤ leaves regions, numbers these in raster order and
// returns their map; m is that of the leaves.
func (t *tree) trim(m *Map, finest int) *Runs {
	cut := t.leaves - finest
	root := make([]int32, t.leaves+len(t.merges)) // node after the cut that holds a node
	id := make([]int32, len(root))                // new node ids
	for i := range root {
		root[i], id[i] = int32(i), -1
	}
	for i := cut - 1; i >= 0; i-- {
		for _, child := range t.merges[i] {
			root[child] = root[t.leaves+i]
		}
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
	merges := t.merges[cut:]
	for i := range merges {
		pair := &merges[i]
		pair[0], pair[1] = id[pair[0]], id[pair[1]]
		id[t.leaves+cut+i] = int32(finest + i)
	}
	t.leaves, t.merges = finest, merges
	return newRuns(m.Width, m.Height, finest, out)
}

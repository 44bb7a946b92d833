package superpixels

import (
	"fmt"
	"slices"
)

// Cut says which regions of the finest level make up each region of a coarser
// map, with ids in the raster order of first pixels. Runs.Coarsen and
// Graph.Coarsen turn it into a map and its graph. It is immutable once made.
type Cut struct {
	N      int     // regions
	Parent []int32 // region of each region of the finest level
	Split  int     // regions of the requested level that contain several values other than void
}

// Cut returns level n with its regions divided into connected parts that have
// one value of apart each; apart has a value per region of the finest level.
// Void counts as a value, but doesn't make a region count as Split. g is the
// graph of the finest level. For the same values, cuts are nested: the regions
// at a lower n are unions of those at a higher n. O(regions + edges of the
// finest level).
func (h *Hierarchy) Cut(g *Graph, n int, apart []uint8, void uint8) *Cut {
	finest := h.finest.N
	if len(g.Regions) != finest || len(apart) != finest {
		panic(fmt.Sprintf("superpixels: graph of %d regions, %d values, finest level of %d", len(g.Regions), len(apart), finest))
	}
	level, count := h.level(n)
	lowest := make([]int32, finest) // towards the lowest region of the part
	for i := range lowest {
		lowest[i] = int32(i)
	}
	find := func(i int32) int32 {
		for lowest[i] != i {
			lowest[i] = lowest[lowest[i]]
			i = lowest[i]
		}
		return i
	}
	for _, e := range g.Edges {
		if level[e.A] == level[e.B] && apart[e.A] == apart[e.B] {
			a, b := find(e.A), find(e.B)
			lowest[max(a, b)] = min(a, b)
		}
	}
	c := &Cut{Parent: make([]int32, finest)}
	met := make([]int, count) // 1 + the value met in each region of the level, -1 for several
	for i := range c.Parent {
		root := find(int32(i))
		if int(root) < i {
			c.Parent[i] = c.Parent[root]
			continue
		}
		c.Parent[i] = int32(c.N)
		c.N++
		if apart[i] == void {
			continue
		}
		switch at := &met[level[i]]; *at {
		case 0:
			*at = 1 + int(apart[i])
		case -1, 1 + int(apart[i]):
		default:
			*at = -1
			c.Split++
		}
	}
	return c
}

// Divide returns the cut with some of its regions divided into the regions of
// the finest level. It is nested in c and doesn't depend on the order.
// O(regions of the finest level).
func (c *Cut) Divide(regions []int32) *Cut {
	split := make([]bool, c.N)
	for _, r := range regions {
		split[r] = true
	}
	id := slices.Repeat([]int32{-1}, c.N)
	out := &Cut{Parent: make([]int32, len(c.Parent)), Split: c.Split}
	for cell, r := range c.Parent {
		if split[r] || id[r] < 0 {
			id[r] = int32(out.N)
			out.N++
		}
		out.Parent[cell] = id[r]
	}
	return out
}

// Shells looks at the growing regions of the merge tree around one region's
// first cell and returns, for each region of the cut, the number of the
// smallest one that contains it. The shells up to a number make up such a
// region, except for regions of the cut that reach beyond it. O(regions of the
// finest level).
func (h *Hierarchy) Shells(c *Cut, region int) []int32 {
	finest := h.finest.N
	inner := slices.Index(c.Parent, int32(region))
	shell := make([]int32, finest+len(h.merges)) // by node of the tree, 0 = not yet known
	number := int32(1)
	shell[inner] = number
	for i, pair := range h.merges {
		if slices.Contains(pair[:], int32(inner)) {
			inner = finest + i
			number++
			shell[inner] = number
		}
	}
	for i, pair := range slices.Backward(h.merges) {
		for _, child := range pair {
			if shell[child] == 0 {
				shell[child] = shell[finest+i]
			}
		}
	}
	out := make([]int32, c.N)
	for cell, p := range c.Parent {
		out[p] = max(out[p], shell[cell]-1)
	}
	return out
}

// level returns for each region of the finest level its region at the level of
// n regions, n clamped to 1..Finest, and the number of regions.
func (h *Hierarchy) level(n int) ([]int32, int) {
	f := h.finest.N
	n = min(max(n, 1), f)
	// Parents come after their children, so a backward sweep finds all roots.
	nodes := f + f - n
	root := make([]int32, nodes)
	for i := range root {
		root[i] = int32(i)
	}
	for i := nodes - 1; i >= f; i-- {
		for _, child := range h.merges[i-f] {
			root[child] = root[i]
		}
	}
	// The first pixel of a union is that of its lowest region, so numbering
	// the roots in the order of the finest ids is raster order.
	id := make([]int32, nodes)
	for i := range id {
		id[i] = -1
	}
	next := int32(0)
	for i := range f {
		if id[root[i]] < 0 {
			id[root[i]] = next
			next++
		}
		root[i] = id[root[i]]
	}
	return root[:f], n
}

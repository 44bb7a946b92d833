package superpixels

import (
	"fmt"
	"image"
	"slices"

	"collie/disjoint"
)

// Cut says which regions of the finest level make up each region of a coarser
// map, with ids in the raster order of first pixels, those of Divide last. Runs.Coarsen and
// Graph.Coarsen turn it into a map and its graph. It is immutable once made.
type Cut struct {
	N      int     // regions
	Parent []int32 // region of each region of the finest level
	Split  int     // regions of the requested level that contain several values other than void

	Whole *Cut // what Divide made it from, nil if it is not divided
}

// Undivided returns Whole, or c itself if it is not divided.
func (c *Cut) Undivided() *Cut {
	if c.Whole == nil {
		return c
	}
	return c.Whole
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
	lowest := disjoint.New(finest) // parts, represented by their lowest region
	for _, e := range g.Edges {
		if level[e.A] == level[e.B] && apart[e.A] == apart[e.B] {
			a, b := lowest.Find(e.A), lowest.Find(e.B)
			lowest.Join(max(a, b), min(a, b))
		}
	}
	c := &Cut{Parent: make([]int32, finest)}
	met := make([]int, count) // 1 + the value met in each region of the level, -1 for several
	for i := range c.Parent {
		root := lowest.Find(int32(i))
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

// Divide returns the cut with some of its regions divided into the regions of the
// finest level. It is nested in c and the same whatever the order of regions. The
// numbers of c stay: that of a divided region is its first part's, and the other
// parts have numbers from c.N on, in their order. O(regions of the finest level).
func (c *Cut) Divide(regions []int32) *Cut {
	split := make([]bool, c.N)
	for _, r := range regions {
		split[r] = true
	}
	out := &Cut{N: c.N, Parent: slices.Clone(c.Parent), Split: c.Split, Whole: c.Undivided()}
	met := make([]bool, c.N)
	for cell, r := range c.Parent {
		if split[r] && met[r] {
			out.Parent[cell] = int32(out.N)
			out.N++
		}
		met[r] = true
	}
	return out
}

// Around returns the region of a region of the finest level, whose graph is g, and
// those beside it, ascending. O(edges of the finest level).
func (c *Cut) Around(g *Graph, finest int32) []int32 {
	middle := c.Parent[finest]
	around := []int32{middle}
	for _, e := range g.Edges {
		switch a, b := c.Parent[e.A], c.Parent[e.B]; {
		case a == b:
		case a == middle:
			around = append(around, b)
		case b == middle:
			around = append(around, a)
		}
	}
	slices.Sort(around)
	return slices.Compact(around)
}

// Within returns the regions that have a part in a rectangle, by the bounds of the
// regions of the finest level, whose graph is g; ascending. O(regions of the
// finest level).
func (c *Cut) Within(g *Graph, box image.Rectangle) []int32 {
	var met []int32
	for cell, r := range c.Parent {
		if g.Regions[cell].Bounds.Rect().Overlaps(box) {
			met = append(met, r)
		}
	}
	slices.Sort(met)
	return slices.Compact(met)
}

// Shells numbers, for each region of a cut, the smallest of the ever larger
// regions of the tree of merges around one region's first cell that holds it
// wholly. What is in the shells up to a number is such a region, but for
// regions of the cut that reach beyond it. O(regions of the finest level).
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
	root := (&tree{f, h.merges}).level(n)
	// The first pixel of a union is that of its lowest region, so numbering
	// the roots in the order of the finest ids is raster order.
	id := make([]int32, len(root))
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

package superpixels

import (
	"fmt"
	"slices"
)

// Divided is the graph of a cut in which some regions have been divided.
type Divided struct {
	Graph *Graph // of the cut, without Merges

	// Cell is, for each region, the region of the finest level that it is, -1 for
	// one that is not divided; From, for each edge, its place in the graph that is
	// not divided, -1 if an end is a cell.
	Cell, From []int32
}

// Divided returns the graph of a cut that Cut.Divide made; g is the graph of the
// finest level, undivided that of cut.Undivided(). It is the graph that
// g.Coarsen makes of the cut, but for Merges. O(regions of the finest level), and
// O(parts·log parts) for the borders of the divided regions.
func (g *Graph) Divided(undivided *Graph, cut *Cut) *Divided {
	base := cut.Undivided()
	if len(cut.Parent) != len(g.Regions) || base.N != len(undivided.Regions) {
		panic(fmt.Sprintf("superpixels: cut of %d regions in %d, graphs of %d and %d", base.N, len(cut.Parent), len(undivided.Regions), len(g.Regions)))
	}
	d := &Divided{Graph: &Graph{Regions: make([]Region, cut.N)}, Cell: make([]int32, cut.N)}
	copy(d.Graph.Regions, undivided.Regions)
	split := make([]bool, base.N)
	for cell, r := range cut.Parent {
		if of := base.Parent[cell]; r != of {
			split[of] = true
		}
	}
	for r := range d.Cell {
		d.Cell[r] = -1
	}
	for cell, r := range cut.Parent {
		if split[base.Parent[cell]] {
			d.Cell[r] = int32(cell)
			var alone regionSums // Coarsen's rounding
			alone.add(&g.Regions[cell])
			d.Graph.Regions[r] = alone.region()
		}
	}
	d.join(undivided.Edges, d.around(g.Edges, cut.Parent))
	return d
}

// around returns the edges that the borders of cells are joined from.
func (d *Divided) around(finest []Edge, parent []int32) []Edge {
	touches := func(e *Edge) bool { return d.Cell[parent[e.A]] >= 0 || d.Cell[parent[e.B]] >= 0 }
	count := 0
	for i := range finest {
		if touches(&finest[i]) {
			count++
		}
	}
	parts := make([]Edge, 0, count)
	of := make([]int32, 0, 2*count) // ends of the parts
	for i := range finest {
		if e := &finest[i]; touches(e) {
			part := *e
			part.A, part.B = int32(len(of)), int32(len(of)+1)
			of = append(of, parent[e.A], parent[e.B])
			parts = append(parts, part)
		}
	}
	return d.Graph.joinEdges(parts, of)
}

// join fills in the edges: those of the undivided graph that no cell is an end
// of, and those around cells.
func (d *Divided) join(undivided, around []Edge) {
	n := len(undivided) + len(around)
	edges, from := slices.Grow([]Edge(nil), n), make([]int32, 0, n)
	for i := range undivided {
		e := &undivided[i]
		if d.Cell[e.A] >= 0 || d.Cell[e.B] >= 0 {
			continue
		}
		for len(around) > 0 && (around[0].A < e.A || around[0].A == e.A && around[0].B < e.B) {
			edges, from, around = append(edges, around[0]), append(from, -1), around[1:]
		}
		edges, from = append(edges, *e), append(from, int32(i))
	}
	for _, e := range around {
		edges, from = append(edges, e), append(from, -1)
	}
	d.Graph.Edges, d.From = edges, from
}

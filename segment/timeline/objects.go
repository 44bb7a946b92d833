package timeline

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// Object is one of several objects of a class.
type Object struct {
	Class  uint8 // id
	Number int32
}

// Objects tells apart the objects of a labelling: the result has the objects
// that are marked, by class and number, and for each cell the place of its
// object among them, or -1. labels has a class or Void per cell, cells is their
// graph. A mark counts where the cell has its class.
//
// A connected component of cells of one class that has a mark is divided
// between its marked objects: each cell belongs to the object with the shortest
// way to it within the component, of several the first. A step is as long as
// the way between the two centroids, times 1 + c/4 with the mean contour c
// between them in CIELAB units: borders in the picture keep objects apart, as
// geodesic distances do in Bai and Sapiro (2009), 10.1007/s11263-008-0191-z.
// Components without a mark have no object. drawn objects, whose pixels [Draw] adds, are
// in the list, too; drawn can be nil. O(n log n) with n cells and edges; deterministic.
func Objects(cells *superpixels.Graph, labels []uint8, marks []segment.ObjectMark, drawn *segment.Drawn) (list []Object, of []int32) {
	of = slices.Repeat([]int32{-1}, len(labels))
	for _, m := range marks {
		if labels[m.Cell] == m.Class {
			list = append(list, Object{m.Class, m.Number})
		}
	}
	if drawn != nil {
		for _, o := range drawn.Objects {
			list = append(list, Object{o.Class, o.Number})
		}
	}
	slices.SortFunc(list, compareObjects)
	if list = slices.Compact(list); len(list) == 0 {
		return nil, of
	}
	var next front
	for _, m := range marks {
		if labels[m.Cell] == m.Class {
			at, _ := slices.BinarySearchFunc(list, Object{m.Class, m.Number}, compareObjects)
			next = append(next, reached{0, int32(at), m.Cell})
		}
	}
	heap.Init(&next)
	beside := neighbours(cells, labels)
	for len(next) > 0 {
		r := heap.Pop(&next).(reached)
		if of[r.cell] >= 0 {
			continue
		}
		of[r.cell] = r.object
		for _, n := range beside[r.cell] {
			if of[n.cell] < 0 {
				heap.Push(&next, reached{r.way + n.step, r.object, n.cell})
			}
		}
	}
	return list, of
}

func compareObjects(a, b Object) int {
	return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Number, b.Number))
}

// neighbour is a cell beside another one, and the length of the step to it in
// units of 1/256 pixel.
type neighbour struct {
	cell int32
	step int64
}

// neighbours lists, for each cell, those beside it that have the same label.
func neighbours(cells *superpixels.Graph, labels []uint8) [][]neighbour {
	beside := make([][]neighbour, len(labels))
	for _, e := range cells.Edges {
		if labels[e.A] != labels[e.B] || labels[e.A] == segment.Void {
			continue
		}
		a, b := cells.Regions[e.A].Centroid, cells.Regions[e.B].Centroid
		dx, dy := float64(a[0])-float64(b[0]), float64(a[1])-float64(b[1])
		way := math.Sqrt(float64(dx*dx) + float64(dy*dy))
		step := 1 + int64(256*float64(way*(1+float64(float64(e.Contour)/4))))
		beside[e.A] = append(beside[e.A], neighbour{e.B, step})
		beside[e.B] = append(beside[e.B], neighbour{e.A, step})
	}
	return beside
}

// reached is a cell at the end of a way from an object's mark.
type reached struct {
	way    int64
	object int32
	cell   int32
}

// front is a heap of cells, the nearest first.
type front []reached

func (f front) Len() int      { return len(f) }
func (f front) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f front) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(f[i].way, f[j].way), cmp.Compare(f[i].object, f[j].object), cmp.Compare(f[i].cell, f[j].cell)) < 0
}

func (f *front) Push(r any) { *f = append(*f, r.(reached)) }

func (f *front) Pop() any {
	last := len(*f) - 1
	r := (*f)[last]
	*f = (*f)[:last]
	return r
}

package importer

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"collie/disjoint"
	"collie/segment"
	"collie/segment/importer/dataset"
	"collie/segment/timeline"
	"collie/superpixels"
)

// objectsOf gives each cell the number of the object that most of its pixels
// of its class belong to, counting from 1 in the order of their first pixels, or 0; it is nil
// if all objects are connected regions of their class, which need no number. Others
// need one where cells connect them with those, though their pixels do not touch:
// [timeline.Objects] would give them to their neighbours. drawn are the pixels of numbered
// objects that aren't in a cell of theirs; with more than mostDrawn runs they are ragged and
// follow cells. It is an error if objects have pixels in very many cells, as in noise.
func objectsOf(m *dataset.Mask, cells *superpixels.Runs, graph *superpixels.Graph) (numbers []int32, drawn []segment.ObjectPixels, ragged bool, err error) {
	objects, told := apart(m)
	if len(told) == 0 {
		return nil, nil, false, nil
	}
	place := make(map[int32]int32, len(objects))
	for i, o := range objects {
		place[o] = int32(i)
	}
	labels, _ := timeline.Majority(cells, m.Pixels)
	shares, err := shares(m, cells, labels, place)
	if err != nil {
		return nil, nil, false, err
	}
	tellNeighbours(told, objects, shares, regionsOf(labels, graph))
	number := make([]int32, len(objects))
	next := int32(1)
	for i, o := range objects {
		if told[o] && next <= segment.MaxObjects {
			number[i], next = next, next+1
		}
	}
	numbers = make([]int32, cells.N)
	for cell, i := range ownersOf(shares, cells.N) {
		if i >= 0 {
			numbers[cell] = number[i]
		}
	}
	drawn, ragged = strays(m, cells, labels, numbers, func(pixel int) int32 {
		if i, is := place[m.Objects[pixel]]; is {
			return number[i]
		}
		return 0
	})
	return numbers, drawn, ragged, nil
}

// share is a cell and an object, by its place among the objects, that has pixels there.
type share struct{ cell, object int32 }

// mostShares is how many pieces objects can have when they are cut along the borders of
// cells.
const mostShares = 1 << 20

// shares counts the pixels of objects, whose places are given, in cells of their class.
func shares(m *dataset.Mask, cells *superpixels.Runs, labels []uint8, place map[int32]int32) (map[share]int, error) {
	counts := map[share]int{}
	for run := range stretches(m, cells) {
		if i, is := place[m.Objects[run.Start]]; is && m.Pixels[run.Start] == labels[run.Region] {
			counts[share{int32(run.Region), i}] += run.End - run.Start
		}
		if len(counts) > mostShares {
			return nil, segment.Errorf(segment.TooLarge, "The objects of the mask are too ragged: superpixels cut them into more than %d pieces, which is the limit.", mostShares)
		}
	}
	return counts, nil
}

// ownersOf returns the object that has most pixels in each of n cells, the first of
// several, or -1.
func ownersOf(shares map[share]int, n int) []int32 {
	owners, most := slices.Repeat([]int32{-1}, n), make([]int, n)
	for s, pixels := range shares {
		if pixels > most[s.cell] || pixels == most[s.cell] && s.object < owners[s.cell] {
			owners[s.cell], most[s.cell] = s.object, pixels
		}
	}
	return owners
}

// regionsOf joins neighbouring cells of one label.
func regionsOf(labels []uint8, graph *superpixels.Graph) disjoint.Sets {
	regions := disjoint.New(len(labels))
	for _, e := range graph.Edges {
		if labels[e.A] == labels[e.B] {
			regions.Join(e.A, e.B)
		}
	}
	return regions
}

// tellNeighbours adds to the objects that are told apart those that share a region of
// cells with one of them.
func tellNeighbours(told map[int32]bool, objects []int32, shares map[share]int, regions disjoint.Sets) {
	divided := map[int32]bool{}
	for s := range shares {
		if told[objects[s.object]] {
			divided[regions.Find(s.cell)] = true
		}
	}
	for s := range shares {
		if divided[regions.Find(s.cell)] {
			told[objects[s.object]] = true
		}
	}
}

// mostDrawn is how many runs of pixels the objects of a mask can have besides cells: 5,000
// that touch in 4 megapixels have 210,000.
const mostDrawn = 1 << 18

// strays are the pixels of objects, by their numbers, whose cell has another class or
// object.
func strays(m *dataset.Mask, cells *superpixels.Runs, labels []uint8, numbers []int32, number func(pixel int) int32) (drawn []segment.ObjectPixels, ragged bool) {
	runs, n := map[timeline.Object][]int32{}, 0
	for run := range stretches(m, cells) {
		o := timeline.Object{Class: m.Pixels[run.Start], Number: number(run.Start)}
		if o.Number == 0 || o.Class == segment.Void || o.Class == labels[run.Region] && o.Number == numbers[run.Region] {
			continue
		}
		list, length := runs[o], int32(run.End-run.Start)
		if last := len(list) - 2; last >= 0 && list[last]+list[last+1] == int32(run.Start) {
			list[last+1] += length
			continue
		}
		if n++; n > mostDrawn {
			return nil, true
		}
		runs[o] = append(list, int32(run.Start), length)
	}
	for _, o := range slices.SortedFunc(maps.Keys(runs), func(a, b timeline.Object) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Number, b.Number))
	}) {
		drawn = append(drawn, segment.ObjectPixels{Class: o.Class, Number: o.Number, Runs: runs[o]})
	}
	return drawn, false
}

// stretches gives the runs of pixels of one cell, one class and one object.
func stretches(m *dataset.Mask, cells *superpixels.Runs) iter.Seq[superpixels.Run] {
	return func(yield func(superpixels.Run) bool) {
		for run := range cells.All() {
			for start, end := run.Start, 0; start < run.End; start = end {
				for end = start + 1; end < run.End && m.Objects[end] == m.Objects[start] && m.Pixels[end] == m.Pixels[start]; end++ {
				}
				if !yield(superpixels.Run{Start: start, End: end, Region: run.Region}) {
					return
				}
			}
		}
	}
}

// apart returns the objects in the order of their first pixels, and which of them
// aren't regions: those that touch another one of their class or have several parts.
// It keeps the parts of two rows of pixels only.
func apart(m *dataset.Mask) (objects []int32, told map[int32]bool) {
	var parts disjoint.Sets   // of the last row and this one
	pieces := map[int32]int{} // of each object, those that were joined counted as one
	told = map[int32]bool{}
	above := slices.Repeat([]int32{-1}, m.Width) // the parts of the last row's pixels, and this one's up to here
	number := make([]int32, 2*m.Width)
	for i, o := range m.Objects {
		x, left := i%m.Width, int32(-1)
		if x > 0 {
			left = above[x-1]
		} else {
			parts = renumber(parts, above, number)
		}
		part := int32(-1)
		if o >= 0 && m.Pixels[i] != segment.Void {
			for _, beside := range [2]struct {
				pixel int
				part  int32
			}{{i - 1, left}, {i - m.Width, above[x]}} {
				switch j := beside.pixel; {
				case beside.part < 0 || m.Pixels[j] != m.Pixels[i]:
				case m.Objects[j] != o:
					told[o], told[m.Objects[j]] = true, true
				case part < 0:
					part = parts.Find(beside.part)
				case part != parts.Find(beside.part):
					parts.Join(beside.part, part)
					pieces[o]--
				}
			}
			if part < 0 {
				part = parts.Add()
				if pieces[o] == 0 {
					objects = append(objects, o)
				}
				pieces[o]++
			}
		}
		above[x] = part
	}
	for o, n := range pieces {
		if n > 1 {
			told[o] = true
		}
	}
	return objects, told
}

// renumber numbers the parts of a row from 0 and forgets the others. In number is room
// for all.
func renumber(parts disjoint.Sets, row, number []int32) disjoint.Sets {
	for i := range parts {
		number[i] = -1
	}
	next := int32(0)
	for x, part := range row {
		if part < 0 {
			continue
		}
		root := parts.Find(part)
		if number[root] < 0 {
			number[root], next = next, next+1
		}
		row[x] = number[root]
	}
	parts = parts[:next]
	parts.Reset()
	return parts
}

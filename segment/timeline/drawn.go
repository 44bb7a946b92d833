package timeline

import (
	"cmp"
	"iter"
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// Draw returns the objects of pixels with those that are drawn in their place; see
// [SpreadObjects], whose result own is, and [segment.Drawn].
func Draw(own, cells *superpixels.Runs, pixels []uint8, list []Object, c *segment.Constraints) *superpixels.Runs {
	d := c.Drawn
	if d == nil {
		return own
	}
	changes := map[segment.ObjectMark]int{}
	for _, m := range d.Marks {
		changes[m]--
	}
	for _, m := range c.Objects {
		changes[m]++
	}
	changed := map[int32]bool{} // cells
	for m, n := range changes {
		changed[m.Cell] = changed[m.Cell] || n != 0
	}
	joined := map[Object]bool{} // that had marks and have none of these now
	for _, m := range d.Marks {
		joined[Object{m.Class, m.Number}] = true
	}
	for _, m := range d.Marks {
		if changes[m] == 0 {
			delete(joined, Object{m.Class, m.Number})
		}
	}
	var over []superpixels.Run
	for _, o := range d.Objects {
		if joined[Object{o.Class, o.Number}] {
			continue
		}
		object, _ := slices.BinarySearchFunc(list, Object{o.Class, o.Number}, compareObjects)
		for pair := range slices.Chunk(o.Runs, 2) {
			for run := range cells.Between(int(pair[0]), int(pair[0]+pair[1])) {
				for start := run.Start; start < run.End && !changed[int32(run.Region)]; {
					is, end := within(pixels, start, run.End, int32(object), o.Class)
					if is >= 0 {
						over = append(over, superpixels.Run{Start: start, End: end, Region: object})
					}
					start = end
				}
			}
		}
	}
	slices.SortFunc(over, func(a, b superpixels.Run) int { return cmp.Compare(a.Start, b.Start) })
	return superpixels.NewRuns(own.Width, own.Height, own.N, laid(own.All(), over))
}

// laid gives runs with others, ascending, in their place.
func laid(below iter.Seq[superpixels.Run], over []superpixels.Run) iter.Seq[superpixels.Run] {
	return func(yield func(superpixels.Run) bool) {
		for run := range below {
			for run.Start < run.End {
				for len(over) > 0 && over[0].End <= run.Start {
					over = over[1:]
				}
				piece := run
				switch {
				case len(over) == 0:
				case over[0].Start <= run.Start:
					piece.End, piece.Region = min(run.End, over[0].End), over[0].Region
				default:
					piece.End = min(run.End, over[0].Start)
				}
				if !yield(piece) {
					return
				}
				run.Start = piece.End
			}
		}
	}
}

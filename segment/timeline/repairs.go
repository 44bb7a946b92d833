package timeline

import (
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// maxRuns is the limit of an image's runs, cut at the borders of cells.
const maxRuns = 1 << 20

// run is a stretch of repaired pixels of one class within one cell.
type run struct {
	start, length int32
	class         uint8
}

func (r run) end() int32 { return r.start + r.length }

// runsOf returns the runs of repairs by their first pixel.
func runsOf(repairs []segment.Repair) []run {
	n := 0
	for _, r := range repairs {
		n += len(r.Runs) / 2
	}
	runs := make([]run, 0, n)
	for _, r := range repairs {
		for pair := range slices.Chunk(r.Runs, 2) {
			runs = append(runs, run{pair[0], pair[1], r.Class})
		}
	}
	return sorted(runs)
}

// repairsOf groups runs, sorted by their first pixel, into repairs by class and
// joins runs that touch.
func repairsOf(runs []run) []segment.Repair {
	var byClass [256][]int32
	var open [256]int32 // 1 + the end of the last run of the class
	for _, r := range runs {
		list := byClass[r.class]
		if open[r.class] == 1+r.start {
			list[len(list)-1] += r.length
		} else {
			byClass[r.class] = append(list, r.start, r.length)
		}
		open[r.class] = 1 + r.end()
	}
	var repairs []segment.Repair
	for class, list := range byClass {
		if list != nil {
			repairs = append(repairs, segment.Repair{Class: uint8(class), Runs: list})
		}
	}
	return repairs
}

// cellRuns are the runs of one cell.
type cellRuns struct {
	cell int32
	runs []run // ascending, without overlap
}

// divide cuts runs, ascending and without overlap, at the borders of cells and
// returns the pieces by cell. O(pieces + runs · log of the cells in a row).
func divide(m *superpixels.Runs, runs []run) []cellRuns {
	var out []cellRuns
	place := map[int32]int{}
	for _, r := range runs {
		for piece := range m.Between(int(r.start), int(r.end())) {
			cell := int32(piece.Region)
			i, ok := place[cell]
			if !ok {
				i = len(out)
				place[cell] = i
				out = append(out, cellRuns{cell: cell})
			}
			out[i].runs = append(out[i].runs, run{int32(piece.Start), int32(piece.End - piece.Start), r.class})
		}
	}
	return out
}

// pieces returns the number of runs that divide makes of the repairs.
func pieces(m *superpixels.Runs, repairs []segment.Repair) int {
	n := 0
	for _, r := range repairs {
		for pair := range slices.Chunk(r.Runs, 2) {
			for range m.Between(int(pair[0]), int(pair[0]+pair[1])) {
				n++
			}
		}
	}
	return n
}

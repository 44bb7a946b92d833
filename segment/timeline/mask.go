package timeline

import (
	"collie/segment"
	"collie/superpixels"
)

// Majority returns, for each cell of a map, the most frequent value of its
// pixels, the lowest of several, and the pixels with other values as repairs.
// O(pixels + cells · values).
func Majority(m *superpixels.Runs, pixels []uint8) (cells []uint8, others []segment.Repair) {
	var has [256]bool
	for _, v := range pixels {
		has[v] = true
	}
	var place [256]int
	var values []uint8
	for v, there := range has {
		if there {
			place[v] = len(values)
			values = append(values, uint8(v))
		}
	}
	k := len(values)
	counts := make([]int32, m.N*k)
	for cell := range m.All() {
		row := counts[cell.Region*k : (cell.Region+1)*k]
		for rest := pixels[cell.Start:cell.End]; len(rest) > 0; {
			n := stretch(rest)
			row[place[rest[0]]] += int32(n)
			rest = rest[n:]
		}
	}
	cells = make([]uint8, m.N)
	for cell := range cells {
		best := 0
		for j, n := range counts[cell*k : (cell+1)*k] {
			if n > counts[cell*k+best] {
				best = j
			}
		}
		cells[cell] = values[best]
	}
	var runs []run
	for cell := range m.All() {
		for at := cell.Start; at < cell.End; {
			n, v := stretch(pixels[at:cell.End]), pixels[at]
			if v != cells[cell.Region] {
				if runs = append(runs, run{int32(at), int32(n), v}); len(runs) > maxRuns {
					return cells, repairsOf(runs)
				}
			}
			at += n
		}
	}
	return cells, repairsOf(runs)
}

// stretch returns the number of pixels at the start that have the first one's
// value.
func stretch(pixels []uint8) int {
	for i, v := range pixels {
		if v != pixels[0] {
			return i
		}
	}
	return len(pixels)
}

// imported returns the timeline after an import.
func (t *Timeline) imported(e *segment.Event) *Timeline {
	out := newTimeline(t.cells, t.start, t.cutter, t.cuts).Focus(t.graph)
	for cell, class := range e.Cells {
		out.evidence[cell].clicked = class
	}
	out.paint(divide(t.cells, runsOf(e.Repairs)))
	next := *t.constraints
	next.Objects, next.Drawn = nil, nil
	for cell, n := range e.Instances {
		if n > 0 && e.Cells[cell] != segment.Void {
			next.Objects = append(next.Objects, segment.ObjectMark{Cell: int32(cell), Class: e.Cells[cell], Number: n})
		}
	}
	if len(e.Drawn) > 0 {
		next.Drawn = &segment.Drawn{Import: e.ID, Objects: e.Drawn, Marks: next.Objects}
	}
	out.wanted, out.guess, out.embedding, out.affinities, out.constraints = t.wanted, t.guess, t.embedding, t.affinities, &next
	if left := undecided(t.cells, e.Cells, out.repairs); left < t.cells.Area() {
		out.left = left
	}
	out.base = t.cutOf(e, t.wanted, e.Cells)
	out.cut = out.base
	return out
}

// undecided counts the pixels that are void in Spread, without making them.
func undecided(cells *superpixels.Runs, labels []uint8, repairs [][]run) (pixels int) {
	for run := range cells.All() {
		if labels[run.Region] == segment.Void {
			pixels += run.End - run.Start
		}
	}
	for cell, runs := range repairs {
		for _, r := range runs {
			if labels[cell] == segment.Void {
				pixels -= int(r.length)
			}
			if r.class == segment.Void {
				pixels += int(r.length)
			}
		}
	}
	return pixels
}

// Spread gives each pixel the label of its cell, or of the repair on it.
func Spread(cells *superpixels.Runs, labels []uint8, repairs []segment.Repair) []uint8 {
	pixels := cells.Spread(labels)
	for _, r := range repairs {
		for i := 0; i < len(r.Runs); i += 2 {
			row := pixels[r.Runs[i] : r.Runs[i]+r.Runs[i+1]]
			for j := range row {
				row[j] = r.Class
			}
		}
	}
	return pixels
}

package segment

import (
	"context"

	"collie/segment/access"
	"collie/superpixels"
)

// ImportMask makes a mask that was made elsewhere the labelling of the image, as
// one step that undo takes back, and returns the number of its event; on return
// it is on disk. pixels has a class id or Void per pixel of the image as
// displayed, row-major, Width·Height of them; pixels that are Void stay
// undecided.
//
// Each cell of the finest map is clicked with the class that most of its pixels
// have (of several the one with the lowest id), or is undecided when that is
// Void; pixels that differ become repairs. So the labelling is the mask, pixel
// by pixel, and where it is undecided hypotheses go on from it. All that was
// there before is replaced; superpixels are divided where the mask asks for it.
// A repeat with the same id and mask answers the number it has.
func (a *Annotation) ImportMask(ctx context.Context, id string, pixels []uint8) (int, error) {
	if err := a.guard.may(ctx, access.Annotate); err != nil {
		return 0, err
	}
	if len(pixels) != len(a.cells.Labels) {
		return 0, Errorf(Invalid, "The mask has %d pixels and the image %d×%d. Nothing was changed.", len(pixels), a.cells.Width, a.cells.Height)
	}
	e := Event{ID: id, Kind: Import}
	e.Cells, e.Repairs = majority(a.cells, pixels)
	seq, err := a.appendOwn(ctx, e)
	if err == nil {
		a.told(a.image.ID)
	}
	return seq, err
}

// appendOwn adds an event that the server makes, at the end of the evidence.
func (a *Annotation) appendOwn(ctx context.Context, e Event) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.add(ctx, a.timeline.Seq(), e)
}

// majority returns for each cell of a map the value that most of its pixels
// have, the lowest of several, and the pixels that have another one as repairs.
// O(pixels + cells · values).
func majority(m *superpixels.Map, pixels []uint8) (cells []uint8, others []Repair) {
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
	for i, v := range pixels {
		counts[int(m.Labels[i])*k+place[v]]++
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
	for i, v := range pixels {
		if v == cells[m.Labels[i]] {
			continue
		}
		if n := len(runs); n > 0 && runs[n-1].class == v && runs[n-1].end() == int32(i) {
			runs[n-1].length++
			continue
		}
		runs = append(runs, run{int32(i), 1, v})
	}
	return cells, repairsOf(runs)
}

// imported returns a timeline that is what an import makes of this one.
func (t *Timeline) imported(e *Event) *Timeline {
	out := newTimeline(t.cells, t.start, t.cutter, t.cuts)
	copy(out.clicks, e.Cells)
	out.paint(divide(t.cells, runsOf(e.Repairs)))
	out.wanted, out.guess = t.wanted, t.guess
	out.cut = t.cutOf(e, t.wanted, e.Cells)
	return out
}

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
	if len(pixels) != a.cells.Area() {
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
func majority(m *superpixels.Runs, pixels []uint8) (cells []uint8, others []Repair) {
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
				runs = append(runs, run{int32(at), int32(n), v})
			}
			at += n
		}
	}
	return cells, repairsOf(runs)
}

// stretch returns how many pixels from the first on have its value.
func stretch(pixels []uint8) int {
	for i, v := range pixels {
		if v != pixels[0] {
			return i
		}
	}
	return len(pixels)
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

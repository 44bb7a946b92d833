package segment

import (
	"context"

	"collie/segment/access"
	"collie/superpixels"
)

// PixelsAfter returns the labelling as it was after event number seq, 0 for the
// beginning, like Pixels; classes are the present ones. The slice is the
// caller's. It plays the events that led there again.
func (a *Annotation) PixelsAfter(ctx context.Context, seq int) ([]uint8, error) {
	if err := a.guard.may(ctx, access.Read); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if seq < 0 || seq > a.timeline.Seq() {
		return nil, Errorf(Invalid, "There is no event %d: this image has %d.", seq, a.timeline.Seq())
	}
	if err := a.recall(ctx); err != nil {
		return nil, err
	}
	effort := a.timeline.effort
	was := a.timeline.rebuilt(a.timeline.stateAfter(seq))
	a.timeline.effort = effort // looking is no restore, which opening the image would repeat
	return spread(a.cells, a.table.Through(was.cellLabels()), a.repairsIn(was)), nil
}

// spread gives each pixel the label of its cell, or of the repair on it.
func spread(cells *superpixels.Runs, labels []uint8, repairs []Repair) []uint8 {
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

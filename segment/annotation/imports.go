package annotation

import (
	"context"
	"slices"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/learn"
	"collie/segment/timeline"
)

// ImportMask makes a mask from elsewhere the labelling of the image, as one
// event that can be undone, and returns the event's number; on return it is on
// disk. pixels has a class id or Void per pixel of the image as displayed,
// row-major, Width·Height of them; pixels that are Void stay undecided.
//
// Each cell of the finest map is clicked with the class that most of its pixels
// have (of several the one with the lowest id), or is undecided when that is
// Void; pixels that differ become repairs. So the labelling equals the mask,
// pixel by pixel, and hypotheses fill in the undecided parts. It replaces
// everything that was there before; superpixels are divided where the mask
// requires it. objects has the number of the object that each cell belongs to, or
// 0, or is nil; see [segment.Instance]. drawn are pixels of other objects than their
// cell's. A repeat with the same id and mask returns the existing number.
func (a *Annotation) ImportMask(ctx context.Context, id string, pixels []uint8, objects []int32, drawn ...segment.ObjectPixels) (int, error) {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Annotate); err != nil {
		return 0, err
	}
	if len(pixels) != a.cells.Area() {
		return 0, segment.Errorf(segment.Invalid, "The mask has %d pixels and the image %d×%d. Nothing was changed.", len(pixels), a.cells.Width, a.cells.Height)
	}
	e := segment.Event{ID: id, Kind: segment.Import, Instances: objects, Drawn: drawn}
	e.Cells, e.Repairs = timeline.Majority(a.cells, pixels)
	seq, err := a.add(ctx, current, e)
	if err == nil {
		a.changed(a.image.ID)
	}
	return seq, err
}

// SetGuess makes scores from elsewhere the first guess of the image, as one
// event that can be undone, and returns the event's number; on return it is on
// disk. scores has a value for each cell and class, cells × classes, row-major,
// finite and not negative; only their proportions within a cell count. classes
// are ids, ascending. Scores are soft evidence: hypotheses start from them, and
// clicks override them. A repeat with the same id and scores returns the existing
// number.
func (a *Annotation) SetGuess(ctx context.Context, id string, classes []uint8, scores []float64) (int, error) {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Annotate); err != nil {
		return 0, err
	}
	k := len(classes)
	if k == 0 || len(scores) != a.cells.N*k {
		return 0, segment.Errorf(segment.Invalid, "There are %d scores for %d superpixels and %d classes. Nothing was changed.", len(scores), a.cells.N, k)
	}
	out := &segment.Scores{Classes: slices.Clone(classes), Shares: make([]uint8, len(scores))}
	for at := 0; at < len(scores); at += k {
		sum := 0.0
		for _, v := range scores[at : at+k] {
			sum += v
		}
		if sum > 0 {
			for i, v := range scores[at : at+k] {
				out.Shares[at+i] = uint8(v/sum*255 + .5)
			}
		}
	}
	original, err := a.original(ctx, id)
	if err != nil {
		return 0, err
	}
	c := a.lessons.ImportWeight(ctx, a.image.ProjectID)
	if c == learn.Off {
		c = learn.UsualImport
	}
	if original.Scores != nil {
		c = weightOf(original.Scores)
	}
	weighScores(out, c)
	return a.SetScores(ctx, id, out)
}

// SetScores makes scores the first guess of the image, as one event that can be
// undone, and returns the event's number; on return it is on disk. A repeat with the
// same id and scores returns the existing number.
func (a *Annotation) SetScores(ctx context.Context, id string, scores *segment.Scores) (int, error) {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Annotate); err != nil {
		return 0, err
	}
	seq, err := a.add(ctx, current, segment.Event{ID: id, Kind: segment.FirstGuess, Scores: scores})
	if err == nil {
		a.noteGuess(ctx, scores)
		a.changed(a.image.ID)
	}
	return seq, err
}

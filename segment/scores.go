package segment

import (
	"context"
	"slices"

	"collie/segment/access"
)

// Scores are a first guess as the evidence keeps it: for each cell how probable
// each of some classes is, so that it holds for any granularity. Immutable.
type Scores struct {
	Classes []uint8 // ids, ascending
	Shares  []uint8 // cells × classes, row-major; 255 stands for 1, a row of zeros for nothing known
}

// same reports whether two, which may be nil, say the same.
func (s *Scores) same(other *Scores) bool {
	if s == nil || other == nil {
		return s == other
	}
	return slices.Equal(s.Classes, other.Classes) && slices.Equal(s.Shares, other.Shares)
}

// fits reports whether the scores are those of so many cells.
func (s *Scores) fits(cells int) bool {
	return s != nil && len(s.Classes) > 0 && len(s.Shares) == cells*len(s.Classes) &&
		slices.IsSorted(s.Classes) && len(slices.Compact(slices.Clone(s.Classes))) == len(s.Classes)
}

// SetGuess makes scores that were made elsewhere the first guess of the image, as
// one step that undo takes back, and returns the number of its event; on return
// it is on disk. scores has a value for each cell and class, cells × classes,
// row-major, finite and not negative; only their proportions within a cell
// count. classes are ids, ascending. Scores are soft evidence: hypotheses start
// from them and no click gives way to them.
func (a *Annotation) SetGuess(ctx context.Context, id string, classes []uint8, scores []float64) (int, error) {
	if err := a.guard.may(ctx, access.Annotate); err != nil {
		return 0, err
	}
	k := len(classes)
	if k == 0 || len(scores) != a.cells.N*k {
		return 0, Errorf(Invalid, "There are %d scores for %d superpixels and %d classes. Nothing was changed.", len(scores), a.cells.N, k)
	}
	out := &Scores{Classes: slices.Clone(classes), Shares: make([]uint8, len(scores))}
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
	seq, err := a.appendOwn(ctx, Event{ID: id, Kind: FirstGuess, Scores: out})
	if err == nil {
		a.told(a.image.ID)
	}
	return seq, err
}

// guess is the first guess on the superpixels in force, in which deleted classes
// have given way to those in their place; nil without one. The caller holds the
// lock.
func (a *Annotation) guess() *Guess {
	s := a.timeline.guess
	if s == nil {
		return nil
	}
	var present [256]bool
	for _, id := range s.Classes {
		present[a.table[id]] = true
	}
	out := &Guess{}
	var column [256]int
	for id := range MaxClasses {
		if present[id] {
			column[id] = len(out.Classes)
			out.Classes = append(out.Classes, uint8(id))
		}
	}
	k := len(out.Classes)
	if k == 0 {
		return nil
	}
	cut := a.timeline.Cut()
	out.Shares = make([]float64, cut.N*k)
	for cell, superpixel := range cut.Parent {
		row := out.Shares[int(superpixel)*k:][:k]
		area := float64(a.cellGraph.Regions[cell].Area)
		for i, v := range s.Shares[cell*len(s.Classes):][:len(s.Classes)] {
			if id := a.table[s.Classes[i]]; id != Void {
				row[column[id]] += float64(area * float64(v))
			}
		}
	}
	NormaliseRows(out.Shares, k)
	return out
}

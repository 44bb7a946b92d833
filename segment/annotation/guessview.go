package annotation

import (
	"cmp"
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// sure is the least probability (of 255) that counts as sure.
const sure = 204

// guessView is what follows from a guess and the classes.
type guessView struct {
	scores *segment.Scores
	tables int // that it is derived from
	view   *segment.GuessView
}

// guessView summarizes the current guess, once for each guess and list of
// classes. The caller holds the lock.
func (a *Annotation) guessView() *segment.GuessView {
	scores := a.timeline.Scores()
	if scores == nil {
		return nil
	}
	if v := &a.guessed; v.scores != scores || v.tables != a.tables {
		*v = guessView{scores, a.tables, a.sumUp(scores)}
	}
	return a.guessed.view
}

func (a *Annotation) sumUp(s *segment.Scores) *segment.GuessView {
	out := &segment.GuessView{Model: s.Model, Learnt: s.Learnt}
	now := inClasses(s, a.table)
	if now == nil {
		return out
	}
	var areas [256]int
	classes, shares := likeliest(now, a.timeline.First())
	for cell, region := range a.assistant.Cells.Regions {
		if shares[cell] >= sure {
			areas[classes[cell]] += int(region.Area)
		}
	}
	for id, area := range areas {
		if area > 0 {
			out.Sure = append(out.Sure, segment.SureClass{ID: uint8(id), Area: float64(area) / float64(a.cells.Area())})
		}
	}
	slices.SortStableFunc(out.Sure, func(x, y segment.SureClass) int { return cmp.Compare(y.Area, x.Area) })
	return out
}

// likeliest returns for each cell the most probable class of a guess in the project's
// current classes, those in reserve left out, and its share; Void and 0 where the guess
// says nothing. first is the cut that the image began with. O(cells · classes).
func likeliest(s *segment.Scores, first *superpixels.Cut) (classes, shares []uint8) {
	inPlay := make([]bool, len(s.Classes))
	for i, id := range s.Classes {
		inPlay[i] = !slices.Contains(s.Reserve, id)
	}
	classes, shares = make([]uint8, len(first.Parent)), make([]uint8, len(first.Parent))
	for cell, superpixel := range first.Parent {
		classes[cell] = segment.Void
		for i, v := range s.At(cell, superpixel) {
			if inPlay[i] && v > shares[cell] {
				classes[cell], shares[cell] = s.Classes[i], v
			}
		}
	}
	return classes, shares
}

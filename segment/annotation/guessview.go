package annotation

import (
	"cmp"
	"slices"

	"collie/segment"
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
	var areas [256]int
	first := a.timeline.First()
	_, reserve := s.Resolved(a.table)
	for cell, region := range a.assistant.Cells.Regions {
		var shares [256]int // merged classes count as one
		best := uint8(segment.Void)
		for i, v := range s.At(cell, first.Parent[cell]) {
			id := a.table[s.Classes[i]]
			shares[id] += int(v)
			if id != segment.Void && (best == segment.Void || shares[id] > shares[best]) {
				best = id
			}
		}
		if best != segment.Void && !reserve[best] && shares[best] >= sure {
			areas[best] += int(region.Area)
		}
	}
	out := &segment.GuessView{Model: s.Model, Learnt: s.Learnt}
	for id, area := range areas[:segment.Void] {
		if area > 0 {
			out.Sure = append(out.Sure, segment.SureClass{ID: uint8(id), Area: float64(area) / float64(a.cells.Area())})
		}
	}
	slices.SortStableFunc(out.Sure, func(x, y segment.SureClass) int { return cmp.Compare(y.Area, x.Area) })
	return out
}

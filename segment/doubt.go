package segment

import (
	"context"

	"collie/herding"
)

// noteDoubt stores how much of the image is probably wrong, so that lists can
// show the doubtful ones first. It does so once per sequence, when
// a whole sequence has been made, and when that fails the list is a little older
// than the image.
func (a *Annotation) noteDoubt() {
	a.mu.Lock()
	sequence, noted := a.sequence, a.noted
	a.mu.Unlock()
	if sequence == nil || sequence == noted {
		return
	}
	doubt, ok := sequence.doubt()
	if !ok {
		return
	}
	if err := a.store.NoteDoubt(context.Background(), a.image.ID, doubt); err != nil {
		return
	}
	a.mu.Lock()
	a.noted = sequence
	a.mu.Unlock()
}

// doubt is the expected share of the image, 0..1, that the most likely classes
// get wrong, by the hypotheses that there are; false when they are fewer than a
// whole sequence or speak of a single class.
func (s *Sequence) doubt() (share float64, ok bool) {
	if len(s.classes) < 2 {
		return 0, false
	}
	s.mu.Lock()
	made := s.made
	s.mu.Unlock()
	if len(made) < DefaultHypotheses {
		return 0, false
	}
	votes := make([][]uint8, DefaultHypotheses)
	for rank := range votes {
		votes[rank] = s.places(made[rank].Labels)
	}
	k := len(s.classes)
	return herding.ExpectedWrongArea(herding.Marginals(votes, k), k, s.shares), true
}

package learner_test

import (
	"slices"
	"testing"

	"collie/segment"
	"collie/segment/engine"
)

// importScores gives an image scores for sky and grass: right ones, or with the
// two swapped.
func (s *school) importScores(t *testing.T, i int, wrong bool) {
	t.Helper()
	a := mustOpen(t, s.Workspace, s.images[i].ID)
	cells := a.Cells()
	scores := make([]float64, 2*cells.N)
	for y := range schoolHeight {
		for x := range schoolWidth {
			class := 0
			if (y >= horizon(i)) != wrong {
				class = 1
			}
			scores[2*int(cells.At(x, y))+class]++
		}
	}
	if _, err := a.SetGuess(t.Context(), segment.NewID(), []uint8{0, 1}, scores); err != nil {
		t.Fatal(err)
	}
}

// scores are those of the guess that an image has.
func (s *school) scores(t *testing.T, i int) (last *segment.Scores) {
	t.Helper()
	a := mustOpen(t, s.Workspace, s.images[i].ID)
	events, err := a.Events(t.Context(), a.State())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == segment.FirstGuess {
			last = e.Scores
		}
	}
	return last
}

// ofOlder makes the scores of an image those of evidence that doesn't say how much they
// count.
func (s *school) ofOlder(t *testing.T, i int) {
	t.Helper()
	older := *s.scores(t, i)
	older.Strength, older.Exponent, older.Proof, older.Patience = 0, 0, 0, 0
	if _, err := mustOpen(t, s.Workspace, s.images[i].ID).SetScores(t.Context(), segment.NewID(), &older); err != nil {
		t.Fatal(err)
	}
}

// The strength learnt from finished images applies to later scores, and to
// existing ones unless a person has worked on the image.
func TestWeightOfImportedScores(t *testing.T) {
	for _, wrong := range []bool{true, false} {
		s := newSchool(t, 9, asStored)
		for i := range 8 {
			s.importScores(t, i, wrong)
		}
		if got := s.scores(t, 0); got.Strength != engine.ImportStrength || got.Patience != engine.ImportPatience {
			t.Errorf("strength %v and patience %v before anything is known", got.Strength, got.Patience)
		}
		for i := 5; i < 8; i++ {
			s.ofOlder(t, i)
		}
		clicked := mustOpen(t, s.Workspace, s.images[7].ID)
		mustAppend(t, clicked, segment.Event{ID: "click", Kind: segment.Label, Class: 1, Points: [][2]float64{{10, 110}}})
		s.finish(t, 0, 5, 0, 1)
		s.model(t, 1)
		s.guess(t, 6)
		s.guess(t, 6)
		s.guess(t, 7)
		s.importScores(t, 8, wrong)
		if again := s.scores(t, 7); again.Strength != 0 || clicked.State().Seq != 3 {
			t.Error("the scores of an image that a person works on were changed")
		}
		weighed, given := s.scores(t, 6), s.scores(t, 8)
		if weighed.Strength != given.Strength || weighed.Strength == 0 || !slices.Equal(weighed.Classes, given.Classes) {
			t.Fatalf("strength %v where they were before, %v where they come now", weighed.Strength, given.Strength)
		}
		if wrong && given.Strength > engine.ImportStrength || !wrong && given.Strength < engine.ImportStrength {
			t.Errorf("wrong %v: strength %v", wrong, given.Strength)
		}
		if n := mustOpen(t, s.Workspace, s.images[6].ID).State(); n.Seq != 3 || n.Guess.Model != 0 {
			t.Errorf("%d events, guess %+v", n.Seq, n.Guess)
		}
		merged := segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: segment.Class{ID: 0}}, {Class: segment.Class{ID: 2}}}, Remap: map[uint8]uint8{1: 2}}
		if _, err := s.EditProject(t.Context(), s.project.ID, merged); err != nil {
			t.Fatal(err)
		}
		s.guess(t, 5)
		if got := s.scores(t, 5); got.Strength != given.Strength || !slices.Equal(got.Classes, []uint8{0, 2}) {
			t.Errorf("after a class was merged: strength %v, classes %v", got.Strength, got.Classes)
		}
	}
}

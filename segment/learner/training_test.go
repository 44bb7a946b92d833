package learner_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/learner"
	"collie/segment/workspace"
)

// Five finished images are enough to guess the next one. It stays untouched, the
// guess is one step of undo, and after an undo no other follows.
func TestProjectLearns(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 9, asStored)
	s.finish(t, 0, 4, 0, 1)
	if s.guess(t, 8) {
		t.Error("a guess after four images")
	}
	s.finish(t, 4, 5, 0, 1)
	l := s.model(t, 1)
	if !l.Guessing || l.Learnt != 5 || l.Finished != 5 || len(l.Images) != 4 {
		t.Fatalf("%+v", l)
	}
	if !s.guess(t, 8) || s.status(t, 8) != "untouched" {
		t.Fatalf("no guess, or the image is %s", s.status(t, 8))
	}
	if right := s.right(t, 8, 0, 1); right < 0.9 {
		t.Errorf("%.2f of the picture is guessed right", right)
	}
	a := mustOpen(t, s.Workspace, s.images[8].ID)
	state := a.State()
	if state.Undo != 1 || slices.ContainsFunc(state.Labels, func(l uint8) bool { return l != segment.Void }) {
		t.Errorf("%d steps of undo, labels %v", state.Undo, state.Labels[:5])
	}
	events, err := a.Events(t.Context(), state)
	if err != nil || len(events) != 1 || events[0].By != segment.ByProject || events[0].Scores.Model != 1 || events[0].Scores.Learnt != 5 {
		t.Errorf("events %+v: %v", events, err)
	}
	if !s.guess(t, 8) || a.State().Seq != 1 {
		t.Error("the same model guesses again")
	}
	mustAppend(t, a, segment.Event{ID: "back", Kind: segment.Undo})
	if s.guess(t, 8) || a.State().Seq != 2 || s.status(t, 8) == "untouched" {
		t.Errorf("after undo the image is %s and has %d events", s.status(t, 8), a.State().Seq)
	}
	if again := mustOpen(t, s.Workspace, s.images[8].ID).Sequence(); again.Len() != 0 {
		t.Error("there are hypotheses without the guess")
	}
}

// A newer model replaces its guess on an untouched image, in one step of undo,
// and on no other. The same evidence gives the same hypotheses after the model is
// gone, in another process.
func TestNewerGuess(t *testing.T) {
	s := newSchool(t, 10, asStored)
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	if !s.guess(t, 8) || !s.guess(t, 9) {
		t.Fatal("no guess")
	}
	touched := mustOpen(t, s.Workspace, s.images[9].ID)
	mustAppend(t, touched, segment.Event{ID: "click", Kind: segment.Label, Class: 1, Points: [][2]float64{{10, 110}}})
	before, err := touched.Sequence().At(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	s.finish(t, 5, 7, 0, 1)
	s.model(t, 2)
	if !s.guess(t, 8) {
		t.Error("no newer guess")
	}
	a := mustOpen(t, s.Workspace, s.images[8].ID)
	state := a.State()
	if s.status(t, 8) != "untouched" || state.Undo != 1 || state.Seq != 3 {
		t.Errorf("%s, %d steps of undo, %d events", s.status(t, 8), state.Undo, state.Seq)
	}
	if s.guess(t, 9) || touched.State().Seq != 2 {
		t.Error("a guess over a person's click")
	}
	s.stop()
	if err := s.blobs.Remove(t.Context(), segment.LearntKey(s.project.ID)); err != nil {
		t.Fatal(err)
	}
	other := workspace.New(s.store, s.blobs, nil)
	after, err := mustOpen(t, other, s.images[9].ID).Sequence().At(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, after); d != "" {
		t.Error(d)
	}
}

// A project that is set to guess nothing does so, and guesses again when it is set
// back.
func TestUnaidedProject(t *testing.T) {
	s := newSchool(t, 7, asStored)
	off, on := true, false
	if _, err := s.EditProject(t.Context(), s.project.ID, segment.ProjectEdit{Unaided: &off}); err != nil {
		t.Fatal(err)
	}
	s.finish(t, 0, 5, 0, 1)
	if s.guess(t, 6) {
		t.Error("a guess in a project that wants none")
	}
	if _, err := s.EditProject(t.Context(), s.project.ID, segment.ProjectEdit{Unaided: &on}); err != nil {
		t.Fatal(err)
	}
	s.guess(t, 6) // finds that there is no model, and has one made
	s.model(t, 1)
	if !s.guess(t, 6) {
		t.Error("no guess in a project that wants them again")
	}
}

// All untouched images get their guesses in the background; those with the least
// expected work come first.
func TestPrelabel(t *testing.T) {
	s := newSchool(t, 9, asStored)
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	if err := s.Learner().Prelabel(t.Context(), s.project.ID); err != nil {
		t.Fatal(err)
	}
	l := s.until(t, "guesses of all images", func(l learner.Learning) bool { return l.Prelabelled.Done == 4 })
	last := 0.0
	for _, im := range l.Images {
		if !im.Guessed || im.Doubt == nil || *im.Doubt < last {
			t.Errorf("image %s: guessed %v, doubt %v after %v", im.Name, im.Guessed, im.Doubt, last)
			continue
		}
		last = *im.Doubt
	}
	if len(l.Images) != 4 || len(l.Done) != 5 {
		t.Errorf("%d untouched and %d finished images", len(l.Images), len(l.Done))
	}
}

// Viewers get no guesses made.
func TestViewersGuessNothing(t *testing.T) {
	s := newSchool(t, 6, asStored)
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	viewer := access.With(t.Context(), access.Principal{Name: "eve", Role: access.Viewer})
	if guessed, err := s.Learner().Guess(viewer, s.images[5].ID); guessed || err != nil {
		t.Errorf("guessed %v: %v", guessed, err)
	}
	if err := s.Learner().Prelabel(viewer, s.project.ID); segment.KindOf(err) != segment.NotFound {
		t.Errorf("a viewer pre-labels: %v", err)
	}
	if s.status(t, 5) != "untouched" || mustOpen(t, s.Workspace, s.images[5].ID).State().Seq != 0 {
		t.Error("the image has an event")
	}
}

// Classes come and go: what is guessed follows the project's table, whether a
// class was deleted, merged into another or restored, before or after the guess.
func TestClassesOfGuesses(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 9, asStored)
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	s.guess(t, 6)
	edit := func(e segment.ProjectEdit) {
		t.Helper()
		if _, err := s.EditProject(t.Context(), s.project.ID, e); err != nil {
			t.Fatal(err)
		}
	}
	keep := func(ids ...uint8) (list []segment.ClassEdit) {
		for _, id := range ids {
			list = append(list, segment.ClassEdit{Class: segment.Class{ID: id}})
		}
		return list
	}
	// Grass becomes tree: the guess that is there and the next one say tree.
	edit(segment.ProjectEdit{Classes: keep(0, 2), Remap: map[uint8]uint8{1: 2}})
	s.guess(t, 7)
	for _, i := range []int{6, 7} {
		if right := s.right(t, i, 0, 2); right < 0.9 {
			t.Errorf("merged: %.2f of picture %d is right", right, i)
		}
	}
	if _, err := s.RestoreClass(t.Context(), s.project.ID, 1); err != nil {
		t.Fatal(err)
	}
	if right := s.right(t, 6, 0, 1); right < 0.9 {
		t.Errorf("restored: %.2f of picture 6 is right", right)
	}
	// A class that nobody has clicked and one by another name change nothing.
	edit(segment.ProjectEdit{Classes: append(keep(0, 2, 1), segment.ClassEdit{Class: segment.Class{Name: "road"}, New: true})})
	edit(segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: segment.Class{ID: 0, Name: "heaven"}}, {Class: segment.Class{ID: 1}}, {Class: segment.Class{ID: 2}}, {Class: segment.Class{ID: 3}}}})
	if !s.guess(t, 8) {
		t.Error("no guess after a class was added")
	}
	// A class deleted without a replacement is not guessed.
	edit(segment.ProjectEdit{Classes: keep(1, 2, 3), Remap: map[uint8]uint8{0: segment.Void}})
	if got := mustOpen(t, s.Workspace, s.images[8].ID).Sequence().Classes(); slices.Contains(got, 0) {
		t.Errorf("deleted: classes %v are in play", got)
	}
}

// Nothing is learnt from images in the trash.
func TestTrashedImagesTeachNothing(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 8, asStored)
	s.finish(t, 0, 4, 0, 1)
	if err := s.TrashImage(t.Context(), s.images[0].ID); err != nil {
		t.Fatal(err)
	}
	s.finish(t, 4, 5, 0, 1)
	s.finish(t, 5, 6, 0, 1)
	if l := s.model(t, 1); l.Learnt != 5 {
		t.Errorf("learnt from %d images, want 5", l.Learnt)
	}
}

// A project of one class learns and guesses nothing, without a complaint.
func TestProjectOfOneClass(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 6, asStored)
	s.finish(t, 0, 5, 1, 1)
	if l := s.model(t, 1); l.Guessing {
		t.Error("it guesses")
	}
	if s.guess(t, 5) {
		t.Error("a guess")
	}
}

// Two people open, click and finish images at the same time; every image has at
// most one guess in force and no click is lost.
func TestLearningWithTwoPeople(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 12, asStored)
	s.finish(t, 0, 5, 0, 1)
	var people sync.WaitGroup
	for person := range 2 {
		people.Go(func() {
			ctx := access.With(t.Context(), access.Principal{User: fmt.Sprint(person), Name: fmt.Sprint("person", person), Role: access.Annotator})
			for i := 5; i < 12; i++ {
				if _, err := s.Learner().Guess(ctx, s.images[i].ID); err != nil && segment.KindOf(err) != segment.Conflict {
					t.Errorf("guess of %d: %v", i, err)
				}
				a, err := s.Open(ctx, s.images[i].ID)
				if err != nil {
					t.Error(err)
					return
				}
				e := segment.Event{ID: fmt.Sprint("click", person), Kind: segment.Label, Class: person, Points: [][2]float64{{10, float64(5 + 110*person)}}}
				for {
					_, err := a.Append(ctx, a.State().Seq, e)
					if segment.KindOf(err) != segment.Conflict {
						if err != nil {
							t.Errorf("click on %d: %v", i, err)
						}
						break
					}
				}
				a.Close()
			}
		})
	}
	people.Wait()
	for i := 5; i < 12; i++ {
		a := mustOpen(t, s.Workspace, s.images[i].ID)
		state := a.State()
		clicks := 0
		for _, c := range state.Clicks {
			if c != segment.Void {
				clicks++
			}
		}
		events, err := a.Events(t.Context(), state)
		if err != nil || clicks != 2 {
			t.Errorf("image %d: %d clicks: %v", i, clicks, err)
		}
		touched := false
		for _, e := range events {
			if touched && e.By == segment.ByProject {
				t.Errorf("image %d: event %d of the project after a person's", i, e.Seq)
			}
			touched = touched || e.By != segment.ByProject
		}
	}
}

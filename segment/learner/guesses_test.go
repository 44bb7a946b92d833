package learner_test

import (
	"context"
	"io"
	"math"
	"sync/atomic"
	"testing"

	"collie/segment"
	"collie/segment/learner"
	"collie/segment/workspace"
	"collie/storage/blob"
)

// A guess says what it was learnt from and what it is sure of, in the present
// classes, and a person can remove it whatever came after it. That is one step of
// undo, and no other guess follows.
func TestRemoveGuess(t *testing.T) {
	s := newSchool(t, 7, asStored)
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	if !s.guess(t, 6) {
		t.Fatal("no guess")
	}
	a := mustOpen(t, s.Workspace, s.images[6].ID)
	g := a.State().Guess
	if g == nil || g.Model != 1 || g.Learnt != 5 || len(g.Sure) != 2 || g.Sure[0].Area < g.Sure[1].Area {
		t.Fatalf("%+v", g)
	}
	for _, c := range g.Sure {
		share := float64(horizon(6)) / schoolHeight
		if c.ID == 1 {
			share = 1 - share
		}
		if math.Abs(c.Area-share) > 0.15 {
			t.Errorf("sure of class %d on %.2f of the area, which has %.2f", c.ID, c.Area, share)
		}
	}
	if _, err := s.EditProject(t.Context(), s.project.ID, segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: segment.Class{ID: 1}}, {Class: segment.Class{ID: 2}}}, Remap: map[uint8]uint8{0: 1}}); err != nil {
		t.Fatal(err)
	}
	if g := a.State().Guess; len(g.Sure) != 1 || g.Sure[0].ID != 1 || g.Sure[0].Area < 0.99 {
		t.Errorf("after the classes were merged: %+v", g)
	}

	mustAppend(t, a, segment.Event{ID: "click", Kind: segment.Label, Class: 1, Points: [][2]float64{{10, 110}}})
	remove := segment.Event{ID: "remove", Kind: segment.FirstGuess}
	mustAppend(t, a, remove)
	seq := a.State().Seq
	if again, err := a.Append(t.Context(), seq-1, remove); again != seq || err != nil {
		t.Errorf("repeated: %d, %v", again, err)
	}
	state := a.State()
	if state.Guess != nil || state.Undo != 3 {
		t.Errorf("guess %+v, %d steps of undo", state.Guess, state.Undo)
	}
	if _, err := a.Append(t.Context(), seq, segment.Event{ID: "more", Kind: segment.FirstGuess}); segment.KindOf(err) != segment.Invalid {
		t.Errorf("removing what is not there: %v", err)
	}
	if s.guess(t, 6) {
		t.Error("another guess")
	}
	again := mustOpen(t, workspace.New(s.store, s.blobs, nil), s.images[6].ID)
	if again.State().Guess != nil {
		t.Error("the guess is there again in another process")
	}
	mustAppend(t, a, segment.Event{ID: "back", Kind: segment.Undo})
	if a.State().Guess == nil {
		t.Error("undo doesn't bring the guess back")
	}
}

// A project that is set to guess nothing takes back guesses that nobody has worked
// on, and no others.
func TestRetractedGuesses(t *testing.T) {
	s := newSchool(t, 9, asStored)
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	if err := s.Learner().Prelabel(t.Context(), s.project.ID); err != nil {
		t.Fatal(err)
	}
	s.until(t, "guesses", func(l learner.Learning) bool { return l.Prelabelled.Done == 4 })
	worked := mustOpen(t, s.Workspace, s.images[5].ID)
	mustAppend(t, worked, segment.Event{ID: "click", Kind: segment.Label, Class: 1, Points: [][2]float64{{10, 110}}})
	off, on := true, false
	if _, err := s.EditProject(t.Context(), s.project.ID, segment.ProjectEdit{Unaided: &off}); err != nil {
		t.Fatal(err)
	}
	l := s.until(t, "guesses taken back", func(l learner.Learning) bool { return l.Prelabelled.Total == 3 && l.Prelabelled.Done == 3 })
	for _, im := range l.Images {
		if im.Guessed || im.Status() != "untouched" {
			t.Errorf("%s is %s and has a guess: %v", im.Name, im.Status(), im.Guessed)
		}
	}
	if worked.State().Guess == nil {
		t.Error("the guess is gone from an image that a person works on")
	}
	if _, err := s.EditProject(t.Context(), s.project.ID, segment.ProjectEdit{Unaided: &on}); err != nil {
		t.Fatal(err)
	}
	if !s.guess(t, 7) {
		t.Error("no guess after the project was set to guess again")
	}
}

// held is a store in which reading one blob waits.
type held struct {
	segment.Blobs
	key           atomic.Value // a string; empty once it has been read
	asked, answer chan struct{}
}

func (h *held) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if h.key.CompareAndSwap(key, "") {
		close(h.asked)
		<-h.answer
	}
	return h.Blobs.Open(ctx, key)
}

// A project that is set to guess nothing while it guesses all images takes back those
// guesses, too, also the one under way; and the other way round.
func TestRetractWhileGuessing(t *testing.T) {
	blobs := &held{asked: make(chan struct{}), answer: make(chan struct{})}
	s := newSchool(t, 9, func(b *blob.Store) segment.Blobs { blobs.Blobs = b; return blobs })
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	blobs.key.Store(s.images[7].FeaturesKey())
	guessed := func(l learner.Learning) (n int) {
		for _, im := range l.Images {
			if im.Guessed {
				n++
			}
		}
		return n
	}
	set := func(off bool) {
		t.Helper()
		if _, err := s.EditProject(t.Context(), s.project.ID, segment.ProjectEdit{Unaided: &off}); err != nil {
			t.Fatal(err)
		}
	}
	prelabel := func() {
		t.Helper()
		if err := s.Learner().Prelabel(t.Context(), s.project.ID); err != nil {
			t.Fatal(err)
		}
	}
	prelabel()
	<-blobs.asked
	set(true)
	close(blobs.answer)
	l := s.until(t, "end of guesses", func(learner.Learning) bool { return true })
	if n := guessed(l); n > 0 || l.Prelabelled.Done != l.Prelabelled.Total {
		t.Errorf("%d images have a guess in a project that guesses nothing: %+v", n, l.Prelabelled)
	}
	set(false)
	prelabel()
	s.until(t, "guesses", func(l learner.Learning) bool { return guessed(l) == 4 })
	set(true)
	set(false)
	prelabel()
	if l := s.until(t, "guesses", func(learner.Learning) bool { return true }); guessed(l) != 4 {
		t.Errorf("%d of 4 images have a guess after the project was set to guess nothing and then again: %+v", guessed(l), l.Prelabelled)
	}
}

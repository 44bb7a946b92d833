package learner_test

import (
	"testing"

	"collie/segment"
	"collie/segment/learner"
	"collie/segment/photo"
	"collie/segment/workspace"
)

// Training that the end of a server stopped goes on after its next start.
func TestLearningGoesOnAfterRestart(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 8, asStored)
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	s.stop()
	s.finish(t, 5, 7, 0, 1)
	s.stop = s.Learner().Start(t.Context())
	s.guess(t, 7)
	if l := s.model(t, 2); l.Learnt != 7 {
		t.Errorf("learnt from %d images, want 7", l.Learnt)
	}
}

// A project with a model of an older version doesn't speak of it, and learns again as soon
// as somebody looks at what it has learned.
func TestLearningAfterUpgrade(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 6, asStored)
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	s.stop()
	s.replace(t, segment.LearntKey(s.project.ID), "CLMD\x02\x07")
	s.stop = s.Learner().Start(t.Context())
	l, err := s.Learner().Learning(t.Context(), s.project.ID)
	if err != nil || l.Model != 0 || l.Learnt != 0 || !l.Training {
		t.Errorf("model %d, learnt from %d images, training %t, %v; want no model, and training", l.Model, l.Learnt, l.Training, err)
	}
	if l := s.model(t, 8); l.Learnt != 5 || !l.Guessing {
		t.Errorf("learnt from %d images, guessing %t; want 5, true", l.Learnt, l.Guessing)
	}
}

// A server takes over the model that another server has trained: it neither trains the
// same once more, nor replaces newer guesses by those of the model that it knew.
func TestLearningAtTwoServers(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 11, asStored)
	there := func() *school {
		t.Helper()
		other := &school{Workspace: workspace.New(s.store, s.blobs, photo.NewGate(photo.Limits{})), project: s.project, images: s.images}
		t.Cleanup(other.Learner().Start(t.Context()))
		other.guess(t, 10) // knows model 1 from here on
		return other
	}
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	trains, guesses := there(), there()
	s.finish(t, 5, 7, 0, 1)
	s.model(t, 2)

	trains.finish(t, 7, 8, 0, 1)
	if l := trains.until(t, "end of training", func(l learner.Learning) bool { return l.Finished == 8 }); l.Model != 2 || l.Learnt != 7 {
		t.Errorf("the other server has model %d of %d images, want model 2 of 7", l.Model, l.Learnt)
	}
	s.guess(t, 8)
	guesses.guess(t, 8)
	guesses.guess(t, 9)
	for _, i := range []int{8, 9} {
		if st := mustOpen(t, s.Workspace, s.images[i].ID).State(); st.Seq != 1 || st.Guess == nil || st.Guess.Model != 2 {
			t.Errorf("image %d has %d events and the guess %+v, want that of model 2", i, st.Seq, st.Guess)
		}
	}
}

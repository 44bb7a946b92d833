package learner_test

import "testing"

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

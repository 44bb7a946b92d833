package learner_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/learner"
	"collie/segment/photo"
	"collie/segment/photo/phototest"
	"collie/segment/workspace"
)

// patchwork adds pictures on which the usual affinities are misled, and returns the class
// of each pixel.
func (s *school) patchwork(t *testing.T, images int) (classes [][]uint8) {
	t.Helper()
	for i := range images {
		img, class := phototest.Patchwork(uint64(i), schoolWidth, schoolHeight)
		im, err := s.AddImage(t.Context(), s.project.ID, fmt.Sprintf("%d.png", i), bytes.NewReader(phototest.MustPNG(t, img)))
		if err != nil {
			t.Fatal(err)
		}
		s.images, classes = append(s.images, im.Image), append(classes, class)
	}
	return classes
}

// affinities are those of the last event about them of an image, and how many such events
// there are.
func (s *school) affinities(t *testing.T, i int) (last *segment.Affinities, events int) {
	t.Helper()
	for _, e := range s.events(t, mustOpen(t, s.Workspace, s.images[i].ID)) {
		if e.Kind == segment.Relate {
			last = e.Affinities
			events++
		}
	}
	return last, events
}

// Images that nobody has worked on get the affinities that their project has learned, once;
// hypotheses follow from the log alone. Images that people work on keep theirs.
func TestAffinities(t *testing.T) {
	s := newSchool(t, 0, asStored)
	classes := s.patchwork(t, 17)
	worked := mustOpen(t, s.Workspace, s.images[15].ID)
	mustAppend(t, worked, segment.Event{ID: "click", Kind: segment.Label, Class: 1, Points: [][2]float64{{10, 10}}})
	for i := range 14 {
		if _, err := mustOpen(t, s.Workspace, s.images[i].ID).ImportMask(t.Context(), segment.NewID(), classes[i], nil); err != nil {
			t.Fatal(err)
		}
	}
	// It learns again with two more images, so maybe not from the last one.
	l := s.until(t, "model of 13 or 14 images", func(l learner.Learning) bool { return l.Learnt >= 13 })
	if !l.Related {
		t.Errorf("the project says that it has no affinities of its own: %+v", l)
	}
	for range 2 {
		for _, i := range []int{14, 15} {
			s.guess(t, i)
		}
	}
	own, events := s.affinities(t, 14)
	if own == nil || own.Learnt != l.Learnt || events != 1 {
		t.Fatalf("an untouched image has the affinities %+v after %d events about them", own, events)
	}
	if im := s.image(t, 14); im.Status() != segment.StatusUntouched {
		t.Errorf("an image with affinities of its project is %s", im.Status())
	}
	if _, events := s.affinities(t, 15); events > 0 || worked.State().Seq != 1 {
		t.Error("an image that a person works on got other affinities")
	}

	a := mustOpen(t, s.Workspace, s.images[14].ID)
	mustAppend(t, a, segment.Event{ID: "sky", Kind: segment.Label, Class: int(classes[14][0]), Points: [][2]float64{{5, 5}}})
	present := func() string { return a.Sequence().Parameters().Number }
	number, with := present(), s.digests(t, a)
	if number == engine.DefaultParameters.Number {
		t.Error("hypotheses don't know the project's affinities")
	}
	if err := s.blobs.Remove(t.Context(), segment.LearntKey(s.project.ID)); err != nil {
		t.Fatal(err)
	}
	s.stop()
	s.stop = s.Learner().Start(t.Context())
	if diff := cmp.Diff(with, s.digests(t, a)); diff != "" || present() != number {
		t.Errorf("without what the project had learned:\n%s", diff)
	}
	mustAppend(t, a, segment.Event{ID: "none", Kind: segment.Relate})
	if present() != engine.DefaultParameters.Number {
		t.Error("removed affinities still count")
	}
	mustAppend(t, a, segment.Event{ID: "undo", Kind: segment.Undo})
	if diff := cmp.Diff(with, s.digests(t, a)); diff != "" || present() != number {
		t.Errorf("after undo:\n%s", diff)
	}
	if _, err := a.Append(t.Context(), a.State().Seq, segment.Event{ID: "unread", Kind: segment.Relate, Affinities: &segment.Affinities{Model: []byte("of another version")}}); err != nil || present() != engine.DefaultParameters.Number {
		t.Errorf("a model that can't be read: %v, number %s", err, present())
	}
	for _, wrong := range []*segment.Affinities{{}, {Model: make([]byte, 1<<20)}, {Model: []byte{1}, Learnt: -1}} {
		if _, err := a.Append(t.Context(), a.State().Seq, segment.Event{ID: segment.NewID(), Kind: segment.Relate, Affinities: wrong}); segment.KindOf(err) != segment.Invalid {
			t.Errorf("%d bytes, learnt from %d: %v", len(wrong.Model), wrong.Learnt, err)
		}
	}

	// A project that learns nothing takes them back.
	s.guess(t, 16)
	off := true
	if _, err := s.EditProject(t.Context(), s.project.ID, segment.ProjectEdit{Unaided: &off}); err != nil {
		t.Fatal(err)
	}
	s.guess(t, 16)
	if own, _ := s.affinities(t, 16); own != nil {
		t.Errorf("a project that learns nothing leaves %d bytes of affinities", len(own.Model))
	}
}

// A server that knows an older model leaves the affinities and the guess of a newer one.
func TestAffinitiesAtTwoServers(t *testing.T) {
	t.Parallel()
	s := newSchool(t, 0, asStored)
	classes := s.patchwork(t, 18)
	finish := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			if _, err := mustOpen(t, s.Workspace, s.images[i].ID).ImportMask(t.Context(), segment.NewID(), classes[i], nil); err != nil {
				t.Fatal(err)
			}
		}
		s.until(t, "model of nearly all", func(l learner.Learning) bool { return l.Learnt >= to-1 })
	}
	finish(0, 13)
	other := &school{Workspace: workspace.New(s.store, s.blobs, photo.NewGate(photo.Limits{})), project: s.project, images: s.images}
	t.Cleanup(other.Learner().Start(t.Context()))
	other.guess(t, 17) // knows the model of these from here on
	finish(13, 16)
	s.guess(t, 16)
	newer, _ := s.affinities(t, 16)
	other.guess(t, 16)
	if own, events := s.affinities(t, 16); newer == nil || !own.Same(newer) || events != 1 {
		t.Errorf("the other server has replaced the affinities: %d events about them", events)
	}
}

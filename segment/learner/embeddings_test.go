package learner_test

import (
	"bytes"
	"fmt"
	"image"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/learner"
	"collie/segment/photo/phototest"
	"collie/storage/blob"
)

// camouflage is a picture of coloured blocks that don't tell where the
// horizon is.
func (s *school) camouflage(t *testing.T, images int) {
	t.Helper()
	const block = 16
	for i := range images {
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		img := image.NewNRGBA(image.Rect(0, 0, schoolWidth, schoolHeight))
		var colours [schoolWidth / block * (schoolHeight/block + 1)][3]uint8
		for c := range colours {
			colours[c] = [3]uint8{uint8(rng.IntN(200)), uint8(rng.IntN(200)), uint8(rng.IntN(200))}
		}
		for y := range schoolHeight {
			for x := range schoolWidth {
				c := colours[y/block*(schoolWidth/block)+x/block]
				at := img.PixOffset(x, y)
				img.Pix[at], img.Pix[at+1], img.Pix[at+2], img.Pix[at+3] = c[0]+uint8(rng.IntN(20)), c[1], c[2], 255
			}
		}
		im, err := s.AddImage(t.Context(), s.project.ID, fmt.Sprintf("%d.png", i), bytes.NewReader(phototest.MustPNG(t, img)))
		if err != nil {
			t.Fatal(err)
		}
		s.images = append(s.images, im.Image)
	}
}

// embed gives an image an embedding that shows where the horizon is.
func (s *school) embed(t *testing.T, i int) int {
	t.Helper()
	a := mustOpen(t, s.Workspace, s.images[i].ID)
	cells := a.Cells()
	areas, below := make([]int, cells.N), make([]int, cells.N)
	for y := range schoolHeight {
		for x := range schoolWidth {
			areas[cells.At(x, y)]++
			if y >= horizon(i) {
				below[cells.At(x, y)]++
			}
		}
	}
	e := &segment.Embedding{Dims: 1, Scale: 1. / 127}
	for cell, area := range areas {
		e.Values = append(e.Values, uint8(128+100*below[cell]/area))
	}
	seq, err := a.SetEmbedding(t.Context(), segment.NewID(), e)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// counts reports whether the embedding of an image counts for anything.
func (s *school) counts(t *testing.T, i int) bool {
	t.Helper()
	a := mustOpen(t, s.Workspace, s.images[i].ID)
	events, err := a.Events(t.Context(), a.State())
	if err != nil {
		t.Fatal(err)
	}
	counts := false
	for _, e := range events {
		if e.Kind == segment.Embed {
			counts = e.Embedding.Counts()
		}
	}
	return counts
}

func (s *school) image(t *testing.T, i int) segment.Image {
	t.Helper()
	im, err := s.Image(t.Context(), s.images[i].ID)
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// untilWeighed waits until the project knows how much embeddings count.
func (s *school) untilWeighed(t *testing.T, i int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !s.counts(t, i); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the embeddings don't count after two minutes")
		}
		s.guess(t, i)
	}
}

// The weight learnt from finished images applies to later embeddings and to those
// of untouched images; images that people work on keep theirs. Undo and a lost
// cache change nothing else.
func TestEmbeddings(t *testing.T) {
	var bucket *learntAway
	s := newSchool(t, 0, func(b *blob.Store) segment.Blobs {
		bucket = &learntAway{Blobs: b}
		return bucket
	})
	s.camouflage(t, 9)
	for i := range 8 {
		if seq := s.embed(t, i); seq != 1 || s.counts(t, i) {
			t.Fatalf("embedding %d is event %d and counts: %v", i, seq, s.counts(t, i))
		}
		if im := s.image(t, i); im.Status() != "untouched" || im.Guessed {
			t.Fatalf("an image with an embedding is %s, guessed: %v", im.Status(), im.Guessed)
		}
	}
	clicked := mustOpen(t, s.Workspace, s.images[7].ID)
	click := segment.Event{ID: "click", Kind: segment.Label, Class: 1, Points: [][2]float64{{10, 115}}}
	mustAppend(t, clicked, click)
	s.finish(t, 0, 6, 0, 1)
	s.untilWeighed(t, 6)
	s.guess(t, 7)
	if s.counts(t, 7) || clicked.State().Seq != 2 {
		t.Error("the embedding of an image that a person works on was weighed")
	}
	bucket.restart(t, s)
	if s.embed(t, 8); s.counts(t, 8) {
		t.Error("an embedding counts while it isn't known how much")
	}
	bucket.away.Store(false)
	if s.embed(t, 8); !s.counts(t, 8) {
		t.Error("an embedding that comes later doesn't count")
	}
	if im := s.image(t, 8); im.Status() != "untouched" {
		t.Errorf("an image with an embedding is %s", im.Status())
	}

	// Hypotheses follow from the log alone.
	a := mustOpen(t, s.Workspace, s.images[8].ID)
	mustAppend(t, a, segment.Event{ID: "sky", Kind: segment.Label, Points: [][2]float64{{80, 5}}})
	mustAppend(t, a, segment.Event{ID: "grass", Kind: segment.Label, Class: 1, Points: [][2]float64{{80, 115}}})
	with, events := s.digests(t, a), s.events(t, a)
	if right := s.right(t, 8, 0, 1); right < 0.9 {
		t.Errorf("%.2f of the picture is right after two clicks", right)
	}
	again := s.image(t, 8)
	if err := s.blobs.Remove(t.Context(), segment.EmbeddingsKey(s.project.ID)); err != nil {
		t.Fatal(err)
	}
	s.stop()
	s.stop = s.Learner().Start(t.Context())
	if diff := cmp.Diff(with, s.digests(t, a)); diff != "" {
		t.Errorf("without what the project had learned:\n%s", diff)
	}
	if again.Status() == "untouched" {
		t.Error("clicks leave the image untouched")
	}

	// Removed, and back.
	mustAppend(t, a, segment.Event{ID: "none", Kind: segment.Embed})
	if cmp.Equal(with, s.digests(t, a)) {
		t.Error("without its embedding the image has the same hypotheses")
	}
	mustAppend(t, a, segment.Event{ID: "undo", Kind: segment.Undo})
	if diff := cmp.Diff(with, s.digests(t, a)); diff != "" {
		t.Errorf("after undo:\n%s", diff)
	}
	mustAppend(t, a, segment.Event{ID: "back", Kind: segment.Restore, To: len(events)})
	if diff := cmp.Diff(with, s.digests(t, a)); diff != "" {
		t.Errorf("after restore:\n%s", diff)
	}
}

// digests are those of the first hypotheses.
func (s *school) digests(t *testing.T, a *annotation.Annotation) (out []string) {
	t.Helper()
	for rank := range 3 {
		h, err := a.Sequence().At(t.Context(), rank)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, h.Digest.String())
	}
	return out
}

func (s *school) events(t *testing.T, a *annotation.Annotation) []segment.Event {
	t.Helper()
	events, err := a.Events(t.Context(), a.State())
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// The project's guess stays on top of embeddings: an undo takes back the guess, and
// embeddings keep no guess away. A project that learns nothing weighs nothing.
func TestEmbeddingsAndGuesses(t *testing.T) {
	s := newSchool(t, 7, asStored)
	s.finish(t, 0, 5, 0, 1)
	s.model(t, 1)
	if !s.guess(t, 5) {
		t.Skip("the model of five landscapes guesses nothing")
	}
	s.embed(t, 5)
	if im := s.image(t, 5); !im.Guessed || im.Status() != "untouched" {
		t.Fatalf("after an embedding the image is %s, guessed: %v", im.Status(), im.Guessed)
	}
	s.embed(t, 6)
	if !s.guess(t, 6) {
		t.Error("an image with an embedding is not guessed")
	}
	a := mustOpen(t, s.Workspace, s.images[5].ID)
	mustAppend(t, a, segment.Event{ID: "undo", Kind: segment.Undo})
	if st := a.State(); st.Guess != nil {
		t.Error("undo leaves the guess")
	}
	if st := a.State(); st.Undo != 1 {
		t.Errorf("%d steps are left to undo, want the embedding", st.Undo)
	}
	off := true
	if _, err := s.EditProject(t.Context(), s.project.ID, segment.ProjectEdit{Unaided: &off}); err != nil {
		t.Fatal(err)
	}
	s.until(t, "end of guesses", func(learner.Learning) bool { return !s.image(t, 6).Guessed })
	if im := s.image(t, 6); im.Status() != "untouched" {
		t.Errorf("the image is %s", im.Status())
	}
}

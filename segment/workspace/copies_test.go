package workspace_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/storage/workspacetest"
)

// A labelling copied to an image of the same scene is a guess there: the first
// hypothesis says the same before any click, undo takes it back, and the stored
// log gives it again.
func TestCopyLabelling(t *testing.T) {
	dir := t.TempDir()
	w := mustOpenWorkspace(t, dir, asIs)
	a := workspacetest.MustAnnotate(t, w)
	first := a.Image()
	im, err := w.AddImage(t.Context(), first.ProjectID, "halves again.png", workspacetest.Halves(t))
	if err != nil {
		t.Fatal(err)
	}
	b := mustOpen(t, w, im.ID)
	second := b.Image()
	if _, err := w.CopyLabelling(t.Context(), second.ID, first.ID, "early"); segment.KindOf(err) != segment.Invalid {
		t.Errorf("without labels: %v", err)
	}
	mustAppend(t, a, label("a", 0, [2]float64{10, 40}))
	mustAppend(t, a, label("b", 1, [2]float64{110, 70}))
	_, sequence := a.Present()
	h, err := sequence.At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, a, segment.Event{ID: "c", Kind: segment.Accept, Pick: &segment.Pick{Rank: 0, Digest: h.Digest.String()}})
	before := b.State()
	for range 2 {
		if seq, err := w.CopyLabelling(t.Context(), second.ID, first.ID, "copy"); seq != 1 || err != nil {
			t.Fatalf("event %d, %v", seq, err)
		}
	}
	guess := func(w2 string, s segment.GuessView) {
		if s.Model != 0 || s.Learnt != 1 || len(s.Sure) == 0 {
			t.Errorf("%s the guess is %+v", w2, s)
		}
	}
	state, copied := b.Present()
	guess("after copying", *state.Guess)
	g, err := copied.At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	labels := a.State().Labels
	for i, l := range g.Labels {
		if i < len(labels) && l == labels[i] {
			same++
		}
	}
	if len(labels) != len(g.Labels) || same < len(labels)*9/10 {
		t.Errorf("%d of %d superpixels are labelled as in the other image", same, len(labels))
	}
	again := mustOpen(t, mustOpenWorkspace(t, dir, asIs), second.ID)
	_, replayed := again.Present()
	if r, err := replayed.At(t.Context(), 0); err != nil || r.Digest != g.Digest || !slices.Equal(r.Labels, g.Labels) {
		t.Errorf("from the disk: %v, %v, want %v", r.Digest, err, g.Digest)
	}
	mustAppend(t, b, segment.Event{ID: "u", Kind: segment.Undo})
	after := b.State()
	after.Seq, after.Version, after.Redo = before.Seq, before.Version, before.Redo
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("after undo (-before +after):\n%s", diff)
	}
	if _, err := w.CopyLabelling(t.Context(), first.ID, second.ID, "early"); segment.KindOf(err) != segment.Invalid || !strings.Contains(err.Error(), "finished already") {
		t.Errorf("to a finished image: %v", err)
	}
	if seq := a.State().Seq; seq != 3 {
		t.Errorf("the finished image has %d events", seq)
	}
	for name, from := range map[string]string{"itself": second.ID, "another project": workspacetest.MustAnnotate(t, w).Image().ID} {
		if _, err := w.CopyLabelling(t.Context(), second.ID, from, "wrong"); segment.KindOf(err) != segment.Invalid {
			t.Errorf("from %s: %v", name, err)
		}
	}
}

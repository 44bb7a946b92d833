package annotation_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/engine"
	"collie/storage/workspacetest"
)

// A first guess gives hypotheses before any click; it is a step that undo takes
// back, comes back from the disk, and holds at any granularity and while its
// classes are reordered and deleted.
func TestSetGuess(t *testing.T) {
	dir := t.TempDir()
	w := mustOpenWorkspace(t, dir, asIs)
	a := workspacetest.MustAnnotate(t, w)
	im := a.Image()
	cells := a.Cells()
	scores := make([]float64, 2*cells.N)
	for i, cell := range cells.Map().Labels {
		if i%cells.Width < cells.Width/2 {
			scores[2*cell] += 3
		} else {
			scores[2*cell+1] += 1
		}
	}
	if seq, err := a.SetGuess(t.Context(), "guess", []uint8{0, 1}, scores); seq != 1 || err != nil {
		t.Fatalf("SetGuess = %d, %v", seq, err)
	}
	best := func(x, y int) uint8 {
		t.Helper()
		m, _ := a.Superpixels()
		h, err := a.Sequence().At(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		return h.Labels[m.At(x, y)]
	}
	check := func(when string) {
		t.Helper()
		if left, right := best(10, 40), best(110, 40); left != 0 || right != 1 {
			t.Errorf("%s: left %d, right %d", when, left, right)
		}
	}
	check("guessed")
	digest := func() string {
		h, err := a.Sequence().At(t.Context(), 5)
		if err != nil {
			t.Fatal(err)
		}
		return h.Digest.String()
	}
	before := digest()
	mustAppend(t, a, segment.Event{ID: "coarse", Kind: segment.Granularity, Regions: 8})
	check("coarser")
	mustAppend(t, a, segment.Event{ID: "u1", Kind: segment.Undo})
	mustAppend(t, a, segment.Event{ID: "u2", Kind: segment.Undo})
	if n := a.Sequence().Len(); n != 0 {
		t.Errorf("%d hypotheses without a guess", n)
	}
	mustAppend(t, a, segment.Event{ID: "r", Kind: segment.Redo})
	mustAppend(t, a, segment.Event{ID: "click", Kind: segment.Label, Class: 1, Points: [][2]float64{{10, 40}}})
	if best(10, 40) != 1 {
		t.Error("the guess contradicts a click")
	}
	mustAppend(t, a, segment.Event{ID: "back", Kind: segment.Restore, To: 1})
	if d := cmp.Diff(before, digest()); d != "" {
		t.Error("restored: " + d)
	}
	a.Close()

	w = mustOpenWorkspace(t, dir, asIs)
	a = workspacetest.MustOpenImage(t, w, im.ID)
	if d := cmp.Diff(before, digest()); d != "" {
		t.Error("after a restart: " + d)
	}
	if _, err := a.SetGuess(t.Context(), "short", []uint8{0, 1}, scores[2:]); segment.KindOf(err) != segment.Invalid {
		t.Errorf("too few scores: %v", err)
	}
	if _, err := a.SetGuess(t.Context(), "unknown", []uint8{0, 9}, scores); segment.KindOf(err) != segment.Invalid {
		t.Errorf("an unknown class: %v", err)
	}
	if _, err := a.SetGuess(t.Context(), "order", []uint8{1, 0}, scores); segment.KindOf(err) != segment.Invalid {
		t.Errorf("classes out of order: %v", err)
	}
}

// A repeat of imported scores returns their number, also when the project has learned
// another weight since.
func TestRepeatedScores(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	n := 2 * a.Cells().N
	weighed := &segment.Scores{Classes: []uint8{0, 1}, Shares: slices.Repeat([]uint8{128}, n), Strength: .01, Exponent: 1}
	if _, err := a.SetScores(t.Context(), "guess", weighed); err != nil {
		t.Fatal(err)
	}
	if seq, err := a.SetGuess(t.Context(), "guess", []uint8{0, 1}, slices.Repeat([]float64{1}, n)); seq != 1 || err != nil || a.State().Seq != 1 {
		t.Errorf("SetGuess = %d, %v, and the image is at %d; want 1", seq, err, a.State().Seq)
	}
}

// What a guess is expected to get wrong, and what clicks left open, is forgotten with
// them, and known again when they come back and somebody has looked.
func TestDoubtGoesWithWhatItIsAbout(t *testing.T) {
	w := mustOpenWorkspace(t, t.TempDir(), asIs)
	a := workspacetest.MustAnnotate(t, w)
	id := a.Image().ID
	doubt := func(when string, want bool) {
		t.Helper()
		if s := a.Sequence(); s.Len() > 0 {
			if _, err := s.At(t.Context(), engine.DefaultHypotheses-1); err != nil {
				t.Fatal(err)
			}
		}
		a.Close()
		images, err := w.ImagesAfter(t.Context(), a.Project().ID, "", 1e6)
		if err != nil {
			t.Fatal(err)
		}
		if got := images[0].Doubt != nil; got != want {
			t.Errorf("%s: doubt is known: %v, want %v", when, got, want)
		}
		if a, err = w.Open(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	scores := make([]float64, 2*a.Cells().N)
	for i := range scores {
		scores[i] = float64(i%5) + 1
	}
	if _, err := a.SetGuess(t.Context(), "guess", []uint8{0, 1}, scores); err != nil {
		t.Fatal(err)
	}
	doubt("guessed", true)
	mustAppend(t, a, segment.Event{ID: "none", Kind: segment.FirstGuess})
	doubt("without the guess", false)
	mustAppend(t, a, segment.Event{ID: "u", Kind: segment.Undo})
	doubt("with the guess again", true)
	mustAppend(t, a, segment.Event{ID: "none-again", Kind: segment.FirstGuess})
	mustAppend(t, a, segment.Event{ID: "c0", Kind: segment.Click, Class: 0, Points: [][2]float64{{10, 40}}})
	mustAppend(t, a, segment.Event{ID: "c1", Kind: segment.Click, Class: 1, Points: [][2]float64{{110, 40}}})
	doubt("clicked", true)
	mustAppend(t, a, segment.Event{ID: "u1", Kind: segment.Undo})
	mustAppend(t, a, segment.Event{ID: "u0", Kind: segment.Undo})
	doubt("clicks undone", false)
	a.Close()
}

// What imported scores are expected to get wrong is known before anybody looks, so that
// lists can show the worst first; beside a labelling it isn't theirs to say.
func TestDoubtOfImportedScores(t *testing.T) {
	w := mustOpenWorkspace(t, t.TempDir(), asIs)
	a := workspacetest.MustAnnotate(t, w)
	defer a.Close()
	doubt := func() *float64 {
		t.Helper()
		im, err := w.Image(t.Context(), a.Image().ID)
		if err != nil {
			t.Fatal(err)
		}
		return im.Doubt
	}
	scores := func(first float64) []float64 { return slices.Repeat([]float64{first, 1 - first}, a.Cells().N) }
	if _, err := a.SetGuess(t.Context(), "guess", []uint8{0, 1}, scores(0.8)); err != nil {
		t.Fatal(err)
	}
	if got := doubt(); got == nil || *got < 0.199 || *got > 0.201 {
		t.Errorf("doubt %v, want 0.2", got)
	}
	if _, err := a.ImportMask(t.Context(), "mask", slices.Repeat([]uint8{1}, a.Cells().Width*a.Cells().Height), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := a.SetGuess(t.Context(), "again", []uint8{0, 1}, scores(0.5)); err != nil {
		t.Fatal(err)
	}
	if got := doubt(); got == nil || *got > 0.201 {
		t.Errorf("beside a labelling: doubt %v, want 0.2 still", got)
	}
}

// Lists show a guess that is all there is: the class with the highest score in each cell, and
// nothing where no score is above 0.
func TestGuessedPixels(t *testing.T) {
	w := mustOpenWorkspace(t, t.TempDir(), asIs)
	a := workspacetest.MustAnnotate(t, w)
	defer a.Close()
	if got := a.GuessedPixels(); got != nil {
		t.Errorf("without a guess: %d pixels", len(got))
	}
	cells := a.Cells()
	scores, want := make([]float64, 2*cells.N), make([]uint8, cells.N)
	for cell := range want {
		want[cell] = []uint8{0, 1, segment.Void}[cell%3]
		if cell%3 < 2 {
			scores[2*cell+cell%3] = 0.6
		}
	}
	if _, err := a.SetGuess(t.Context(), "guess", []uint8{0, 1}, scores); err != nil {
		t.Fatal(err)
	}
	if got := a.GuessedPixels(); !slices.Equal(got, cells.Spread(want)) {
		t.Error("the guess isn't shown as it is")
	}
	mustAppend(t, a, segment.Event{ID: "l", Kind: segment.Label, Class: 1, Points: [][2]float64{{10, 40}}})
	if got := a.GuessedPixels(); got != nil {
		t.Error("shown beside a labelling")
	}
}

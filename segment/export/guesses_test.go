package export_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"testing"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/export"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// guess gives an image a guess by its project: class 0 on the left, 1 on the
// right.
func guess(t *testing.T, w *workspace.Workspace, image segment.Image) {
	t.Helper()
	guessBy(t, w, image, segment.ByProject)
}

// guessBy is guess for scores by anybody.
func guessBy(t *testing.T, w *workspace.Workspace, image segment.Image, name string) {
	t.Helper()
	a, err := w.Open(t.Context(), image.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	cells := a.Cells()
	s := &segment.Scores{Classes: []uint8{0, 1}, Shares: make([]uint8, 2*cells.N), Strength: 0.01, Exponent: 1, Model: 1, Learnt: 5}
	for y := range image.Height {
		for x := range image.Width {
			s.Shares[2*int(cells.At(x, y))+2*x/image.Width] = 255
		}
	}
	for i := 0; i < len(s.Shares); i += 2 {
		if s.Shares[i] == 255 {
			s.Shares[i+1] = 0
		}
	}
	ctx := access.With(t.Context(), access.Principal{Name: name, Role: access.Annotator})
	if _, err := a.Append(ctx, 0, segment.Event{ID: "guess", Kind: segment.FirstGuess, Scores: s}); err != nil {
		t.Fatal(err)
	}
}

// A guess that nobody has accepted is exported only when asked for, in every
// format, and the manifest says what became of it.
func TestGuessesAreLeftOut(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, images := twoImages(t, w)
	guess(t, w, images[1])
	onlyHinted(t, w, images[0], false)
	onlyHinted(t, w, images[1], true)
	yes := true
	for _, f := range export.Formats() {
		for _, asked := range []*bool{nil, &yes} {
			files, report := mustWrite(t, w, p.ID, f.Name, export.Options{Guesses: asked, Hypotheses: new(2), Undecided: "void"})
			var manifest export.Report
			if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil {
				t.Fatal(err)
			}
			want := export.Report{Guesses: 0, LeftOut: 1}
			if asked != nil {
				want = export.Report{Guesses: 1, LeftOut: 0}
			}
			if f.Name == "backup" {
				want = export.Report{}
			}
			if manifest.Guesses != want.Guesses || manifest.LeftOut != want.LeftOut || report.Guesses != want.Guesses {
				t.Errorf("%s, asked %v: %d guesses, %d left out", f.Name, asked != nil, manifest.Guesses, manifest.LeftOut)
			}
			if undecided := manifest.Images[1].Undecided; (undecided == 0) != (want.Guesses == 1) {
				t.Errorf("%s, asked %v: %d pixels are undecided", f.Name, asked != nil, undecided)
			}
			if f.Name != "backup" && manifest.Images[1].Note == "" {
				t.Errorf("%s, asked %v: nothing is said of the guess", f.Name, asked != nil)
			}
			if f.Name == "hypotheses" && want.Guesses == 1 && files["A_B-2/hypothesis-000.png"] == nil {
				t.Error("the hypotheses of a guess are missing")
			}
			for _, name := range []string{"A_B-2/probs.npz", "A_B-2/hypothesis-000.png"} {
				if want.Guesses == 0 && files[name] != nil {
					t.Errorf("%s: %s tells of a guess", f.Name, name)
				}
			}
		}
	}
	files, _ := mustWrite(t, w, p.ID, "index-png", export.Options{Guesses: &yes})
	img, err := png.Decode(bytes.NewReader(files["masks/A_B-2.png"]))
	if err != nil {
		t.Fatal(err)
	}
	mask := img.(*image.Paletted)
	if left, right := mask.ColorIndexAt(5, 40), mask.ColorIndexAt(115, 40); left != 0 || right != 1 {
		t.Errorf("the guess is class %d on the left and %d on the right", left, right)
	}
}

// onlyHinted expects the record of an image, which the export dialog asks about, to
// say what exports find.
func onlyHinted(t *testing.T, w *workspace.Workspace, image segment.Image, want bool) {
	t.Helper()
	im, err := w.Image(t.Context(), image.ID)
	if err != nil {
		t.Fatal(err)
	}
	if im.OnlyHinted() != want {
		t.Errorf("after %d events the record says that there is only a guess: %v, want %v", im.Seq, im.OnlyHinted(), want)
	}
}

// Scores that a person imported are a guess, too, once nothing else is said of the
// image. Hypotheses from them are exported always: the person knows the scores.
func TestImportedScoresAreAGuess(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, images := twoImages(t, w)
	guessBy(t, w, images[1], "ann")
	onlyHinted(t, w, images[1], true)
	yes := true
	for _, asked := range []*bool{nil, &yes} {
		files, report := mustWrite(t, w, p.ID, "numpy", export.Options{Guesses: asked, Hypotheses: new(2)})
		exported, leftOut := 0, 1
		if asked != nil {
			exported, leftOut = 1, 0
		}
		if report.Guesses != exported || report.LeftOut != leftOut {
			t.Errorf("asked %v: %d guesses, %d left out", asked != nil, report.Guesses, report.LeftOut)
		}
		if undecided := report.Images[1].Undecided; (undecided == 0) != (asked != nil) {
			t.Errorf("asked %v: %d pixels are undecided", asked != nil, undecided)
		}
		if files["A_B-2/probs.npz"] == nil {
			t.Errorf("asked %v: the probabilities are missing", asked != nil)
		}
	}
	a := workspacetest.MustOpenImage(t, w, images[1].ID)
	workspacetest.MustAppend(t, a, segment.Event{ID: "click", Kind: segment.Label, Points: [][2]float64{{10, 40}}, Class: 1})
	onlyHinted(t, w, images[1], false)
	_, report := mustWrite(t, w, p.ID, "index-png", export.Options{Guesses: &yes})
	if report.Guesses != 0 || report.LeftOut != 0 || report.Images[1].Undecided == 0 {
		t.Errorf("after a click: %d guesses, %d left out, %d pixels are undecided", report.Guesses, report.LeftOut, report.Images[1].Undecided)
	}
}

package importer_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/archive"
	"collie/segment/export"
	"collie/segment/importer"
	"collie/segment/importer/dataset"
	"collie/storage/workspacetest"
)

// The probabilities that an export writes are the first guess of the same image
// elsewhere, and give the same first hypothesis without a click.
func TestScoresBecomeTheFirstGuess(t *testing.T) {
	there := workspacetest.MustOpen(t)
	p := worked(t, there)
	a := mustOpenFirst(t, there, p.ID)
	content := mustExport(t, there, p.ID, "numpy", export.Options{Images: []string{a.Image().ID}, Pictures: new(true)})

	here := workspacetest.MustOpen(t)
	q, err := here.CreateProject(t.Context(), "Guess", p.Classes, nil)
	if err != nil {
		t.Fatal(err)
	}
	im, err := here.AddImage(t.Context(), q.ID, "scene.png", bytes.NewReader(scene()))
	if err != nil {
		t.Fatal(err)
	}
	b := workspacetest.MustOpenImage(t, here, im.ID)
	mustAppend(t, b, segment.Event{Kind: segment.Granularity, Regions: a.State().Wanted})
	report := mustImport(t, here, q.ID, content, dataset.Options{})
	if len(report.Images) != 1 || report.Images[0].Problem != "" || report.Images[0].Seq != 2 {
		t.Fatalf("report %+v", report.Images)
	}
	if lossy := report.Images[0].Lossy; len(lossy) != 1 || !strings.Contains(lossy[0], "labels.npz") {
		t.Errorf("the labels beside the scores are not read, and the report says %q", lossy)
	}
	checkAgree(t, p, a, q, b, 0.95)
}

// ilastik and numpy.save write a .npy. It is the first guess of its image if it comes by
// itself; beside masks it can be anything.
func TestScoresInOneArray(t *testing.T) {
	values := make([]byte, 0, 120*80*2)
	for i := range 120 * 80 {
		values = append(values, uint8(255*(i%120/60)), uint8(255-255*(i%120/60)))
	}
	file := append(npyHeader("|u1", "(80, 120, 2)"), values...)
	for name, c := range map[string]struct {
		files map[string][]byte
		alone string
		want  int // events of the image
	}{
		"alone":        {alone: "beach.npy", want: 1},
		"ilastik":      {alone: "beach_Probabilities.npy", want: 1},
		"beside masks": {files: map[string][]byte{"beach_cp_masks.png": grey(slices.Repeat([]string{strings.Repeat("1", 120)}, 80)...), "beach_seg.npy": []byte("pickled")}, want: 1},
	} {
		w, p, im, _ := beach(t)
		content := file
		if c.files != nil {
			content, c.alone = zipped(t, c.files), "all.zip"
		}
		files, err := dataset.FromFile(c.alone, bytes.NewReader(content), int64(len(content)), archive.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		report, err := importer.Import(t.Context(), w, p.ID, files, dataset.Options{}, nil)
		if err != nil || len(report.Images) != 1 || report.Images[0].Problem != "" || report.Images[0].Image != im.ID {
			t.Errorf("%s: %v, %+v", name, err, report.Images)
			continue
		}
		a := workspacetest.MustOpenImage(t, w, im.ID)
		if s := a.State(); s.Seq != c.want || (s.Guess != nil) != (c.files == nil) {
			t.Errorf("%s: %d events, guess %v", name, s.Seq, s.Guess)
		}
	}
}

// An array of two dimensions is taken for scores of superpixels, which a mask isn't.
func TestMaskAsArray(t *testing.T) {
	w, p, _, _ := beach(t)
	file := append(npyHeader("|u1", "(80, 120)"), make([]byte, 80*120)...)
	files, err := dataset.FromFile("beach.npy", bytes.NewReader(file), int64(len(file)), archive.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := importer.Import(t.Context(), w, p.ID, files, dataset.Options{}, nil)
	if problem, ok := importer.OfData(err); !ok || len(report.Images) != 0 || !strings.Contains(problem, "120 classes and the project has 2") || !strings.Contains(problem, "save a mask as PNG or TIFF") {
		t.Errorf("%v, %+v", err, report.Images)
	}
}

// checkAgree checks that the first hypotheses of an image in two projects give at least a
// share of its pixels the same class.
func checkAgree(t *testing.T, p segment.Project, a *annotation.Annotation, q segment.Project, b *annotation.Annotation, least float64) {
	t.Helper()
	there, err := a.Sequence().At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	here, err := b.Sequence().At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	mThere, _ := a.Superpixels()
	mHere, _ := b.Superpixels()
	same := 0
	for y := range mThere.Height {
		for x := range mThere.Width {
			if p.Index(there.Labels[mThere.At(x, y)]) == q.Index(here.Labels[mHere.At(x, y)]) {
				same++
			}
		}
	}
	if share := float64(same) / float64(mThere.Width*mThere.Height); share < least {
		t.Errorf("the first hypotheses agree on %.2f of the image", share)
	}
}

// An export of scores brings its photographs into a project without images, under the
// names of their folders; once more, it finds them there.
func TestScoresBringTheirPhotographs(t *testing.T) {
	there := workspacetest.MustOpen(t)
	p, err := there.CreateProject(t.Context(), "Views", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"view", "view.1", "sub/view", "image"} {
		im, err := there.AddImage(t.Context(), p.ID, name+".png", bytes.NewReader(scene()))
		if err != nil {
			t.Fatal(err)
		}
		a := workspacetest.MustOpenImage(t, there, im.ID)
		mustAppend(t, a, segment.Event{Kind: segment.Label, Class: 1, Points: [][2]float64{{10, 40}}})
	}
	content := mustExport(t, there, p.ID, "numpy", export.Options{Pictures: new(true)})

	here := workspacetest.MustOpen(t)
	q, err := here.CreateProject(t.Context(), "Views", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, added := range []bool{true, false} {
		for _, r := range mustImport(t, here, q.ID, content, dataset.Options{}).Images {
			if r.Problem != "" || r.Added != added || r.Seq == 0 {
				t.Errorf("%+v", r)
			}
		}
		images, err := here.ImagesAfter(t.Context(), q.ID, "", 1e6)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, im := range images {
			names = append(names, im.Name)
		}
		if want := []string{"view.png", "view.1.png", "sub_view.png", "image.png"}; !cmp.Equal(names, want) {
			t.Errorf("images %q, want %q", names, want)
		}
	}
}

// Scores of superpixels that edits have divided, and of another number of them, fit the
// image as it was uploaded: the archive says which they were.
func TestScoresOfAnEmptiedProject(t *testing.T) {
	there := workspacetest.MustOpen(t)
	p := worked(t, there)
	content := mustExport(t, there, p.ID, "numpy", export.Options{Pictures: new(true)})
	here := workspacetest.MustOpen(t)
	q, err := here.CreateProject(t.Context(), "Emptied", p.Classes, nil)
	if err != nil {
		t.Fatal(err)
	}
	report := mustImport(t, here, q.ID, content, dataset.Options{})
	if len(report.Images) != 2 {
		t.Fatalf("report %+v", report.Images)
	}
	a := mustOpenFirst(t, there, p.ID)
	for _, r := range report.Images {
		if r.Problem != "" || !r.Added || r.Seq != 1 {
			t.Fatalf("%+v", r)
		}
	}
	b := mustOpenFirst(t, here, q.ID)
	checkAgree(t, p, a, q, b, 0.9)
}

// Scores whose axes are classes × height × width look like scores of many classes;
// the problem says how to call them.
func TestScoresWithClassesFirst(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p := worked(t, w)
	if _, err := w.AddImage(t.Context(), p.ID, "x.png", bytes.NewReader(scene())); err != nil {
		t.Fatal(err)
	}
	for name, hint := range map[string]bool{"scores": true, "scores_chw": false} {
		array := "\x93NUMPY\x01\x00\x41\x00{'descr': '|u1', 'fortran_order': False, 'shape': (200, 3, 120)}\n" + strings.Repeat("\x01", 200*3*120)
		content := zipped(t, map[string][]byte{"x.npz": zipped(t, map[string][]byte{name + ".npy": []byte(array)})})
		report := mustImport(t, w, p.ID, content, dataset.Options{})
		if len(report.Images) != 1 || strings.Contains(report.Images[0].Problem, "must be called probs_chw or scores_chw") != hint || report.Images[0].Problem == "" {
			t.Errorf("%s: %+v", name, report.Images)
		}
	}
}

// A file can name the classes of its columns, in any order, instead of following the
// project's. Names that the project lacks, or has once for two columns, are refused.
func TestScoresWithNames(t *testing.T) {
	w, p, im, _ := beach(t)
	first, last := p.Classes[0], p.Classes[len(p.Classes)-1]
	for name, c := range map[string]struct {
		names    []string
		columns  []string
		problem  string
		leftmost uint8 // what the columns make of the left half
	}{
		"another order": {names: []string{" " + strings.ToUpper(last.Name), first.Name}, columns: []string{last.Name, first.Name}, leftmost: last.ID},
		"unknown":       {names: []string{first.Name, "no such"}, problem: `names "no such", but the classes of the project are ` + first.Name},
		"twice":         {names: []string{first.Name, first.Name}, problem: "Column 2 of the scores is the second one"},
	} {
		values := make([]byte, 0, 120*80*2)
		for i := range 120 * 80 {
			values = append(values, uint8(255-255*(i%120/60)), uint8(255*(i%120/60)))
		}
		var text []byte
		for _, n := range c.names {
			text = append(text, n...)
			text = append(text, make([]byte, 20-len(n))...)
		}
		content := zipped(t, map[string][]byte{"probs.npy": append(npyHeader("|u1", "(80, 120, 2)"), values...), "classes.npy": append(npyHeader("|S20", "(2,)"), text...)})
		files, err := dataset.FromFile("beach.npz", bytes.NewReader(content), int64(len(content)), archive.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		before := workspacetest.MustOpenImage(t, w, im.ID).State().Seq
		report, err := importer.Import(t.Context(), w, p.ID, files, dataset.Options{}, nil)
		problem, refused := importer.OfData(err)
		if err != nil && !refused || !strings.Contains(problem, c.problem) || (c.problem == "") != (len(report.Images) == 1 && report.Images[0].Problem == "") {
			t.Errorf("%s: %v, %+v", name, err, report.Images)
			continue
		}
		a := workspacetest.MustOpenImage(t, w, im.ID)
		if c.problem != "" {
			if a.State().Seq != before {
				t.Errorf("%s: refused scores changed the image", name)
			}
			continue
		}
		events, err := a.Events(t.Context(), a.State())
		if err != nil {
			t.Fatal(err)
		}
		scores := events[0].Scores
		at := slices.Index(scores.Classes, c.leftmost)
		if !slices.Equal(report.Images[0].Columns, c.columns) || at < 0 || scores.Shares[at] != 255 {
			t.Errorf("%s: columns %q, the first superpixel has %v of the classes %v", name, report.Images[0].Columns, scores.Shares[:len(scores.Classes)], scores.Classes)
		}
	}
}

// Scores of another number of superpixels are answered with the number that the image has now,
// which is what GET …/superpixels.png shows, not that of the finest ones.
func TestScoresOfOtherSuperpixels(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p := worked(t, w)
	im, err := w.AddImage(t.Context(), p.ID, "x.png", bytes.NewReader(scene()))
	if err != nil {
		t.Fatal(err)
	}
	a := workspacetest.MustOpenImage(t, w, im.ID)
	m, _ := a.Superpixels()
	array := "\x93NUMPY\x01\x00\x3d\x00{'descr': '|u1', 'fortran_order': False, 'shape': (7, 2)}   \n" + strings.Repeat("\x01", 7*2)
	content := zipped(t, map[string][]byte{"x.npz": zipped(t, map[string][]byte{"scores.npy": []byte(array)})})
	report := mustImport(t, w, p.ID, content, dataset.Options{})
	if says := fmt.Sprintf("for 7 superpixels, but the image has %d:", m.N); len(report.Images) != 1 || !strings.Contains(report.Images[0].Problem, says) {
		t.Errorf("%+v, want %q", report.Images, says)
	}
}

// A .npz that is not an archive of scores is refused with a message that says so.
func TestBrokenScores(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p := worked(t, w)
	im, err := w.AddImage(t.Context(), p.ID, "x.png", bytes.NewReader(scene()))
	if err != nil {
		t.Fatal(err)
	}
	empty, err := base64.StdEncoding.DecodeString("UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==")
	if err != nil {
		t.Fatal(err)
	}
	labels := zipped(t, map[string][]byte{"labels.npy": []byte("\x93NUMPY\x01\x00\x3d\x00{'descr': '|u1', 'fortran_order': False, 'shape': (80, 120)}\n" + strings.Repeat("\x01", 80*120))})
	for name, c := range map[string]struct {
		content []byte
		problem string
	}{
		"no zip": {[]byte("no zip at all"), "it is not a .npz file (a zip of .npy arrays), or it is damaged or incomplete."},
		"empty":  {empty, "the archive has no .npy arrays"},
		"labels": {labels, "it holds labels"},
	} {
		content := c.content
		files, err := dataset.FromFile("x.npz", bytes.NewReader(content), int64(len(content)), archive.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		report, err := importer.Import(t.Context(), w, p.ID, files, dataset.Options{}, nil)
		if problem, _ := importer.OfData(err); len(report.Images) != 0 || !strings.Contains(problem, c.problem) {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
	if record, err := w.Image(t.Context(), im.ID); err != nil || record.Seq != 0 {
		t.Errorf("%d events, %v", record.Seq, err)
	}
}

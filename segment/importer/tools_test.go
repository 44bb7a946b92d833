package importer_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/importer"
	"collie/segment/importer/dataset"
	"collie/storage/workspacetest"
)

// halves is a mask whose left third is of class 0 and whose rest is of class 2.
var halves = grey(slices.Repeat([]string{strings.Repeat("0", 40) + strings.Repeat("2", 80)}, 80)...)

// addHalves imports files with halves for a new photograph, and returns the photograph's name
// and the classes that came with it.
func addHalves(t *testing.T, set fstest.MapFS) (name string, classes []string) {
	t.Helper()
	w := workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Beach", []segment.Class{{Name: "background"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := dataset.FromFS(set)
	if err != nil {
		t.Fatal(err)
	}
	report, err := importer.Import(t.Context(), w, p.ID, files, dataset.Options{}, nil)
	if err != nil || report.Imported() != 1 || len(report.Images) != 1 || !report.Images[0].Added {
		t.Fatalf("%+v, %v", report, err)
	}
	a := workspacetest.MustOpenImage(t, w, report.Images[0].Image)
	if got := a.Pixels(); got[0] != 0 || got[119] != 2 {
		t.Errorf("classes %d and %d, want 0 and 2", got[0], got[119])
	}
	return a.Image().Name, report.Classes
}

// Of labelme's script for PASCAL VOC only JPEGImages are photographs, not the pictures of the same
// names with the masks drawn over them, and its list of classes says what indices are.
func TestVOCOfLabelme(t *testing.T) {
	for _, ending := range []string{"", "PNG"} { // as in older versions
		_, classes := addHalves(t, fstest.MapFS{
			"Class_names.txt":                          {Data: []byte("_background_\nperson\ntv/monitor")},
			"JPEGImages/new.png":                       {Data: scene()},
			"SegmentationClass/new.npy":                {Data: []byte("numbers of classes, not scores")},
			"SegmentationClass" + ending + "/new.png":  {Data: halves},
			"SegmentationClassVisualization/new.jpg":   {Data: scene()},
			"SegmentationObject" + ending + "/new.png": {Data: halves},
		})
		if d := cmp.Diff([]string{"person", "tv/monitor"}, classes); d != "" {
			t.Error(d)
		}
	}
}

// Files that don't say how large their image is are drawn in the size of the project's image,
// or in that of the photograph beside them, which in a review is in no project yet.
func TestMasksWithoutSize(t *testing.T) {
	w, p, _, _ := beach(t)
	files, err := dataset.FromFS(fstest.MapFS{
		"beach.json": {Data: []byte(`{"imagePath": "beach.png", "imageData": null, "shapes": [{"label": "Sky", "points": [[60, 0], [119, 0], [119, 79], [60, 79]]}]}`)},
		"new.json":   {Data: []byte(`{"imagePath": "new.png", "imageData": null, "shapes": [{"label": "Sky", "points": [[60, 0], [119, 0], [119, 79], [60, 79]]}]}`)},
		"new.png":    {Data: scene()},
	})
	if err != nil {
		t.Fatal(err)
	}
	reviewed, err := importer.Review(t.Context(), w, p.ID, files, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	imported, err := importer.Import(t.Context(), w, p.ID, files, dataset.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, report := range []importer.Report{reviewed, imported} {
		if report.Imported() != 2 || report.Values[0].Pixels != 2*60*80 || !strings.HasPrefix(report.Images[1].Lossy[0], "the file doesn't say how large") {
			t.Errorf("%d imported, values %+v", report.Imported(), report.Values)
		}
	}
}

// In what Roboflow calls semantic segmentation masks, the name of a mask tells it from its
// photograph, and a table beside them says what numbers are.
func TestMasksOfRoboflow(t *testing.T) {
	name, classes := addHalves(t, fstest.MapFS{
		"train/_classes.csv":          {Data: []byte("Pixel Value, Class\n0, background\n1, sea\n2, cow, statue\n")},
		"train/a_png.rf.3c5.png":      {Data: scene()},
		"train/a_png.rf.3c5_mask.png": {Data: halves},
		"valid/_classes.csv":          {Data: []byte("Pixel Value, Class\n0, background\n1, sea\n2, cow, statue\n")},
	})
	if d := cmp.Diff([]string{"a_png.rf.3c5.png", "sea", "cow, statue"}, append([]string{name}, classes...)); d != "" {
		t.Error(d)
	}
}

// Roboflow puts a category in front that is the name of all of them. It becomes a class only
// where a mask has it, or where others are no members of it.
func TestCategoriesOfRoboflow(t *testing.T) {
	for categories, want := range map[string][]string{
		`{"id": 0, "name": "pets", "supercategory": "none"}, {"id": 1, "name": "cat", "supercategory": "pets"}, {"id": 2, "name": "dog", "supercategory": "pets"}`:  {"cat", "dog"},
		`{"id": 0, "name": "cat", "supercategory": "none"}, {"id": 1, "name": "cat", "supercategory": "cat"}, {"id": 2, "name": "dog", "supercategory": "cat"}`:     {"cat", "dog"},
		`{"id": 0, "name": "pets", "supercategory": "none"}, {"id": 1, "name": "cat", "supercategory": "pets"}, {"id": 2, "name": "sea", "supercategory": "water"}`: {"pets", "cat", "sea"},
		`{"id": 1, "name": "cat", "supercategory": "none"}`:                                                       {"cat"},
		`{"id": 0, "name": "pets", "supercategory": "none"}, {"id": 1, "name": "cat", "supercategory": ["pets"]}`: {"pets", "cat"},
	} {
		w, p, _, _ := beach(t)
		files, err := dataset.FromFS(fstest.MapFS{"a.json": {Data: []byte(`{"categories": [` + categories + `], "images": [{"id": 1, "file_name": "beach.png", "width": 120, "height": 80}],
			"annotations": [{"id": 1, "image_id": 1, "category_id": 1, "segmentation": [[0, 0, 9, 0, 9, 9]]}]}`)}})
		if err != nil {
			t.Fatal(err)
		}
		report, err := importer.Import(t.Context(), w, p.ID, files, dataset.Options{}, nil)
		if d := cmp.Diff(want, report.Classes); d != "" || err != nil {
			t.Errorf("%s: %v, %s", categories, err, d)
		}
	}
}

package importer_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/importer"
	"collie/storage/workspacetest"
)

// Of labelme's script for PASCAL VOC only JPEGImages are photographs, not the pictures of the same
// names with the masks drawn over them, and its list of classes says what indices are.
func TestVOCOfLabelme(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Beach", []segment.Class{{Name: "background"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	mask := grey(slices.Repeat([]string{strings.Repeat("0", 40) + strings.Repeat("2", 80)}, 80)...)
	files, err := importer.FromFS(fstest.MapFS{
		"class_names.txt":                        {Data: []byte("_background_\nperson\ntv/monitor")},
		"JPEGImages/new.png":                     {Data: scene()},
		"SegmentationClass/new.png":              {Data: mask},
		"SegmentationClassVisualization/new.jpg": {Data: scene()},
	})
	if err != nil {
		t.Fatal(err)
	}
	report, err := importer.Import(t.Context(), w, p.ID, files, importer.Options{}, nil)
	if err != nil || report.Imported() != 1 || !report.Images[0].Added {
		t.Fatalf("%+v, %v", report, err)
	}
	if d := cmp.Diff([]string{"person", "tv/monitor"}, report.Classes); d != "" {
		t.Error(d)
	}
	a := workspacetest.MustOpenImage(t, w, report.Images[0].Image)
	if got := a.Pixels(); got[0] != 0 || got[119] != 2 {
		t.Errorf("classes %d and %d, want 0 and 2", got[0], got[119])
	}
}

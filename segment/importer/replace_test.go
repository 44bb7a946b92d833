package importer_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"collie/segment"
	"collie/segment/importer"
	"collie/segment/importer/dataset"
	"collie/storage/workspacetest"
)

// A review and an import say which images lose the labels that they have, and for which ones the
// files have no shape, so that nobody loses work to old files by mistake.
func TestReplacedLabels(t *testing.T) {
	w := workspacetest.MustOpen(t)
	project, err := w.CreateProject(t.Context(), "Labelled", []segment.Class{{Name: "ground"}, {Name: "one"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := project.ID
	var images []string
	for _, name := range []string{"a.png", "b.png"} {
		im, err := w.AddImage(t.Context(), p, name, bytes.NewReader(scene()))
		if err != nil {
			t.Fatal(err)
		}
		images = append(images, im.ID)
	}
	coco := `{"images": [{"id": 1, "file_name": "a.png", "width": 120, "height": 80}, {"id": 2, "file_name": "b.png", "width": 120, "height": 80}],
		"categories": [{"id": 1, "name": "one"}], "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "segmentation": [[0, 0, 9, 0, 9, 9]]}]}`
	shapes, err := dataset.FromFS(fstest.MapFS{"a.json": {Data: []byte(coco)}})
	if err != nil {
		t.Fatal(err)
	}
	check := func(read string, report importer.Report, err error, want string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, im := range report.Images {
			what := im.Mask + im.Problem
			if im.Replaces {
				what += " replaces"
			}
			if im.Empty {
				what += " empty"
			}
			got = append(got, what)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", read, got, want)
		}
	}
	mustAppend(t, workspacetest.MustOpenImage(t, w, images[1]), segment.Event{Kind: segment.Label, Class: 1, Points: [][2]float64{{10, 40}}})
	report, err := importer.Review(t.Context(), w, p, shapes, dataset.Options{})
	check("review", report, err, "a.png, b.png replaces empty")
	report, err = importer.Import(t.Context(), w, p, shapes, dataset.Options{}, nil)
	check("import", report, err, "a.png, b.png replaces empty")
	report, err = importer.Review(t.Context(), w, p, shapes, dataset.Options{})
	check("again", report, err, "a.png replaces, b.png replaces empty")
	for _, id := range images {
		mustAppend(t, workspacetest.MustOpenImage(t, w, id), segment.Event{Kind: segment.Undo})
	}
	report, err = importer.Review(t.Context(), w, p, shapes, dataset.Options{})
	check("after undo", report, err, "a.png, b.png replaces empty")
}

package export_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"collie/segment"
	"collie/segment/export"
	"collie/storage/workspacetest"
)

// An image that is trashed while an export runs is left out and named; nothing mentions
// it otherwise. When the project is trashed there is no export.
func TestTrashedDuringTheExport(t *testing.T) {
	for _, f := range export.Formats() {
		w := workspacetest.MustOpen(t)
		p, images := twoImages(t, w)
		trashed := images[2]
		begun := func(trash func() error) export.Progress {
			return func(done, _ int) {
				if done == 0 {
					if err := trash(); err != nil {
						t.Error(err)
					}
				}
			}
		}
		var b bytes.Buffer
		report, err := export.Write(t.Context(), &b, w, p.ID, f.Name, export.Options{Hypotheses: new(1)}, begun(func() error { return w.TrashImage(t.Context(), trashed.ID) }))
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if report.Exported != 2 || report.Omitted != 1 || report.Damaged != 0 || report.Skipped[0].ID != trashed.ID || !strings.Contains(report.Skipped[0].Why, "trash") {
			t.Errorf("%s: exported %+v, skipped %+v", f.Name, report.Images, report.Skipped)
		}
		for name, content := range unzip(t, b.Bytes()) {
			if name != "manifest.json" && (strings.Contains(name, "image-con") || bytes.Contains(content, []byte("con.png"))) {
				t.Errorf("%s mentions the image in %s", f.Name, name)
			}
		}
		_, err = export.Write(t.Context(), io.Discard, w, p.ID, f.Name, export.Options{}, begun(func() error { return w.TrashProject(t.Context(), p.ID) }))
		if segment.KindOf(err) != segment.NotFound || !strings.Contains(err.Error(), "This project") {
			t.Errorf("%s of a trashed project: %v", f.Name, err)
		}
	}
}

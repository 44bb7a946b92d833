package export_test

import (
	"bytes"
	"testing"

	"collie/segment/export"
	"collie/segment/photo/phototest"
	"collie/storage/workspacetest"
)

// No export reveals where a photograph was taken or contains any other metadata of
// its file; only a backup does, because it contains the files.
func TestNoMetadataInExports(t *testing.T) {
	t.Parallel()
	w := workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Places", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	located := phototest.Located(t, halves(120, 80))
	upright := bytes.Replace(located["photo.jpg"], []byte("\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06"), []byte("\x01\x12\x00\x03\x00\x00\x00\x01\x00\x01"), 1)
	located["upright.jpg"] = append(upright, phototest.Secret+" behind the picture"...)
	for name, file := range located {
		add(t, w, p.ID, name, file, at{0, 5, 5}, at{1, 75, 75})
	}
	pictures := true
	for _, f := range export.Formats() {
		out, report := mustWrite(t, w, p.ID, f.Name, export.Options{Pictures: &pictures})
		if len(report.Images) != len(located) {
			t.Errorf("%s: %d images, want %d", f.Name, len(report.Images), len(located))
		}
		shown := 0
		for name, content := range out {
			if bytes.HasPrefix(content, []byte("\x89PNG")) || bytes.HasPrefix(content, []byte("\xff\xd8")) {
				shown++
			}
			for _, trace := range phototest.Traces {
				if f.Name != "backup" && bytes.Contains(content, []byte(trace)) {
					t.Errorf("%s: %s contains %q", f.Name, name, trace)
				}
			}
		}
		if f.Name != "backup" && shown < len(located) {
			t.Errorf("%s: %d pictures of %d images", f.Name, shown, len(located))
		}
		if secret := "originals/photo.jpg"; f.Name == "backup" && !bytes.Equal(out[secret], located["photo.jpg"]) {
			t.Errorf("the backup's %s is not the file that was uploaded", secret)
		}
	}
}

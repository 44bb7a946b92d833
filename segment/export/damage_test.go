package export_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/segment"
	"collie/segment/export"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// An image whose files are lost doesn't stop the export of the others: masks don't need
// its picture, and where its labels can't be read nothing claims that it has none.
func TestLostFiles(t *testing.T) {
	dir := t.TempDir()
	folder := workspacetest.MustOpenFolder(t, dir)
	open := func() *workspace.Workspace { return folder.Workspace() }
	p, images := twoImages(t, open())
	lost := images[2]
	lose := func(keys ...string) {
		t.Helper()
		for _, key := range keys {
			if err := folder.Blobs.Remove(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
	}
	yes := true
	options := export.Options{Pictures: &yes, Hypotheses: new(1)}

	// Files of old releases have no checksum, so that nothing but a decoder notices.
	lose(lost.OriginalKey())
	unsealed := filepath.Join(dir, "blobs", filepath.FromSlash(lost.OriginalKey()))
	if err := os.WriteFile(unsealed, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, report := mustWrite(t, open(), p.ID, "voc", options); report.Exported != 3 || report.Damaged != 1 {
		t.Errorf("with an original that is no picture: %+v, skipped %+v", report.Images, report.Skipped)
	}
	if err := os.Remove(unsealed); err != nil {
		t.Fatal(err)
	}
	for _, f := range export.Formats() {
		files, report := mustWrite(t, open(), p.ID, f.Name, options)
		if f.Name == "backup" {
			if report.Exported != 2 || report.Omitted != 1 || report.Damaged != 1 || report.Skipped[0].ID != lost.ID || !strings.Contains(report.Skipped[0].Why, "original") {
				t.Errorf("backup without an original: exported %+v, skipped %+v", report.Images, report.Skipped)
			}
			if restored := string(files["backup.json"]); strings.Contains(restored, lost.ID) || !strings.Contains(restored, images[0].ID) {
				t.Errorf("the backup lists %s", restored)
			}
			continue
		}
		if report.Exported != 3 || report.Omitted != 0 || report.Damaged != 1 || !strings.Contains(report.Images[2].Lossy, "picture is missing") || strings.Contains(report.Images[0].Lossy, "missing") {
			t.Errorf("%s without an original: %+v, skipped %+v", f.Name, report.Images, report.Skipped)
		}
	}

	lose(lost.HierarchyKey(), lost.GraphKey())
	for _, f := range export.Formats() {
		files, report := mustWrite(t, open(), p.ID, f.Name, options)
		if report.Exported != 2 || report.Omitted != 1 || report.Damaged != 1 || report.Skipped[0].ID != lost.ID || !strings.Contains(report.Skipped[0].Why, lost.Name) {
			t.Errorf("%s without superpixels: exported %+v, skipped %+v", f.Name, report.Images, report.Skipped)
		}
		for name, content := range files {
			if name != "manifest.json" && (strings.Contains(name, "image-con") || bytes.Contains(content, []byte("con.png"))) {
				t.Errorf("%s mentions the image in %s", f.Name, name)
			}
		}
		if _, err := export.Write(t.Context(), io.Discard, open(), p.ID, f.Name, export.Options{Images: []string{lost.ID}}, nil); segment.KindOf(err) != segment.Damaged {
			t.Errorf("%s of nothing but the image: %v", f.Name, err)
		}
	}
}

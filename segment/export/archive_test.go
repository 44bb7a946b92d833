package export_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/backup"
	"collie/segment/export"
	"collie/storage/workspacetest"
)

// A backup contains everything needed to replay the evidence.
func TestBackup(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, images := twoImages(t, w)
	files, _ := mustWrite(t, w, p.ID, "backup", export.Options{})
	var doc backup.Document
	if err := json.Unmarshal(files[backup.File], &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Kind != backup.Kind || doc.Version != backup.Version || doc.Project.Name != p.Name || len(doc.Project.Classes) != 2 || len(doc.Images) != len(images) {
		t.Fatalf("document %+v", doc)
	}
	for i, im := range doc.Images {
		a := workspacetest.MustOpenImage(t, w, images[i].ID)
		var events []segment.Event
		for e, err := range backup.ReadEvents(bytes.NewReader(files[im.Evidence])) {
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
		}
		there, err := a.Events(t.Context(), a.State())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(there, events); diff != "" {
			t.Errorf("evidence of image %d (-there +read):\n%s", i, diff)
		}
		sum := sha256.Sum256(a.Pixels())
		if im.Labelling != hex.EncodeToString(sum[:]) || im.Seq != len(events) {
			t.Errorf("image %d: %+v", i, im)
		}
		for name, key := range map[string]string{im.Original: images[i].OriginalKey(), im.Hierarchy: images[i].HierarchyKey(), im.Graph: images[i].GraphKey()} {
			r, err := w.Blob(t.Context(), images[i], key)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			want, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(want, files[name]) {
				t.Errorf("%s is not the file %s: %v", name, key, err)
			}
		}
	}
}

// A truncated archive is not accepted as complete.
func TestCutArchive(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := twoImages(t, w)
	var b bytes.Buffer
	if _, err := export.Write(t.Context(), &b, w, p.ID, "voc", export.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < b.Len(); n += 1 + b.Len()/50 {
		if _, err := zip.NewReader(bytes.NewReader(b.Bytes()[:n]), int64(n)); err == nil {
			t.Errorf("the first %d of %d bytes are a zip", n, b.Len())
		}
	}
}

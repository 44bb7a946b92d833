package importer_test

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/export"
	"collie/segment/importer/dataset"
	"collie/storage/workspacetest"
)

// with is a zip archive with one more file.
func with(t *testing.T, content []byte, name string, more []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	before, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range before.File {
		if err := z.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	f, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(more); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An import takes the first of several files of one name and reports the others.
func TestFilesOfOneName(t *testing.T) {
	w, p, im, _ := beach(t)
	row := strings.Repeat("1", 120)
	content := zipped(t, map[string][]byte{"masks/beach.png": grey(slices.Repeat([]string{row}, 80)...)})
	content = with(t, content, "masks/beach.png", grey("0"))
	report := mustImport(t, w, p.ID, content, dataset.Options{})
	type result struct{ Mask, Image, Problem string }
	var got []result
	for _, r := range report.Images {
		got = append(got, result{r.Mask, r.Image, r.Problem})
	}
	want := []result{
		{"masks/beach.png", "", "The zip archive has more than one file of this name; the first one was taken."},
		{"beach", im.ID, ""},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
}

// A backup with two files of one name is not restored: it can be damaged.
func TestBackupWithFilesOfOneName(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p := worked(t, w)
	content := with(t, mustExport(t, w, p.ID, "backup", export.Options{}), "backup.json", []byte("{}"))
	if _, err := takeBackup(t, w, content); segment.KindOf(err) != segment.Unreadable || !strings.Contains(err.Error(), `"backup.json"`) {
		t.Error(err)
	}
	if projects, err := w.Projects(t.Context()); err != nil || len(projects) != 1 {
		t.Errorf("projects %v, %v", projects, err)
	}
}

package export

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"collie/segment/export/zipfile"
)

// A report lists so many images and no more, manifest.json all of them.
func TestManifestOfManyImages(t *testing.T) {
	const n = 4 * mostListed
	m := &manifest{report: &Report{Images: []ImageReport{}, Skipped: []SkippedImage{}}}
	defer func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}()
	for range n {
		if err := m.add(ImageReport{ID: "bgd6ccsxf5sxkr6sp7ltauhqj3", Name: "a.png", RegionsIn: 2, RegionsOut: 1, Lossy: strings.Repeat("Why. ", 20)}); err != nil {
			t.Fatal(err)
		}
		if err := m.skip(SkippedImage{ID: "bgd6ccsxf5sxkr6sp7ltauhqj3", Name: "b.png", Why: "Unfinished."}); err != nil {
			t.Fatal(err)
		}
	}
	if r := m.report; len(r.Images) != mostListed || len(r.Skipped) != mostListed || r.Exported != n || r.Omitted != n || r.Lossy != n || r.RegionsIn != 2*n || r.RegionsOut != n {
		t.Errorf("%d images and %d skipped are in the report of %d, %d lossy, %d of %d regions", len(r.Images), len(r.Skipped), r.Exported, r.Lossy, r.RegionsOut, r.RegionsIn)
	}
	var b bytes.Buffer
	if err := m.end(zipfile.NewWriter(&b, m.file)); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var whole Report
	if err := json.NewDecoder(f).Decode(&whole); err != nil {
		t.Fatal(err)
	}
	if len(whole.Images) != n || len(whole.Skipped) != n || whole.Exported != n {
		t.Errorf("manifest.json lists %d images and %d skipped of %d", len(whole.Images), len(whole.Skipped), whole.Exported)
	}
}

// What is written of many images doesn't stay in memory: without a folder for it there is
// an error.
func TestManifestOnDisk(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
	m := &manifest{report: &Report{}}
	defer m.Close()
	for i := range 4 * mostListed {
		if err := m.add(ImageReport{ID: "bgd6ccsxf5sxkr6sp7ltauhqj3", Name: "a.png", Lossy: strings.Repeat("Why. ", 20)}); errors.Is(err, fs.ErrNotExist) && i > mostListed {
			return
		} else if err != nil {
			t.Fatalf("image %d: %v", i, err)
		}
	}
	t.Error("all lists are in memory")
}

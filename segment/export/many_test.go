//go:build unix

package export_test

import (
	"database/sql"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"collie/segment/export"
	"collie/storage/storagetest"
	"collie/storage/workspacetest"
)

// An export of one of a million images, and one of all, take so much memory for each
// image at most: their records are read in parts. It runs in the long form only.
func TestManyImages(t *testing.T) {
	if !storagetest.Long {
		t.Skip("skipped without COLLIE_TORTURE: measures")
	}
	const n = 1_000_000
	dir := t.TempDir()
	folder := workspacetest.MustOpenFolder(t, dir)
	w := folder.Workspace()
	p, err := w.CreateProject(t.Context(), "Many", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "collie.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?)
		INSERT INTO image (id, project, name, format, width, height, regions, bytes, created)
		SELECT printf('many%022d', n), number, printf('IMG_%07d.jpg', n), 'jpeg', 4, 4, 2, 100, n FROM i, project WHERE project.id = ?`, n, p.ID); err != nil {
		t.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // garbage is not what is measured
	for _, c := range []struct {
		name   string
		most   uint64 // bytes per image
		images []string
	}{
		{"one of them", 400, []string{fmt.Sprintf("many%022d", n/2)}},
		{"all", 500, nil},
	} {
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		stop := peakHeap()
		report, err := export.Write(t.Context(), io.Discard, w, p.ID, "coco", export.Options{Images: c.images}, nil)
		peak := max(stop(), before.HeapAlloc) - before.HeapAlloc
		if err != nil {
			t.Fatal(err)
		}
		if len(c.images) == 0 && report.Exported != n || len(c.images) > 0 && report.Exported != len(c.images) {
			t.Errorf("%s: %d images were exported", c.name, report.Exported)
		}
		each := peak / uint64(n)
		t.Logf("%s of %d: %v, %d MiB, %d bytes each", c.name, n, time.Since(began).Round(time.Millisecond), peak>>20, each)
		if each > c.most {
			t.Errorf("%s: %d bytes for each image, want at most %d", c.name, each, c.most)
		}
	}
}

// Package workspacetest opens workspaces over real stores for tests. It is apart
// from package storagetest, which the tests of the stores themselves use.
package workspacetest

import (
	"errors"
	"path/filepath"
	"testing"

	"collie/segment"
	"collie/segment/photo"
	"collie/storage/blob"
	"collie/storage/sqlite"
)

// MustOpen opens a workspace over a database and files of its own, which
// are closed when the test ends.
func MustOpen(tb testing.TB) *segment.Workspace {
	tb.Helper()
	dir := tb.TempDir()
	store, err := sqlite.Open(tb.Context(), filepath.Join(dir, "collie.db"))
	if err != nil {
		tb.Fatal(err)
	}
	blobs, err := blob.Open(filepath.Join(dir, "blobs"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := errors.Join(store.Close(), blobs.Close()); err != nil {
			tb.Error(err)
		}
	})
	return segment.NewWorkspace(store, blobs, photo.NewGate(photo.Limits{}))
}

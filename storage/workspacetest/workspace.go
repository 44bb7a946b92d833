// Package workspacetest opens workspaces over real stores for tests. It is
// separate from package storagetest, which the stores' own tests use.
package workspacetest

import (
	"errors"
	"path/filepath"
	"testing"

	"collie/segment"
	"collie/segment/photo"
	"collie/segment/workspace"
	"collie/storage/blob"
	"collie/storage/sqlite"
)

// Folder is an opened data folder.
type Folder struct {
	Store *sqlite.Store
	Blobs *blob.Store
}

// MustOpenFolder opens the data folder dir, which is closed when the test ends.
func MustOpenFolder(tb testing.TB, dir string) Folder {
	tb.Helper()
	store, err := sqlite.Open(tb.Context(), filepath.Join(dir, "collie.db"))
	if err != nil {
		tb.Fatal(err)
	}
	blobs, err := blob.Open(filepath.Join(dir, "blobs"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := errors.Join(blobs.Close(), store.Close()); err != nil {
			tb.Error(err)
		}
	})
	return Folder{store, blobs}
}

// Workspace returns a workspace over the folder.
func (f Folder) Workspace(options ...workspace.Options) *workspace.Workspace {
	return workspace.New(f.Store, f.Blobs, photo.NewGate(photo.Limits{}), options...)
}

// MustOpen opens a workspace over a new data folder, which is closed when the
// test ends.
func MustOpen(tb testing.TB) *workspace.Workspace {
	tb.Helper()
	return MustOpenFolder(tb, tb.TempDir()).Workspace()
}

// MustOpenOver opens a workspace over what wrap makes of the real store in dir, and
// over real files.
func MustOpenOver(tb testing.TB, dir string, wrap func(segment.Store) segment.Store) *workspace.Workspace {
	tb.Helper()
	f := MustOpenFolder(tb, dir)
	return workspace.New(wrap(f.Store), f.Blobs, photo.NewGate(photo.Limits{}))
}

// AsIs wraps a store in nothing.
func AsIs(s segment.Store) segment.Store { return s }

package blob

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"collie/storage/storagetest"
)

func openAt(tb testing.TB, place string) storagetest.Blobs {
	tb.Helper()
	s, err := Open(place)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestBlobs(t *testing.T) { storagetest.TestBlobs(t, openAt) }

func TestKilled(t *testing.T) { storagetest.TestKilledBlobs(t, openAt) }

func TestDiskFull(t *testing.T) { storagetest.TestFullBlobs(t, openAt) }

func TestSynced(t *testing.T) { storagetest.TestSyncedBlobs(t, openAt) }

func TestBroken(t *testing.T) { storagetest.TestBrokenBlobs(t, openAt) }

// TestLinks checks that a link in the folder leads nowhere outside.
func TestLinks(t *testing.T) {
	place, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(place, "out")); err != nil {
		t.Skipf("links can't be made here: %v", err)
	}
	s := openAt(t, place)
	defer s.Close()
	if _, err := s.Open(t.Context(), "out/secret"); err == nil {
		t.Error("a file outside was opened")
	}
	if err := s.Put(t.Context(), "out/new", func(io.Writer) error { return nil }); err == nil {
		t.Error("a file outside was written")
	}
	if _, err := os.Stat(filepath.Join(outside, "new")); err == nil {
		t.Error("a file outside is there")
	}
}

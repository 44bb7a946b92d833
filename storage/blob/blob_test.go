package blob

import (
	"errors"
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

func TestReserve(t *testing.T) { storagetest.TestReserveOfBlobs(t, openAt) }

func TestSynced(t *testing.T) { storagetest.TestSyncedBlobs(t, openAt) }

func TestBroken(t *testing.T) { storagetest.TestBrokenBlobs(t, openAt) }

func TestPowerCut(t *testing.T) { storagetest.TestCutBlobs(t, openAt) }

func TestReadOnly(t *testing.T) { storagetest.TestReadOnlyBlobs(t, openAt) }

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

// TestOpenTwice checks that a second process, here a second Store, does not
// mistake the half-written files of the first for remains of a crash.
func TestOpenTwice(t *testing.T) {
	place := t.TempDir()
	first := openAt(t, place)
	err := first.Put(t.Context(), "x", func(w io.Writer) error {
		second := openAt(t, place)
		_, err := w.Write([]byte("whole"))
		return errors.Join(err, second.Close())
	})
	if err != nil {
		t.Errorf("a file that was being written while the folder was opened again: %v", err)
	}
	if err := errors.Join(first.Close(), os.WriteFile(filepath.Join(place, tempPrefix+"x"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	third := openAt(t, place)
	defer third.Close()
	if left, err := filepath.Glob(filepath.Join(place, tempPrefix+"*")); err != nil || len(left) > 0 {
		t.Errorf("left of a crash: %v, %v", left, err)
	}
}

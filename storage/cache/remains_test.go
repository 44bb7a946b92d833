package cache

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/storage/blob"
	"collie/storage/storagetest"
)

// Files of an earlier process are used again and the oldest leave first, and those of
// another clock, whose age nobody knows; half-written ones are removed.
func TestReopened(t *testing.T) {
	t.Parallel()
	b := mustBehind(t, t.TempDir())
	defer b.Store.Close()
	place := t.TempDir()
	c, err := Open(t.Context(), b, place, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for i, age := range []time.Duration{2, 1, 3, 30, -1000} {
		key := fmt.Sprint("display/", i)
		if err := put(t.Context(), b, key, text(key, 1000)); err != nil {
			t.Fatal(err)
		}
		if _, err := read(t.Context(), c, key); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age * time.Hour)
		if err := os.Chtimes(filepath.Join(place, blob.SealedName(key)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(c.Close(), os.WriteFile(filepath.Join(place, "display", ".part-x"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if c, err = Open(t.Context(), b, place, 2*(1000+overhead)); err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	names, _ := onDisk(t, place)
	want := []string{filepath.Join(place, "display", "0.s"), filepath.Join(place, "display", "1.s")}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("in the folder (-want +got):\n%s", diff)
	}
}

// On a full disk reading goes on without the cache.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	place, _ := storagetest.SmallDisk(t)
	b := mustBehind(t, t.TempDir())
	defer b.Store.Close()
	c, err := Open(t.Context(), b, place, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range 6 {
		key := fmt.Sprint("display/", i)
		if err := put(t.Context(), b, key, text(key, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		for i := range 6 {
			key := fmt.Sprint("display/", i)
			if got, err := read(t.Context(), c, key); err != nil || !bytes.Equal(got, text(key, 1<<20)) {
				t.Errorf("%s: %d bytes, %v", key, len(got), err)
			}
		}
	}
	if n := b.opened.Load(); n < 7 || n > 11 {
		t.Errorf("fetched %d times: the disk holds three of six files", n)
	}
}

package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"collie/segment"
)

// Blobs is what is tested.
type Blobs interface {
	segment.Blobs
	Close() error
}

// TestBlobs checks the contract of segment.Blobs.
func TestBlobs(t *testing.T, open func(tb testing.TB, place string) Blobs) {
	fresh := func(t *testing.T) Blobs {
		b := open(t, t.TempDir())
		t.Cleanup(func() { must(t, b.Close()) })
		return b
	}
	t.Run("kept", func(t *testing.T) { testKept(t, open) })
	t.Run("refused keys", func(t *testing.T) { testKeys(t, fresh(t)) })
	t.Run("failing", func(t *testing.T) { testFailing(t, fresh(t)) })
	t.Run("same key", func(t *testing.T) { testSameKey(t, fresh(t)) })
	t.Run("concurrent", func(t *testing.T) { testConcurrent(t, fresh(t)) })
}

// testKept checks that contents of all sizes come back, now and after opening
// anew, and that they can be read from the middle.
func testKept(t *testing.T, open func(testing.TB, string) Blobs) {
	place := t.TempDir()
	b := open(t, place)
	sizes := []int{0, 1, 4096, 3 << 20}
	for _, n := range sizes {
		must(t, b.Put(t.Context(), fmt.Sprint("kept/", n), writes(content(n))))
	}
	for range 2 {
		for _, n := range sizes {
			if got := read(t, b, fmt.Sprint("kept/", n)); !bytes.Equal(got, content(n)) {
				t.Errorf("%d bytes came back as %d or other ones", n, len(got))
			}
		}
		must(t, b.Close())
		b = open(t, place)
	}
	defer func() { must(t, b.Close()) }()
	file, err := b.Open(t.Context(), "kept/4096")
	must(t, err)
	defer file.Close()
	_, err = file.Seek(-10, io.SeekEnd)
	must(t, err)
	tail, err := io.ReadAll(file)
	must(t, err)
	if !bytes.Equal(tail, content(4096)[4086:]) {
		t.Errorf("the last ten bytes are %x", tail)
	}
	for _, key := range []string{"kept", "kept/2", "kept/1/1", "nothing"} {
		if _, err := b.Open(t.Context(), key); segment.KindOf(err) != segment.NotFound {
			t.Errorf("Open(%q): error %v, want NotFound", key, err)
		}
	}
}

// testKeys checks that nothing but plain keys is taken.
func testKeys(t *testing.T, b Blobs) {
	for _, key := range []string{
		"", ".", "..", "/", "/a", "a/", "a//b", "../a", "a/../b", "a/./b", "A", "a.b", "a\\b", "a b", "a\x00", "ä", ".part-x", "a/.part-x", "c:a", "con\n",
	} {
		err := b.Put(t.Context(), key, func(io.Writer) error { t.Errorf("Put(%q) writes", key); return nil })
		wantKind(t, segment.Invalid, err)
		_, err = b.Open(t.Context(), key)
		wantKind(t, segment.Invalid, err)
	}
}

// testFailing checks that of a write that fails nothing is kept, whatever the
// reason and wherever it stops.
func testFailing(t *testing.T, b Blobs) {
	own := errors.New("the writer's own error")
	first, cancelFirst := context.WithCancel(t.Context())
	second, cancelSecond := context.WithCancel(t.Context())
	for name, c := range map[string]struct {
		ctx   context.Context
		write func(io.Writer) error
		want  error
	}{
		"at once": {t.Context(), func(io.Writer) error { return own }, own},
		"in the middle": {t.Context(), func(w io.Writer) error {
			must(t, writes(content(1<<20))(w))
			return own
		}, own},
		"cancelled": {first, func(w io.Writer) error {
			must(t, writes(content(1<<20))(w))
			cancelFirst()
			return writes(content(1))(w)
		}, context.Canceled},
		"cancelled, error ignored": {second, func(w io.Writer) error { cancelSecond(); w.Write(content(1)); return nil }, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			if err := b.Put(c.ctx, "failing/x", c.write); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			_, err := b.Open(t.Context(), "failing/x")
			wantKind(t, segment.NotFound, err)
		})
	}
	must(t, b.Put(t.Context(), "failing/x", writes(content(5)))) // the key is still free
}

// testSameKey checks that content never changes.
func testSameKey(t *testing.T, b Blobs) {
	must(t, b.Put(t.Context(), "same/key", writes(content(10))))
	wantKind(t, segment.Conflict, b.Put(t.Context(), "same/key", writes(content(20))))
	if got := read(t, b, "same/key"); !bytes.Equal(got, content(10)) {
		t.Errorf("content became %x", got)
	}
}

// testConcurrent writes to the same new folders from many goroutines.
func testConcurrent(t *testing.T, b Blobs) {
	var wait sync.WaitGroup
	for i := range 32 {
		wait.Go(func() {
			key := fmt.Sprintf("a/%d/b/%d", i%4, i)
			if err := b.Put(t.Context(), key, writes(content(i))); err != nil {
				t.Errorf("Put(%q): %v", key, err)
				return
			}
			if got := read(t, b, key); !bytes.Equal(got, content(i)) {
				t.Errorf("%q has %d bytes, want %d", key, len(got), i)
			}
		})
	}
	wait.Wait()
}

// content is n bytes that tell their number.
func content(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*31 + n)
	}
	return b
}

func writes(b []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(b); return err }
}

func read(t *testing.T, b Blobs, key string) []byte {
	t.Helper()
	file, err := b.Open(t.Context(), key)
	if err != nil {
		t.Errorf("Open(%q): %v", key, err)
		return nil
	}
	defer file.Close()
	got, err := io.ReadAll(file)
	if err != nil {
		t.Errorf("reading %q: %v", key, err)
	}
	return got
}

// files returns all files below dir.
func files(tb testing.TB, dir string) []string {
	tb.Helper()
	var names []string
	must(tb, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		if os.IsNotExist(err) { // being removed at the same time
			return nil
		}
		return err
	}))
	return names
}

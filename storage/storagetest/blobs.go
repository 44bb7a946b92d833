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
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
)

// Blobs is the store under test.
type Blobs interface {
	segment.Blobs
	Close() error
}

// TestBlobs checks the contract of segment.Blobs.
func TestBlobs(t *testing.T, open func(tb testing.TB, place string) Blobs) {
	t.Parallel()
	fresh := func(t *testing.T) Blobs {
		b := open(t, t.TempDir())
		t.Cleanup(func() { must(t, b.Close()) })
		return b
	}
	t.Run("kept", func(t *testing.T) { testKept(t, open) })
	t.Run("refused keys", func(t *testing.T) { testKeys(t, fresh(t)) })
	t.Run("failing", func(t *testing.T) { testFailing(t, fresh(t)) })
	t.Run("same key", func(t *testing.T) { testSameKey(t, fresh(t)) })
	t.Run("removed", func(t *testing.T) { testRemoved(t, fresh(t)) })
	t.Run("concurrent", func(t *testing.T) { testConcurrent(t, fresh(t)) })
}

// testKept checks that contents of all sizes come back, now and after opening
// again, and that they can be read from the middle.
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
	must(t, b.Put(t.Context(), "kept/more", writes(content(1)))) // beside what is there
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

// testKeys checks that only plain keys are accepted.
func testKeys(t *testing.T, b Blobs) {
	for _, key := range []string{
		"", ".", "..", "/", "/a", "a/", "a//b", "../a", "a/../b", "a/./b", "A", "a.b", "a\\b", "a b", "a\x00", "ä", ".part-x", "a/.part-x", "c:a", "con\n",
	} {
		err := b.Put(t.Context(), key, func(io.Writer) error { t.Errorf("Put(%q) writes", key); return nil })
		wantKind(t, segment.Invalid, err)
		_, err = b.Open(t.Context(), key)
		wantKind(t, segment.Invalid, err)
		wantKind(t, segment.Invalid, b.Remove(t.Context(), key))
	}
}

// testFailing checks that nothing is kept of a failed write, whatever the reason
// and wherever it stops.
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

// testRemoved checks what is listed, and that removed blobs are gone while open
// ones stay readable.
func testRemoved(t *testing.T, b Blobs) {
	keys := []string{"a/1", "a/2", "b/c/3"}
	for i, key := range keys {
		must(t, b.Put(t.Context(), key, writes(content(10*i))))
	}
	began := time.Now()
	list := func() (found []string) {
		for blob, err := range b.All(t.Context()) {
			must(t, err)
			if size := 10 * int64(blob.Key[len(blob.Key)-1]-'1'); blob.Bytes != size || began.Sub(blob.Modified).Abs() > time.Minute {
				t.Errorf("%+v, want %d bytes of about now", blob, size)
			}
			found = append(found, blob.Key)
		}
		slices.Sort(found)
		return found
	}
	must(t, b.Put(t.Context(), "a/9", func(io.Writer) error { // what is being written is not listed
		if diff := cmp.Diff(keys, list()); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		return nil
	}))
	must(t, b.Remove(t.Context(), "a/9"))
	reader, err := b.Open(t.Context(), "a/2")
	must(t, err)
	defer reader.Close()
	for range 2 {
		must(t, b.Remove(t.Context(), "a/2"))
	}
	if diff := cmp.Diff([]string{"a/1", "b/c/3"}, list()); diff != "" {
		t.Errorf("listed after a removal (-want +got):\n%s", diff)
	}
	_, err = b.Open(t.Context(), "a/2")
	wantKind(t, segment.NotFound, err)
	if got, err := io.ReadAll(reader); err != nil || !bytes.Equal(got, content(10)) {
		t.Errorf("the reader got %x, %v", got, err)
	}
	must(t, b.Put(t.Context(), "a/2", writes(content(10))))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range b.All(cancelled) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("All of a caller who left: %v", err)
		}
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

// content is n bytes that depend on a number.
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

// read returns what is stored. A server that a busy machine keeps from answering is asked again.
func read(t *testing.T, b Blobs, key string) []byte {
	t.Helper()
	file, err := b.Open(t.Context(), key)
	for tries := 0; segment.KindOf(err) == segment.Unavailable && tries < 5; tries++ {
		time.Sleep(time.Second)
		file, err = b.Open(t.Context(), key)
	}
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

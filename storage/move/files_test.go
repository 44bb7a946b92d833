package move

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/storage/blob"
	"collie/storage/s3"
	"collie/storage/s3/s3test"
)

func mustFolder(tb testing.TB) *blob.Store {
	tb.Helper()
	b, err := blob.Open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { b.Close() })
	return b
}

func mustPut(tb testing.TB, b segment.Blobs, key, content string) {
	tb.Helper()
	if err := b.Put(tb.Context(), key, func(w io.Writer) error { _, err := io.WriteString(w, content); return err }); err != nil {
		tb.Fatal(err)
	}
}

// mustFill returns a folder with twenty files.
func mustFill(tb testing.TB) *blob.Store {
	tb.Helper()
	b := mustFolder(tb)
	for i := range 20 {
		mustPut(tb, b, fmt.Sprint("original/", i), strings.Repeat("x", i*1000))
	}
	return b
}

// noImages are those of an installation that has none.
func noImages(func(segment.Image, error) bool) {}

// contents are the checksums of all blobs, by key.
func contents(tb testing.TB, b segment.Blobs) map[string]string {
	tb.Helper()
	all := map[string]string{}
	for info, err := range b.All(tb.Context()) {
		if err != nil {
			tb.Fatal(err)
		}
		sum, err := read(tb.Context(), b, info.Key)
		if err != nil {
			tb.Fatal(err)
		}
		all[info.Key] = sum
	}
	return all
}

// To a bucket and back, everything stays equal.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	place, err := s3.ParsePlace(s3test.MustStart(t).Address())
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := s3.New(place, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer bucket.Close()
	folder, again := mustFill(t), mustFolder(t)
	want := contents(t, folder)
	mustPut(t, bucket, "original/5", "differs")
	for _, c := range []struct {
		from, to segment.Blobs
		copied   int
	}{{folder, bucket, 20}, {folder, bucket, 0}, {bucket, again, 20}} {
		s, err := Files(t.Context(), c.from, c.to, noImages)
		if err != nil || s.Files != 20 || s.Copied != c.copied {
			t.Fatalf("%+v, %v, want %d copied of 20", s, err, c.copied)
		}
		if diff := cmp.Diff(want, contents(t, c.to)); diff != "" {
			t.Errorf("after the move (-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff(want, contents(t, folder)); diff != "" {
		t.Errorf("the source has changed (-want +got):\n%s", diff)
	}
}

// failing is a store whose calls fail from a certain number on.
type failing struct {
	segment.Blobs
	left int
}

var errTest = errors.New("the test's error")

func (f *failing) fails() bool { f.left--; return f.left < 0 }

func (f *failing) Put(ctx context.Context, key string, write func(io.Writer) error) error {
	if f.fails() {
		return errTest
	}
	return f.Blobs.Put(ctx, key, write)
}

func (f *failing) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if f.fails() {
		return nil, errTest
	}
	return f.Blobs.Open(ctx, key)
}

func (f *failing) Sum(key string) (string, error) {
	if f.fails() {
		return "", errTest
	}
	return f.Blobs.Sum(key)
}

func (f *failing) Remove(ctx context.Context, key string) error {
	if f.fails() {
		return errTest
	}
	return f.Blobs.Remove(ctx, key)
}

func (f *failing) All(ctx context.Context) iter.Seq2[segment.BlobInfo, error] {
	if f.fails() {
		return func(yield func(segment.BlobInfo, error) bool) { yield(segment.BlobInfo{}, errTest) }
	}
	return f.Blobs.All(ctx)
}

// A move that fails at its n-th step, for each n, leaves the source as it was, and
// the next one completes it.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	from := mustFill(t)
	want := contents(t, from)
	for _, source := range []bool{true, false} {
		for n, done := 0, false; !done; n += 7 {
			to := mustFolder(t)
			mustPut(t, to, "original/3", "differs")
			var err error
			if source {
				_, err = Files(t.Context(), &failing{from, n}, to, noImages)
			} else {
				_, err = Files(t.Context(), from, &failing{to, n}, noImages)
			}
			if done = err == nil; !done && !errors.Is(err, errTest) {
				t.Fatal(err)
			}
			if s, err := Files(t.Context(), from, to, noImages); err != nil || done && s.Copied > 0 {
				t.Fatalf("the next one, after %d steps: %+v, %v", n, s, err)
			}
			if got := contents(t, to); !maps.Equal(got, want) {
				t.Errorf("after %d steps (-want +got):\n%s", n, cmp.Diff(want, got))
			}
		}
	}
	if got := contents(t, from); !maps.Equal(got, want) {
		t.Error("the source has changed")
	}
}

// A file that is damaged on its way is detected.
func TestLying(t *testing.T) {
	t.Parallel()
	from := mustFolder(t)
	mustPut(t, from, "original/x", "content")
	if _, err := Files(t.Context(), from, &lying{mustFolder(t)}, noImages); err == nil || !strings.Contains(err.Error(), "original/x differs") {
		t.Errorf("a target that stores other content: %v", err)
	}
}

// Files that are damaged or missing in the source are named, and all others moved.
// When all are, nothing is.
func TestDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	im := segment.Image{ID: "a", Name: "cat.png"}
	images := func(yield func(segment.Image, error) bool) {
		yield(im, segment.Errorf(segment.Damaged, "Its record can't be read."))
	}
	spoil := func(key string) {
		if err := os.WriteFile(filepath.Join(dir, blob.SealedName(key)), make([]byte, 50), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	missing, damaged := im.ThumbnailKey(), im.OriginalKey()
	var want []string
	for _, key := range append(im.Keys(), "export/b/file-1", "export/c/file-1") {
		if key != missing {
			mustPut(t, from, key, "content")
		}
		switch key {
		case missing, damaged:
			want = append(want, `image a, "cat.png": `+key)
		}
	}
	spoil(damaged)
	spoil("export/b/file-1")
	want = append(want, "export/b/file-1")
	to := mustFolder(t)
	for _, copied := range []int{len(im.Keys()) - 1, 0} {
		s, err := Files(t.Context(), from, to, images)
		if err != nil || s.Copied != copied || s.Files != len(im.Keys())-1 {
			t.Errorf("%+v, %v, want %d copied", s, err, copied)
		}
		if diff := cmp.Diff(want, s.Lost); diff != "" {
			t.Errorf("lost (-want +got):\n%s", diff)
		}
	}
	if got := contents(t, to); len(got) != len(im.Keys())-1 || got["export/c/file-1"] == "" {
		t.Errorf("moved: %v", slices.Sorted(maps.Keys(got)))
	}
	for key := range contents(t, to) {
		spoil(key)
	}
	if _, err := Files(t.Context(), from, mustFolder(t), images); segment.KindOf(err) != segment.Damaged {
		t.Errorf("only damaged files: %v", err)
	}
	if _, err := Files(t.Context(), mustFolder(t), to, images); err == nil {
		t.Error("no files although there is an image: no error")
	}
}

// A file that is damaged where it was moved to is found, and copied again by the next
// move.
func TestDamagedThere(t *testing.T) {
	t.Parallel()
	from, dir := mustFill(t), t.TempDir()
	to, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if _, err := Files(t.Context(), from, to, noImages); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, blob.SealedName("original/5"))
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	content[100] ^= 1
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Files(t.Context(), from, to, noImages); segment.KindOf(err) != segment.Damaged || !strings.Contains(err.Error(), "original/5") {
		t.Errorf("a file that is damaged at the target: %v", err)
	}
	if s, err := Files(t.Context(), from, to, noImages); err != nil || s.Copied != 1 {
		t.Errorf("the next move: %+v, %v", s, err)
	}
	if got, want := contents(t, to), contents(t, from); !maps.Equal(got, want) {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
	}
}

// lying stores other content than it is given.
type lying struct{ segment.Blobs }

func (l *lying) Put(ctx context.Context, key string, write func(io.Writer) error) error {
	return l.Blobs.Put(ctx, key, func(w io.Writer) error {
		if err := write(sha256.New()); err != nil {
			return err
		}
		_, err := io.WriteString(w, "other content")
		return err
	})
}

package storagetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/reserve"
)

// SmallDisk mounts a disk of 4 MiB in memory and returns its folder and a
// function that makes it larger. It skips the test when mounting is not
// possible, as without the rights of root.
func SmallDisk(t *testing.T) (dir string, enlarge func()) {
	dir = MemoryDisk(t, 4)
	return dir, func() {
		if out, err := exec.Command("mount", "-o", "remount,size=32m", dir).CombinedOutput(); err != nil {
			t.Fatalf("remount: %v, %s", err, out)
		}
	}
}

// MemoryDisk is a SmallDisk of any size, in MiB. A twentieth of it is its reserve.
func MemoryDisk(t *testing.T, size int) (dir string) {
	injectsFaults(t)
	dir = t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", size), "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("a small disk can't be mounted here: %v, %s", err, bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		if err := unmount(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Leave fills a disk until less than so many bytes are free.
func Leave(tb testing.TB, dir string, bytes int64) {
	tb.Helper()
	fill, err := os.Create(filepath.Join(dir, "fill"))
	must(tb, err)
	defer fill.Close()
	for {
		free, _, ok := reserve.Space(fill)
		if !ok {
			tb.Skip("this system doesn't say how much space a disk has")
		}
		if free < bytes {
			return
		}
		_, err := fill.Write(make([]byte, 16<<10))
		must(tb, err)
	}
}

// TestReserveOfBlobs fills a disk of 4 MiB with files: they are refused before the
// reserve, which what may use it can still have.
func TestReserveOfBlobs(t *testing.T, open func(tb testing.TB, place string) Blobs) {
	t.Parallel()
	place, enlarge := SmallDisk(t)
	b := open(t, place)
	defer func() { must(t, b.Close()) }()
	put := func(ctx context.Context, n int) error {
		return b.Put(ctx, fmt.Sprint("some/", n), writes(content(100_000)))
	}
	stored := 0
	for ; put(t.Context(), stored) == nil; stored++ {
	}
	wantKind(t, segment.Full, put(t.Context(), stored))
	folder, err := os.Open(place)
	must(t, err)
	defer folder.Close()
	if free, least, ok := reserve.Space(folder); ok && (free < least || free > least+120_000) {
		t.Errorf("%d bytes are left after %d files, the reserve is %d", free, stored, least)
	}
	must(t, put(reserve.Use(t.Context()), stored))
	if got := read(t, b, fmt.Sprint("some/", stored)); !bytes.Equal(got, content(100_000)) {
		t.Error("what was stored in the reserve is something else")
	}
	enlarge()
	must(t, put(t.Context(), stored+1))
}

// TestFullStore fills the disk: the write that does not fit is Full,
// everything acknowledged can be read, and with more space writing goes on
// without reopening.
func TestFullStore(t *testing.T, open func(tb testing.TB, place string) Store) {
	t.Parallel()
	place, enlarge := SmallDisk(t)
	s := open(t, place)
	defer func() { closeStore(t, s) }()
	_, im := mustStoreImage(t, s)
	add := func(seq int) error {
		e := label(fmt.Sprint(seq), 1)
		e.Pick = &segment.Pick{Labels: make([]uint8, 50_000)}
		_, _ = rand.Read(e.Pick.Labels) // can't be compressed
		return s.Append(t.Context(), im.ID, seq, e, segment.Progress{Clicks: seq + 1})
	}
	acked := 0
	for ; acked < 1000; acked++ {
		if err := add(acked); err != nil {
			wantKind(t, segment.Full, err)
			t.Log(err)
			break
		}
	}
	if acked == 0 || acked == 1000 {
		t.Fatalf("%d events fitted", acked)
	}
	wantKind(t, segment.Full, add(acked))
	checkLog(t, s, im.ID, acked)
	enlarge()
	for range 10 {
		must(t, add(acked))
		acked++
	}
	must(t, s.Close())
	s = open(t, place)
	checkLog(t, s, im.ID, acked)
}

// TestFullBlobs is TestFullStore for blobs.
func TestFullBlobs(t *testing.T, open func(tb testing.TB, place string) Blobs) {
	t.Parallel()
	place, enlarge := SmallDisk(t)
	b := open(t, place)
	defer func() { must(t, b.Close()) }()
	must(t, b.Put(t.Context(), "small/1", writes(content(1000))))
	for range 3 { // the space of one that failed is free again
		err := b.Put(t.Context(), "large/1", writes(content(8<<20)))
		wantKind(t, segment.Full, err)
		var e *segment.Error
		if errors.As(err, &e) {
			t.Log(e.Detail)
		}
		_, err = b.Open(t.Context(), "large/1")
		wantKind(t, segment.NotFound, err)
	}
	if got := files(t, place); len(got) != 1 {
		t.Errorf("files %v, want the small one alone", got)
	}
	small := func() error { return b.Put(t.Context(), "small/2", writes(content(2000))) }
	err := small()
	for end := time.Now().Add(10 * time.Second); segment.KindOf(err) == segment.Full && time.Now().Before(end); err = small() {
		time.Sleep(10 * time.Millisecond) // a program that another test is starting has the removed file, too, until it runs
	}
	must(t, err)
	enlarge()
	must(t, b.Put(t.Context(), "large/1", writes(content(8<<20))))
	if got := read(t, b, "large/1"); !bytes.Equal(got, content(8<<20)) {
		t.Errorf("%d bytes came back or other ones", len(got))
	}
}

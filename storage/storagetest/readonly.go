package storagetest

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"

	"collie/segment"
)

// Freeze makes the disk read-only while it is in use, as the system does when
// it finds an error on it.
func (p *Disk) Freeze() {
	p.t.Helper()
	if out, err := exec.Command("mount", "-o", "remount,abort", p.Dir).CombinedOutput(); err != nil {
		p.t.Fatalf("remount: %v, %s", err, out)
	}
}

// TestReadOnlyStore lets the disk become read-only: writes are Unavailable,
// reads go on, and all that was acknowledged is there once it can be written
// again.
func TestReadOnlyStore(t *testing.T, open func(tb testing.TB, place string) Store) {
	t.Parallel()
	disk := NewDisk(t)
	s := open(t, disk.Dir)
	_, im := mustStoreImage(t, s)
	add := func(seq int) error {
		return s.Append(t.Context(), im.ID, seq, label(fmt.Sprint(seq), 1), segment.Progress{Clicks: seq + 1})
	}
	must(t, add(0))
	must(t, add(1))
	disk.Freeze()
	for range 3 {
		err := add(2)
		wantKind(t, segment.Unavailable, err)
		checkLog(t, s, im.ID, 2)
	}
	closeStore(t, s)
	disk.Back()
	s = open(t, disk.Dir)
	must(t, add(2))
	checkLog(t, s, im.ID, 3)
	closeStore(t, s)
}

// TestReadOnlyBlobs is TestReadOnlyStore for blobs.
func TestReadOnlyBlobs(t *testing.T, open func(tb testing.TB, place string) Blobs) {
	t.Parallel()
	disk := NewDisk(t)
	b := open(t, disk.Dir)
	must(t, b.Put(t.Context(), "a/1", writes(content(10))))
	disk.Freeze()
	wantKind(t, segment.Unavailable, b.Put(t.Context(), "a/2", writes(content(20))))
	if got := read(t, b, "a/1"); !bytes.Equal(got, content(10)) {
		t.Errorf("a/1 is %x", got)
	}
	must(t, b.Close())
	disk.Back()
	b = open(t, disk.Dir)
	must(t, b.Put(t.Context(), "a/2", writes(content(20))))
	if got := read(t, b, "a/1"); !bytes.Equal(got, content(10)) {
		t.Errorf("a/1 is %x", got)
	}
	must(t, b.Close())
}

package storagetest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"collie/segment"
)

// Strace returns the command to run a program under strace with. It skips the
// test when strace is missing or may not trace.
func Strace(t *testing.T) []string {
	t.Helper()
	injectsFaults(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace, which is not installed")
	}
	if out, err := exec.Command(strace, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %v, %s", err, bytes.TrimSpace(out))
	}
	return []string{strace, "-f"}
}

// traced runs the calling test in a process of its own under strace with the
// given options and returns what it printed and the trace.
func traced(t *testing.T, place string, options ...string) (lines []string, trace string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	command := append(append(Strace(t), "-y", "-o", file), options...)
	out, err := reexec(t, place, command...).CombinedOutput()
	if err != nil {
		t.Fatalf("the traced process: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if line, ok := strings.CutPrefix(line, mark); ok {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	b, err := os.ReadFile(file)
	must(t, err)
	return lines, string(b)
}

// TestSyncedStore checks in a trace of the system calls that the disk is synced
// before each acknowledgement. The control is the test itself: with a store
// that does not sync there is nothing between two acknowledgements.
func TestSyncedStore(t *testing.T, open func(tb testing.TB, place string) Store) {
	t.Parallel()
	const events = 20
	if place := os.Getenv(placeVariable); place != "" {
		s := open(t, place)
		defer closeStore(t, s)
		victim(t, s, events)
		return
	}
	lines, trace := traced(t, t.TempDir(), "-e", "trace=fsync,fdatasync,write")
	synced, acked := false, 0
	for line := range strings.Lines(trace) {
		switch {
		case strings.Contains(line, "fsync(") || strings.Contains(line, "fdatasync("):
			synced = true
		case strings.Contains(line, `, "`+mark):
			if !synced {
				t.Errorf("acknowledged before the disk was synced: %s", line)
			}
			synced = false
			acked++
		}
	}
	if acked != events || len(lines) != events {
		t.Errorf("%d and %d acknowledgements seen, want %d", acked, len(lines), events)
	}
}

// TestBrokenStore lets syncs of the disk fail at some moment: from then on
// nothing is acknowledged, reading goes on, and what was acknowledged before is
// there when the store is reopened.
func TestBrokenStore(t *testing.T, open func(tb testing.TB, place string) Store) {
	t.Parallel()
	const events = 10_000 // more than come before the failure
	if place := os.Getenv(placeVariable); place != "" {
		s := open(t, place)
		image, acked := victim(t, s, events)
		for range 3 {
			wantKind(t, segment.Unavailable, s.CreateProject(t.Context(), newProject("late")))
		}
		if got, err := s.Events(t.Context(), image, 0); err != nil || len(got) != acked {
			t.Errorf("after the failure %d events can be read, error %v, want %d", len(got), err, acked)
		}
		closeStore(t, s)
		return
	}
	place := t.TempDir()
	// strace counts calls per thread, so the failure comes at some moment
	// after the 120th; some of those before it are made by migrations.
	lines, _ := traced(t, place, "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO:when=120+")
	if len(lines) < 10 || len(lines) == events {
		t.Fatalf("%d acknowledgements, want some before the failure and none after it", len(lines))
	}
	s := open(t, place)
	defer closeStore(t, s)
	images, err := s.ImagesAfter(t.Context(), mustList(t, s)[0].ID, "", 1e6)
	must(t, err)
	// What failed last may have reached the disk after all; it was not promised.
	if images[0].Seq < len(lines) || images[0].Seq > len(lines)+1 {
		t.Errorf("%d events are there, %d were acknowledged", images[0].Seq, len(lines))
	}
	checkLog(t, s, images[0].ID, images[0].Seq)
}

// victim appends events to a new image one after the other and acknowledges
// them, until one fails.
func victim(t *testing.T, s Store, events int) (image string, acked int) {
	p := newProject("victim")
	must(t, s.CreateProject(t.Context(), p))
	im := newImage(p.ID, "victim")
	must(t, s.CreateImage(t.Context(), im, 0))
	for ; acked < events; acked++ {
		err := s.Append(t.Context(), im.ID, acked, label(fmt.Sprint(acked), 1), segment.Progress{Clicks: acked + 1})
		if err != nil {
			wantKind(t, segment.Unavailable, err)
			break
		}
		acknowledge("%d", acked)
	}
	return im.ID, acked
}

// TestSyncedBlobs checks in a trace of the system calls that a blob and its new
// folders are synced in the order that a power cut demands.
func TestSyncedBlobs(t *testing.T, open func(tb testing.TB, place string) Blobs) {
	t.Parallel()
	if place := os.Getenv(placeVariable); place != "" {
		b := open(t, place)
		must(t, b.Put(t.Context(), "new/folder/x", writes(content(10))))
		must(t, b.Close())
		return
	}
	place := t.TempDir()
	_, trace := traced(t, place, "-e", "trace=mkdirat,openat,write,fsync,close,renameat,renameat2")
	folder := regexp.QuoteMeta(place)
	for _, call := range []string{
		`mkdirat\(.*"new"`,
		`fsync\(\d+<` + folder + `>`,
		`mkdirat\(.*"folder"`,
		`fsync\(\d+<` + folder + `/new>`,
		`openat\(.*O_CREAT`,
		`write\(\d+<` + folder + `/new/folder/[^>]+>`,
		`fsync\(\d+<` + folder + `/new/folder/[^>]+>`,
		`close\(\d+<` + folder + `/new/folder/[^>]+>`,
		`renameat2?\(.*"x\.s"`,
		`fsync\(\d+<` + folder + `/new/folder>`,
	} {
		at := regexp.MustCompile(call).FindStringIndex(trace)
		if at == nil {
			t.Fatalf("no call %s in the rest of the trace:\n%s", call, trace)
		}
		trace = trace[at[1]:]
	}
}

// TestBrokenBlobs lets the n-th sync fail, for each n until all succeed: after
// the failure there is nothing under the key and nothing half-written, and a
// store that knows its disk is broken takes no more.
func TestBrokenBlobs(t *testing.T, open func(tb testing.TB, place string) Blobs) {
	t.Parallel()
	if place := os.Getenv(placeVariable); place != "" {
		runtime.LockOSThread() // strace counts calls per thread
		b := open(t, place)
		err := b.Put(t.Context(), "new/x", writes(content(10)))
		if err != nil {
			wantKind(t, segment.Unavailable, err)
			wantKind(t, segment.Unavailable, b.Put(t.Context(), "new/y", writes(content(10))))
			_, err := b.Open(t.Context(), "new/x")
			wantKind(t, segment.NotFound, err)
			if got := files(t, place); len(got) != 0 {
				t.Errorf("left behind: %v", got)
			}
			return
		}
		acknowledge("new/x")
		return
	}
	failures := 0
	for n := 1; ; n++ {
		lines, _ := traced(t, t.TempDir(), "-e", "trace=fsync", "-e", fmt.Sprintf("inject=fsync:error=EIO:when=%d", n))
		if len(lines) > 0 {
			break
		}
		failures++
	}
	if failures < 3 { // the folder's folder, the file, the folder
		t.Errorf("%d syncs are made, want at least 3", failures)
	}
}

package e2e

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/storage/storagetest"
)

// wait waits until a server has ended by itself, and a tracer that still holds its
// output, too.
func (p *process) wait() error {
	p.tb.Helper()
	late := time.AfterFunc(time.Minute, func() { _ = p.cmd.Process.Kill() })
	_, _ = io.Copy(io.Discard, p.stdout)
	err := p.cmd.Wait()
	if !late.Stop() {
		p.tb.Fatalf("the server did not end:\n%s", tail(p.stderr.String()))
	}
	return err
}

// tail is the end of a log.
func tail(log string) string { return log[max(0, len(log)-2000):] }

// examine lets the doctor look at a data folder.
func examine(tb testing.TB, data string) {
	tb.Helper()
	out, err := exec.Command(binary, "doctor", "--data", data).CombinedOutput()
	if err != nil {
		tb.Errorf("doctor: %v\n%s", err, tail(string(out)))
	}
}

// TestKills kills the server repeatedly while people click and upload: half of the
// times at a random moment, half at the n-th sync of a thread. Clients resend
// whatever got no answer.
func TestKills(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	data := t.TempDir()
	p := start(t, data)
	tr := newTraffic(t, p.url, 3)
	p.stop()
	strace := storagetest.Strace(t)
	kills := storagetest.Rounds(50, 1000)
	early := 0
	for i := range kills {
		var under []string
		if i%2 == 1 {
			under = slices.Concat(strace, []string{
				"-D", "-o", os.DevNull, "-e", "trace=fsync,fdatasync",
				"-e", fmt.Sprintf("inject=fsync,fdatasync:signal=SIGKILL:when=%d", 1+rand.IntN(20)),
			})
		}
		p, err := launch(t, data, under)
		if err != nil {
			if p == nil && under != nil { // killed before it was ready
				early++
				continue
			}
			t.Fatal(err)
		}
		if under == nil {
			time.AfterFunc(rand.N(150*time.Millisecond), func() { _ = p.cmd.Process.Kill() })
		}
		tr.runFor(30*time.Second, p.url)
		var exit *exec.ExitError
		if err := p.wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
			t.Fatalf("the server was not killed: %v\n%s", err, tail(p.stderr.String()))
		}
	}
	t.Logf("%d kills, %d of them before the server was ready", kills, early)
	tr.outlived(data)
	examine(t, data)
}

// TestPowerCuts cuts the disk's power while the server runs.
func TestPowerCuts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	disk := storagetest.NewDisk(t)
	data := filepath.Join(disk.Dir, "data")
	p := start(t, data)
	tr := newTraffic(t, p.url, 2)
	tr.dead = true
	p.stop()
	for range storagetest.Rounds(5, 50) {
		p := start(t, data)
		var moment time.Time
		cut := make(chan struct{})
		time.AfterFunc(100*time.Millisecond+rand.N(300*time.Millisecond), func() {
			defer close(cut)
			moment = time.Now()
			disk.Cut()
			_ = p.cmd.Process.Kill()
		})
		tr.runFor(30*time.Second, p.url)
		<-cut
		_ = p.wait()
		disk.Back()
		tr.forget(moment)
		tr.outlived(data)
	}
	examine(t, data)
}

// outlived starts a server again and checks that it has everything that its
// predecessor acknowledged.
func (tr *traffic) outlived(data string) {
	tr.tb.Helper()
	p := start(tr.tb, data)
	tr.check(p.url, time.Now())
	p.stop()
}

// forget drops acknowledgements made after a power cut, which a real cut would not
// allow.
func (tr *traffic) forget(after time.Time) {
	for _, c := range tr.workers {
		c.acked = slices.DeleteFunc(c.acked, func(k click) bool { return !k.at.Before(after) })
	}
	for id, at := range tr.uploads {
		if !at.Before(after) {
			delete(tr.uploads, id)
		}
	}
}

// TestDiskFull fills the disk: clicks and uploads get 507, and reading goes on.
// Once there is space, so does writing, without a restart.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	place, enlarge := storagetest.SmallDisk(t)
	p := start(t, filepath.Join(place, "data"))
	tr := newTraffic(t, p.url, 2)
	fill := filepath.Join(place, "fill")
	if err := os.WriteFile(fill, make([]byte, 8<<20), 0o600); err == nil {
		t.Fatal("the disk is larger than thought")
	}
	tr.runFor(20*time.Second, p.url)
	if got := tr.refused(); !slices.Equal(got, []int{http.StatusInsufficientStorage}) || !strings.Contains(tr.refusals[http.StatusInsufficientStorage], "full") {
		t.Fatalf("refusals %v, want 507: %v", got, tr.refusals)
	}
	tr.check(p.url, time.Now())
	p.ready(http.StatusOK)
	enlarge()
	clicks, uploads := tr.clicks(), len(tr.uploads)
	tr.runFor(300*time.Millisecond, p.url)
	if tr.clicks() == clicks || len(tr.uploads) == uploads {
		t.Error("with more space nothing more is saved")
	}
	tr.check(p.url, time.Now())
	p.stop()
}

// ready checks the answer of /readyz.
func (p *process) ready(want int) string {
	p.tb.Helper()
	var b []byte
	status, err := send(p.tb.Context(), http.MethodGet, p.url+"/readyz", "", nil, &b)
	if status != want {
		p.tb.Errorf("/readyz: %d, want %d", status, want)
	}
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// TestDiskBroken makes syncs fail: from then on writes get 503, and reading goes on
// until the server exits, which says why.
func TestDiskBroken(t *testing.T) {
	t.Parallel()
	strace := storagetest.Strace(t)
	data := t.TempDir()
	p := start(t, data)
	tr := newTraffic(t, p.url, 2)
	p.stop()
	p, err := launch(t, data, slices.Concat(strace, []string{
		"-D", "-o", os.DevNull, "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO:when=12+",
	}))
	if err != nil {
		t.Fatal(err)
	}
	looked := make(chan struct{})
	go func() { // beside the clients: the server ends soon after the failure
		defer close(looked)
		var b []byte
		status, err := http.StatusOK, error(nil)
		for ; status == http.StatusOK; time.Sleep(5 * time.Millisecond) {
			status, err = send(t.Context(), http.MethodGet, p.url+"/readyz", "", nil, &b)
		}
		if status != http.StatusServiceUnavailable || !strings.Contains(err.Error(), "disk failed") {
			t.Errorf("/readyz: %d, %v", status, err)
		}
		var images []struct{ ID string }
		if _, err := send(t.Context(), http.MethodGet, p.url+"/api/v1/projects/"+tr.project+"/images", "", nil, &images); err != nil || len(images) < 2 {
			t.Errorf("reading after the failure: %d images, %v", len(images), err)
		}
	}()
	tr.runFor(20*time.Second, p.url)
	<-looked
	if got := tr.refused(); !slices.Equal(got, []int{http.StatusServiceUnavailable}) || !strings.Contains(tr.refusals[http.StatusServiceUnavailable], "disk failed") {
		t.Errorf("refusals %v, want 503: %v", got, tr.refusals)
	}
	var exit *exec.ExitError
	if err := p.wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("the server ended with %v, want exit code 1", err)
	}
	if !strings.Contains(p.stderr.String(), "\nserver: The server's disk failed while saving") {
		t.Errorf("the last words are %s", tail(p.stderr.String()))
	}
	tr.outlived(data)
	examine(t, data)
}

// TestDiskReadOnly makes the disk read-only: writes get 503, reading goes on, and
// the server keeps running.
func TestDiskReadOnly(t *testing.T) {
	t.Parallel()
	disk := storagetest.NewDisk(t)
	data := filepath.Join(disk.Dir, "data")
	p := start(t, data)
	tr := newTraffic(t, p.url, 2)
	tr.runFor(100*time.Millisecond, p.url)
	disk.Freeze() // while nobody writes; a sync under way would be one that failed
	for range 2 {
		tr.runFor(20*time.Second, p.url)
		if got := tr.refused(); !slices.Equal(got, []int{http.StatusServiceUnavailable}) || !strings.Contains(tr.refusals[http.StatusServiceUnavailable], "read-only") {
			t.Errorf("refusals %v, want 503: %v", got, tr.refusals)
		}
		tr.check(p.url, time.Now())
		time.Sleep(1500 * time.Millisecond) // after a failed sync it would end in 3 s
	}
	p.ready(http.StatusOK)
	p.stop()
	disk.Back()
	tr.outlived(data)
}

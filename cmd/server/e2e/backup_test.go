package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// command runs a subcommand that must succeed and returns its output.
func command(tb testing.TB, arguments ...string) string {
	tb.Helper()
	out, err := exec.Command(binary, arguments...).CombinedOutput()
	if err != nil {
		tb.Fatalf("server %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

// TestBackupUnderLoad makes backups while people click and upload: each contains
// everything acknowledged before it began. A backup of an idle server restores the
// same evidence and masks.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	p := start(t, data)
	tr := newTraffic(t, p.url, 2)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tr.runFor(1500*time.Millisecond, p.url)
	}()
	type taken struct {
		file string
		at   time.Time
	}
	var backups []taken
	for i := range 3 {
		time.Sleep(200 * time.Millisecond)
		b := taken{filepath.Join(dir, fmt.Sprintf("backup-%d.tar", i)), time.Now()}
		t.Log(strings.TrimSpace(command(t, "backup", b.file, "--data", data)))
		backups = append(backups, b)
	}
	<-done
	quiet := taken{filepath.Join(dir, "quiet.tar"), time.Now()}
	command(t, "backup", quiet.file, "--data", data)
	for i, b := range append(backups, quiet) {
		place := filepath.Join(dir, fmt.Sprint("restored ", i))
		command(t, "restore", b.file, "--data", place)
		examine(t, place)
		restored := start(t, place)
		tr.check(restored.url, b.at)
		if b == quiet {
			for _, c := range tr.workers {
				for _, part := range []string{"evidence", "mask.png", "superpixels.bin", ""} {
					path := "/api/v1/images/" + c.image + "/" + part
					if want, got := p.body(path), restored.body(path); got != want || want == "" {
						t.Errorf("%s of %d bytes came back with %d or other ones", path, len(want), len(got))
					}
				}
			}
		}
		restored.stop()
	}
	p.stop()
	if out, err := exec.Command(binary, "restore", quiet.file, "--data", data).CombinedOutput(); err == nil || !strings.Contains(string(out), "not empty") {
		t.Errorf("restoring over a folder in use: %v %s", err, out)
	}
}

// body is the answer to a GET that must succeed.
func (p *process) body(path string) string {
	p.tb.Helper()
	var b []byte
	if _, err := send(p.tb.Context(), http.MethodGet, p.url+strings.TrimSuffix(path, "/"), "", nil, &b); err != nil {
		p.tb.Errorf("%s: %v", path, err)
	}
	return string(b)
}

// TestDoctor damages a data folder and checks what the doctor reports and repairs.
func TestDoctor(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := start(t, data)
	tr := newTraffic(t, p.url, 2)
	first, second := tr.workers[0].image, tr.workers[2].image
	examine(t, data) // while the server runs
	p.stop()
	visit := func(wrong bool, wants []string, flags ...string) {
		t.Helper()
		out, err := exec.Command(binary, append([]string{"doctor", "--data", data}, flags...)...).CombinedOutput()
		if (err != nil) != wrong {
			t.Errorf("exit %v\n%s", err, out)
		}
		for _, want := range wants {
			if !strings.Contains(string(out), want) {
				t.Errorf("the doctor does not say %q:\n%s", want, out)
			}
		}
	}
	visit(false, []string{"2 images with 0 events examined, 0 damaged", "belong to no image: 0"})
	if err := os.Remove(filepath.Join(data, "blobs", "thumbnail", first+".s")); err != nil {
		t.Fatal(err)
	}
	orphan := filepath.Join(data, "blobs", "original", "orphan")
	if err := os.WriteFile(orphan, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(orphan, old, old); err != nil {
		t.Fatal(err)
	}
	visit(true, []string{first, "thumbnail", "--repair can fix it", "1 damaged", "belong to no image: 1, 1 byte", "1 problem found"})
	visit(false, []string{"was repaired", "1 of them were older than a day and have been removed"}, "--repair")
	visit(false, []string{"0 damaged", "belong to no image: 0"})
	if err := os.Truncate(filepath.Join(data, "blobs", "graph", second+".s"), 10); err != nil {
		t.Fatal(err)
	}
	visit(false, []string{second, "the superpixels", "was repaired"}, "--repair")
	if err := os.Truncate(filepath.Join(data, "blobs", "original", second+".s"), 10); err != nil {
		t.Fatal(err)
	}
	visit(true, []string{second, "only a backup can bring it back", "1 problem found"}, "--repair")
	// The others are in a backup all the same.
	file, lost := filepath.Join(t.TempDir(), "backup.tar"), "not in the backup: image "+second
	out, err := exec.Command(binary, "backup", file, "--data", data).CombinedOutput()
	if err == nil || !strings.Contains(string(out), lost) {
		t.Errorf("backup: %v\n%s", err, out)
	}
	out, err = exec.Command(binary, "restore", file, "--data", filepath.Join(t.TempDir(), "restored")).CombinedOutput()
	if err != nil || !strings.Contains(string(out), lost) || !strings.Contains(string(out), "2 images") {
		t.Errorf("restore: %v\n%s", err, out)
	}
	if err := os.Truncate(filepath.Join(data, "collie.db"), 3*4096); err != nil {
		t.Fatal(err)
	}
	visit(true, []string{"malformed"})
}

// The audit log has the backups and exports that were made, not those that failed.
func TestAuditOfFiles(t *testing.T) {
	t.Parallel()
	data, dir := filepath.Join(t.TempDir(), "data"), t.TempDir()
	p := start(t, data)
	p.sample()
	p.stop()
	export := func(out string) []string {
		return []string{"export", "--data", data, "--project", "Sample", "--format", "coco", "--out", out}
	}
	copied, exported := filepath.Join(dir, "backup.tar"), filepath.Join(dir, "out.zip")
	command(t, "backup", copied, "--data", data)
	command(t, export(exported)...)
	refuses(t, "already exists", "backup", copied, "--data", data)
	refuses(t, "nothing was exported", export(filepath.Join(dir, "missing", "out.zip"))...)
	noted := command(t, "audit", "--data", data)
	for _, action := range []string{"server.backup", "export.download"} {
		if n := strings.Count(noted, action); n != 1 {
			t.Errorf("%s is noted %d times, want once:\n%s", action, n, noted)
		}
	}
}

package e2e

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"collie/storage/storagetest"
)

// A server starts on a disk without any space, after a clean end and after a kill
// that left a write-ahead log: it says so, everything can be read, changes get 507,
// the doctor and a backup to another disk work, and with space and a restart so
// does saving.
func TestFullAtStart(t *testing.T) {
	for name, killed := range map[string]bool{"stopped": false, "killed": true} {
		t.Run(name, func(t *testing.T) {
			dir := storagetest.NewDisk(t).Dir
			data := filepath.Join(dir, "data")
			p := start(t, data)
			id := p.sample()
			if killed {
				if err := p.cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_ = p.cmd.Wait()
				if err := os.Remove(filepath.Join(data, "collie.db-shm")); err != nil { // or SQLite would have its space
					t.Fatal(err)
				}
			} else {
				p.stop()
			}
			fill(t, filepath.Join(dir, "fill"))

			p = start(t, data)
			for range 20 {
				if status, err := send(t.Context(), http.MethodGet, p.url+"/api/v1/projects/"+id, "", nil, nil); status != 200 {
					t.Fatalf("reading: %d, %v", status, err)
				}
			}
			for _, path := range []string{"/", "/projects/" + id, "/api/v1/projects/" + id + "/images"} {
				if status, err := send(t.Context(), http.MethodGet, p.url+path, "", nil, nil); status != 200 {
					t.Errorf("%s: %d, %v", path, status, err)
				}
			}
			status, err := send(t.Context(), http.MethodPost, p.url+"/api/v1/projects", "application/json", []byte(`{"name":"x"}`), nil)
			if status != http.StatusInsufficientStorage {
				t.Errorf("a change: %d, %v", status, err)
			}
			p.stop()
			if !strings.Contains(p.stderr.String(), "the disk is full") {
				t.Errorf("the log doesn't say why: %s", p.stderr)
			}
			if out, err := exec.Command(binary, "doctor", "--data", data).CombinedOutput(); err != nil {
				t.Errorf("the doctor: %v\n%s", err, out)
			}
			saved := filepath.Join(t.TempDir(), "backup")
			if out, err := exec.Command(binary, "backup", saved, "--data", data).CombinedOutput(); err != nil {
				t.Errorf("the backup: %v\n%s", err, out)
			}

			if err := os.Remove(filepath.Join(dir, "fill")); err != nil {
				t.Fatal(err)
			}
			p = start(t, data)
			p.sample()
			p.stop()
			if strings.Contains(p.stderr.String(), "the disk is full") {
				t.Error("the disk is still said to be full")
			}
			examine(t, data)
		})
	}
}

// fill writes a file until not a byte more fits on the disk.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

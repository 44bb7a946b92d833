package disk_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"collie/storage/disk"
)

// names are those of what is in a folder.
func names(tb testing.TB, dir string) (all []string) {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// holds makes a test binary hold a temporary folder and a file until it is killed.
const holds = "COLLIE_TEST_HOLDS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holds); dir != "" {
		_, remove, err := disk.TemporaryFolder(dir)
		if err != nil {
			panic(err)
		}
		defer remove()
		panic(disk.Replace(filepath.Join(dir, "a"), func(*os.File) error {
			os.Stdout.WriteString("ready\n")
			select {}
		}))
	}
	os.Exit(m.Run())
}

// What a process has in use stays; what it leaves when it is killed is removed by the
// next one in the folder, and nothing else is.
func TestRemains(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing is removed where files can't be locked")
	}
	dir := t.TempDir()
	others := []string{".collie-part-", ".collie-part-1x", ".collie-part-old", ".c.part-2", "collie-part-3"}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir, filepath.Join(dir, ".collie-part-4")); err != nil {
		t.Fatal(err)
	}
	others = append(others, ".collie-part-4")
	slices.Sort(others)
	next := func(want int) {
		t.Helper()
		_, remove, err := disk.TemporaryFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := disk.Replace(filepath.Join(dir, "b"), func(*os.File) error { return nil }); err != nil {
			t.Error(err)
		}
		if err := remove(); err != nil {
			t.Error(err)
		}
		if err := os.Remove(filepath.Join(dir, "b")); err != nil {
			t.Error(err)
		}
		if all := names(t, dir); len(all) != len(others)+want {
			t.Errorf("%q are there, want %q and %d more", all, others, want)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := exec.Command(self)
	other.Env = append(os.Environ(), holds+"="+dir)
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 10)); err != nil {
		t.Error(err)
	}
	next(2)
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait() // says that it was killed
	next(0)
	if all := names(t, dir); !slices.Equal(all, others) {
		t.Errorf("%q are left, want %q", all, others)
	}
}

// What is just being made is nobody's remains.
func TestTemporaryAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 200 {
				folder, remove, err := disk.TemporaryFolder(dir)
				if err == nil {
					err = os.WriteFile(filepath.Join(folder, "x"), nil, 0o600)
				}
				if err == nil {
					err = errors.Join(remove(), disk.Replace(filepath.Join(dir, fmt.Sprint(i%2)), func(*os.File) error { return nil }))
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if all := names(t, dir); !slices.Equal(all, []string{"0", "1"}) {
		t.Errorf("%q are left", all)
	}
}

// Nobody waits for a lock: a restore makes a temporary folder in one that it holds.
func TestTemporaryInTemporary(t *testing.T) {
	outer, remove, err := disk.TemporaryFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	made := make(chan error, 1)
	go func() {
		_, remove, err := disk.TemporaryFolder(outer)
		if err == nil {
			err = remove()
		}
		made <- err
	}()
	select {
	case err := <-made:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for the lock of the outer one")
	}
}

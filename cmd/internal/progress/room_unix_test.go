//go:build unix

package progress

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// A file of results that has no room stays as it was, and leaves nothing beside it.
func TestWriteResultWithoutRoom(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "figures.json")
	if err := WriteResult(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if err := withRoomFor(t, 3, func() error { return WriteResult(path, []byte("newest")) }); err == nil {
		t.Error("no error without room")
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
		t.Errorf("%q, %v", b, err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("the folder has %v, %v", names, err)
	}
}

// withRoomFor runs do while files can't be larger than so many bytes.
func withRoomFor(t *testing.T, bytes uint64, do func() error) error {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ) // which would end the program
	defer signal.Reset(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	failed := do()
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	return failed
}

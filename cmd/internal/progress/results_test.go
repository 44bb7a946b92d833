package progress

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// A file of results is replaced whole or not at all, but a link never, nor is any file
// beside it.
func TestWriteResult(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "figures.json")
	mine := path + ".part"
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"old", "new"} {
		if err := WriteResult(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := withRoomFor(t, 3, func() error { return WriteResult(path, []byte("newest")) }); err == nil {
		t.Error("no error without room")
	}
	for name, want := range map[string]string{path: "new", mine: "mine"} {
		if b, err := os.ReadFile(name); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 2 {
		t.Errorf("the folder has %v, %v", names, err)
	}
	like, err := os.Stat(mine)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != like.Mode() {
		t.Errorf("%v, %v; other new files are %v", info.Mode(), err, like.Mode())
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteResult(link, []byte("linked")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "linked" {
		t.Errorf("through a link: %q, %v", b, err)
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

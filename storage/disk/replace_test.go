package disk_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/storage/disk"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	write := func(text string, err error) func(*os.File) error {
		return func(f *os.File) error {
			if _, err := f.WriteString(text); err != nil {
				return err
			}
			return err
		}
	}
	expect := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("the file has %q, %v, want %q", got, err, want)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("the folder has %v, %v", entries, err)
		}
	}
	if err := disk.Replace(path, write("one", nil)); err != nil {
		t.Fatal(err)
	}
	expect("one")
	broken := errors.New("broken")
	if err := disk.Replace(path, write("half", broken)); !errors.Is(err, broken) {
		t.Errorf("an error of the writer came back as %v", err)
	}
	expect("one")
	if err := disk.Replace(path, write("two", nil)); err != nil {
		t.Fatal(err)
	}
	expect("two")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := disk.Replace(link, write("three", nil)); err != nil {
		t.Fatal(err)
	}
	expect("three")
	socket := filepath.Join(t.TempDir(), "socket")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := disk.Replace(socket, write("", nil)); err == nil || !strings.Contains(err.Error(), "is not an ordinary file") {
		t.Errorf("a socket: %v", err)
	}
	if err := disk.Replace("-", write("", nil)); err == nil || !strings.Contains(err.Error(), "standard output") {
		t.Errorf("standard output: %v", err)
		_ = os.Remove("-")
	}
	if err := disk.Replace(dir, write("", nil)); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if err := disk.Replace(filepath.Join(dir, "no", "folder"), write("", nil)); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "no")+" doesn't exist") {
		t.Error("a file in a folder that is not there was written")
	}
}

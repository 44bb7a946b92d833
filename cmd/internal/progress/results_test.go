package progress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of results is replaced, but a link never, nor is any file beside it.
func TestWriteResult(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "figures.json")
	mine := path + ".part"
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".collie-part-123"), 0o700); err != nil { // of a program that was killed
		t.Fatal(err)
	}
	for _, text := range []string{"old", "new"} {
		if err := WriteResult(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
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
	if err := ResultFile("--json", "-"); err == nil || !strings.Contains(err.Error(), "/dev/stdout") {
		t.Errorf("standard output: %v", err)
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

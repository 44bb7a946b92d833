package progress

import (
	"os"
	"path/filepath"
	"testing"
)

// A file of results is replaced whole or not at all, but a link never.
func TestWriteResult(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "figures.json")
	for _, text := range []string{"old", "new"} {
		if err := WriteResult(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(path+".part", 0o755); err != nil { // no room for another one
		t.Fatal(err)
	}
	if err := WriteResult(path, []byte("newest")); err == nil {
		t.Error("no error without room")
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "new" {
		t.Errorf("%q, %v", b, err)
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

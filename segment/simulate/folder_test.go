package simulate

import (
	"os"
	"path/filepath"
	"testing"
)

// Spreadsheets and editors write a byte order mark and empty lines.
func TestIndex(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "images"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"images/a.jpg", "images/b.png"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "index.tsv"), []byte("\ufeffid\trank\r\nb\t1\r\na\t2\r\n\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	list, err := Pictures(dir, 0)
	if err != nil || len(list) != 2 || list[0].ID != "b" || list[1].ID != "a" {
		t.Errorf("%v, %v; want b and a", list, err)
	}
}

package tempfile_test

import (
	"errors"
	"io"
	"os"
	"runtime"
	"testing"

	"collie/tempfile"
)

// A file can be written and read while it is open, and its folder is empty when it is
// closed; where files need no name also before.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	names := func() int {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	f, err := tempfile.Create(dir, "some-*")
	if err != nil {
		t.Fatal(err)
	}
	if n := names(); n > 0 && runtime.GOOS != "windows" {
		t.Errorf("%d names while the file is open", n)
	}
	if _, err := f.WriteString("content"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(f); string(got) != "content" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if err := f.Close(); err != nil || names() > 0 {
		t.Errorf("%v, %d names after the end", err, names())
	}
	if err := f.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
}

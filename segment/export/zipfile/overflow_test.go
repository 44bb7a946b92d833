package zipfile

import (
	"bytes"
	"io"
	"os"
	"testing"
)

// A large document doesn't stay in memory and is whole when it is read again, and its file
// has no name that a kill could leave behind.
func TestOverflow(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	var o Overflow
	var want []byte
	for i := range 40 {
		some := bytes.Repeat([]byte{byte(i)}, keepInMemory/16)
		want = append(want, some...)
		if _, err := o.Write(some); err != nil {
			t.Fatal(err)
		}
	}
	if o.memory.Len() > keepInMemory || o.file == nil {
		t.Errorf("%d bytes are in memory", o.memory.Len())
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	r, size, err := o.Reader()
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil || size != int64(len(want)) || !bytes.Equal(got, want) {
		t.Errorf("%d of %d bytes, said to be %d, %v", len(got), len(want), size, err)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
}

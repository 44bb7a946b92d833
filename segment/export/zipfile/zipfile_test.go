package zipfile_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"collie/segment/export/zipfile"
)

// Names in other alphabets are marked as UTF-8; Windows would read them in its own encoding.
func TestNameMark(t *testing.T) {
	var b bytes.Buffer
	a := zipfile.NewWriter(&b, nil)
	for _, name := range []string{"a.png", "猫.png"} {
		if err := a.Add(zipfile.Stored(name, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if marked := f.Flags&(1<<11) != 0; marked != (f.Name == "猫.png") {
			t.Errorf("%s is marked: %t", f.Name, marked)
		}
	}
}

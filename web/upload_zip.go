package web

import (
	"context"
	"os"

	"collie/segment/archive"
)

// isZip reports whether a file starts as zip archives do, that with nothing in
// it included. The name says nothing: a picture with an archive behind it is a
// picture.
func isZip(start []byte) bool {
	return len(start) >= 4 && (string(start[:4]) == "PK\x03\x04" || string(start[:4]) == "PK\x05\x06")
}

// addZip adds the files in a zip archive under their paths in it. An archive
// that can't be read is a failed file; so is each file in it that is no image.
func (u *upload) addZip(ctx context.Context, name string, file *os.File, size int64) {
	a, err := archive.Open(file, size, u.limits.Zip)
	if err != nil {
		u.fail(name, err)
		return
	}
	found := false
	for f := range a.Files() {
		found = true
		if !u.addEntry(ctx, f) {
			return
		}
	}
	if !found {
		u.fail(name, invalid("The zip archive contains no files."))
	}
}

// addEntry adds a file of a zip archive and reports whether another can follow.
func (u *upload) addEntry(ctx context.Context, f *archive.File) (more bool) {
	if u.full(f.Name) {
		return false
	}
	content, err := f.Open()
	if err != nil {
		u.fail(f.Name, err)
		return true
	}
	defer content.Close()
	u.add(ctx, f.Name, content)
	return ctx.Err() == nil
}

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// elsewhere returns the name under which the project has a file that it lacks under the
// file's own one. Names have the folders that tell files apart, so that a file gets
// another one once the folder that is uploaded holds more, or when one within it is
// uploaded by itself. Names of other files here are theirs, and the content decides:
// cameras number images of one size alike.
func (u *uploading) elsewhere(ctx context.Context, file string, size int64) (name string, err error) {
	if sized(u.there[nameKept(u.names[file])], size) {
		return "", nil
	}
	path := strings.TrimPrefix(filepath.ToSlash(file), "/")
	for more := true; more; _, path, more = strings.Cut(path, "/") {
		name := nameKept(path)
		if u.others(name, file) {
			continue
		}
		for _, im := range u.there[name] {
			if im.Bytes != size {
				continue
			}
			if same, err := u.holds(ctx, im.ID, file); same || err != nil {
				return name, err
			}
		}
	}
	return "", nil
}

// others reports whether a name belongs to another file of the upload.
func (u *uploading) others(name, file string) bool {
	owner, ok := u.owners[name]
	return ok && owner != file
}

// holds reports whether an image was uploaded from the bytes of a file.
func (s *server) holds(ctx context.Context, imageID, file string) (same bool, err error) {
	in, err := os.Open(file)
	if err != nil {
		return false, nil // which is said where the file is sent
	}
	defer in.Close()
	own := sha256.New()
	if _, err := io.Copy(own, in); err != nil {
		return false, nil
	}
	err = s.patiently(ctx, func() error {
		resp, err := s.open(ctx, "GET", "/api/v1/images/"+imageID+"/original", "", nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		theirs := sha256.New()
		if _, err := io.Copy(theirs, resp.Body); err != nil {
			return s.broken(resp.Request, err)
		}
		same = bytes.Equal(own.Sum(nil), theirs.Sum(nil))
		return nil
	})
	return same, err
}

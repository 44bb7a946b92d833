package web

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"

	"collie/segment"
	"collie/segment/archive"
)

// isZip reports whether a file starts as zip archives do, that with nothing in
// it included. The name says nothing: a picture with an archive behind it is a
// picture.
func isZip(start []byte) bool {
	return string(start) == "PK\x03\x04" || string(start) == "PK\x05\x06"
}

// addZip adds the files in a zip archive under their paths in it. An archive
// that can't be read is a failed file; so is each file in it that is no image.
func (u *upload) addZip(ctx context.Context, name string, content io.Reader) (more bool) {
	leave, err := u.enterZip()
	if err != nil {
		u.fail(name, err)
		return true
	}
	defer leave()
	file, size, err := u.keep(content)
	if err != nil {
		u.fail(name, err)
		return ctx.Err() == nil
	}
	defer u.discard(file)
	a, err := archive.Open(file, size, u.limits.Zip)
	if err != nil {
		u.fail(name, err)
		return true
	}
	found := false
	for f := range a.Files() {
		found = true
		if !u.addEntry(ctx, f) {
			return false
		}
	}
	if !found {
		u.fail(name, invalid("The zip archive holds no file."))
	}
	return true
}

// addEntry adds a file of a zip archive.
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
	return u.add(ctx, f.Name, content)
}

// enterZip takes a place among the archives that are being read, of which there
// are few at once; leave gives it back.
func (s *Server) enterZip() (leave func(), err error) {
	p, err := s.zips.Join(1, 0)
	if err != nil {
		return nil, segment.Errorf(segment.Busy, "Too many zip archives are being read at the moment. This one was not taken; try again in a minute.")
	}
	return p.Leave, nil
}

// keep copies a zip archive into a file, because reading one starts at its end.
// Where the system lets it, the file has no name any more, so that nothing can
// leave it behind.
func (s *Server) keep(content io.Reader) (*os.File, int64, error) {
	name := "upload-" + rand.Text()
	file, err := s.scratch.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, 0, err
	}
	_ = s.scratch.Remove(name) // some systems only remove closed files: see discard
	limit := s.limits.Zip.Bytes
	size, err := io.Copy(file, io.LimitReader(content, limit+1))
	switch {
	case err == nil && size > limit:
		err = segment.Errorf(segment.TooLarge, "The zip archive is larger than %s, which is the most that is accepted. Make several of it.", bytesText(limit))
	case errors.As(err, new(*fs.PathError)):
		err = segment.Errorf(segment.Unavailable, "There is no room on the server's disk to unpack the zip archive. It was not taken.").Because(err)
	}
	if err != nil {
		s.discard(file)
		return nil, 0, err
	}
	return file, size, nil
}

// discard closes and removes a file that keep has made.
func (s *Server) discard(file *os.File) {
	info, err := file.Stat()
	err = errors.Join(err, file.Close())
	if err == nil {
		if e := s.scratch.Remove(info.Name()); !errors.Is(e, os.ErrNotExist) {
			err = e
		}
	}
	if err != nil {
		s.log.Warn("scratch file not removed", "error", err)
	}
}

package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"syscall"

	"collie/segment"
	"collie/segment/ledger"
	"collie/web/wire"
)

// Bodies up to smallBody bytes are read into memory; JSON that is decoded takes
// up to jsonExpansion times its length, its text included.
const (
	smallBody     = 64 << 10
	jsonExpansion = 10
)

// receivers is how many users can send as many files at once as one user can.
const receivers = 8

// enter takes a place among what is being received; leave gives it back. What
// comes slowly takes the places of its sender and no memory.
func (s *Server) enter(ctx context.Context) (leave func(), err error) {
	leave, err = s.places.Take(ctx, 1)
	if errors.Is(err, ledger.ErrBusy) {
		return nil, segment.Errorf(segment.Busy, "You are sending too many files at once. This one was not saved; try again when some have arrived.")
	}
	return leave, err
}

// scratchFile makes a file that lives as long as a request. Where the system
// lets it, it has no name any more, so that nothing can leave it behind.
func (s *Server) scratchFile() (*os.File, error) {
	name := "upload-" + rand.Text()
	file, err := s.scratch.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, noRoom(err)
	}
	_ = s.scratch.Remove(name) // some systems only remove closed files: see discard
	return file, nil
}

// keep copies up to limit+1 bytes of content to the end of a scratch file and
// returns how many there were.
func (s *Server) keep(file *os.File, content io.Reader, limit int64) (int64, error) {
	size, err := io.Copy(file, io.LimitReader(content, limit+1))
	if errors.As(err, new(*fs.PathError)) {
		err = noRoom(err)
	}
	return size, err
}

// noRoom says why a scratch file can't be written.
func noRoom(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return segment.Errorf(segment.Full, "The server's disk is full. The file was not saved; earlier work is safe. Saving works again as soon as there is space.").Because(err)
	}
	return segment.Errorf(segment.Unavailable, "The server can't write to its disk at the moment. The file was not saved; earlier work is safe.").Because(err)
}

// discard closes and removes a scratch file.
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

// decodeBody reads the JSON object in the body of r into v. Fields that v does
// not have are ignored, so that newer clients can talk to older servers. The
// memory that a large body takes is lent to the request until its end.
func (s *Server) decodeBody(r *http.Request, v any) error {
	b, err := s.readBody(r)
	if err != nil {
		return err
	}
	return wire.Decode(b, v)
}

// readBody returns the body of r. What is not small is in a file until it has
// arrived and there is memory for it.
func (s *Server) readBody(r *http.Request) ([]byte, error) {
	start, err := io.ReadAll(io.LimitReader(r.Body, smallBody+1))
	if err != nil {
		return nil, brokenBody(err)
	}
	if len(start) <= smallBody {
		return start, nil
	}
	leave, err := s.enter(r.Context())
	if err != nil {
		return nil, err
	}
	defer leave()
	file, err := s.scratchFile()
	if err != nil {
		return nil, err
	}
	defer s.discard(file)
	size, err := s.keep(file, io.MultiReader(bytes.NewReader(start), r.Body), s.limits.JSON)
	if segment.KindOf(err) == segment.Unavailable {
		return nil, err
	}
	if err != nil {
		return nil, brokenBody(err)
	}
	give, err := s.workspace.Documents(r.Context(), jsonExpansion*size)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(r.Context(), give)
	b := make([]byte, size)
	_, err = file.ReadAt(b, 0)
	return b, err
}

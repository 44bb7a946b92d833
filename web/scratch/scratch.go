// Package scratch keeps what clients send in files until all of it has arrived.
// A file exists as long as its request and never outlives the program.
package scratch

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"collie/segment"
	"collie/segment/ledger"
	"collie/segment/reserve"
)

// users is how many users can send as many files at once as one user can.
const users = 8

// Space is a folder for such files, with places for what is being received. An
// upload that comes slowly takes up its sender's places and no memory. Safe for
// concurrent use.
type Space struct {
	Places *ledger.Ledger
	folder *os.Root
	log    *slog.Logger
}

// New returns a space in a folder, which the caller closes. One user can send so
// many files at once while as many as queue wait; further ones are refused.
func New(folder *os.Root, log *slog.Logger, files, queue int) *Space {
	return &Space{ledger.New(users*int64(files), int64(files), queue), folder, log}
}

// Room returns an error of kind Full if the disk has no room for large files: what is
// left is the reserve.
func (s *Space) Room() error {
	folder, err := s.folder.Open(".")
	if err != nil {
		return noRoom(err)
	}
	defer folder.Close()
	return reserve.Check(folder, 1)
}

// File is a file that has a place. It must be closed.
type File struct {
	*os.File
	in    io.Writer
	space *Space
	leave func()
}

// Open waits for a place and makes a file. A user who sends too many files at
// once gets an error of kind Busy. See [reserve.Use] for what ctx can allow.
func (s *Space) Open(ctx context.Context) (*File, error) {
	leave, err := s.Places.Take(ctx, 1)
	if errors.Is(err, ledger.ErrBusy) {
		return nil, segment.Errorf(segment.Busy, "Too many uploads at once. This file was not saved; try again when some have finished.")
	}
	if err != nil {
		return nil, err
	}
	name := "upload-" + rand.Text()
	file, err := s.folder.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		leave()
		return nil, noRoom(err)
	}
	// A file without a name can't be left behind. Some systems only remove closed
	// files: Close does it there.
	_ = s.folder.Remove(name)
	return &File{file, reserve.Writer(ctx, file), s, leave}, nil
}

// Keep copies up to limit+1 bytes of content to the end of the file and returns
// how many there were. Errors of the disk are of kind Full or Unavailable; those
// of content are returned as they are.
func (f *File) Keep(content io.Reader, limit int64) (int64, error) {
	size, err := io.Copy(f.in, io.LimitReader(content, limit+1))
	if errors.As(err, new(*fs.PathError)) {
		err = noRoom(err)
	}
	return size, err
}

// Close removes the file and gives its place back.
func (f *File) Close() {
	defer f.leave()
	info, err := f.Stat()
	err = errors.Join(err, f.File.Close())
	if err == nil {
		if e := f.space.folder.Remove(info.Name()); !errors.Is(e, os.ErrNotExist) {
			err = e
		}
	}
	if err != nil {
		f.space.log.Warn("scratch file not removed", "error", err)
	}
}

// noRoom says why a scratch file can't be written.
func noRoom(err error) error {
	if segment.OutOfSpace(err) {
		return segment.Errorf(segment.Full, "The server's disk is full. The file was not saved; earlier work is safe. Saving works again as soon as there is space.").Because(err)
	}
	return segment.Errorf(segment.Unavailable, "The server can't write to its disk at the moment. The file was not saved; earlier work is safe.").Because(err)
}

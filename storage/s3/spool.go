package s3

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"collie/segment/reserve"
	"collie/storage/disk"
	"collie/tempfile"
)

// spooled is a temporary file with all of a blob's content.
type spooled struct {
	*tempfile.File
	size int64
	sum  string // SHA-256 in hexadecimal
}

// spool writes what write produces to a temporary file, which is read from its
// beginning.
func (s *Store) spool(ctx context.Context, write func(io.Writer) error) (_ *spooled, err error) {
	if err := disk.MakeFolder(s.scratch); err != nil {
		return nil, disk.Trouble(err)
	}
	file, err := tempfile.Create(s.scratch, "blob-*")
	if err != nil {
		return nil, disk.Trouble(err)
	}
	content := &spooled{File: file}
	defer func() {
		if err != nil {
			_ = content.Close()
		}
	}()
	out, sum := &disk.Writer{Context: ctx, File: reserve.Writer(ctx, file.File)}, sha256.New()
	err = write(io.MultiWriter(out, sum))
	switch {
	case out.Err != nil: // the disk's error takes precedence over write's
		return nil, disk.Trouble(out.Err)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	if content.size, err = file.Seek(0, io.SeekEnd); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, disk.Trouble(err)
	}
	content.sum = hex.EncodeToString(sum.Sum(nil))
	return content, nil
}

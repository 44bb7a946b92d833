// Package reserve keeps the last free space of a disk for edits. A click takes a few
// hundred bytes, an upload or an export up to gigabytes: files are refused once they
// would leave less than the reserve, and what people edit is saved until nothing is left.
package reserve

import (
	"context"
	"io"
	"os"
	"syscall"

	"collie/segment"
)

const (
	most  = 256 << 20 // bytes of the reserve of a large disk
	share = 20        // a smaller disk's reserve is this part of it
	apart = 256 << 10 // bytes that a writer writes between two looks at the disk
)

// Check returns an error of kind Full if so many more bytes would leave less than the
// reserve on the disk of a file or folder. It takes microseconds.
func Check(file *os.File, bytes int64) error {
	free, reserve, ok := Space(file)
	if !ok || free-bytes >= reserve {
		return nil
	}
	return segment.Errorf(segment.Full, "The server's disk is nearly full: what is left is kept for edits, which are still saved. This was not saved; earlier work is safe. Ask whoever runs the server to make room, then try again.").Because(syscall.ENOSPC)
}

// Space returns the free bytes on the disk of a file or folder, and how many of them
// are its reserve. ok is false where the system doesn't say.
func Space(file *os.File) (free, reserve int64, ok bool) {
	free, total, err := space(file)
	return free, min(most, total/share), err == nil && total > 0 // some virtual disks have no size
}

type used struct{}

// Use returns a context whose writers may use the reserve: for what edits need, or what
// is only there for a moment so that something can be read.
func Use(ctx context.Context) context.Context { return context.WithValue(ctx, used{}, true) }

// Writer returns what writes to a file as long as Check allows.
func Writer(ctx context.Context, file *os.File) io.Writer {
	if ctx.Value(used{}) != nil {
		return file
	}
	return &writer{file: file}
}

type writer struct {
	file *os.File
	left int // bytes until the next look
}

func (w *writer) Write(p []byte) (int, error) {
	if w.left < len(p) {
		if err := Check(w.file, int64(len(p))); err != nil {
			return 0, err
		}
		w.left = apart
	}
	n, err := w.file.Write(p)
	w.left -= n
	return n, err
}

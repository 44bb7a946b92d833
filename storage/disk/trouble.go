package disk

import (
	"context"
	"io"

	"collie/segment"
)

// Trouble turns an error of the file system into one for people.
func Trouble(err error) error {
	switch {
	case segment.KindOf(err) != 0:
		return err
	case segment.OutOfSpace(err):
		return Full(err)
	case IsReadOnly(err):
		return ReadOnly(err)
	}
	return segment.Errorf(segment.Unavailable, "The server could not write the file to its data folder. The file was not saved; earlier work is safe.").Because(err)
}

// Writer writes to a file until its context is done. It keeps the file's own
// error, which whoever writes to it may hide.
type Writer struct {
	Context context.Context
	File    io.Writer // such as reserve.Writer returns
	Err     error     // the file's first error
}

func (w *Writer) Write(p []byte) (int, error) {
	if err := w.Context.Err(); err != nil {
		return 0, err
	}
	n, err := w.File.Write(p)
	if err != nil && w.Err == nil {
		w.Err = err
	}
	return n, err
}

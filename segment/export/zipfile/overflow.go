package zipfile

import (
	"bytes"
	"context"
	"io"
	"os"

	"collie/segment"
	"collie/segment/reserve"
	"collie/tempfile"
)

// keepInMemory is how many bytes an Overflow keeps before it uses a file.
const keepInMemory = 8 << 20

// Overflow is a buffer that moves to a temporary file when it gets large.
type Overflow struct {
	memory bytes.Buffer
	file   *tempfile.File
	inFile int64
}

func (o *Overflow) Write(b []byte) (int, error) {
	if o.memory.Len()+len(b) > keepInMemory {
		if err := o.spill(); err != nil {
			return 0, err
		}
	}
	return o.memory.Write(b)
}

// spill moves the bytes in memory to the end of the file.
func (o *Overflow) spill() error {
	if o.file == nil {
		var err error
		if o.file, err = tempfile.Create("", "collie-export-*"); err != nil {
			return noRoom(err)
		}
	}
	n, err := o.memory.WriteTo(reserve.Writer(context.Background(), o.file.File))
	o.inFile += n
	return noRoom(err)
}

// noRoom says why a temporary file can't be written.
func noRoom(err error) error {
	if segment.OutOfSpace(err) {
		return segment.Errorf(segment.Full, "The disk for temporary files, %s, has no more space. The project was not changed; free some space, or set TMPDIR to another folder, and export again.", os.TempDir()).Because(err)
	}
	return err
}

// Reader returns everything written, and its size.
func (o *Overflow) Reader() (io.Reader, int64, error) {
	size := o.inFile + int64(o.memory.Len())
	if o.file == nil {
		return &o.memory, size, nil
	}
	if _, err := o.file.Seek(0, io.SeekStart); err != nil {
		return nil, 0, err
	}
	return io.MultiReader(io.LimitReader(o.file, o.inFile), &o.memory), size, nil
}

// Close removes the temporary file, if any.
func (o *Overflow) Close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

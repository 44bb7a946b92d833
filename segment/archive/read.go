package archive

import (
	"errors"
	"io"

	"collie/segment"
)

// Open returns the content of the file. Damage and exceeded limits are errors
// of type *segment.Error; once a limit of the whole archive is exceeded,
// nothing more can be read from it. The caller closes the reader.
func (f *File) Open() (io.ReadCloser, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	if err := f.archive.full(); err != nil {
		return nil, err
	}
	content, err := f.entry.Open()
	if err != nil {
		return nil, f.damaged(err)
	}
	return &reader{ReadCloser: content, file: f}, nil
}

// full is the error when the files together exceed the limit.
func (a *Archive) full() error {
	if a.inflated.Load() > a.limits.Inflated {
		return segment.Errorf(segment.TooLarge, "Together, the files in the zip archive are larger than %s, which is the limit. The rest was not read.", segment.LimitText(a.limits.Inflated))
	}
	return nil
}

// count adds newly read bytes of the file to the archive's total; reading the
// same bytes again doesn't count.
func (f *File) count(read int64) {
	for most := f.most.Load(); read > most; most = f.most.Load() {
		if f.most.CompareAndSwap(most, read) {
			f.archive.inflated.Add(read - most)
			return
		}
	}
}

// reader counts the bytes that it inflates.
type reader struct {
	io.ReadCloser
	file *File
	read int64
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	f := r.file
	r.read += int64(n)
	f.count(r.read)
	// More bytes would contradict the directory, which has been checked.
	if r.read > f.Size {
		return 0, f.damaged(errors.New("longer than the directory says"))
	}
	if full := f.archive.full(); full != nil {
		return 0, full
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, f.damaged(err)
	}
	return n, err
}

func (f *File) damaged(err error) error {
	return f.refuse(segment.Unreadable, "is damaged").Because(err)
}

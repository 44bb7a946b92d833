// Package tempfile has temporary files that a kill doesn't leave behind.
package tempfile

import (
	"errors"
	"io/fs"
	"os"
)

// File is a temporary file, which has no name where the system allows that.
type File struct{ *os.File }

// Create creates a file as [os.CreateTemp] does. The caller closes it.
func Create(folder, pattern string) (*File, error) {
	file, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // fails on Windows; see Close
	return &File{file}, nil
}

// Close removes the file.
func (f *File) Close() error {
	err := f.File.Close()
	if gone := os.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

package importer

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/archive"
)

// Files are the files that a person wants imported.
type Files struct {
	Names []string // with slashes
	Open  func(name string) (io.ReadCloser, error)
}

// FromFS takes all plain files of a folder.
func FromFS(folder fs.FS) (Files, error) {
	f := Files{Open: func(name string) (io.ReadCloser, error) { return folder.Open(name) }}
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			f.Names = append(f.Names, name)
		}
		return err
	})
	if err != nil {
		return Files{}, fmt.Errorf("listing the files to import: %w", err)
	}
	return f, nil
}

// FromArchive takes the files of a zip archive, also those that can't be taken,
// whose Open says why.
func FromArchive(a *archive.Archive) Files {
	byName := map[string]*archive.File{}
	f := Files{Open: func(name string) (io.ReadCloser, error) {
		member, ok := byName[name]
		if !ok {
			return nil, segment.Errorf(segment.Unreadable, "The archive has no file %.100q.", name)
		}
		return member.Open()
	}}
	for member := range a.Files() {
		if byName[member.Name] == nil {
			byName[member.Name] = member
			f.Names = append(f.Names, member.Name)
		}
	}
	return f
}

// FromFile takes one file alone: a zip archive's files, else the file itself, as
// which a .npz, an archive too, counts.
func FromFile(name string, r io.ReaderAt, size int64, limits archive.Limits) (Files, error) {
	magic := make([]byte, 4)
	if n, err := r.ReadAt(magic, 0); n < len(magic) && err != io.EOF {
		return Files{}, fmt.Errorf("reading %s: %w", name, err)
	}
	if !bytes.HasPrefix(magic, []byte("PK")) || strings.EqualFold(path.Ext(name), ".npz") {
		return Files{
			Names: []string{path.Base(name)},
			Open:  func(string) (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(r, 0, size)), nil },
		}, nil
	}
	a, err := archive.Open(r, size, limits)
	if err != nil {
		return Files{}, err
	}
	return FromArchive(a), nil
}

// read reads a file of up to so many bytes.
func (f Files) read(name string, limit int64) ([]byte, error) {
	r, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, segment.Errorf(segment.Unreadable, "%s can't be read to its end.", name).Because(err)
	}
	if int64(len(b)) > limit {
		return nil, segment.Errorf(segment.TooLarge, "%s has more than %d MiB, which is the most that is read of such a file.", name, limit>>20)
	}
	return b, nil
}

// exported reports whether Collie has exported the files.
func (f Files) exported() bool { return slices.Contains(f.Names, "manifest.json") }

// photos lists the files that are pictures by their names, but for those in the
// given folders.
func (f Files) photos(but ...string) []string {
	var out []string
	for _, name := range f.Names {
		switch strings.ToLower(path.Ext(name)) {
		case ".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff":
			if !slices.Contains(but, path.Base(path.Dir(name))) {
				out = append(out, name)
			}
		}
	}
	return out
}

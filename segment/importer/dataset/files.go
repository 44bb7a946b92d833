package dataset

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/archive"
)

// Files are the files to import.
type Files struct {
	Names []string // with slashes
	Open  func(name string) (io.ReadCloser, error)

	Twice []string          // names of further files in an archive that are called like one before
	Sizes map[string]int64  // by name, if known; an upper limit for reading
	Alone *io.SectionReader // the content of a single file, otherwise nil
}

// During returns the files for an import that is cancelled with ctx.
func (f Files) During(ctx context.Context) Files {
	open := f.Open
	f.Open = func(name string) (io.ReadCloser, error) {
		file, err := open(name)
		if err != nil {
			return nil, err
		}
		return &endingReader{file, ctx}, nil
	}
	return f
}

// endingReader fails once its context is done. It can seek if the underlying
// reader can, as photo needs.
type endingReader struct {
	io.ReadCloser
	ctx context.Context
}

func (r *endingReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.ReadCloser.Read(p)
}

// Memory estimates an import's memory in bytes: its tables of images and the
// document being read.
func (f Files) Memory() int64 {
	const least, perByte, most = 4 << 20, 6, 96 << 20
	longest := int64(0)
	for _, name := range f.Names {
		switch strings.ToLower(path.Ext(name)) {
		case ".json", ".txt", ".xml":
			size, known := f.Sizes[name]
			if !known {
				size = most
			}
			longest = max(longest, min(size, most))
		}
	}
	return min(least+200*int64(len(f.Names))+perByte*longest, most)
}

// FromFS returns all plain files of a folder.
func FromFS(folder fs.FS) (Files, error) {
	f := Files{Open: func(name string) (io.ReadCloser, error) { return folder.Open(name) }, Sizes: map[string]int64{}}
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			f.Names = append(f.Names, name)
			if info, err := d.Info(); err == nil {
				f.Sizes[name] = info.Size()
			}
		}
		return err
	})
	if err != nil {
		return Files{}, fmt.Errorf("listing the files to import: %w", err)
	}
	return f, nil
}

// fromArchive returns the files of a zip archive, including refused ones, whose
// Open returns the reason. Of files with one name it returns the first.
func fromArchive(a *archive.Archive) Files {
	byName := map[string]*archive.File{}
	f := Files{Sizes: map[string]int64{}, Open: func(name string) (io.ReadCloser, error) {
		member, ok := byName[name]
		if !ok {
			return nil, segment.Errorf(segment.Unreadable, "The archive doesn't contain %.100q.", name)
		}
		return member.Open()
	}}
	for member := range a.Files() {
		if byName[member.Name] != nil {
			f.Twice = append(f.Twice, member.Name)
			continue
		}
		byName[member.Name] = member
		f.Names = append(f.Names, member.Name)
		f.Sizes[member.Name] = member.Size
	}
	return f
}

// FromFile returns a zip archive's files, or else the file itself. A .npz, also
// a zip archive, counts as one file.
func FromFile(name string, r io.ReaderAt, size int64, limits archive.Limits) (Files, error) {
	magic := make([]byte, 4)
	if n, err := r.ReadAt(magic, 0); n < len(magic) && err != io.EOF {
		return Files{}, fmt.Errorf("reading %s: %w", name, err)
	}
	if !bytes.HasPrefix(magic, []byte("PK")) || strings.EqualFold(path.Ext(name), ".npz") {
		name = path.Base(name)
		return Files{
			Names: []string{name},
			Open:  func(string) (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(r, 0, size)), nil },
			Sizes: map[string]int64{name: size}, Alone: io.NewSectionReader(r, 0, size),
		}, nil
	}
	a, err := archive.Open(r, size, limits)
	if err != nil {
		return Files{}, err
	}
	return fromArchive(a), nil
}

// Read reads a file of up to limit bytes.
func (f Files) Read(name string, limit int64) ([]byte, error) {
	tooLong := segment.Errorf(segment.TooLarge, "%s is larger than %d MiB, which is the limit for such a file.", name, limit>>20)
	if f.Sizes[name] > limit {
		return nil, tooLong
	}
	r, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var b bytes.Buffer
	b.Grow(int(f.Sizes[name]) + bytes.MinRead) // so that it need not move
	if _, err := b.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, segment.Errorf(segment.Unreadable, "%s is damaged or incomplete.", name).Because(err)
	}
	if int64(b.Len()) > limit {
		return nil, tooLong
	}
	return b.Bytes(), nil
}

// readText reads a file of up to limit bytes as UTF-8.
func (f Files) readText(name string, limit int64) ([]byte, error) {
	b, err := f.Read(name, limit)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(utf8In(bytes.NewReader(b)))
}

// Exported reports whether Collie exported the files.
func (f Files) Exported() bool { return slices.Contains(f.Names, "manifest.json") }

// Scores lists the .npz files, except the labels beside the probabilities in Collie's own
// exports, or a .npy file that is the only file: beside others it can be anything, such as
// what cellpose keeps.
func (f Files) Scores() []string {
	own := f.Exported()
	var out []string
	for _, name := range f.Names {
		if ext := strings.ToLower(path.Ext(name)); (ext == ".npz" || ext == ".npy" && len(f.Names) == 1) && !(own && path.Base(name) == "labels.npz") {
			out = append(out, name)
		}
	}
	return out
}

// photosBut lists the files named like pictures that are not among the masks.
func (f Files) photosBut(masks []string) []string {
	of := map[string]bool{}
	for _, name := range masks {
		of[name] = true
	}
	return slices.DeleteFunc(f.photos(), func(name string) bool { return of[name] })
}

// photos lists the files named like pictures, except those in the given
// folders.
func (f Files) photos(but ...string) []string {
	var out []string
	for _, name := range f.Names {
		if pictureEnding(name) && !slices.ContainsFunc(but, func(folder string) bool { _, _, in := cutFolder(name, folder); return in }) {
			out = append(out, name)
		}
	}
	return out
}

// Endless is a name without its ending.
func Endless(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// pictureEnding reports whether a file is named like a picture.
func pictureEnding(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg", ".jfif", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff":
		return true
	}
	return false
}

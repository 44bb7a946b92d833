// Package archive reads untrusted zip files: it counts sizes while inflating,
// whatever the directory says, and refuses names that could lead out of a
// folder or mean something else on another system, and everything but plain
// files. It writes nothing; callers that do should write through [os.Root]
// under new names.
package archive

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync/atomic"

	"collie/segment"
	"collie/segment/archive/zipnames"
)

// Limits of an archive. The zero value of a field means its default.
type Limits struct {
	Bytes    int64 // size of the archive itself
	Entries  int   // files and folders in it
	Inflated int64 // bytes of all files together, as read
	Ratio    int64 // inflated bytes per byte of the archive, of each file and of all
}

// OrDefault returns l with zeros replaced by the defaults.
func (l Limits) OrDefault() Limits {
	l.Bytes = cmp.Or(l.Bytes, 2<<30)
	l.Entries = cmp.Or(l.Entries, 10_000)
	l.Inflated = cmp.Or(l.Inflated, 2<<30)
	l.Ratio = cmp.Or(l.Ratio, 200)
	return l
}

// Archive is an opened zip file. Safe for concurrent use when its io.ReaderAt is.
type Archive struct {
	limits   Limits
	files    []*File
	inflated atomic.Int64 // by all files so far
}

// File is one file of an archive; folders are not listed.
type File struct {
	// Name is the path as in the archive, without a leading "./" and with slashes for the
	// backslashes of Windows. When Err is nil it is safe to show and leads out of no folder,
	// but Windows can't have a file of every such name.
	Name string
	// Size is the inflated size that the archive's directory states. At most
	// this much is read.
	Size int64
	// Err explains to people why the file is refused; Open returns it.
	Err error

	archive *Archive
	entry   *zip.File
	most    atomic.Int64 // bytes read from its start
}

// directoryBytes is the limit of an entry's average size in the directory.
const directoryBytes = 512

// Open reads the directory of the zip file of size bytes in r. Errors that are
// meant for the person are of type *segment.Error. A problem of a single file
// is in its Err; the others can be read. Memory: some hundred bytes per entry.
func Open(r io.ReaderAt, size int64, limits Limits) (*Archive, error) {
	limits = limits.OrDefault()
	if size > limits.Bytes {
		return nil, segment.Errorf(segment.TooLarge, "The zip archive is larger than %s, which is the limit.", segment.LimitText(limits.Bytes))
	}
	tooMany := segment.Errorf(segment.TooLarge, "The zip archive has more than %d entries, which is the limit. Split it.", limits.Entries)
	// zip.NewReader allocates as many entries as the archive states, and then
	// reads the whole directory, however long it is.
	if stated(r, size) > uint64(limits.Entries) {
		return nil, tooMany
	}
	directory := &budgetReader{r: r, left: int64(limits.Entries)*directoryBytes + 256<<10}
	z, err := zip.NewReader(directory, size)
	switch {
	case errors.Is(err, errBudget):
		return nil, tooMany
	case err != nil:
		return nil, segment.Errorf(segment.Unreadable, "The zip archive is damaged or incomplete.").Because(err)
	case len(z.File) > limits.Entries:
		return nil, tooMany
	}
	directory.left = -1                                       // from here on, bytes are counted as they inflate
	limits.Inflated = min(limits.Inflated, limits.Ratio*size) // entries can share their bytes
	a := &Archive{limits: limits}
	taken := map[string]bool{}
	names := zipnames.Of(z.File)
	for i, entry := range z.File {
		name := slashed(names[i], entry)
		if strings.HasSuffix(name, "/") {
			continue
		}
		f := &File{Name: name, Size: int64(min(entry.UncompressedSize64, 1<<62)), archive: a, entry: entry}
		if taken[f.Name] {
			f.Err = f.refuse(segment.Invalid, "appears twice; the first one is used")
		} else {
			f.Err = f.check(size)
			taken[f.Name] = f.Err == nil
		}
		a.files = append(a.files, f)
	}
	return a, nil
}

// Files yields the files in the order of the archive's directory; refused ones
// have their Err set. It leaves out what operating systems add (__MACOSX,
// .DS_Store, ._NAME, Thumbs.db).
func (a *Archive) Files() iter.Seq[*File] {
	return func(yield func(*File) bool) {
		for _, f := range a.files {
			if !isClutter(f.Name) && !yield(f) {
				return
			}
		}
	}
}

// check returns the reason why the file is refused, or nil.
func (f *File) check(size int64) error {
	e := f.entry
	switch {
	case !e.Mode().IsRegular():
		return f.refuse(segment.Invalid, "is a link or a device, not a file")
	case e.Flags&1 != 0:
		return f.refuse(segment.Unsupported, "is encrypted; only archives without a password can be read")
	case e.Method != zip.Store && e.Method != zip.Deflate:
		return f.refuse(segment.Unsupported, "uses an unsupported compression method; use deflate or no compression")
	case e.CompressedSize64 > uint64(size):
		return f.refuse(segment.Unreadable, "claims to be larger than the archive")
	case e.UncompressedSize64/uint64(f.archive.limits.Ratio) > e.CompressedSize64:
		return f.refuse(segment.TooLarge, "would expand to more than %d times its size in the archive, which is the limit; store it without compression", f.archive.limits.Ratio)
	case e.UncompressedSize64 > uint64(f.archive.limits.Inflated):
		return f.refuse(segment.TooLarge, "would expand to more than %s, which is the limit", segment.LimitText(f.archive.limits.Inflated))
	}
	if reason := badName(f.Name); reason != "" {
		return f.refuse(segment.Invalid, "can't be read because its name %s", reason)
	}
	return nil
}

// refuse returns the error for a refused file.
func (f *File) refuse(kind segment.Kind, format string, args ...any) *segment.Error {
	return segment.Errorf(kind, "%q in the zip archive %s.", shorten(f.Name), fmt.Sprintf(format, args...))
}

// errBudget ends the reading of a directory that is too long.
var errBudget = errors.New("directory too long")

// budgetReader reads up to left bytes; a negative number means no limit.
type budgetReader struct {
	r    io.ReaderAt
	left int64
}

func (b *budgetReader) ReadAt(p []byte, at int64) (int, error) {
	if b.left >= 0 {
		if b.left < int64(len(p)) {
			return 0, errBudget
		}
		b.left -= int64(len(p))
	}
	return b.r.ReadAt(p, at)
}

// shorten keeps the end of a long name.
func shorten(name string) string {
	if r := []rune(name); len(r) > 100 {
		return "…" + string(r[len(r)-100:])
	}
	return name
}

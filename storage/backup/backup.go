// Package backup writes a whole data folder to one file and restores it.
//
// The file is a plain tar archive: collie.db, a snapshot of the database; the
// files of its images under blobs/; and last SHA256SUMS, in the format of
// sha256sum, which shows that the backup is complete. In place of a checksum it says
// 'lost' for files that were lost or damaged already. Any tar program can
// unpack it. It contains the users' password hashes, so keep it as secret as
// the data folder.
package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"collie/segment"
	"collie/storage/disk"
	"collie/storage/sqlite"
)

// Names in the archive.
const (
	databaseName = "collie.db"
	blobsPrefix  = "blobs/"
	sumsName     = "SHA256SUMS"
)

// lostSum stands for the checksum of a file that was lost or damaged.
const lostSum = "lost"

// Summary counts what a backup contains.
type Summary struct {
	Images int // including those in the trash
	Files  int // their files
	Bytes  int64
	Lost   []string // files of images that it doesn't have, because they were lost or damaged, in words
}

// lose notes that a file of an image is not in the backup, unless a sweep has erased it.
func (s *Summary) lose(ctx context.Context, snapshot segment.TrashStore, im segment.Image, key string) error {
	gone, err := erased(ctx, snapshot, im)
	if err == nil && !gone {
		s.Lost = append(s.Lost, fmt.Sprintf("image %s, %q: %s", im.ID, im.Name, key))
	}
	return err
}

// Store is a database that a backup is made from.
type Store interface {
	// Snapshot writes the database as it is at one moment to a new file of SQLite's.
	Snapshot(ctx context.Context, path string) error
}

// Write writes a backup of the stores at one moment to the new file at path,
// which appears once it is complete and on disk. Others can write to the stores
// meanwhile. Files that are lost or damaged are left out, unless all are, and so are
// those that a sweep of the trash removes meanwhile.
func Write(ctx context.Context, path string, store Store, blobs segment.Blobs) (s Summary, err error) {
	if _, err := os.Lstat(path); err == nil {
		return s, fmt.Errorf("%s already exists; a backup never replaces a file", path)
	}
	err = disk.Replace(path, func(out *os.File) error {
		s, err = write(ctx, path, out, store, blobs)
		return err
	})
	return s, err
}

// write makes the archive for path. It takes the snapshot first, next to path; the
// files it refers to still exist when they are copied, because files never change and
// are deleted only after 30 days in the trash.
func write(ctx context.Context, path string, out *os.File, store Store, blobs segment.Blobs) (s Summary, err error) {
	folder, remove, err := disk.TemporaryFolder(filepath.Dir(path))
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	name := filepath.Join(folder, databaseName)
	if err := store.Snapshot(ctx, name); err != nil {
		return s, err
	}
	a := &archive{out: tar.NewWriter(out), made: time.Now()}
	if err := a.addFile(name); err != nil {
		return s, err
	}
	snapshot, err := sqlite.OpenCurrent(ctx, name)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	var lost error
	for im, err := range snapshot.EveryImage(ctx) {
		if err != nil && segment.KindOf(err) != segment.Damaged { // whose id says what its files are
			return s, err
		}
		for _, key := range im.Keys() {
			err := a.addBlob(ctx, blobs, key)
			switch kind := segment.KindOf(err); {
			case kind == segment.NotFound || kind == segment.Damaged:
				if failed := s.lose(ctx, snapshot, im, key); failed != nil {
					return s, failed
				}
				lost = err
				fmt.Fprintf(&a.sums, "%s  %s\n", lostSum, blobsPrefix+key)
			case err != nil:
				return s, fmt.Errorf("image %s, %q: %w", im.ID, im.Name, err)
			default:
				s.Files++
			}
		}
		s.Images++
	}
	if s.Files == 0 && lost != nil { // the files are elsewhere
		return s, fmt.Errorf("none of the images' files can be read: %w", lost)
	}
	sums := a.sums.String()
	if err := a.add(sumsName, int64(len(sums)), strings.NewReader(sums)); err != nil {
		return s, err
	}
	if err := a.out.Close(); err != nil {
		return s, err
	}
	s.Bytes, err = out.Seek(0, io.SeekCurrent)
	return s, err
}

// erased reports whether an image has been in the trash for as long as things stay there:
// a sweep since the snapshot can have removed its files.
func erased(ctx context.Context, snapshot segment.TrashStore, im segment.Image) (bool, error) {
	for _, id := range []string{im.ID, im.ProjectID} {
		item, err := snapshot.Trashed(ctx, id)
		if err == nil && item.Until().Before(time.Now()) {
			return true, nil
		}
		if err != nil && segment.KindOf(err) != segment.NotFound {
			return false, err
		}
	}
	return false, nil
}

// archive is a tar file being written.
type archive struct {
	out  *tar.Writer
	made time.Time
	sums strings.Builder
}

func (a *archive) addFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return a.addSeeker(filepath.Base(name), file)
}

func (a *archive) addBlob(ctx context.Context, blobs segment.Blobs, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	blob, err := blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	defer blob.Close()
	return a.addSeeker(blobsPrefix+key, blob)
}

func (a *archive) addSeeker(name string, in io.ReadSeeker) error {
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return a.add(name, size, in)
}

func (a *archive) add(name string, size int64, in io.Reader) error {
	header := &tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: a.made.Truncate(time.Second), Typeflag: tar.TypeReg}
	if err := a.out.WriteHeader(header); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(a.out, sum), in); err != nil {
		return err
	}
	fmt.Fprintf(&a.sums, "%x  %s\n", sum.Sum(nil), name)
	return a.out.Flush() // an error when in was shorter than size
}

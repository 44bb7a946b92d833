package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/job"
	"collie/storage/blob"
	"collie/storage/disk"
	"collie/storage/sqlite"
)

// Read restores the backup in the file at path to the data folder at folder,
// which must be empty or not exist. It unpacks and checks the backup in a
// temporary folder there first, so that the folder gets the whole backup or stays
// empty. The folder can be a mounted disk. All users are signed out.
func Read(ctx context.Context, path, folder string) (s Summary, err error) {
	if err := empty(folder); err != nil {
		return s, err
	}
	in, err := os.Open(path)
	if err != nil {
		return s, err
	}
	defer in.Close()
	if _, absent := os.Stat(folder); errors.Is(absent, fs.ErrNotExist) {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return s, err
		}
		defer func() {
			if err != nil {
				_ = os.Remove(folder) // empty then
			}
		}()
	}
	temp, remove, err := disk.TemporaryFolder(folder)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	lost, err := unpack(ctx, in, temp)
	if err != nil {
		return s, fmt.Errorf("%s: %w. Nothing was restored", path, err)
	}
	if s, err = check(ctx, temp, lost); err != nil {
		return s, fmt.Errorf("%s: %w. Nothing was restored", path, err)
	}
	if err := settle(temp, folder); err != nil {
		return s, err
	}
	if err := moveContent(temp, folder); err != nil {
		return s, err
	}
	return s, errors.Join(disk.Sync(folder), disk.Sync(filepath.Dir(folder)))
}

// empty returns an error unless folder is empty, a new file system, or doesn't exist.
func empty(folder string) error {
	disk.RemoveRemains(folder) // of a restore that was killed
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "lost+found" {
			return fmt.Errorf("the folder %s is not empty, it has %q; restore a backup to a new or empty folder", folder, e.Name())
		}
	}
	return nil
}

// moveContent moves everything in a folder to another one, the database last: a folder
// with a database has everything else.
func moveContent(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	move := func(name string) error { return os.Rename(filepath.Join(from, name), filepath.Join(to, name)) }
	for _, e := range entries {
		if e.Name() != databaseName {
			err = errors.Join(err, move(e.Name()))
		}
	}
	if err != nil {
		return err
	}
	return move(databaseName)
}

// namePattern matches the names in a backup; none leads out of a folder.
var namePattern = regexp.MustCompile(`^(collie\.db|SHA256SUMS|blobs/[a-z0-9-]{1,100}(/[a-z0-9-]{1,100}){0,7})$`)

// maxSums is the largest size of the list of checksums, in bytes.
const maxSums = 1 << 30

// unpack writes the files of the untrusted archive to folder and compares them
// with the checksums at its end. It returns those that were lost when it was made.
func unpack(ctx context.Context, in io.Reader, folder string) (lost map[string]bool, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	archive := tar.NewReader(in)
	sums := map[string]string{}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		header, err := archive.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && len(sums) > 0 {
			return nil, errors.New("the list of checksums at its end is missing, so the backup is not complete")
		}
		if err != nil {
			return nil, fmt.Errorf("it is damaged or not made by 'server backup'; a project's own backup, a zip file, is restored by 'server import': %w", err)
		}
		if err := plain(header); err != nil {
			return nil, err
		}
		if _, ok := sums[header.Name]; ok {
			return nil, fmt.Errorf("it contains %s twice", header.Name)
		}
		if header.Name == sumsName {
			listed, err := readSums(io.LimitReader(archive, maxSums))
			if err != nil {
				return nil, err
			}
			return compare(listed, sums)
		}
		sums[header.Name], err = writeFile(root, header, archive)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("it ends in the middle of %s, so the backup is not complete", header.Name)
		}
		if err != nil {
			return nil, err
		}
	}
}

// plain returns an error for everything but a plain file with an expected name.
// A sparse file could have any size in a small archive.
func plain(h *tar.Header) error {
	if !namePattern.MatchString(h.Name) {
		return fmt.Errorf("it contains %q, which is not part of a Collie backup", h.Name)
	}
	for record := range h.PAXRecords {
		if record != "size" {
			return fmt.Errorf("%s has the tar extension %q, which no Collie backup uses", h.Name, record)
		}
	}
	if h.Typeflag != tar.TypeReg {
		return fmt.Errorf("%s is not a regular file", h.Name)
	}
	return nil
}

// writeFile writes the current file of the archive and returns its checksum.
func writeFile(root *os.Root, h *tar.Header, in io.Reader) (string, error) {
	if err := root.MkdirAll(path.Dir(h.Name), 0o700); err != nil {
		return "", err
	}
	name, copied := h.Name, func(w io.Writer, r io.Reader) error { _, err := io.Copy(w, r); return err }
	if strings.HasPrefix(name, blobsPrefix) {
		name, copied = blob.SealedName(name), blob.Seal
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = copied(file, io.TeeReader(in, sum))
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", h.Name, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func readSums(in io.Reader) (map[string]string, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok {
			return nil, errors.New("its list of checksums can't be read")
		}
		listed[name] = sum
	}
	return listed, nil
}

// compare returns the files that are listed as lost.
func compare(listed, have map[string]string) (lost map[string]bool, err error) {
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if listed[name] != have[name] {
			return nil, fmt.Errorf("the checksum of %s is wrong, so the backup is damaged", name)
		}
	}
	lost = map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if _, ok := have[name]; ok {
			continue
		}
		if listed[name] != lostSum {
			return nil, fmt.Errorf("%s is missing, so the backup is damaged", name)
		}
		lost[name] = true
	}
	return lost, nil
}

// check checks that an unpacked folder is a valid data folder, migrates its
// database, ends its sessions and forgets its exports. Files that were lost when the
// backup was made can be missing.
func check(ctx context.Context, folder string, lost map[string]bool) (s Summary, err error) {
	name := filepath.Join(folder, databaseName)
	if _, err := os.Stat(name); err != nil {
		return s, errors.New("it contains no database")
	}
	store, err := sqlite.Open(ctx, name)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	found, err := store.Check(ctx)
	if err == nil && len(found) > 0 {
		err = errors.New(found[0])
	}
	if err != nil {
		return s, err
	}
	if err := store.EndSessions(ctx); err != nil {
		return s, err
	}
	if kept := store.Kept(); kept != "" { // it still has the sessions, and the backup is copy enough
		if err := disk.Remove(kept); err != nil {
			return s, err
		}
	}
	if err := forgetExports(ctx, store); err != nil {
		return s, err
	}
	blobs, err := blob.Open(filepath.Join(folder, "blobs"))
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	for im, err := range store.EveryImage(ctx) {
		if err != nil && segment.KindOf(err) != segment.Damaged { // whose id says what its files are
			return s, err
		}
		for _, key := range im.Keys() {
			if lost[blobsPrefix+key] {
				if err := s.lose(ctx, store, im, key); err != nil {
					return s, err
				}
				continue
			}
			file, err := blobs.Open(ctx, key)
			if err != nil {
				return s, fmt.Errorf("a file of image %s, %q, is missing: %s", im.ID, im.Name, key)
			}
			size, err := file.Seek(0, io.SeekEnd)
			if err := errors.Join(err, file.Close()); err != nil {
				return s, err
			}
			s.Files++
			s.Bytes += size
		}
		s.Images++
	}
	return s, nil
}

// forgetExports forgets exports that have ended: a backup doesn't have their archives.
func forgetExports(ctx context.Context, store *sqlite.Store) error {
	ended, err := store.Old(ctx, job.Exported, 0, 0)
	for _, j := range ended {
		err = errors.Join(err, store.Remove(ctx, j.ID))
	}
	return err
}

// settle gives the files and folders in temp to the owner of the data folder, and
// flushes them to the disk.
func settle(temp, folder string) error {
	root, err := os.OpenRoot(temp)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file, err := root.Open(name)
		if err != nil {
			return err
		}
		disk.Give(file, folder)
		return errors.Join(disk.Flush(file), file.Close())
	})
}

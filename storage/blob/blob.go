// Package blob keeps immutable files (originals, display copies, superpixel
// hierarchies, exports) in a folder. A key is a path in it.
//
// A file is written under a temporary name in its own folder, synced, renamed,
// and then the folder is synced: after a crash a key has its complete content
// or doesn't exist. Without the second sync a power cut can take back the
// rename. A file ends with its SHA-256, which is checked whenever it is opened.
package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"

	"collie/segment"
	"collie/segment/reserve"
	"collie/storage/disk"
)

// tempPrefix starts the names of files being written. Keys have no dots.
const tempPrefix = ".part-"

// Store is a segment.Blobs in a folder. Safe for concurrent use, also by several
// processes.
type Store struct {
	root   *os.Root  // links can't lead outside
	lock   disk.Lock // shared with the other processes that have the folder open
	health *disk.Health
	fast   bool // without syncs

	mu      sync.Mutex
	folders map[string]bool // folders whose names are known to be on disk
}

var _ segment.Blobs = (*Store)(nil)

// Open opens the folder dir and creates it if needed. If no other process has
// it open, Open removes half-written files left by a crash.
func Open(dir string) (*Store, error) {
	if err := disk.MakeFolder(dir); err != nil {
		return nil, fmt.Errorf("making the folder for files: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the folder for files: %w", err)
	}
	folder, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the folder for files: %w", err), root.Close())
	}
	lock := disk.NewLock(folder)
	s := &Store{root: root, lock: lock, health: disk.NewHealth(), folders: map[string]bool{".": true}}
	if lock.Alone() {
		if err := s.sweep(); err != nil {
			return nil, errors.Join(fmt.Errorf("removing half-written files in %s: %w", dir, err), s.Close())
		}
	}
	if err := lock.Share(); err != nil {
		return nil, errors.Join(fmt.Errorf("marking %s as in use: %w", dir, err), s.Close())
	}
	return s, nil
}

// OpenFast is Open for what can be lost: nothing is synced. After a power cut a
// file can be missing or Damaged, but it never has other content than was stored.
func OpenFast(dir string) (*Store, error) {
	s, err := Open(dir)
	if err == nil {
		s.fast = true
	}
	return s, err
}

// sweep removes temporary files.
func (s *Store) sweep() error {
	return fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasPrefix(d.Name(), tempPrefix) {
			err = s.root.Remove(name)
		}
		return err
	})
}

// Failed is closed when a sync has failed; after that, Put refuses everything.
func (s *Store) Failed() <-chan struct{} { return s.health.Failed() }

// Ready returns nil as long as files can be stored.
func (s *Store) Ready() error { return s.health.Err() }

// Close releases the folder; open blobs stay readable.
func (s *Store) Close() error { return errors.Join(s.lock.Close(), s.root.Close()) }

// Put stores what write produces under key, which must be new. After an error,
// which can be write's or ctx's, the key doesn't exist.
func (s *Store) Put(ctx context.Context, key string, write func(io.Writer) error) error {
	if err := segment.CheckKey(key); err != nil {
		return err
	}
	if err := s.health.Err(); err != nil {
		return err
	}
	for _, name := range []string{SealedName(key), key} {
		if _, err := s.root.Lstat(name); err == nil {
			return segment.Errorf(segment.Conflict, "A file with the key %q already exists; files are never changed.", key)
		}
	}
	dir := path.Dir(key)
	if err := s.makeFolder(dir); err != nil {
		return disk.Trouble(err)
	}
	temp := path.Join(dir, tempPrefix+rand.Text())
	if err := s.writeTemp(ctx, temp, write); err != nil {
		return errors.Join(err, s.removeTemp(temp))
	}
	if err := s.root.Rename(temp, SealedName(key)); err != nil {
		return errors.Join(disk.Trouble(err), s.removeTemp(temp))
	}
	if err := s.syncFolder(dir); err != nil {
		return errors.Join(disk.Trouble(err), s.root.Remove(SealedName(key)))
	}
	return nil
}

// writeTemp writes the content and flushes it to the disk.
func (s *Store) writeTemp(ctx context.Context, temp string, write func(io.Writer) error) error {
	file, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return disk.Trouble(err)
	}
	disk.Inherit(file)
	out := &disk.Writer{Context: ctx, File: reserve.Writer(ctx, file)}
	sum := sha256.New()
	if err = write(io.MultiWriter(out, sum)); err == nil {
		_, err = out.Write(sum.Sum(nil))
	}
	switch {
	case out.Err != nil: // the disk's error takes precedence over write's
		err = disk.Trouble(out.Err)
	case ctx.Err() != nil:
		err = ctx.Err()
	case err == nil && !s.fast:
		if err = file.Sync(); err != nil {
			err = s.syncTrouble(err)
		}
	}
	if closeErr := file.Close(); err == nil && closeErr != nil {
		err = disk.Trouble(closeErr)
	}
	return err
}

// removeTemp removes a temporary file if it exists.
func (s *Store) removeTemp(temp string) error {
	return ignoreMissing(s.root.Remove(temp))
}

// makeFolder creates dir and missing parents, and flushes the folders' names to
// disk, including existing ones: the process that created them may have died
// before it could.
func (s *Store) makeFolder(dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range len(dir) + 1 {
		if i < len(dir) && dir[i] != '/' || s.folders[dir[:i]] {
			continue
		}
		if err := s.mkdir(dir[:i]); err != nil {
			return err
		}
		if err := s.syncFolder(path.Dir(dir[:i])); err != nil {
			return err
		}
		s.folders[dir[:i]] = true
	}
	return nil
}

// mkdir creates a folder if it doesn't exist.
func (s *Store) mkdir(dir string) error {
	if err := s.root.Mkdir(dir, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	folder, err := s.root.Open(dir)
	if err != nil {
		return err
	}
	disk.Inherit(folder)
	return folder.Close()
}

// syncFolder flushes the names in a folder to the disk.
func (s *Store) syncFolder(dir string) error {
	if s.fast {
		return nil
	}
	folder, err := s.root.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := disk.Flush(folder); err != nil {
		return s.syncTrouble(err)
	}
	return nil
}

// Open returns the content of key; the caller closes it.
func (s *Store) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	if err := segment.CheckKey(key); err != nil {
		return nil, err
	}
	file, size, err := s.open(SealedName(key))
	if err == nil {
		return unseal(file, size, key)
	}
	if errors.Is(err, syscall.EIO) {
		return nil, unreadable(key, err)
	}
	if segment.KindOf(err) != segment.NotFound {
		return nil, err
	}
	file, _, err = s.open(key)
	if err != nil {
		return nil, err
	}
	return file, nil
}

// open opens a file and returns its size. Only one that doesn't exist is NotFound.
func (s *Store) open(name string) (*os.File, int64, error) {
	file, err := s.root.Open(name)
	if err != nil {
		return nil, 0, openTrouble(name, err)
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, errors.Join(missing(err), file.Close())
	}
	return file, info.Size(), nil
}

// Remove deletes key if it exists. A crash can bring it back.
func (s *Store) Remove(_ context.Context, key string) error {
	if err := segment.CheckKey(key); err != nil {
		return err
	}
	for _, name := range []string{SealedName(key), key} {
		if err := ignoreMissing(s.root.Remove(name)); err != nil {
			return disk.Trouble(err)
		}
	}
	return nil
}

// All iterates over the keys, without files being written.
func (s *Store) All(ctx context.Context) iter.Seq2[segment.BlobInfo, error] {
	return func(yield func(segment.BlobInfo, error) bool) {
		err := fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			key, hasSeal := strings.CutSuffix(name, sealed)
			if err != nil || !d.Type().IsRegular() || segment.CheckKey(key) != nil {
				return ignoreMissing(err)
			}
			info, err := d.Info()
			if err != nil {
				return ignoreMissing(err)
			}
			size := info.Size()
			if hasSeal {
				size = max(0, size-sealBytes)
			}
			if !yield(segment.BlobInfo{Key: key, Bytes: size, Modified: info.ModTime()}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(segment.BlobInfo{}, fmt.Errorf("listing the files: %w", err))
		}
	}
}

// ignoreMissing returns nil for a file that doesn't exist.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func missing(err error) error {
	return segment.Errorf(segment.NotFound, "This file doesn't exist.").Because(err)
}

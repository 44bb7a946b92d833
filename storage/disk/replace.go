package disk

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace writes the file at path, for its owner alone: what write produces goes
// to a temporary file beside it, which takes its name once all of it is on the
// disk. Whenever it is interrupted, path is what it was or what write produced.
func Replace(path string, write func(*os.File) error) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".part-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.Close(), removeMissing(temp.Name())) }()
	if err := write(temp); err != nil {
		return err
	}
	if err := temp.Sync(); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

func removeMissing(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// SyncFolder flushes the names in a folder to the disk.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

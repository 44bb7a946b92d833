package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// temporary starts the names of temporary files and folders; a number follows.
const temporary = ".collie-part-"

// TemporaryFolder makes a folder in dir, and removes what killed processes have left of
// such folders and files there. The caller removes the folder, or renames it before.
func TemporaryFolder(dir string) (path string, remove func() error, err error) {
	RemoveRemains(dir)
	end := func() error { return nil }
	for {
		path, err = os.MkdirTemp(dir, temporary+"*")
		if err != nil || !canLock { // an open folder can't be renamed everywhere
			break
		}
		file, err := os.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", nil, errors.Join(err, os.RemoveAll(path))
		}
		if lock, ok := use(file); ok {
			end = lock.Close
			break
		}
	}
	return path, func() error { return errors.Join(os.RemoveAll(path), end()) }, err
}

// TemporaryFile makes a file in dir in the same way. It is in use until it is closed.
func TemporaryFile(dir string) (*os.File, error) {
	RemoveRemains(dir)
	for {
		file, err := os.CreateTemp(dir, temporary+"*")
		if err != nil {
			return nil, err
		}
		if _, ok := use(file); ok {
			return file, nil
		}
	}
}

// use locks a new file or folder for as long as it is open; false says that another
// process has taken it for remains before, and it is closed. Where a file system can't
// lock, nobody removes anything.
func use(file *os.File) (lock Lock, ok bool) {
	lock = NewLock(file)
	_ = lock.Share()
	if _, err := os.Lstat(file.Name()); errors.Is(err, os.ErrNotExist) {
		_ = lock.Close()
		return lock, false
	}
	return lock, true
}

// RemoveRemains removes temporary files and folders in dir that no process uses: those
// who made them were killed. It leaves what it can't remove, and everything where files
// can't be locked.
func RemoveRemains(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || !canLock {
		return
	}
	for _, entry := range entries {
		number, ok := strings.CutPrefix(entry.Name(), temporary)
		if !ok || number == "" || strings.Trim(number, "0123456789") != "" || !entry.IsDir() && !entry.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		lock := NewLock(file)
		if lock.Alone() {
			_ = os.RemoveAll(path)
		}
		_ = lock.Close()
	}
}

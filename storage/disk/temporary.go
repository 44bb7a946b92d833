package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// TemporaryFolder makes a folder in dir whose name is prefix and a number. What a
// killed process has left under such a name is removed; see makeTemporary. The
// caller removes the folder, or renames it before.
func TemporaryFolder(dir, prefix string) (path string, remove func() error, err error) {
	end := func() error { return nil }
	err = makeTemporary(dir, prefix, func() error {
		path, err = os.MkdirTemp(dir, prefix+"*")
		if err != nil || !canLock { // an open folder can't be renamed everywhere
			return err
		}
		file, err := os.Open(path)
		if err == nil {
			lock := NewLock(file)
			lock.Alone()
			end = lock.Close
		}
		return err
	})
	return path, func() error { return errors.Join(os.RemoveAll(path), end()) }, err
}

// temporaryFile makes a file in the same way; it is locked until it is closed.
func temporaryFile(dir, prefix string) (file *os.File, err error) {
	err = makeTemporary(dir, prefix, func() error {
		file, err = os.CreateTemp(dir, prefix+"*")
		if err == nil {
			NewLock(file).Alone()
		}
		return err
	})
	return file, err
}

// makeTemporary runs create, which makes something in dir whose name is prefix and a
// number, and locks it for as long as it is needed. Before, it removes what has such
// a name and is not locked: only a process that was killed leaves that behind.
func makeTemporary(dir, prefix string, create func() error) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	// One process at a time removes, before it creates. Nobody waits for the lock: a
	// temporary folder, in which others are made, is locked itself, and so is a folder
	// that a script has locked. Where a file system can't lock, nothing is removed.
	lock := NewLock(folder)
	if canLock && lock.Alone() {
		removeRemains(folder, prefix)
	}
	return errors.Join(create(), lock.Close())
}

// removeRemains leaves what it can't remove: that is no reason not to go on.
func removeRemains(folder *os.File, prefix string) {
	entries, _ := folder.ReadDir(-1)
	for _, entry := range entries {
		number, ok := strings.CutPrefix(entry.Name(), prefix)
		if !ok || number == "" || strings.Trim(number, "0123456789") != "" || !entry.IsDir() && !entry.Type().IsRegular() {
			continue
		}
		path := filepath.Join(folder.Name(), entry.Name())
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

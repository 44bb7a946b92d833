package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Inherit gives a file or folder that root has just made to the owner of the folder it
// is in, as SQLite does with its logs. Otherwise a server that runs as another user
// couldn't read what a command of root has added to its data. A file system that knows
// no owners keeps it as it is.
func Inherit(made *os.File) {
	Give(made, filepath.Dir(made.Name()))
}

// Give is Inherit from another folder.
func Give(made *os.File, folder string) {
	if os.Geteuid() != 0 {
		return
	}
	info, err := os.Stat(folder)
	if err != nil {
		return
	}
	if user, group := owner(info); user != 0 {
		_ = made.Chown(user, group)
	}
}

// Write is Replace for a small file of a data folder, which belongs to the folder's
// owner whoever writes it.
func Write(path string, content []byte) error {
	return Replace(path, func(f *os.File) error {
		Inherit(f)
		_, err := f.Write(content)
		return err
	})
}

// OfOthers counts what is in a folder and below and has another owner than the folder,
// and names the first.
func OfOthers(folder string) (count int, first string, err error) {
	info, err := os.Stat(folder)
	if err != nil {
		return 0, "", err
	}
	user, _ := owner(info)
	err = fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if name == "lost+found" {
			return fs.SkipDir
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a temporary file
		}
		if err != nil {
			return err
		}
		if its, _ := owner(info); its != user {
			if count++; count == 1 {
				first = name
			}
		}
		return nil
	})
	return count, first, err
}

// OpenFile opens a file for reading and writing. If it doesn't exist, it is made, for
// the owner of its folder alone.
func OpenFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	}
	if err == nil {
		Inherit(file)
	}
	return file, err
}

// MakeFolder makes a folder, for the owner of the one it is in alone, and those above
// it, unless it is there.
func MakeFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	Inherit(folder)
	return folder.Close()
}

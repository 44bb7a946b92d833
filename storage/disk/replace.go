package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Replace writes the file at path, for its owner alone: write's output goes to
// a temporary file next to it, which is renamed once it is complete on disk.
// After an interruption path has either its old or its new content, and the next
// call for a file of the folder removes the temporary one. A link stays, and the file
// that it leads to is replaced; see Target for what is refused.
func Replace(path string, write func(*os.File) error) (err error) {
	path, err = Target(path)
	if err != nil {
		return err
	}
	temp, err := TemporaryFile(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() {
		if failed := temp.Close(); !errors.Is(failed, os.ErrClosed) {
			err = errors.Join(err, failed)
		}
		err = errors.Join(err, Remove(temp.Name()))
	}()
	if err := write(temp); err != nil {
		return err
	}
	if err := temp.Sync(); err != nil {
		return err
	}
	if !canLock { // elsewhere it is in use until it has its name
		if err := temp.Close(); err != nil {
			return err
		}
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return Sync(filepath.Dir(path))
}

// Target returns the file that Replace replaces at path. It refuses whatever is not an
// ordinary file, such as /dev/null, which a file would replace, and "-", which people
// write for standard output.
func Target(path string) (file string, err error) {
	if path == "-" {
		return "", errors.New("- stands for standard output, which can't be written to; give the name of a file")
	}
	if file, err := filepath.EvalSymlinks(path); err == nil {
		path = file
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s is a folder; give the name of a file", path)
	} else if err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not an ordinary file; give the name of a file", path)
	}
	if info, err := os.Stat(filepath.Dir(path)); errors.Is(err, os.ErrNotExist) || err == nil && !info.IsDir() {
		return "", fmt.Errorf("the folder %s doesn't exist", filepath.Dir(path))
	}
	return path, nil
}

// Remove deletes a file if it exists.
func Remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Sync flushes a file, or the names in a folder, to the disk.
func Sync(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(Flush(file), file.Close())
}

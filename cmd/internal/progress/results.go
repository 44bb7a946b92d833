package progress

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"collie/storage/disk"
)

// ResultFile refuses the file that a flag names for results before hours of
// work, not after, when its folder doesn't exist or it is a folder itself. An
// empty path is fine: nothing will be written.
func ResultFile(flag, path string) error {
	if path == "" {
		return nil
	}
	if path == "-" {
		return fmt.Errorf("%s -: give the name of a file, or /dev/stdout", flag)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s %s: the folder %s doesn't exist; create it or choose another one", flag, path, filepath.Dir(path))
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s %s is a folder; give the name of a file", flag, path)
	}
	return nil
}

// WriteResult writes a file of results, which is complete or not there; what it
// replaces stays until then. Links, devices and pipes, such as /dev/stdout, are never
// replaced but written to.
func WriteResult(path string, content []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, content, 0o644)
	}
	if err := replace(path, content); err != nil {
		return fmt.Errorf("%s was not written, and a file of that name is as it was: %w", path, err)
	}
	return nil
}

// replace writes a file in a folder of its own, beside path, and then moves it there. Unlike
// a temporary file, it has the permissions of any new file. What a killed program has left
// of such a folder goes.
func replace(path string, content []byte) (err error) {
	room, remove, err := disk.TemporaryFolder(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	part := filepath.Join(room, "result")
	if err := os.WriteFile(part, content, 0o644); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// ResultFolder makes the folder that a flag names for results, before the work
// too. An empty path is fine.
func ResultFolder(flag, path string) error {
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return fmt.Errorf("%s %s: the folder can't be made: %w", flag, path, err)
	}
	return nil
}

package progress

import (
	"fmt"
	"os"
	"path/filepath"
)

// ResultFile refuses the file that a flag names for results before hours of
// work, not after, when its folder doesn't exist or it is a folder itself. An
// empty path is fine: nothing will be written.
func ResultFile(flag, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s %s: the folder %s doesn't exist; create it or choose another one", flag, path, filepath.Dir(path))
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s %s is a folder; give the name of a file", flag, path)
	}
	return nil
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

package row

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Steps returns the migrations of a database in order; their files are numbered
// from first on.
func Steps(migrations fs.FS, first int) ([]string, error) {
	files, err := fs.ReadDir(migrations, ".") // sorted by name
	if err != nil {
		return nil, err
	}
	var steps []string
	for i, file := range files {
		number, _, _ := strings.Cut(file.Name(), "_")
		if n, err := strconv.Atoi(number); err != nil || n != first+i {
			return nil, fmt.Errorf("migration %s should have number %04d", file.Name(), first+i)
		}
		text, err := fs.ReadFile(migrations, file.Name())
		if err != nil {
			return nil, err
		}
		steps = append(steps, string(text))
	}
	return steps, nil
}

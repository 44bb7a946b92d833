package blob

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"collie/segment"
	"collie/storage/disk"
)

// openTrouble is the error for people for a file that can't be opened. Unless it doesn't
// exist, it may be whole.
func openTrouble(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return missing(err)
	case errors.Is(err, fs.ErrPermission):
		return segment.Errorf(segment.Unavailable, "The file %s in the data folder can't be read: its rights, or those of its folder, don't include the user who runs this program. Give the data folder and everything in it to that user (chown -R).", name).Because(err)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return segment.Errorf(segment.Unavailable, "The server has too many files and connections open to read another file. Saved work is safe; try again soon.").Because(err)
	}
	return fmt.Errorf("opening the file %s: %w", name, err)
}

// syncTrouble is the error for people for a sync. After a failed sync the disk can
// only be trusted if the cause was lack of space.
func (s *Store) syncTrouble(err error) error {
	if segment.OutOfSpace(err) {
		return disk.Trouble(err)
	}
	return s.health.Fail(err)
}

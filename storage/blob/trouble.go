package blob

import (
	"collie/segment"
	"collie/storage/disk"
)

// trouble turns an error of the file system into one for people.
func trouble(err error) error {
	switch {
	case segment.KindOf(err) != 0:
		return err
	case disk.IsFull(err):
		return disk.Full(err)
	case disk.IsReadOnly(err):
		return disk.ReadOnly(err)
	}
	return segment.Errorf(segment.Unavailable, "The server could not write the file to its data folder. The file was not saved; earlier work is safe.").Because(err)
}

// syncTrouble is trouble for a sync. After a failed sync the disk can only be
// trusted if the cause was lack of space.
func (s *Store) syncTrouble(err error) error {
	if disk.IsFull(err) {
		return trouble(err)
	}
	return s.health.Fail(err)
}

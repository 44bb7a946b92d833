package blob

import (
	"collie/segment"
	"collie/storage/disk"
)

// trouble turns an error of the file system into what people are told.
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

// syncTrouble is trouble for a sync, after which the disk can only be trusted
// when it failed for want of space.
func (s *Store) syncTrouble(err error) error {
	if disk.IsFull(err) {
		return trouble(err)
	}
	return s.health.Fail(err)
}

package blob

import (
	"collie/segment"
	"collie/storage/disk"
)

// syncTrouble is the error for people for a sync. After a failed sync the disk can
// only be trusted if the cause was lack of space.
func (s *Store) syncTrouble(err error) error {
	if segment.OutOfSpace(err) {
		return disk.Trouble(err)
	}
	return s.health.Fail(err)
}

package blob

import (
	"collie/segment"
	"collie/storage/disk"
)

// forbidden is the error for people for a file of another user. The file may be whole.
func forbidden(name string, err error) error {
	return segment.Errorf(segment.Unavailable, "The file %s in the data folder can't be read: its rights, or those of its folder, don't include the user who runs this program. Give the data folder and everything in it to that user (chown -R).", name).Because(err)
}

// syncTrouble is the error for people for a sync. After a failed sync the disk can
// only be trusted if the cause was lack of space.
func (s *Store) syncTrouble(err error) error {
	if segment.OutOfSpace(err) {
		return disk.Trouble(err)
	}
	return s.health.Fail(err)
}

package blob

import (
	"errors"
	"syscall"

	"collie/segment"
)

// trouble turns an error of the file system into what people are told.
func (s *Store) trouble(err error) error {
	switch {
	case segment.KindOf(err) != 0:
		return err
	case diskFull(err):
		return segment.Errorf(segment.Unavailable, "The server's disk is full. The file was not saved; nothing that was saved before is lost. Saving works again as soon as there is space.").Because(err)
	}
	return segment.Errorf(segment.Unavailable, "The server could not write the file to its data folder. The file was not saved; nothing that was saved before is lost.").Because(err)
}

// syncTrouble is trouble for a sync. One that fails for another reason than
// space may have lost what the system held for the disk without a further
// word, so the store takes nothing any more until the program is started anew.
func (s *Store) syncTrouble(err error) error {
	if diskFull(err) {
		return s.trouble(err)
	}
	failed := segment.Errorf(segment.Unavailable, "The server's disk failed while saving, so nothing more is saved until someone has looked at it and started the server anew. What was saved before can still be read.").Because(err)
	s.failed.CompareAndSwap(nil, failed)
	return failed
}

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

package sqlite

import (
	"errors"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"collie/segment"
)

// refused reports whether err concerns one request alone: it was refused by a
// rule of ours or of the schema, and the transaction goes on without it.
func refused(err error) bool {
	if segment.KindOf(err) != 0 {
		return true
	}
	switch code(err) {
	case lib.SQLITE_CONSTRAINT, lib.SQLITE_TOOBIG, lib.SQLITE_MISMATCH:
		return true
	}
	return false
}

// code is the primary result code of SQLite, or 0.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// trouble turns an error that ended a transaction into what people are told,
// and marks the writer as failed when the disk can't be relied on any more.
func (w *writer) trouble(err error) error {
	switch code(err) {
	case lib.SQLITE_FULL:
		return segment.Errorf(segment.Unavailable, "The server's disk is full. This change was not saved; nothing that was saved before is lost. Saving works again as soon as there is space.").Because(err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return segment.Errorf(segment.Unavailable, "The database is locked by another program. This change was not saved; try again in a moment.").Because(err)
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN:
		return segment.Errorf(segment.Unavailable, "The server's data folder can't be written to. This change was not saved; nothing that was saved before is lost.").Because(err)
	case lib.SQLITE_NOMEM:
		return segment.Errorf(segment.Unavailable, "The server is out of memory. This change was not saved; try again in a moment.").Because(err)
	}
	failed := segment.Errorf(segment.Unavailable, "The server's disk failed while saving, so nothing more is saved until someone has looked at it and started the server anew. What was saved before can still be read.").Because(err)
	w.failed.CompareAndSwap(nil, failed)
	return failed
}

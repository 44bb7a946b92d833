package sqlite

import (
	"database/sql"
	"database/sql/driver"
	"errors"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"collie/segment"
	"collie/storage/disk"
)

// refused reports whether err concerns only one request, refused by one of our
// rules or the schema, so that the transaction continues without it.
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

// ends reports whether err ends the transaction: a statement failed, and not because of
// the request. A record that was read and makes no sense fails nobody else's request.
func ends(err error) bool {
	return !refused(err) && (code(err) != 0 || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone))
}

// code is the primary result code of SQLite, or 0.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// trouble turns an error that ended a transaction into one for people, and
// marks the disk as failed if it can no longer be relied on.
func (w *writer) trouble(err error) error {
	switch code(err) {
	case lib.SQLITE_FULL:
		return disk.Full(err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return segment.Errorf(segment.Unavailable, "The database is locked by another program. This was not saved; try again in a moment.").Because(err)
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN:
		return disk.ReadOnly(err)
	case lib.SQLITE_NOMEM:
		return segment.Errorf(segment.Unavailable, "The server is out of memory. This was not saved; try again in a moment.").Because(err)
	case lib.SQLITE_IOERR:
		if !syncing(err) && disk.IsReadOnly(disk.Writable(w.folder)) {
			return disk.ReadOnly(err)
		}
	}
	return w.health.Fail(err)
}

// syncing reports whether err comes from a sync.
func syncing(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code() == lib.SQLITE_IOERR_FSYNC || e.Code() == lib.SQLITE_IOERR_DIR_FSYNC)
}

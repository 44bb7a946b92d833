package postgres

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"collie/segment"
)

// brokenError is the error of a connection that could not be had or that broke.
type brokenError struct {
	cause error
	sent  bool // so that the outcome is not known
	never bool // there was no connection at all
}

func (e *brokenError) Error() string { return fmt.Sprintf("the database's connection: %v", e.cause) }

// Unwrap returns the cause.
func (e *brokenError) Unwrap() error { return e.cause }

// broken reports whether a connection broke.
func broken(err error) bool {
	var b *brokenError
	return errors.As(err, &b)
}

// unknown reports whether a write may have taken place although it failed.
func unknown(err error) bool {
	var b *brokenError
	return errors.As(err, &b) && b.sent
}

// Codes of PostgreSQL's errors, https://www.postgresql.org/docs/15/errcodes-appendix.html
const (
	badCharacter     = "22021"
	uniqueViolation  = "23505"
	noEntry          = "28000"
	wrongPassword    = "28P01"
	noDatabase       = "3D000"
	readOnly         = "25006"
	noPrivilege      = "42501"
	diskFull         = "53100"
	noMemory         = "53200"
	noLock           = "55P03"
	deadlock         = "40P01"
	statementTimeout = "57014"
	twicePrepared    = "42P05"
	notPrepared      = "26000"
	diskBroken       = "58030"
)

// code is the code of an error by the database, or empty.
func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// unreached says why there is no connection, and what to do about it.
func unreached(err error) error {
	switch code(err) {
	case noDatabase:
		return fmt.Errorf("doesn't exist; create it, or correct the address: %w", err)
	case noEntry, wrongPassword:
		return fmt.Errorf("doesn't let this user in; correct the user in the address or the password in PGPASSWORD: %w", err)
	}
	return fmt.Errorf("can't be reached: %w", err)
}

// pooled says what to do about an error that a pooler causes by giving a session, with
// the statements prepared in it, to several clients.
func pooled(err error) error {
	if c := code(err); c == twicePrepared || c == notPrepared {
		return fmt.Errorf("a connection pooler mixes up prepared statements, as PgBouncer before 1.21 does in transaction mode. Upgrade it, or add default_query_exec_mode=exec to the address; nothing was changed: %w", err)
	}
	return err
}

// trouble turns an error that is not about one request into one for people.
func trouble(err error) error {
	if err == nil || segment.KindOf(err) != 0 {
		return err
	}
	if broken(err) {
		if unknown(err) {
			return segment.Errorf(segment.Unavailable, "The server lost its database during this change, which may or may not have been saved; earlier work is safe. Look at it again in a moment.").Because(err)
		}
		return segment.Errorf(segment.Unavailable, "The server can't reach its database at the moment. Nothing was changed, and earlier work is safe; try again in a moment.").Unchanged().Because(err)
	}
	switch code(err) {
	case badCharacter:
		return segment.Errorf(segment.Invalid, "The text contains a NUL character, which can't be stored. Nothing was changed.").Because(err)
	case diskFull:
		return segment.Errorf(segment.Full, "The database's disk is full. This was not saved; earlier work is safe. Saving works again as soon as there is space.").Because(err)
	case readOnly:
		return segment.Errorf(segment.Unavailable, "The server's database is read-only. This was not saved; earlier work is safe.").Unchanged().Because(err)
	case noPrivilege:
		return segment.Errorf(segment.Unavailable, "The server has no right to change its database. This was not saved; earlier work is safe.").Unchanged().Because(err)
	case twicePrepared, notPrepared:
		return segment.Errorf(segment.Unavailable, "The server can't use its database. Nothing was changed, and earlier work is safe. Please tell the person who runs the server.").Unchanged().Because(pooled(err))
	case diskBroken:
		return segment.Errorf(segment.Unavailable, "The database's disk can't be read or written. This was not saved. Please tell the person who runs the server.").Unchanged().Because(err)
	case noLock, deadlock, statementTimeout, noMemory:
		return segment.Errorf(segment.Unavailable, "The server's database is too busy at the moment. Nothing was changed; try again in a moment.").Unchanged().Because(err)
	}
	return err
}

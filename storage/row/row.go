// Package row turns what people made into columns of a table and back, for all
// databases: their tables have the same names, columns and encodings.
package row

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"collie/segment"
)

// Scanner is a row of a result.
type Scanner interface{ Scan(into ...any) error }

// Rows are the rows of a result.
type Rows interface {
	Scanner
	Next() bool
	Err() error
}

// List reads all rows with scan.
func List[T any](rows Rows, scan func(Scanner) (T, error)) ([]T, error) {
	var list []T
	for rows.Next() {
		x, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, rows.Err()
}

// ByID returns a reader of rows that begin with an id. It puts what scan reads of
// them into values, by the id.
func ByID[T any](values map[string]T, scan func(r Scanner, id *string, value *T) error) func(Scanner) (struct{}, error) {
	return func(r Scanner) (struct{}, error) {
		var id string
		var value T
		err := scan(r, &id, &value)
		if err == nil {
			values[id] = value
		}
		return struct{}{}, err
	}
}

// Record is what a row holds, or as much as can be read of it, and why.
type Record[T any] struct {
	value  T
	damage error
}

// Content is what a record holds, and an error if that is not all.
func (r Record[T]) Content() (T, error) { return r.value, r.damage }

// Damageable returns a reader of rows that goes on after one whose content makes no sense.
func Damageable[T any](scan func(Scanner) (T, error)) func(Scanner) (Record[T], error) {
	return func(r Scanner) (Record[T], error) {
		x, err := scan(r)
		if segment.KindOf(err) == segment.Damaged {
			return Record[T]{x, err}, nil
		}
		return Record[T]{value: x}, err
	}
}

// Readable returns what could be read, with an error about the other rows.
func Readable[T any](records []Record[T], err error) (list []T, _ error) {
	for _, r := range records {
		if r.damage == nil {
			list = append(list, r.value)
		}
		err = errors.Join(err, r.damage)
	}
	return list, err
}

// damaged is the error for a record whose content makes no sense.
func damaged(what, id, name string, err error) error {
	return segment.Errorf(segment.Damaged, "The record of the %s %q in the database can't be read: it is damaged, or a newer program wrote it. Restore it from a backup, or use the newer program.", what, name).
		Because(fmt.Errorf("%s %s: %w", what, id, err))
}

// Text reads a row of one text.
func Text(row Scanner) (text string, err error) {
	err = row.Scan(&text)
	return text, err
}

// Number reads a row of one number.
func Number[T int | int64](row Scanner) (n T, err error) {
	err = row.Scan(&n)
	return n, err
}

// NotFound is the error for what doesn't exist or is in the trash.
func NotFound(what string) error {
	if what == "project" || what == "image" {
		return segment.Errorf(segment.NotFound, "This %s doesn't exist or is in the trash.", what)
	}
	return segment.Errorf(segment.NotFound, "This %s doesn't exist.", what)
}

// ReadError turns the error of a query for one row into the caller's.
func ReadError(what string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return NotFound(what)
	}
	return fmt.Errorf("reading the %s: %w", what, err)
}

// Taken is the error for a new thing whose id exists.
func Taken(what string, cause error) error {
	return segment.Errorf(segment.Conflict, "A %s with this id already exists. Nothing was changed.", what).Because(cause)
}

// Closed is the error of a store that is closed, for what it has surely not written.
func Closed() error {
	return segment.Errorf(segment.Unavailable, "The server is stopping. This was not saved; it will be when it is sent again after the restart.").Unchanged()
}

// Hash is the stored form of the secret of a session or an API token.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Moment is a time from its column, in milliseconds.
func Moment(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// optional is a time from a column that is NULL where the time is missing.
func optional(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return Moment(ms.Int64)
}

// Optional is the column of a time that can be missing, which the zero time means.
func Optional(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"collie/segment/audit"
	"collie/storage/row"
)

// now is the database's time in a statement, in milliseconds: servers' clocks can
// differ.
const now = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

// execer is a connection or a transaction.
type execer interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
}

// write runs do in a transaction and returns when it is on disk. An entry of the
// audit log that ctx carries is written in the same transaction.
func (s *Store) write(ctx context.Context, do func(ctx context.Context, tx pgx.Tx) error) error {
	committing := false
	err := s.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		tx, err := c.Begin(ctx)
		if err != nil {
			return err
		}
		defer tx.Rollback(ctx)
		if err := do(ctx, tx); err != nil {
			return err
		}
		if e, ok := audit.Noted(ctx); ok {
			if _, err := tx.Exec(ctx, "INSERT INTO audit ("+row.EntryColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)", row.Entry(e)...); err != nil {
				return err
			}
		}
		committing = true
		return tx.Commit(ctx)
	})
	var b *brokenError
	if errors.As(err, &b) {
		b.sent = committing
	}
	return trouble(err)
}

// change runs one statement, which is a transaction by itself unless ctx carries
// an entry of the audit log. When it changes no row, what it is about is missing.
func (s *Store) change(ctx context.Context, missing, query string, args ...any) error {
	do := func(ctx context.Context, c execer) error {
		tag, err := c.Exec(ctx, query, args...)
		if err == nil && tag.RowsAffected() == 0 && missing != "" {
			return row.NotFound(missing)
		}
		return err
	}
	if _, noted := audit.Noted(ctx); noted {
		return s.write(ctx, func(ctx context.Context, tx pgx.Tx) error { return do(ctx, tx) })
	}
	return trouble(s.with(ctx, func(ctx context.Context, c *pgx.Conn) error { return do(ctx, c) }))
}

package postgres

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"collie/segment/audit"
	"collie/storage/row"
)

// Record writes an entry of the audit log.
func (s *Store) Record(ctx context.Context, e audit.Entry) error {
	return s.write(audit.Note(ctx, e), func(context.Context, pgx.Tx) error { return nil })
}

// EntriesAfter returns entries in the order of writing.
func (s *Store) EntriesAfter(ctx context.Context, after int64, limit int) ([]audit.Entry, error) {
	return s.entries(ctx, "number > $1 ORDER BY number", after, limit)
}

// EntriesBefore returns entries, the newest first.
func (s *Store) EntriesBefore(ctx context.Context, before int64, limit int) ([]audit.Entry, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return s.entries(ctx, "number < $1 ORDER BY number DESC", before, limit)
}

func (s *Store) entries(ctx context.Context, which string, from int64, limit int) ([]audit.Entry, error) {
	return all(ctx, s, row.ScanEntry, "reading the audit log", "SELECT number, "+row.EntryColumns+" FROM audit WHERE "+which+" LIMIT $2", from, limit)
}

// Trim removes entries that need not be kept any more.
func (s *Store) Trim(ctx context.Context, at time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM audit WHERE at < $1 AND at <= (SELECT max(at) FROM audit) - $2::bigint", at.AddDate(0, 0, -audit.Days).UnixMilli(), audit.Days*24*time.Hour.Milliseconds()); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "DELETE FROM audit WHERE action = $1 AND number <= (SELECT number FROM audit WHERE action = $1 ORDER BY number DESC LIMIT 1 OFFSET $2)",
			string(audit.SignInFailed), audit.Failures)
		return err
	})
}

package postgres

import (
	"context"
	"fmt"
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

// EntriesAfter returns entries in the order of writing. An entry gets its number
// before it is committed, so for a moment the lock keeps others from writing: a
// reader who goes on after the last number would never see a lower one that is
// committed later.
func (s *Store) EntriesAfter(ctx context.Context, after int64, limit int) (entries []audit.Entry, err error) {
	err = s.read(ctx, func(ctx context.Context, c *pgx.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "LOCK TABLE audit IN SHARE MODE"); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, selectEntries+"number > $1 ORDER BY number LIMIT $2", after, limit)
			if err != nil {
				return err
			}
			defer rows.Close()
			entries, err = row.List(rows, row.ScanEntry)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w", err)
	}
	return entries, nil
}

const selectEntries = "SELECT number, " + row.EntryColumns + " FROM audit WHERE "

// EntriesBefore returns entries, the newest first.
func (s *Store) EntriesBefore(ctx context.Context, before int64, limit int) ([]audit.Entry, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return all(ctx, s, row.ScanEntry, "reading the audit log", selectEntries+"number < $1 ORDER BY number DESC LIMIT $2", before, limit)
}

// EntriesOf returns entries of an action in the order of writing.
func (s *Store) EntriesOf(ctx context.Context, action audit.Action, after int64) ([]audit.Entry, error) {
	return all(ctx, s, row.ScanEntry, "reading the audit log", selectEntries+"number > $1 AND action = $2 ORDER BY number", after, string(action))
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

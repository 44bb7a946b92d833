package sqlite

import (
	"context"
	"math"
	"time"

	"collie/segment/audit"
	"collie/storage/row"
)

// Record writes an entry of the audit log.
func (s *Store) Record(ctx context.Context, e audit.Entry) error {
	return s.writer.write(audit.Note(ctx, e), func(*writer) error { return nil })
}

// noting returns do followed by the entry that ctx carries, in one transaction.
func noting(ctx context.Context, do func(w *writer) error) func(w *writer) error {
	e, ok := audit.Noted(ctx)
	if !ok {
		return do
	}
	return func(w *writer) error {
		if err := do(w); err != nil {
			return err
		}
		return w.exec("INSERT INTO audit ("+row.EntryColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row.Entry(e)...)
	}
}

// EntriesAfter returns entries in the order of writing.
func (s *Store) EntriesAfter(ctx context.Context, after int64, limit int) ([]audit.Entry, error) {
	return s.entries(ctx, "number > ? ORDER BY number LIMIT ?", after, limit)
}

// EntriesBefore returns entries, the newest first.
func (s *Store) EntriesBefore(ctx context.Context, before int64, limit int) ([]audit.Entry, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return s.entries(ctx, "number < ? ORDER BY number DESC LIMIT ?", before, limit)
}

func (s *Store) entries(ctx context.Context, which string, args ...any) ([]audit.Entry, error) {
	return all(ctx, s.reads, row.ScanEntry, "reading the audit log", "SELECT number, "+row.EntryColumns+" FROM audit WHERE "+which, args...)
}

// EntriesOf returns entries of an action in the order of writing.
func (s *Store) EntriesOf(ctx context.Context, action audit.Action, after int64) ([]audit.Entry, error) {
	return s.entries(ctx, "number > ? AND action = ? ORDER BY number", after, string(action))
}

// Trim removes entries that need not be kept any more.
func (s *Store) Trim(ctx context.Context, at time.Time) error {
	return s.writer.write(ctx, func(w *writer) error {
		if err := w.exec("DELETE FROM audit WHERE at < ? AND at <= (SELECT max(at) FROM audit) - ?", at.AddDate(0, 0, -audit.Days).UnixMilli(), audit.Days*24*time.Hour.Milliseconds()); err != nil {
			return err
		}
		return w.exec(`DELETE FROM audit WHERE action = ?1 AND number <= (SELECT number FROM audit WHERE action = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)`,
			string(audit.SignInFailed), audit.Failures)
	})
}

package sqlite

import (
	"context"
	"fmt"
	"time"

	"collie/storage/row"
)

// Try counts a try, unless there have been too many, and removes those that count no
// more. One too many writes nothing.
func (s *Store) Try(ctx context.Context, key string, most int, span time.Duration) (until time.Time, wait time.Duration, err error) {
	const free = "SELECT coalesce((SELECT expires FROM try WHERE key = ?1 AND expires > ?2 AND expires <= ?4 ORDER BY expires DESC LIMIT 1 OFFSET ?3), ?2)"
	key = row.Hash(key)
	now := time.Now().UnixMilli()
	latest := now + 2*span.Milliseconds() // none ends later, though others are counted meanwhile, unless the clock has been set back
	full := func(r row.Scanner) error {
		var next int64
		if err := r.Scan(&next); err != nil {
			return fmt.Errorf("reading tries: %w", err)
		}
		wait = time.Duration(next-now) * time.Millisecond
		return nil
	}
	if err := full(s.reads.QueryRowContext(ctx, free, key, now, most-1, latest)); err != nil || wait > 0 {
		return time.Time{}, wait, err
	}
	err = s.writer.write(ctx, func(w *writer) error {
		if err := full(w.row(free, key, now, most-1, latest)); err != nil || wait > 0 {
			return err
		}
		if err := w.exec("DELETE FROM try WHERE expires <= ?1 OR key = ?2 AND expires > ?3", now, key, latest); err != nil {
			return err
		}
		var expires int64 // different from those of the key's other tries
		err := w.row("INSERT INTO try (key, expires) VALUES (?1, max(?2, coalesce((SELECT max(expires) + 1 FROM try WHERE key = ?1), 0))) RETURNING expires", key, now+span.Milliseconds()).Scan(&expires)
		until = row.Moment(expires)
		return err
	})
	return until, wait, err
}

// Forgive uncounts a try of a key, or all.
func (s *Store) Forgive(ctx context.Context, key string, until time.Time) error {
	return s.writer.write(ctx, func(w *writer) error {
		if until.IsZero() {
			return w.exec("DELETE FROM try WHERE key = ?", row.Hash(key))
		}
		return w.exec("DELETE FROM try WHERE key = ? AND expires = ?", row.Hash(key), until.UnixMilli())
	})
}

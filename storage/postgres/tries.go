package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"collie/storage/row"
)

// latest ends a condition on the tries of a key, with the time for which one counts in
// milliseconds as $2: none ends later unless the clock has been set back.
const latest = now + " + 2 * $2::bigint"

// Try counts a try, unless there have been too many, and removes those that no longer
// count. A refused one writes nothing.
func (s *Store) Try(ctx context.Context, key string, most int, span time.Duration) (until time.Time, wait time.Duration, err error) {
	key = row.Hash(key)
	err = s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		// Tries of one key that come at once, on whatever servers, are counted one after the other.
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('collie try ' || current_schema() || $1, 0))", key); err != nil {
			return err
		}
		var milliseconds int64
		err := tx.QueryRow(ctx, "SELECT coalesce((SELECT expires - "+now+" FROM try WHERE key = $1 AND expires > "+now+" AND expires <= "+latest+" ORDER BY expires DESC LIMIT 1 OFFSET $3), 0)", key, span.Milliseconds(), most-1).Scan(&milliseconds)
		if wait = time.Duration(milliseconds) * time.Millisecond; err != nil || wait > 0 {
			return err
		}
		// Rows that another server is removing are left to it.
		if _, err := tx.Exec(ctx, "DELETE FROM try WHERE (key, expires) IN (SELECT key, expires FROM try WHERE expires <= "+now+" FOR UPDATE SKIP LOCKED)"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM try WHERE key = $1 AND expires > "+latest, key, span.Milliseconds()); err != nil {
			return err
		}
		var expires int64 // different from those of the key's other tries
		err = tx.QueryRow(ctx, "INSERT INTO try (key, expires) VALUES ($1, greatest("+now+" + $2::bigint, (SELECT max(expires) + 1 FROM try WHERE key = $1))) RETURNING expires", key, span.Milliseconds()).Scan(&expires)
		until = row.Moment(expires)
		return err
	})
	return until, wait, err
}

// Forgive uncounts a try of a key, or all.
func (s *Store) Forgive(ctx context.Context, key string, until time.Time) error {
	if until.IsZero() {
		return s.change(ctx, "", "DELETE FROM try WHERE key = $1", row.Hash(key))
	}
	return s.change(ctx, "", "DELETE FROM try WHERE key = $1 AND expires = $2", row.Hash(key), until.UnixMilli())
}

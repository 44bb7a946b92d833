package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// Sessions keeps who is signed in, as a store for alexedwards/scs. Of a token
// only its SHA-256 is stored, so that nobody can sign in with what a copy of
// the database holds. Safe for concurrent use.
type Sessions struct{ store *Store }

// Sessions returns the sessions of the store.
func (s *Store) Sessions() *Sessions { return &Sessions{s} }

func tokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// FindCtx returns the data of a session that has not expired.
func (s *Sessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	err = s.store.reads.QueryRowContext(ctx, "SELECT data FROM session WHERE token = ? AND expires > ?", tokenHash(token), time.Now().UnixMilli()).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading the session: %w", err)
	}
	return data, true, nil
}

// CommitCtx stores a session, and forgets those that have expired.
func (s *Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	return s.store.writer.write(ctx, func(w *writer) error {
		if err := w.exec("DELETE FROM session WHERE expires <= ?", time.Now().UnixMilli()); err != nil {
			return err
		}
		return w.exec("INSERT INTO session (token, data, expires) VALUES (?, ?, ?) ON CONFLICT (token) DO UPDATE SET data = excluded.data, expires = excluded.expires",
			tokenHash(token), data, expiry.UnixMilli())
	})
}

// touchAfter is by how much an expiry moves before it is written anew.
const touchAfter = time.Minute

// Touch lets a session live until expiry; it never brings back one that has
// ended, as a commit would. Steps of less than a minute are not worth a write.
func (s *Sessions) Touch(ctx context.Context, token string, expiry time.Time) error {
	var present int64
	err := s.store.reads.QueryRowContext(ctx, "SELECT expires FROM session WHERE token = ?", tokenHash(token)).Scan(&present)
	if errors.Is(err, sql.ErrNoRows) || err == nil && expiry.Sub(time.UnixMilli(present)) < touchAfter {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the session: %w", err)
	}
	return s.store.writer.write(ctx, func(w *writer) error {
		return w.exec("UPDATE session SET expires = ? WHERE token = ?", expiry.UnixMilli(), tokenHash(token))
	})
}

// DeleteCtx forgets a session; one that is not there is no error.
func (s *Sessions) DeleteCtx(ctx context.Context, token string) error {
	return s.store.writer.write(ctx, func(w *writer) error {
		return w.exec("DELETE FROM session WHERE token = ?", tokenHash(token))
	})
}

// Find is FindCtx for callers without a context.
func (s *Sessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx for callers without a context.
func (s *Sessions) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete is DeleteCtx for callers without a context.
func (s *Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

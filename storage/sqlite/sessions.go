package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Sessions keeps who is signed in, as a store for alexedwards/scs. Tokens
// should come hashed (scs's HashTokenInStore). Safe for concurrent use.
type Sessions struct{ store *Store }

// Sessions returns the sessions of the store.
func (s *Store) Sessions() *Sessions { return &Sessions{s} }

// FindCtx returns the data of a session that has not expired.
func (s *Sessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	err = s.store.reads.QueryRowContext(ctx, "SELECT data FROM session WHERE token = ? AND expires > ?", token, time.Now().UnixMilli()).Scan(&data)
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
			token, data, expiry.UnixMilli())
	})
}

// DeleteCtx forgets a session; one that is not there is no error.
func (s *Sessions) DeleteCtx(ctx context.Context, token string) error {
	return s.store.writer.write(ctx, func(w *writer) error {
		return w.exec("DELETE FROM session WHERE token = ?", token)
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

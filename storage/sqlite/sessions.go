package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"collie/segment/accounts"
)

var _ accounts.SessionStore = (*Store)(nil)

// tokenHash is the stored form of a token.
func tokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// AddSession stores a new session and removes expired ones.
func (s *Store) AddSession(ctx context.Context, token string, session accounts.Session) error {
	return s.writer.write(ctx, func(w *writer) error {
		if err := w.exec("DELETE FROM session WHERE expires <= ?", time.Now().UnixMilli()); err != nil {
			return err
		}
		return w.exec("INSERT INTO session (token, user, generation, expires, ends) VALUES (?, ?, ?, ?, ?)",
			tokenHash(token), session.User, session.Generation, session.Expires.UnixMilli(), session.Ends.UnixMilli())
	})
}

// Session returns a session that has not expired.
func (s *Store) Session(ctx context.Context, token string) (accounts.Session, error) {
	var session accounts.Session
	var expires, ends int64
	err := s.reads.QueryRowContext(ctx, "SELECT user, generation, expires, ends FROM session WHERE token = ? AND expires > ?", tokenHash(token), time.Now().UnixMilli()).
		Scan(&session.User, &session.Generation, &expires, &ends)
	if err != nil {
		return accounts.Session{}, readError("session", err)
	}
	session.Expires, session.Ends = time.UnixMilli(expires).UTC(), time.UnixMilli(ends).UTC()
	return session, nil
}

// ProlongSession extends a session. One that has ended stays ended.
func (s *Store) ProlongSession(ctx context.Context, token string, expires time.Time) error {
	return s.writer.write(ctx, func(w *writer) error {
		return w.exec("UPDATE session SET expires = ? WHERE token = ?", expires.UnixMilli(), tokenHash(token))
	})
}

// RemoveSession ends a session, if it exists.
func (s *Store) RemoveSession(ctx context.Context, token string) error {
	return s.writer.write(ctx, func(w *writer) error {
		return w.exec("DELETE FROM session WHERE token = ?", tokenHash(token))
	})
}

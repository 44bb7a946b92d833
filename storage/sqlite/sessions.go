package sqlite

import (
	"context"
	"time"

	"collie/segment"
	"collie/segment/accounts"
	"collie/storage/row"
)

var _ accounts.SessionStore = (*Store)(nil)

// AddSession stores a new session, which begins now, and removes expired ones.
func (s *Store) AddSession(ctx context.Context, token string, u accounts.User, l accounts.SessionLimits) (accounts.Session, error) {
	session := l.Begin(u, segment.Now())
	return session, s.writer.write(ctx, func(w *writer) error {
		if err := w.exec("DELETE FROM session WHERE expires <= ?", session.Read.UnixMilli()); err != nil {
			return err
		}
		return w.exec("INSERT INTO session (token, user, generation, expires, ends) VALUES (?, ?, ?, ?, ?)",
			row.Hash(token), session.User, session.Generation, session.Expires.UnixMilli(), session.Ends.UnixMilli())
	})
}

// Session returns a session that has not expired.
func (s *Store) Session(ctx context.Context, token string) (accounts.Session, error) {
	return row.ScanSession(s.reads.row(ctx, "SELECT user, generation, expires, ends, ?2 FROM session WHERE token = ?1 AND expires > ?2", row.Hash(token), time.Now().UnixMilli()))
}

// ProlongSession extends a session. One that has ended stays ended.
func (s *Store) ProlongSession(ctx context.Context, token string, expires time.Time) error {
	return s.writer.write(ctx, func(w *writer) error {
		return w.exec("UPDATE session SET expires = ? WHERE token = ?", expires.UnixMilli(), row.Hash(token))
	})
}

// RemoveSession ends a session, if it exists.
func (s *Store) RemoveSession(ctx context.Context, token string) error {
	return s.writer.write(ctx, func(w *writer) error {
		return w.exec("DELETE FROM session WHERE token = ?", row.Hash(token))
	})
}

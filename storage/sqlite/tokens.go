package sqlite

import (
	"context"
	"time"

	"collie/segment"
	"collie/segment/accounts"
	"collie/storage/row"
)

// AddToken stores a new token of a user, which begins now.
func (s *Store) AddToken(ctx context.Context, secret string, u accounts.User, t accounts.Token, days int) (accounts.Token, error) {
	t = t.Begin(segment.Now(), days)
	return t, s.writer.write(ctx, func(w *writer) error {
		var user int64
		if err := w.row("SELECT number FROM user WHERE id = ? AND generation = ? AND removed_at IS NULL", u.ID, u.Generation).Scan(&user); err != nil {
			return row.ReadError("user", err)
		}
		return w.exec("INSERT INTO token (id, hash, user, name, scope, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
			t.ID, row.Hash(secret), user, t.Name, string(t.Scope), t.Created.UnixMilli(), row.Optional(t.Expires))
	})
}

// userNumber returns the number of a user.
func (w *writer) userNumber(id string) (number int64, err error) {
	if err := w.row("SELECT number FROM user WHERE id = ? AND removed_at IS NULL", id).Scan(&number); err != nil {
		return 0, row.ReadError("user", err)
	}
	return number, nil
}

const selectToken = "SELECT token.id, user.id, token.name, scope, token.created, expires, used FROM token JOIN user ON user.number = token.user "

// Token returns the token of a secret.
func (s *Store) Token(ctx context.Context, secret string) (accounts.Token, error) {
	return row.ScanToken(s.reads.row(ctx, selectToken+"WHERE hash = ? AND (expires IS NULL OR expires > ?)", row.Hash(secret), time.Now().UnixMilli()))
}

// Tokens lists the tokens of a user in order of creation.
func (s *Store) Tokens(ctx context.Context, userID string) ([]accounts.Token, error) {
	return all(ctx, s.reads, row.ScanToken, "listing API tokens", selectToken+"WHERE user.id = ? ORDER BY token.created, token.id", userID)
}

// UseToken notes when a token was last used.
func (s *Store) UseToken(ctx context.Context, id string, at time.Time) error {
	return s.writer.write(ctx, func(w *writer) error {
		return w.exec("UPDATE token SET used = ? WHERE id = ?", at.UnixMilli(), id)
	})
}

// RemoveToken removes a token of a user.
func (s *Store) RemoveToken(ctx context.Context, userID, id string) error {
	return s.writer.write(ctx, func(w *writer) error {
		return w.changeOne("API token", "DELETE FROM token WHERE id = ? AND user = (SELECT number FROM user WHERE id = ?)", id, userID)
	})
}

package sqlite

import (
	"context"
	"database/sql"
	"time"

	"collie/segment/access"
	"collie/segment/accounts"
)

// AddToken stores a new token.
func (s *Store) AddToken(ctx context.Context, secret string, t accounts.Token) error {
	return s.writer.write(ctx, func(w *writer) error {
		user, err := w.userNumber(t.User)
		if err != nil {
			return err
		}
		return w.exec("INSERT INTO token (id, hash, user, name, scope, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
			t.ID, tokenHash(secret), user, t.Name, string(t.Scope), t.Created.UnixMilli(), sql.NullInt64{Int64: t.Expires.UnixMilli(), Valid: !t.Expires.IsZero()})
	})
}

// userNumber returns the number of a user.
func (w *writer) userNumber(id string) (number int64, err error) {
	if err := w.row("SELECT number FROM user WHERE id = ? AND removed_at IS NULL", id).Scan(&number); err != nil {
		return 0, readError("user", err)
	}
	return number, nil
}

const selectToken = "SELECT token.id, user.id, token.name, scope, token.created, expires, used FROM token JOIN user ON user.number = token.user "

// Token returns the token of a secret.
func (s *Store) Token(ctx context.Context, secret string) (accounts.Token, error) {
	return scanToken(s.reads.QueryRowContext(ctx, selectToken+"WHERE hash = ? AND (expires IS NULL OR expires > ?)", tokenHash(secret), time.Now().UnixMilli()))
}

// Tokens lists the tokens of a user in order of creation.
func (s *Store) Tokens(ctx context.Context, userID string) ([]accounts.Token, error) {
	return all(ctx, s.reads, scanToken, "listing API tokens", selectToken+"WHERE user.id = ? ORDER BY token.created, token.id", userID)
}

func scanToken(row scanner) (accounts.Token, error) {
	var t accounts.Token
	var scope string
	var created int64
	var expires, used sql.NullInt64
	if err := row.Scan(&t.ID, &t.User, &t.Name, &scope, &created, &expires, &used); err != nil {
		return accounts.Token{}, readError("API token", err)
	}
	t.Scope, t.Created = access.Scope(scope), time.UnixMilli(created).UTC()
	if expires.Valid {
		t.Expires = time.UnixMilli(expires.Int64).UTC()
	}
	if used.Valid {
		t.Used = time.UnixMilli(used.Int64).UTC()
	}
	return t, nil
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
		var removed string
		err := w.row("DELETE FROM token WHERE id = ? AND user = (SELECT number FROM user WHERE id = ?) RETURNING id", id, userID).Scan(&removed)
		if err != nil {
			return readError("API token", err)
		}
		return nil
	})
}

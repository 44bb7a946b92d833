package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"collie/segment/accounts"
	"collie/storage/row"
)

// AddSession stores a new session, which begins now, and removes expired ones.
func (s *Store) AddSession(ctx context.Context, token string, u accounts.User, l accounts.SessionLimits) (session accounts.Session, err error) {
	err = s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var at int64
		if err := tx.QueryRow(ctx, "SELECT "+now).Scan(&at); err != nil {
			return err
		}
		session = l.Begin(u, row.Moment(at))
		// Rows that another server is removing are left to it.
		if _, err := tx.Exec(ctx, "DELETE FROM session WHERE token IN (SELECT token FROM session WHERE expires <= "+now+" FOR UPDATE SKIP LOCKED)"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO session (token, "user", generation, expires, ends) VALUES ($1, $2, $3, $4, $5)`,
			row.Hash(token), session.User, session.Generation, session.Expires.UnixMilli(), session.Ends.UnixMilli())
		return err
	})
	return session, err
}

// Session returns a session that has not expired.
func (s *Store) Session(ctx context.Context, token string) (accounts.Session, error) {
	return one(ctx, s, row.ScanSession, `SELECT "user", generation, expires, ends, `+now+` FROM session WHERE token = $1 AND expires > `+now, row.Hash(token))
}

// ProlongSession extends a session. One that has ended stays ended.
func (s *Store) ProlongSession(ctx context.Context, token string, expires time.Time) error {
	return s.change(ctx, "", "UPDATE session SET expires = $2 WHERE token = $1", row.Hash(token), expires.UnixMilli())
}

// RemoveSession ends a session, if it exists.
func (s *Store) RemoveSession(ctx context.Context, token string) error {
	var user string
	defer func() { s.userChanged(user) }()
	return s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `DELETE FROM session WHERE token = $1 RETURNING "user"`, row.Hash(token)).Scan(&user)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
}

// EndSessions signs everybody out and revokes all API tokens.
func (s *Store) EndSessions(ctx context.Context) error {
	return s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM session; DELETE FROM token")
		return err
	})
}

// AddToken stores a new token of a user, which begins now. The user keeps the generation
// until it is stored.
func (s *Store) AddToken(ctx context.Context, secret string, u accounts.User, t accounts.Token, days int) (accounts.Token, error) {
	err := s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var at int64
		if err := tx.QueryRow(ctx, "SELECT "+now).Scan(&at); err != nil {
			return err
		}
		t = t.Begin(row.Moment(at), days)
		var user int64
		err := tx.QueryRow(ctx, "SELECT number FROM users WHERE id = $1 AND generation = $2 AND removed_at IS NULL FOR SHARE", u.ID, u.Generation).Scan(&user)
		if err != nil {
			return row.ReadError("user", err)
		}
		_, err = tx.Exec(ctx, `INSERT INTO token (id, hash, "user", name, scope, created, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			t.ID, row.Hash(secret), user, t.Name, string(t.Scope), t.Created.UnixMilli(), row.Optional(t.Expires))
		return err
	})
	return t, err
}

const selectToken = `SELECT token.id, users.id, token.name, scope, token.created, expires, used FROM token JOIN users ON users.number = token."user" `

// Token returns the token of a secret.
func (s *Store) Token(ctx context.Context, secret string) (accounts.Token, error) {
	return one(ctx, s, row.ScanToken, selectToken+"WHERE hash = $1 AND (expires IS NULL OR expires > "+now+")", row.Hash(secret))
}

// Tokens lists the tokens of a user in order of creation.
func (s *Store) Tokens(ctx context.Context, userID string) ([]accounts.Token, error) {
	return all(ctx, s, row.ScanToken, "listing API tokens", selectToken+"WHERE users.id = $1 ORDER BY token.created, token.id", userID)
}

// UseToken notes when a token was last used.
func (s *Store) UseToken(ctx context.Context, id string, at time.Time) error {
	return s.change(ctx, "", "UPDATE token SET used = $2 WHERE id = $1", id, at.UnixMilli())
}

// RemoveToken removes a token of a user.
func (s *Store) RemoveToken(ctx context.Context, userID, id string) error {
	defer s.userChanged(userID)
	return s.change(ctx, "API token", `DELETE FROM token WHERE id = $1 AND "user" = (SELECT number FROM users WHERE id = $2)`, id, userID)
}

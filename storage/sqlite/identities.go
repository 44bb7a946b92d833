package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"collie/segment/accounts"
	"collie/storage/row"
)

// Identified returns the identifier of the user with an identity.
func (s *Store) Identified(ctx context.Context, i accounts.Identity) (userID string, err error) {
	err = s.reads.row(ctx, "SELECT user.id FROM identity JOIN user ON user.number = identity.user WHERE issuer = ? AND subject = ?", i.Issuer, i.Subject).Scan(&userID)
	if err != nil {
		return "", row.ReadError("identity", err)
	}
	return userID, nil
}

// Identities lists those of a user in order.
func (s *Store) Identities(ctx context.Context, userID string) ([]accounts.Identity, error) {
	return all(ctx, s.reads, row.ScanIdentity, "listing identities",
		"SELECT issuer, subject FROM identity JOIN user ON user.number = identity.user WHERE user.id = ? ORDER BY issuer, subject", userID)
}

// LinkIdentity gives an identity to a user.
func (s *Store) LinkIdentity(ctx context.Context, i accounts.Identity, userID string) error {
	return s.writer.write(ctx, func(w *writer) error {
		number, err := w.userNumber(userID)
		if err != nil {
			return err
		}
		return w.link(i, number)
	})
}

// link gives an identity to a user, unless another one who can sign in has it.
func (w *writer) link(i accounts.Identity, user int64) error {
	var linked int64
	err := w.row(`INSERT INTO identity (issuer, subject, user) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET user = excluded.user
		WHERE user = excluded.user OR user IN (SELECT number FROM user WHERE removed_at IS NOT NULL) RETURNING user`, i.Issuer, i.Subject, user).Scan(&linked)
	if errors.Is(err, sql.ErrNoRows) {
		return row.Linked(i)
	}
	return err
}

// UnlinkIdentity takes an identity from its user, starts a new generation of the
// user and removes their API tokens.
func (s *Store) UnlinkIdentity(ctx context.Context, i accounts.Identity) error {
	return s.writer.write(ctx, func(w *writer) error {
		var user int64
		if err := w.row("DELETE FROM identity WHERE issuer = ? AND subject = ? RETURNING user", i.Issuer, i.Subject).Scan(&user); err != nil {
			return row.ReadError("identity", err)
		}
		if err := w.exec("UPDATE user SET generation = generation + 1 WHERE number = ?", user); err != nil {
			return err
		}
		return w.exec("DELETE FROM token WHERE user = ?", user)
	})
}

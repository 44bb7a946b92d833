package postgres

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"

	"collie/segment/access"
	"collie/segment/accounts"
	"collie/storage/row"
)

// CreateUser stores a new user with their identities.
func (s *Store) CreateUser(ctx context.Context, u accounts.User, identities ...accounts.Identity) error {
	return s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var user int64
		err := tx.QueryRow(ctx, "INSERT INTO users (id, name, admin, password, generation, created) VALUES ($1, $2, $3, $4, $5, $6) RETURNING number",
			u.ID, u.Name, u.Role == access.Admin, u.Hash, u.Generation, u.Created.UnixMilli()).Scan(&user)
		if code(err) == uniqueViolation {
			return row.NameTaken(u.Name)
		}
		if err != nil {
			return err
		}
		for _, i := range identities {
			if err := link(ctx, tx, i, user); err != nil {
				return err
			}
		}
		return nil
	})
}

const selectUser = "SELECT " + row.UserColumns + " FROM users WHERE removed_at IS NULL "

// User returns a user by identifier.
func (s *Store) User(ctx context.Context, id string) (accounts.User, error) {
	return one(ctx, s, row.ScanUser, selectUser+"AND id = $1", id)
}

// UserNamed returns a user by name.
func (s *Store) UserNamed(ctx context.Context, name string) (accounts.User, error) {
	return one(ctx, s, row.ScanUser, selectUser+"AND lower(name) = lower($1)", name)
}

// Users lists the users by name.
func (s *Store) Users(ctx context.Context) ([]accounts.User, error) {
	return all(ctx, s, row.ScanUser, "listing the users", selectUser+"ORDER BY lower(name)")
}

// SetRole changes a user's role.
func (s *Store) SetRole(ctx context.Context, id string, role access.Role) error {
	return s.editUser(ctx, id, row.Ends{Admin: role != access.Admin}, "UPDATE users SET admin = $2 WHERE id = $1 AND removed_at IS NULL RETURNING number", role == access.Admin)
}

// SetPassword stores the hash of a new password, starts a new generation and
// removes the user's API tokens.
func (s *Store) SetPassword(ctx context.Context, u accounts.User, hash string) error {
	return s.editUser(ctx, u.ID, row.Ends{Tokens: true}, "UPDATE users SET password = $2, generation = generation + 1 WHERE id = $1 AND generation = $3 AND removed_at IS NULL RETURNING number", hash, u.Generation)
}

// RemoveUser removes a user's access and API tokens; the row stays for references
// to it.
func (s *Store) RemoveUser(ctx context.Context, id string) error {
	return s.editUser(ctx, id, row.Ends{Admin: true, Tokens: true}, "UPDATE users SET removed_at = "+now+", password = '', generation = generation + 1 WHERE id = $1 AND removed_at IS NULL RETURNING number")
}

// editUser runs an update of one user, after which at least one admin must
// remain. If it ends the user's access so far, their API tokens go.
func (s *Store) editUser(ctx context.Context, id string, ends row.Ends, update string, values ...any) error {
	defer s.userChanged(id) // also when it isn't known whether it was stored
	return s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if ends.Admin {
			// All admins are locked, so that two of them can't remove each other.
			rows, err := tx.Query(ctx, "SELECT id FROM users WHERE admin AND removed_at IS NULL ORDER BY number FOR UPDATE")
			if err != nil {
				return err
			}
			admins, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			if len(admins) == 1 && admins[0] == id {
				return row.LastAdmin()
			}
		}
		var user int64
		if err := tx.QueryRow(ctx, update, append([]any{id}, values...)...).Scan(&user); err != nil {
			return row.ReadError("user", err)
		}
		if !ends.Tokens {
			return nil
		}
		_, err := tx.Exec(ctx, `DELETE FROM token WHERE "user" = $1`, user)
		return err
	})
}

// Identified returns the identifier of the user with an identity.
func (s *Store) Identified(ctx context.Context, i accounts.Identity) (string, error) {
	id, err := one(ctx, s, row.Text, `SELECT users.id FROM identity JOIN users ON users.number = identity."user" WHERE issuer = $1 AND subject = $2`, i.Issuer, i.Subject)
	if err != nil {
		return "", row.ReadError("identity", err)
	}
	return id, nil
}

// Identities lists those of a user in order.
func (s *Store) Identities(ctx context.Context, userID string) ([]accounts.Identity, error) {
	return all(ctx, s, row.ScanIdentity, "listing identities",
		`SELECT issuer, subject FROM identity JOIN users ON users.number = identity."user" WHERE users.id = $1 ORDER BY issuer, subject`, userID)
}

// LinkIdentity gives an identity to a user.
func (s *Store) LinkIdentity(ctx context.Context, i accounts.Identity, userID string) error {
	return s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		user, err := userNumber(ctx, tx, userID)
		if err != nil {
			return err
		}
		return link(ctx, tx, i, user)
	})
}

// userNumber returns the number of a user, who stays until the transaction ends.
func userNumber(ctx context.Context, tx pgx.Tx, id string) (number int64, err error) {
	if err := tx.QueryRow(ctx, "SELECT number FROM users WHERE id = $1 AND removed_at IS NULL FOR SHARE", id).Scan(&number); err != nil {
		return 0, row.ReadError("user", err)
	}
	return number, nil
}

// link gives an identity to a user, unless another one who can sign in has it.
func link(ctx context.Context, tx pgx.Tx, i accounts.Identity, user int64) error {
	var linked int64
	err := tx.QueryRow(ctx, `INSERT INTO identity (issuer, subject, "user") VALUES ($1, $2, $3) ON CONFLICT (issuer, subject) DO UPDATE SET "user" = excluded."user"
		WHERE identity."user" = excluded."user" OR identity."user" IN (SELECT number FROM users WHERE removed_at IS NOT NULL) RETURNING "user"`, i.Issuer, i.Subject, user).Scan(&linked)
	if errors.Is(err, sql.ErrNoRows) {
		return row.Linked(i)
	}
	return err
}

// UnlinkIdentity takes an identity from its user, starts a new generation of the
// user and removes their API tokens.
func (s *Store) UnlinkIdentity(ctx context.Context, i accounts.Identity) error {
	var id string
	defer func() { s.userChanged(id) }()
	return s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var user int64
		if err := tx.QueryRow(ctx, `DELETE FROM identity WHERE issuer = $1 AND subject = $2 RETURNING "user"`, i.Issuer, i.Subject).Scan(&user); err != nil {
			return row.ReadError("identity", err)
		}
		if err := tx.QueryRow(ctx, "UPDATE users SET generation = generation + 1 WHERE number = $1 RETURNING id", user).Scan(&id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM token WHERE "user" = $1`, user)
		return err
	})
}

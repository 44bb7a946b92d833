package sqlite

import (
	"context"
	"time"

	"collie/segment/access"
	"collie/segment/accounts"
	"collie/storage/row"
)

var _ accounts.Store = (*Store)(nil)

// CreateUser stores a new user with their identities.
func (s *Store) CreateUser(ctx context.Context, u accounts.User, identities ...accounts.Identity) error {
	return s.writer.write(ctx, func(w *writer) error {
		var number int64
		err := w.row("INSERT INTO user (id, name, admin, password, generation, created) VALUES (?, ?, ?, ?, ?, ?) RETURNING number",
			u.ID, u.Name, u.Role == access.Admin, u.Hash, u.Generation, u.Created.UnixMilli()).Scan(&number)
		if err != nil && refused(err) {
			return row.NameTaken(u.Name)
		}
		if err != nil {
			return err
		}
		for _, i := range identities {
			if err := w.link(i, number); err != nil {
				return err
			}
		}
		return nil
	})
}

const selectUser = "SELECT " + row.UserColumns + " FROM user WHERE removed_at IS NULL "

// User returns a user by identifier.
func (s *Store) User(ctx context.Context, id string) (accounts.User, error) {
	return row.ScanUser(s.reads.row(ctx, selectUser+"AND id = ?", id))
}

// UserNamed returns a user by name.
func (s *Store) UserNamed(ctx context.Context, name string) (accounts.User, error) {
	return row.ScanUser(s.reads.row(ctx, selectUser+"AND name = ?", name))
}

// Users lists the users by name.
func (s *Store) Users(ctx context.Context) ([]accounts.User, error) {
	return all(ctx, s.reads, row.ScanUser, "listing the users", selectUser+"ORDER BY name")
}

// SetRole changes a user's role.
func (s *Store) SetRole(ctx context.Context, id string, role access.Role) error {
	return s.editUser(ctx, id, row.Ends{Admin: role != access.Admin}, "UPDATE user SET admin = ? WHERE id = ? AND removed_at IS NULL RETURNING number", role == access.Admin)
}

// SetPassword stores the hash of a new password, starts a new generation and
// removes the user's API tokens.
func (s *Store) SetPassword(ctx context.Context, u accounts.User, hash string) error {
	return s.editUser(ctx, u.ID, row.Ends{Tokens: true}, "UPDATE user SET password = ?, generation = generation + 1 WHERE generation = ? AND id = ? AND removed_at IS NULL RETURNING number", hash, u.Generation)
}

// RemoveUser removes a user's access and API tokens; the row stays for references
// to it.
func (s *Store) RemoveUser(ctx context.Context, id string) error {
	return s.editUser(ctx, id, row.Ends{Admin: true, Tokens: true}, "UPDATE user SET removed_at = ?, password = '', generation = generation + 1 WHERE id = ? AND removed_at IS NULL RETURNING number", time.Now().UnixMilli())
}

// editUser runs an update of one user, after which at least one admin must
// remain. If it ends the user's access so far, their API tokens go.
func (s *Store) editUser(ctx context.Context, id string, ends row.Ends, update string, values ...any) error {
	return s.writer.write(ctx, func(w *writer) error {
		if ends.Admin {
			var last bool
			if err := w.row(`SELECT admin AND NOT EXISTS (SELECT 1 FROM user WHERE admin AND removed_at IS NULL AND id <> ?1)
				FROM user WHERE id = ?1 AND removed_at IS NULL`, id).Scan(&last); err != nil {
				return row.ReadError("user", err)
			}
			if last {
				return row.LastAdmin()
			}
		}
		var number int64
		if err := w.row(update, append(values, id)...).Scan(&number); err != nil {
			return row.ReadError("user", err)
		}
		if !ends.Tokens {
			return nil
		}
		return w.exec("DELETE FROM token WHERE user = ?", number)
	})
}

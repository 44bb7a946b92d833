package postgres

import (
	"context"

	"collie/storage/row"
)

// Identity is random and the database's own; its copies have the same one.
func (s *Store) Identity(ctx context.Context) (string, error) {
	return one(ctx, s, row.Text, "SELECT id FROM installation")
}

package postgres

import (
	"context"
	"fmt"

	"collie/storage/row"
)

// Identity is random and the database's own; its copies have the same one.
func (s *Store) Identity(ctx context.Context) (string, error) {
	return one(ctx, s, row.Text, "SELECT id FROM installation")
}

// MoveAway notes where the data has been moved to. The database is not opened again.
func (s *Store) MoveAway(ctx context.Context, where string) error {
	return s.change(ctx, "database", "UPDATE installation SET moved = $1", where)
}

// MovedError is the error for a database whose data has been moved away.
type MovedError struct{ From, To string }

func (e *MovedError) Error() string {
	return fmt.Sprintf("the database %s was moved to %s; nothing was changed", e.From, e.To)
}

// stays returns an error when the data has been moved away.
func (s *Store) stays(ctx context.Context) error {
	where, err := one(ctx, s, row.Text, "SELECT moved FROM installation")
	switch {
	case err != nil:
		return fmt.Errorf("the database %s: %w", s.name, err)
	case where != "":
		return &MovedError{s.name, where}
	}
	return nil
}

// Others counts the connections that other programs of Collie have at this moment. A
// server that nobody uses can have none.
func (s *Store) Others(ctx context.Context) (int, error) {
	all, err := one(ctx, s, row.Number[int], "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = current_setting('application_name')")
	return all - int(s.pool.Stat().TotalConns()), err
}

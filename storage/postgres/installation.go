package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

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

// countPrograms counts the connections of all programs of Collie.
const countPrograms = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = current_setting('application_name')"

// Others counts the connections that other programs of Collie have at this moment. A
// server that nobody uses can have none.
func (s *Store) Others(ctx context.Context) (int, error) {
	all, err := one(ctx, s, row.Number[int], countPrograms)
	return all - int(s.pool.Stat().TotalConns()), err
}

// UseBucket notes the bucket in which a server keeps its files, unless another one is
// noted while other programs are connected. It returns the one that is noted then.
func (s *Store) UseBucket(ctx context.Context, bucket string) (noted string, err error) {
	noted, err = one(ctx, s, row.Text, "SELECT bucket FROM installation")
	if err != nil || noted == bucket { // as always but for the first time
		return noted, err
	}
	err = s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, "SELECT bucket FROM installation FOR UPDATE").Scan(&noted); err != nil || noted == bucket {
			return err
		}
		var all int
		if err := tx.QueryRow(ctx, countPrograms).Scan(&all); err != nil {
			return err
		}
		if noted != "" && all > int(s.pool.Stat().TotalConns()) {
			return nil
		}
		noted = bucket
		_, err := tx.Exec(ctx, "UPDATE installation SET bucket = $1", bucket)
		return err
	})
	return noted, err
}

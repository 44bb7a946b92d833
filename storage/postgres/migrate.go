package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"collie/storage/row"
)

// migrationFiles holds the steps from each version of the schema to the next. The
// first makes the tables of SQLite's schema of the same number; later steps of one
// number can differ.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

var migrations = func() fs.FS {
	sub, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err)
	}
	return sub
}()

const (
	first  = 18 // version to which the first step leads
	oldest = 18 // version whose programs can still use the current schema

	turn = 300 * time.Millisecond // for which a migration waits for a table, and lets others have it
)

// migrate brings the schema up to date, all pending steps in one transaction,
// which one server makes while the others wait, as soon as nobody is in its way.
// Without permission to change anything, an older schema is refused.
func migrate(ctx context.Context, pool *pgxpool.Pool, migrations fs.FS, may bool) error {
	steps, err := row.Steps(migrations, first)
	if err != nil {
		return err
	}
	newest := first + len(steps) - 1
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	switch found, err := version(ctx, c, newest); {
	case err != nil:
		return err
	case found >= newest:
		return nil
	case !may && found == 0:
		return errors.New("is empty; start the server once, which makes its tables")
	case !may:
		return fmt.Errorf("has a schema of version %d, this program %d: an older program wrote it. Use that program, or start this one's server once to bring it up to date", found, newest)
	}
	for {
		err := migrateOnce(ctx, c, steps, newest)
		if code(err) != noLock && code(err) != deadlock {
			return err
		}
		select { // those who waited behind the migration get their turn
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(turn):
		}
	}
}

// migrateOnce makes the pending ones of the steps. It gives up, with noLock or
// deadlock, when a table is in use for longer than turn: before the database would
// end a person's statement for a deadlock, and before many wait behind it for
// somebody who reads for an hour.
func migrateOnce(ctx context.Context, c *pgxpool.Conn, steps []string, newest int) error {
	err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		// The lock ends with the transaction: one of a session would stay with nobody
		// behind a pooler.
		if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
			SELECT pg_advisory_xact_lock(hashtextextended('collie ' || current_schema(), 0));
			CREATE TABLE IF NOT EXISTS schema (version bigint NOT NULL, oldest bigint NOT NULL)`); code(err) == noPrivilege {
			return fmt.Errorf("doesn't let the role of its address make tables. Use its owner, or GRANT CREATE ON SCHEMA … TO that role: %w", err)
		} else if err != nil {
			return fmt.Errorf("can't be set up: %w", err)
		}
		found, err := version(ctx, tx, newest)
		if err != nil || found >= newest {
			return err
		}
		if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL lock_timeout = %d", turn.Milliseconds())); err != nil {
			return err
		}
		for i, text := range steps[max(0, found-first+1):] {
			if _, err := tx.Exec(ctx, text); err != nil {
				return fmt.Errorf("migration to version %d: %w. Nothing was changed", max(found+1, first)+i, err)
			}
		}
		_, err = tx.Exec(ctx, fmt.Sprintf("DELETE FROM schema; INSERT INTO schema VALUES (%d, %d)", newest, oldest))
		return err
	})
	if code(err) == diskFull {
		return fmt.Errorf("can't be set up. The disk of the database is full; nothing was changed: %w", err)
	}
	return err
}

// rower is a connection or a transaction.
type rower interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// version returns the version of the schema, 0 before the first migration, and
// refuses one that a program of version newest can't use.
func version(ctx context.Context, c rower, newest int) (int, error) {
	var tables int
	var ours bool
	var place *string
	err := c.QueryRow(ctx, `SELECT current_schema(), count(*), count(*) FILTER (WHERE table_name = 'schema') > 0
		FROM information_schema.tables WHERE table_schema = current_schema()`).Scan(&place, &tables, &ours)
	switch {
	case err != nil:
		return 0, err
	case place == nil:
		return 0, fmt.Errorf("has no schema that its search_path names")
	case !ours && tables > 0:
		return 0, fmt.Errorf("holds tables of another program; create a database of its own for Collie. Nothing was changed")
	case !ours:
		return 0, nil
	}
	var found, oldest int
	if err := c.QueryRow(ctx, "SELECT coalesce(max(version), 0), coalesce(max(oldest), 0) FROM schema").Scan(&found, &oldest); err != nil {
		return 0, fmt.Errorf("can't be read: %w", err)
	}
	if oldest > newest {
		return 0, fmt.Errorf("has a schema of version %d, which programs from version %d on can use, but this one is of version %d. Use the newer program; nothing was changed", found, oldest, newest)
	}
	return found, nil
}

// fitEvery is how often a server asks whether it can still use the schema.
const fitEvery = 2 * time.Second

// WatchSchema looks now and then whether a newer program has changed the schema so that
// this one can't use it any more, until stop is called. Then nothing is read or
// written any more, Unfit says why, and Failed is closed.
func (s *Store) WatchSchema() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for s.Unfit() == nil && ctx.Err() == nil {
			repeat(ctx, fitEvery, fitEvery, func() {
				if err := s.fits(ctx); err != nil {
					s.unfit.Store(&err)
					close(s.failed)
				}
			})
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// fits returns an error when the program can't use the schema any more. A database
// that doesn't answer says nothing about it.
func (s *Store) fits(ctx context.Context) error {
	steps, err := row.Steps(migrations, first)
	if err != nil {
		return err
	}
	newest := first + len(steps) - 1
	oldest, err := one(ctx, s, row.Number[int], "SELECT coalesce(max(oldest), 0) FROM schema")
	if err != nil || oldest <= newest {
		return nil
	}
	return fmt.Errorf("the database %s has been changed by a newer program and can be used by programs from version %d of the schema on, but this one is of version %d. Use the newer program", s.name, oldest, newest)
}

// Unfit returns why the program can't use the schema any more; nil if it can.
func (s *Store) Unfit() error {
	if err := s.unfit.Load(); err != nil {
		return *err
	}
	return nil
}

// Failed is closed when the program can't use the schema any more.
func (s *Store) Failed() <-chan struct{} { return s.failed }

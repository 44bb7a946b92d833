// Package sqlite keeps projects, image records and evidence in one SQLite file.
//
// All writes go through one goroutine, which commits together everything that
// queued up during the previous commit (see writer.go). Reads use separate
// connections and don't wait for writes.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the database driver

	"collie/segment"
	"collie/storage/disk"
	"collie/storage/row"
)

// readers is how many reads can run at the same time.
const readers = 8

// Store is a segment.Store in a SQLite file. Safe for concurrent use, also by
// several processes.
type Store struct {
	writer *writer
	reads  *reader
	path   string
	kept   string   // copy of the older database that was migrated, or ""
	lacks  []string // in a folder that can't be written, where that can't be noted
}

var _ segment.Store = (*Store)(nil)

// Open opens or creates the database file at path and migrates its schema.
// Before a migration it copies the file to path.v<old version>.backup;
// afterwards it removes the copies of earlier migrations. It refuses files of
// other programs, or with a newer schema, without changing them.
func Open(ctx context.Context, path string) (*Store, error) {
	return open(ctx, path, migrations)
}

func open(ctx context.Context, path string, migrations fs.FS) (*Store, error) {
	if err := private(path); err != nil {
		return nil, err
	}
	writes, err := sql.Open("sqlite", dsn(path, "rwc", "busy_timeout(5000)"))
	if err != nil {
		return nil, fmt.Errorf("opening the database %s: %w", path, err)
	}
	conn, kept, err := prepare(ctx, writes, path, migrations)
	if err != nil {
		err = errors.Join(err, writes.Close())
		if noSpace(path) {
			return openCramped(ctx, path, err)
		}
		return nil, err
	}
	reads, err := sql.Open("sqlite", dsn(path, "ro", "busy_timeout(5000)"))
	if err != nil {
		return nil, errors.Join(err, writes.Close())
	}
	reads.SetMaxOpenConns(readers)
	reads.SetMaxIdleConns(readers)
	mark, err := openMark(ctx, conn, path)
	if err != nil {
		return nil, errors.Join(err, reads.Close(), writes.Close())
	}
	return &Store{writer: newWriter(writes, conn, mark, filepath.Dir(path)), reads: &reader{DB: reads}, path: path, kept: kept}, nil
}

// Kept is the name of the copy that Open kept of an older database because it migrated
// it, or "".
func (s *Store) Kept() string { return s.kept }

// private creates the database file if needed and makes it and the files next
// to it inaccessible to other users, whatever the mode of the folder. SQLite
// gives its files the mode of the database.
func private(path string) error {
	file, err := disk.OpenFile(path)
	if err != nil {
		return fmt.Errorf("opening the database %s: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // files have the rights of their folder
		return nil
	}
	old, err := filepath.Glob(quoteGlob(path) + ".v*.backup")
	if err != nil {
		return err
	}
	for _, name := range append(old, path, path+"-wal", path+"-shm") {
		if err := os.Chmod(name, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("keeping the database from other users: %w", err)
		}
	}
	return nil
}

// quoteGlob returns a pattern that only a name itself matches.
func quoteGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// prepare migrates the database and returns the only connection that writes, and the
// name of the copy that it kept.
func prepare(ctx context.Context, db *sql.DB, path string, migrations fs.FS) (conn *sql.Conn, kept string, err error) {
	conn, err = db.Conn(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("opening the database %s: %w", path, err)
	}
	kept, err = migrate(ctx, conn, path, migrations)
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("the database %s: %w", path, err), conn.Close())
	}
	return conn, kept, nil
}

// dsn names the file for the driver. The path can contain any character.
func dsn(path, mode string, pragmas ...string) string {
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	name.RawQuery = url.Values{"mode": {mode}, "_pragma": pragmas}.Encode()
	return name.String()
}

// Close commits what is queued and closes the file.
func (s *Store) Close() error {
	return errors.Join(s.reads.Close(), s.writer.close())
}

// Synced makes the store call f with the time that each commit took until it
// was on disk.
func (s *Store) Synced(f func(took time.Duration)) { s.writer.synced.Store(&f) }

// Failed is closed when the disk has failed; after that, writes are refused.
func (s *Store) Failed() <-chan struct{} { return s.writer.health.Failed() }

// Ready returns nil if the store can be read and has not failed.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.writer.health.Err(); err != nil {
		return err
	}
	var one int
	if err := s.reads.row(ctx, "SELECT 1 FROM sqlite_schema LIMIT 1").Scan(&one); err != nil {
		return fmt.Errorf("reading the database: %w", err)
	}
	return nil
}

// all runs a query and reads each of its rows with scan; doing says in errors
// what was going on.
func all[T any](ctx context.Context, db *reader, scan func(row.Scanner) (T, error), doing, query string, args ...any) ([]T, error) {
	rows, err := db.query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	defer rows.Close()
	list, err := row.List(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return list, nil
}

// byID is all for rows that begin with an id, which scan reads before what the id
// stands for.
func byID[T any](ctx context.Context, db *reader, scan func(r row.Scanner, id *string, value *T) error, doing, query string, args ...any) (map[string]T, error) {
	values := map[string]T{}
	if _, err := all(ctx, db, row.ByID(values, scan), doing, query, args...); err != nil {
		return nil, err
	}
	return values, nil
}

// createError turns the error of an insert into the caller's.
func createError(what string, err error) error {
	if err != nil && refused(err) {
		return row.Taken(what, err)
	}
	return err
}

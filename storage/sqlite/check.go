package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"collie/storage/disk"
	"collie/storage/row"
)

// ErrOlder is the cause of OpenCurrent's error for a file whose schema is older
// than the program's.
var ErrOlder = errors.New("an older program wrote it. Use that program, or start this one's server once to bring it up to date")

// OpenCurrent opens a database file like Open, but neither creates nor migrates
// it: the schema must be the program's own. A server can be using the file.
func OpenCurrent(ctx context.Context, path string) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the database %s doesn't exist", path)
		}
		return nil, err
	}
	frozen := disk.IsReadOnly(disk.Writable(filepath.Dir(path)))
	name := dsn(path, "rw", "busy_timeout(5000)")
	if frozen {
		if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
			return nil, fmt.Errorf("the database %s was not closed properly and its folder is read-only, so its latest changes can't be read. Copy the folder to a writable disk and use the copy", path)
		}
		name = frozenDSN(path)
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	version, err := version(ctx, db)
	if err = errors.Join(err, db.Close()); err != nil {
		err = fmt.Errorf("the database %s: %w", path, err)
		if noSpace(path) {
			return openCramped(ctx, path, err)
		}
		return nil, err
	}
	steps, err := row.Steps(migrations, 1)
	if err != nil {
		return nil, err
	}
	if version < len(steps) {
		return nil, fmt.Errorf("the database %s has version %d, this program version %d: %w", path, version, len(steps), ErrOlder)
	}
	if frozen {
		return openFrozen(ctx, path)
	}
	return Open(ctx, path)
}

// frozenDSN names a file that nobody changes: SQLite needs no files next to it.
func frozenDSN(path string) string { return dsn(path, "ro") + "&immutable=1" }

// openFrozen opens a closed database in a read-only folder. Writes are refused.
func openFrozen(ctx context.Context, path string) (*Store, error) {
	writes, err := sql.Open("sqlite", frozenDSN(path))
	if err != nil {
		return nil, err
	}
	conn, err := writes.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, writes.Close())
	}
	reads, err := sql.Open("sqlite", frozenDSN(path))
	if err != nil {
		return nil, errors.Join(err, conn.Close(), writes.Close())
	}
	s := &Store{writer: newWriter(writes, conn, nil, filepath.Dir(path)), reads: &reader{DB: reads}, path: path}
	if t, ok := readTally(ctx, conn, path); ok && t.lost() > 0 {
		s.lacks = []string{t.String()}
	}
	return s, nil
}

func version(ctx context.Context, db *sql.DB) (int, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	v, err := schemaVersion(ctx, conn)
	return v, errors.Join(err, conn.Close())
}

// Snapshot copies the database at one moment to a new file, while others write,
// and flushes the copy to disk.
func (s *Store) Snapshot(ctx context.Context, path string) error {
	if err := private(path); err != nil { // SQLite treats an empty file as a new one
		return err
	}
	if _, err := s.reads.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return fmt.Errorf("copying the database: %w", err)
	}
	return disk.Sync(path)
}

// Check reads the whole file and returns what is wrong with it, in words for
// people: a schema that is not the program's own, damaged pages, rows that refer
// to nothing, logs with gaps.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	found, err := s.foreign(ctx)
	if err != nil || len(found) > 0 {
		return found, err
	}
	for _, check := range []struct{ query, format string }{
		{"SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'", "the database file is damaged: %s"},
		{`SELECT "table" || ' ' || rowid || ' refers to ' || parent FROM pragma_foreign_key_check`, "row of table %s which is not there"},
		{`SELECT image.id || ': ' || image.seq || ' by its record, ' || count(event.seq) || ' stored, the last has number ' || ifnull(max(event.seq), 0)
			FROM image LEFT JOIN event ON event.image = image.number GROUP BY image.number
			HAVING count(event.seq) <> image.seq OR ifnull(max(event.seq), 0) <> image.seq`, "number of events of image %s"},
	} {
		lines, err := all(ctx, s.reads, row.Text, "checking the database", check.query)
		if err != nil {
			return found, err
		}
		for _, line := range lines {
			found = append(found, fmt.Sprintf(check.format, line))
		}
	}
	return found, nil
}

// foreign compares the schema with that of a new database.
func (s *Store) foreign(ctx context.Context) ([]string, error) {
	const query = "SELECT type || ' ' || name || ': ' || ifnull(sql, '') FROM sqlite_schema ORDER BY 1"
	have, err := all(ctx, s.reads, row.Text, "reading the schema", query)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection has a separate in-memory database
	steps, err := row.Steps(migrations, 1)
	if err != nil {
		return nil, err
	}
	for _, text := range steps {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return nil, err
		}
	}
	want, err := all(ctx, &reader{DB: db}, row.Text, "reading a new schema", query)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, line := range have {
		if !slices.Contains(want, line) {
			found = append(found, "the schema contains something that is not Collie's: "+line)
		}
	}
	for _, line := range want {
		if !slices.Contains(have, line) {
			found = append(found, "the schema lacks "+line)
		}
	}
	return found, nil
}

// EndSessions signs everybody out and revokes all API tokens. What was restored
// would otherwise bring back those that have been revoked since.
func (s *Store) EndSessions(ctx context.Context) error {
	return s.writer.write(ctx, func(w *writer) error {
		if err := w.exec("DELETE FROM session"); err != nil {
			return err
		}
		return w.exec("DELETE FROM token")
	})
}

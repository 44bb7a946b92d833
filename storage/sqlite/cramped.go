package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"

	"collie/segment"
	"collie/storage/disk"
	"collie/storage/row"
)

// openCramped opens a database, with its write-ahead log, on a disk that has no
// space for the memory that SQLite's connections share in a file: there is one
// connection for all, which keeps that to itself. Nothing can be written, also
// later. The schema must be the program's own, for it can't be migrated.
func openCramped(ctx context.Context, path string, why error) (*Store, error) {
	db, err := sql.Open("sqlite", dsn(path, "rw", "locking_mode(EXCLUSIVE)", "busy_timeout(5000)", "wal_autocheckpoint(0)"))
	if err != nil {
		return nil, errors.Join(why, err)
	}
	db.SetMaxOpenConns(1)
	found, err := version(ctx, db)
	steps, stepsErr := row.Steps(migrations, 1)
	if err := errors.Join(err, stepsErr); err != nil {
		return nil, errors.Join(why, err, db.Close())
	}
	if found != len(steps) {
		return nil, errors.Join(why, db.Close())
	}
	refusal := segment.Errorf(segment.Full, "The server's disk was full when the server started, so it saves nothing; earlier work is safe. Free some space and restart the server.").Because(why)
	writer := newWriter(db, nil, nil, filepath.Dir(path))
	writer.refusal.Store(refusal)
	return &Store{writer: writer, reads: &reader{DB: db}, path: path}, nil
}

// Cramped is nil unless the disk was full when the database was opened, so that
// it can only be read.
func (s *Store) Cramped() error {
	if refusal := s.writer.refusal.Load(); refusal != nil {
		return refusal
	}
	return nil
}

// noSpace reports whether there is too little space for the files that an open
// database has beside it.
func noSpace(path string) bool { return segment.OutOfSpace(disk.Room(filepath.Dir(path), 256<<10)) }

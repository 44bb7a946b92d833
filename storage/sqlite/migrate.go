package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"collie/storage/disk"
	"collie/storage/row"
)

// migrationFiles holds the steps from each version of the schema to the next:
// NNNN_what.sql leads to version NNNN. Steps are never changed once released,
// and the backup is the only way back.
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

// applicationID marks a SQLite file as Collie's ("Coll" in ASCII).
const applicationID = 0x436f6c6c

// migrate brings the schema of the file at path, open as conn, up to date and
// sets the connection up for durable writing. It returns the name of the copy that
// it kept of an older file, or "".
func migrate(ctx context.Context, conn *sql.Conn, path string, migrations fs.FS) (kept string, err error) {
	steps, err := row.Steps(migrations, 1)
	if err != nil {
		return "", err
	}
	version, err := schemaVersion(ctx, conn)
	if err != nil {
		return "", err
	}
	if version > len(steps) {
		return "", fmt.Errorf("its schema has version %d, but this program knows versions up to %d only. Use the newer program that wrote it; nothing was changed", version, len(steps))
	}
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return "", fmt.Errorf("switching to a write-ahead log: %w", err)
	}
	if mode != "wal" {
		return "", fmt.Errorf("a write-ahead log is not possible here (SQLite uses %q); put the data folder on a local disk", mode)
	}
	// With synchronous = FULL every commit is synced before it is acknowledged. A plain
	// sync leaves it in the cache of the disk on macOS; only there fullfsync matters.
	// The writer makes the checkpoints, because it must see their errors.
	if _, err := conn.ExecContext(ctx, "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 0"); err != nil {
		return "", err
	}
	if version == len(steps) {
		return "", nil
	}
	if version > 0 {
		kept = backupOf(path, version)
		if err := backup(ctx, conn, kept); err != nil {
			return "", fmt.Errorf("it can't be copied before it is brought up to date, for which its disk needs space: %w. Nothing was changed", err)
		}
	}
	if err := advance(ctx, conn, steps, version); err != nil {
		return "", err
	}
	// Into the file itself, which has its name by then even if its log is lost.
	if _, err := conn.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)"); err != nil {
		return "", err
	}
	for older := 1; older < version; older++ {
		_ = os.Remove(backupOf(path, older)) // a leftover only takes space
	}
	return kept, nil
}

// backupOf names the copy of the file at path that a migration from a version
// keeps.
func backupOf(path string, version int) string { return fmt.Sprintf("%s.v%d.backup", path, version) }

// schemaVersion returns the version of the schema, 0 for an empty file.
func schemaVersion(ctx context.Context, conn *sql.Conn) (int, error) {
	var version, application, tables int
	err := conn.QueryRowContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)`).
		Scan(&version, &application, &tables)
	if err != nil {
		return 0, fmt.Errorf("reading its schema version: %w", err)
	}
	if tables > 0 && application != applicationID {
		return 0, fmt.Errorf("it belongs to another program (application id %#x); nothing was changed", application)
	}
	return version, nil
}

// advance makes the steps that follow a version, in one transaction: perhaps no program
// has the versions in between, so a copy of one would be no way back.
func advance(ctx context.Context, conn *sql.Conn, steps []string, version int) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for i, text := range steps[version:] {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("migration to version %d: %w. The file still has version %d", version+i+1, err, version)
		}
	}
	mark := fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", len(steps), applicationID)
	if _, err := tx.ExecContext(ctx, mark); err != nil {
		return err
	}
	return tx.Commit()
}

// backup copies the database, its write-ahead log included, to the file at to.
// An existing file there is left from an unfinished migration.
func backup(ctx context.Context, conn *sql.Conn, to string) error {
	temp := to + ".part"
	if err := disk.Remove(temp); err != nil {
		return err
	}
	if err := private(temp); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "VACUUM INTO ?", temp); err != nil {
		return err
	}
	if err := disk.Sync(temp); err != nil {
		return err
	}
	if err := os.Rename(temp, to); err != nil {
		return err
	}
	return disk.Sync(filepath.Dir(to))
}

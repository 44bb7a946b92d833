package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"collie/segment/audit"
	"collie/storage/disk"
	"collie/storage/move"
	"collie/storage/postgres"
	"collie/storage/sqlite"
)

// Names in a data folder whose records are in a database that servers share.
const (
	sharedFile         = "database" // says which one
	movedRecordsFolder = "records-moved-to-database"
)

type moveToDatabase struct {
	Back bool `help:"Copy the records from the database to the data folder."`
	dataFlag
}

// Run copies the records and compares all of them. An interrupted move changes nothing
// that is used, and goes on when it is started again.
func (c *moveToDatabase) Run(ctx context.Context, out streams) (err error) {
	if c.Database == "" || c.Blobs == "" {
		return errors.New("a move of records needs --database and --blobs")
	}
	held, err := disk.Hold(c.Data, "nothing: it moves records")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	b, err := openExamined(ctx, c.dataFlag)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	shared, err := openAlone(ctx, c.Database)
	if gone := new(postgres.MovedError); c.Back && errors.As(err, &gone) && gone.To == c.Data && moved(c.Data) != nil {
		return c.keep(ctx, out, gone.From) // this command was killed before
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shared.Close()) }()
	if c.Back {
		return c.back(ctx, out, b, shared)
	}
	return c.there(ctx, out, b, shared)
}

// openAlone opens a database that no other program uses.
func openAlone(ctx context.Context, url string) (*postgres.Store, error) {
	shared, err := postgres.Open(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	others, err := shared.Others(ctx)
	if err == nil && others > 0 {
		err = fmt.Errorf("other programs have %d connections to the database; stop all servers first, and a connection pooler, which keeps theirs open. Nothing was changed", others)
	}
	if err != nil {
		return nil, errors.Join(err, shared.Close())
	}
	return shared, nil
}

// there moves records to the database.
func (c *moveToDatabase) there(ctx context.Context, out streams, b *bucket, shared *postgres.Store) error {
	if _, err := os.Lstat(filepath.Join(c.Data, bucketFile)); err != nil {
		return fmt.Errorf("the files of %s are not in a bucket yet; begin with: server move bucket --data %s --blobs …", c.Data, c.Data)
	}
	if _, err := os.Stat(filepath.Join(c.Data, databaseFile)); err != nil {
		return fmt.Errorf("%s has no records to move: %w", c.Data, cmp.Or(moved(c.Data), err))
	}
	if err := c.copyThere(ctx, out, b, shared); err != nil {
		return stopped(err, c.Data)
	}
	if err := shared.Record(ctx, audit.New(ctx, audit.ServerMoved, "", fmt.Sprintf("all records from %s to the database %v", c.Data, shared))); err != nil { // before the last step, so that no move lacks it
		return err
	}
	away := filepath.Join(c.Data, movedRecordsFolder)
	if err := os.MkdirAll(away, 0o700); err != nil {
		return err
	}
	if err := renameRecords(c.Data, away); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "Start servers with --database and --blobs from now on. %s has the former records; delete it once you have a backup. Everybody has to sign in again\n", away)
	return nil
}

// copyThere copies the records to the database and notes in the folder that they are there.
// Where a killed command has done so, the database may have gone on.
func (c *moveToDatabase) copyThere(ctx context.Context, out streams, b *bucket, shared *postgres.Store) (err error) {
	at := filepath.Join(c.Data, sharedFile)
	if noted(at, shared.String()) {
		return b.claim(ctx, shared)
	}
	local, err := sqlite.OpenCurrent(ctx, filepath.Join(c.Data, databaseFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, local.Close()) }()
	if err := b.claim(ctx, local); err != nil {
		return err
	}
	rows, err := move.Records(ctx, local, shared)
	if err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "%s are in the database %v and equal to those of %s\n", records(rows), shared, c.Data)
	return note(at, shared.String())
}

// renameRecords takes a database, closed, from one folder to another: the files beside
// it first, itself last. What the other folder has of an earlier one is removed.
func renameRecords(from, to string) error {
	for _, suffix := range []string{"-wal", "-shm", "-mark", "-lost", ""} {
		name := databaseFile + suffix
		err := os.Rename(filepath.Join(from, name), filepath.Join(to, name))
		if errors.Is(err, fs.ErrNotExist) {
			err = disk.Remove(filepath.Join(to, name))
		}
		if err != nil {
			return err
		}
	}
	return cmp.Or(disk.Sync(to), disk.Sync(from))
}

// back moves records from the database to the data folder. Until the database is marked
// as moved, servers use it and the folder's note keeps them from the folder; from then on
// they use neither until the note is gone, so that there are never two places in use.
func (c *moveToDatabase) back(ctx context.Context, out streams, b *bucket, shared *postgres.Store) error {
	if err := b.claim(ctx, shared); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.Data, databaseFile)); err == nil && moved(c.Data) == nil {
		return fmt.Errorf("%s has records of its own; name an empty folder, or the one from which they were moved. Nothing was changed", c.Data)
	}
	if err := note(filepath.Join(c.Data, bucketFile), b.store.String()); err != nil { // before there are records without files
		return err
	}
	if err := note(filepath.Join(c.Data, sharedFile), shared.String()); err != nil {
		return err
	}
	rows, err := c.fetch(ctx, shared)
	if err != nil {
		return stopped(err, c.Data)
	}
	if err := shared.MoveAway(ctx, c.Data); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "%s are in %s and equal to those of the database\n", records(rows), c.Data)
	return c.keep(ctx, out, shared.String())
}

// keep ends a move back whose records are in the data folder.
func (c *moveToDatabase) keep(ctx context.Context, out streams, from string) error {
	local, err := sqlite.OpenCurrent(ctx, filepath.Join(c.Data, databaseFile))
	if err != nil {
		return err
	}
	err = local.Record(ctx, audit.New(ctx, audit.ServerMoved, "", fmt.Sprintf("all records from the database %s to %s", from, c.Data)))
	if err := errors.Join(err, local.Close()); err != nil {
		return err
	}
	if err := disk.Remove(filepath.Join(c.Data, sharedFile)); err != nil {
		return err
	}
	if err := disk.Sync(c.Data); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "Start one server with --blobs and without --database from now on; the database %s is not used again. Everybody has to sign in again\n", from)
	return nil
}

// fetch gives the data folder all records of the database. They are copied to a folder of
// their own, because servers with --database refuse a data folder that has records
// itself.
func (c *moveToDatabase) fetch(ctx context.Context, shared *postgres.Store) (map[string]int, error) {
	folder, remove, err := disk.TemporaryFolder(c.Data)
	if err != nil {
		return nil, err
	}
	rows, err := copyBack(ctx, shared, folder)
	if err == nil {
		err = renameRecords(folder, c.Data)
	}
	return rows, errors.Join(err, remove())
}

// copyBack copies records to the database in a folder, which is made if needed.
func copyBack(ctx context.Context, shared *postgres.Store, folder string) (map[string]int, error) {
	local, err := sqlite.Open(ctx, filepath.Join(folder, databaseFile))
	if err != nil {
		return nil, err
	}
	rows, err := move.Records(ctx, shared, local)
	return rows, errors.Join(err, local.Close())
}

// records counts rows for people.
func records(rows map[string]int) string {
	return fmt.Sprintf("All records (projects: %d, images: %d, events: %d, users: %d)", rows["project"], rows["image"], rows["event"], rows["users"])
}

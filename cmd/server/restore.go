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
	"collie/storage/backup"
	"collie/storage/blob"
	"collie/storage/disk"
	"collie/storage/move"
	"collie/storage/postgres"
	"collie/storage/sqlite"
)

// restoreCommand brings a backup back.
type restoreCommand struct {
	File  string `arg:"" type:"existingfile" help:"Backup to restore."`
	Reuse bool   `name:"reuse-bucket" help:"With --blobs: use the bucket of the installation that was backed up again, because that installation is lost. Never while it is in use."`
	dataFlag
}

// Run restores the backup to the data folder, which must be empty or not there, or
// with --database to that database and bucket.
func (c *restoreCommand) Run(ctx context.Context, out streams) error {
	if c.Reuse && c.Blobs == "" {
		return errors.New("--reuse-bucket needs the address of the bucket: --blobs s3://BUCKET?endpoint=https://HOST:PORT")
	}
	if c.Database != "" {
		return c.share(ctx, out)
	}
	if c.Blobs != "" {
		if err := c.examineBucket(ctx); err != nil {
			return err
		}
	}
	s, err := backup.Read(ctx, c.File, c.Data)
	if err != nil {
		return err
	}
	if c.Blobs != "" {
		if _, err := (&moveToBucket{c.dataFlag}).run(ctx, out); err != nil {
			return fmt.Errorf("the backup is in %s, its files not yet in the bucket: %w", c.Data, err)
		}
	}
	d, err := openData(ctx, c.dataFlag, 0, anyPhoto)
	if err != nil {
		return err
	}
	if err := errors.Join(d.workspace.Record(ctx, audit.ServerRestored, "", c.File), d.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "%s: %s, %s\n", c.Data, images(s.Images), sizeText(s.Bytes))
	tellLost(out, notInBackup, s.Lost)
	return nil
}

// share restores the backup to a database and a bucket that several servers share.
// The records come last and all at once: until then the database is empty, and the
// same command goes on.
func (c *restoreCommand) share(ctx context.Context, out streams) (err error) {
	if err := cmp.Or(c.check(), c.elsewhere()); err != nil {
		return err
	}
	if _, absent := os.Stat(c.Data); errors.Is(absent, fs.ErrNotExist) {
		defer func() {
			if err != nil { // these are empty then
				_ = os.Remove(filepath.Join(c.Data, scratchFolder))
				_ = os.Remove(c.Data)
			}
		}()
	}
	b, err := openExamined(ctx, c.dataFlag)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	shared, err := openAlone(ctx, c.Database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shared.Close()) }()
	if err := shared.Empty(ctx); err != nil {
		return err
	}
	identity, err := shared.Identity(ctx)
	if err != nil {
		return err
	}
	if err := c.mayUse(ctx, b, identity); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return err
	}
	scratch, remove, err := disk.TemporaryFolder(c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	folder := filepath.Join(scratch, "data")
	s, err := backup.Read(ctx, c.File, folder)
	if err != nil {
		return err
	}
	if err := c.load(ctx, folder, b, shared, identity); err != nil {
		return fmt.Errorf("the restore stopped; the same command goes on with it as long as the database is empty: %w", err)
	}
	fmt.Fprintf(out.stdout, "%s, %s, are in the database %v and the bucket %v. Everybody has to sign in again\n", images(s.Images), sizeText(s.Bytes), shared, b.store)
	tellLost(out, notInBackup, s.Lost)
	return shared.Record(ctx, audit.New(ctx, audit.ServerRestored, "", c.File))
}

// load copies a data folder to an empty database, which keeps its identity, and its
// bucket, and compares both.
func (c *restoreCommand) load(ctx context.Context, folder string, b *bucket, shared *postgres.Store, identity string) (err error) {
	local, err := sqlite.OpenCurrent(ctx, filepath.Join(folder, databaseFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, local.Close()) }()
	if c.Reuse {
		lost, err := local.Identity(ctx)
		if err != nil {
			return err
		}
		if err := b.store.Release(ctx, lost); err != nil {
			return err
		}
	}
	if err := b.claim(ctx, shared); err != nil {
		return err
	}
	files, err := blob.Open(filepath.Join(folder, blobsFolder))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	if _, err := move.Files(ctx, files, b.store, local.EveryImage(ctx)); err != nil {
		return err
	}
	_, err = move.Records(ctx, successor{local, identity}, shared)
	return err
}

// successor is a backed-up database for an installation with an identity of its own.
// Two databases with one identity could use one bucket, and each would take the other's
// files for what interrupted uploads left.
type successor struct {
	move.Database
	identity string
}

func (s successor) Identity(context.Context) (string, error) { return s.identity, nil }

// mayUse refuses a bucket that belongs to an installation, other than the one with this
// identity, unless that is said to be lost. Whether it is can't be seen.
func (c *restoreCommand) mayUse(ctx context.Context, b *bucket, identity string) error {
	owner, err := b.store.Owner(ctx)
	if err != nil || owner == "" || owner == identity || c.Reuse {
		return err
	}
	return fmt.Errorf("the bucket %v already belongs to an installation; restore to an empty bucket, or to another prefix (--blobs s3://BUCKET/PREFIX?…). If the backup is of that installation, and it is lost, add --reuse-bucket. Nothing was changed", b.store)
}

// examineBucket returns an error for a bucket that can't be used, before anything is
// made. Its temporary files go elsewhere, because the data folder must be empty.
func (c *restoreCommand) examineBucket(ctx context.Context) (err error) {
	scratch, err := os.MkdirTemp("", "collie-restore-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	b, err := openExamined(ctx, dataFlag{Data: scratch, Blobs: c.Blobs})
	if err != nil {
		return err
	}
	return errors.Join(c.mayUse(ctx, b, ""), b.Close())
}

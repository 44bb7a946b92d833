package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"collie/segment/audit"
	"collie/segment/workspace"
	"collie/storage/blob"
	"collie/storage/disk"
	"collie/storage/move"
	"collie/storage/sqlite"
)

// moveCommand takes a data folder's files to a bucket and its records to a database
// that servers share, or back.
type moveCommand struct {
	Bucket   moveToBucket   `cmd:"" help:"Copy the files of images and exports from the data folder to the bucket of --blobs, which is used from then on."`
	Folder   moveToFolder   `cmd:"" help:"Copy the files from the bucket of --blobs back to the data folder, which is used from then on."`
	Database moveToDatabase `cmd:"" help:"Copy the records from the data folder, whose files are in the bucket of --blobs, to the empty database of --database, which is used from then on; with --back the other way round."`
}

// movedFolder is what the folder for files is called once they are in a bucket.
const movedFolder = "blobs-moved-to-bucket"

type moveToBucket struct{ dataFlag }

// Run copies the files and reads all of them back. An interrupted move changes
// nothing that is used, and goes on when it is started again.
func (c *moveToBucket) Run(ctx context.Context, out streams) error {
	s, err := c.run(ctx, out)
	return cmp.Or(err, incomplete(out, s))
}

// run is Run without the list of what was lost before the move.
func (c *moveToBucket) run(ctx context.Context, out streams) (s move.Summary, err error) {
	err = c.move(ctx, func(store *sqlite.Store, b *bucket) error {
		folder, moved := filepath.Join(c.Data, blobsFolder), filepath.Join(c.Data, movedFolder)
		if _, err := os.Lstat(folder); err != nil {
			return fmt.Errorf("the folder itself has no files to move: %w", cmp.Or(stays(c.Data), err))
		}
		if _, err := os.Lstat(moved); err == nil {
			return fmt.Errorf("%s is left from an earlier move; delete it or put it elsewhere first", moved)
		}
		local, err := blob.Open(folder)
		if err != nil {
			return err
		}
		s, err = move.Files(ctx, local, b.store, store.EveryImage(ctx))
		if err := errors.Join(err, local.Close()); err != nil {
			return stopped(err, c.Data)
		}
		if err := c.record(ctx, store, b, fmt.Sprintf("%d files to the bucket %v", s.Files, b.store)); err != nil {
			return err
		}
		if err := c.switchTo(b, moved); err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "%d files, %s, are in the bucket %v and equal to those of the folder; %d were copied now\n", s.Files, sizeText(s.Bytes), b.store, s.Copied)
		fmt.Fprintf(out.stdout, "Start the server with --blobs from now on. %s has the former files; delete it once you have a backup\n", moved)
		return nil
	})
	return s, err
}

// switchTo makes the bucket the place of the files.
func (c *moveToBucket) switchTo(b *bucket, moved string) error {
	if err := note(filepath.Join(c.Data, bucketFile), b.store.String()); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(c.Data, blobsFolder), moved); err != nil {
		return err
	}
	return disk.Sync(c.Data)
}

type moveToFolder struct{ dataFlag }

// Run is that of moveToBucket, the other way round.
func (c *moveToFolder) Run(ctx context.Context, out streams) error {
	var s move.Summary
	err := c.move(ctx, func(store *sqlite.Store, b *bucket) error {
		if stays(c.Data) == nil {
			return fmt.Errorf("the files of %s are in the folder itself; nothing was changed", c.Data)
		}
		local, err := blob.Open(filepath.Join(c.Data, blobsFolder))
		if err != nil {
			return err
		}
		s, err = move.Files(ctx, b.store, local, store.EveryImage(ctx))
		if err := errors.Join(err, local.Close()); err != nil {
			return stopped(err, c.Data)
		}
		if err := c.record(ctx, store, b, fmt.Sprintf("%d files from the bucket %v", s.Files, b.store)); err != nil {
			return err
		}
		if err := disk.Remove(filepath.Join(c.Data, bucketFile)); err != nil {
			return err
		}
		if err := disk.Sync(c.Data); err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "%d files, %s, are in %s and equal to those of the bucket; %d were copied now\n", s.Files, sizeText(s.Bytes), c.Data, s.Copied)
		fmt.Fprintf(out.stdout, "Start the server without --blobs from now on. The bucket %v still has its files; delete them once you have a backup\n", b.store)
		return nil
	})
	return cmp.Or(err, incomplete(out, s))
}

// move opens the database and the bucket for do, while no server uses the folder. The
// records have to be in the folder, even if --database says where they go next.
func (d *dataFlag) move(ctx context.Context, do func(*sqlite.Store, *bucket) error) (err error) {
	if d.Blobs == "" {
		return fmt.Errorf("a move needs the address of the bucket: --blobs s3://BUCKET?endpoint=https://HOST:PORT")
	}
	if _, err := os.Stat(filepath.Join(d.Data, databaseFile)); err != nil {
		if err := notedElsewhere(d.Data, sharedFile, "the records of %[1]s are in the database %[2]s; begin with: server move database --back --data %[1]s --database … --blobs …"); err != nil {
			return err
		}
		return fmt.Errorf("%s is not a data folder: %w", d.Data, err)
	}
	held, err := disk.Hold(d.Data, "nothing: it moves files")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	b, err := openExamined(ctx, *d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	store, err := sqlite.OpenCurrent(ctx, filepath.Join(d.Data, databaseFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := b.claim(ctx, store); err != nil {
		return err
	}
	return do(store, b)
}

// incomplete lists what a move left out because it was lost before, and returns an
// error if that is anything.
func incomplete(out streams, s move.Summary) error {
	if len(s.Lost) == 0 {
		return nil
	}
	tellLost(out, "not moved", s.Lost)
	return fmt.Errorf("the move is complete but for files that are lost or damaged: %d. 'server doctor' says what can be done", len(s.Lost))
}

// record notes a move in the audit log, before the other place is used: a command that is
// killed in between does so again when it is repeated.
func (d *dataFlag) record(ctx context.Context, store *sqlite.Store, b *bucket, what string) error {
	return workspace.New(store, b.store, nil).Record(ctx, audit.ServerMoved, "", what)
}

// stopped is the error of a move that did not end.
func stopped(err error, folder string) error {
	return fmt.Errorf("the move of %s stopped; everything in use is as it was, and the same command goes on with it: %w", folder, err)
}

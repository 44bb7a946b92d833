package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"collie/segment/audit"
	"collie/storage/backup"
)

// restoreCommand brings a backup back.
type restoreCommand struct {
	File string `arg:"" type:"existingfile" help:"Backup to restore."`
	dataFlag
}

// Run restores the backup to the data folder, which must be empty or not there.
func (c *restoreCommand) Run(ctx context.Context, out streams) error {
	if c.Database != "" {
		return errors.New("nothing was restored: this command fills a data folder, from which server move goes on (docs/cluster.md); leave out --database")
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
		if err := (&moveToBucket{c.dataFlag}).Run(ctx, out); err != nil {
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
	return nil
}

// examineBucket returns an error for a bucket that can't be used, before anything is
// made. Its temporary files go elsewhere, because the data folder must be empty.
func (c *restoreCommand) examineBucket(ctx context.Context) (err error) {
	scratch, err := os.MkdirTemp("", "collie-restore-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	b, err := openBucket(dataFlag{Data: scratch, Blobs: c.Blobs})
	if err != nil {
		return err
	}
	return errors.Join(b.store.Examine(ctx), b.Close())
}

// images counts images for people.
func images(n int) string {
	if n == 1 {
		return "1 image"
	}
	return fmt.Sprintf("%d images", n)
}

// sizeText is a number of bytes for people.
func sizeText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}

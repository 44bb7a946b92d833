package main

import (
	"context"
	"errors"
	"fmt"

	"collie/segment/audit"
	"collie/storage/backup"
)

// backupCommand writes a backup.
type backupCommand struct {
	File string `arg:"" type:"path" help:"File to write; it must not exist yet. It contains the password hashes: protect it like the data folder."`
	dataFlag
}

// Run writes the backup, of the moment at which it starts.
func (c *backupCommand) Run(ctx context.Context, out streams) (err error) {
	d, err := openExisting(ctx, c.dataFlag, anyPhoto)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if d.local == nil {
		return errors.New("no backup was made: this command copies a database in a data folder. Use pg_dump or continuous archiving for the database of --database, then copy the bucket (docs/cluster.md)")
	}
	d.note(ctx, out, audit.ServerBackedUp, "", c.File)
	s, err := backup.Write(ctx, c.File, d.local, d.blobs)
	if err != nil {
		return fmt.Errorf("no backup was made: %w", err)
	}
	fmt.Fprintf(out.stdout, "%s: %s, %s\n", c.File, images(s.Images), sizeText(s.Bytes))
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"

	"collie/segment/audit"
	"collie/storage/backup"
	"collie/storage/postgres"
	"collie/storage/row"
	"collie/storage/sqlite"
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
	var store backup.Store = d.local
	if d.local == nil {
		store = &snapshots{d.shared}
	}
	s, err := backup.Write(ctx, c.File, store, d.blobs)
	if err != nil {
		return fmt.Errorf("no backup was made: %w", err)
	}
	d.note(ctx, out, audit.ServerBackedUp, "", c.File)
	fmt.Fprintf(out.stdout, "%s: %s, %s\n", c.File, images(s.Images), sizeText(s.Bytes))
	if len(s.Lost) > 0 {
		tellLost(out, notInBackup, s.Lost)
		return fmt.Errorf("%s is complete but for files that are lost or damaged: %d. 'server doctor' says what can be done", c.File, len(s.Lost))
	}
	return nil
}

// notInBackup is what it means for a backup that a file was lost before it was made.
const notInBackup = "not in the backup"

// tellLost lists the first files of those that are lost, after what that means.
func tellLost(out streams, what string, lost []string) {
	const most = 20
	for _, file := range lost[:min(most, len(lost))] {
		fmt.Fprintf(out.stdout, "%s: %s\n", what, file)
	}
	if more := len(lost) - most; more > 0 {
		fmt.Fprintf(out.stdout, "%s: %d more\n", what, more)
	}
}

// snapshots copies a database that servers share into files of SQLite's.
type snapshots struct{ shared *postgres.Store }

// Snapshot copies all records but sessions and jobs.
func (s *snapshots) Snapshot(ctx context.Context, path string) error {
	identity, err := s.shared.Identity(ctx)
	if err != nil {
		return err
	}
	file, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	err = file.Load(ctx, identity, func(put row.Put) error { return s.shared.Dump(ctx, put) })
	return errors.Join(err, file.Close())
}

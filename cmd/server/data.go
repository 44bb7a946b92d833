package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"collie/segment/photo"
	"collie/segment/workspace"
	"collie/storage/blob"
	"collie/storage/sqlite"
)

// data is an opened data folder.
type data struct {
	store     *sqlite.Store
	blobs     *blob.Store
	workspace *workspace.Workspace
}

// openData opens the data folder, which it makes when it is not there. Uploads
// are held against limits. Close it.
func openData(ctx context.Context, folder string, limits photo.Limits, options ...workspace.Options) (*data, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, filepath.Join(folder, "collie.db"))
	if err != nil {
		return nil, err
	}
	return withBlobs(store, folder, limits, options...)
}

// openExisting opens a data folder that is there and has the program's own
// schema, which may be in use by a server. Photographs are held against limits.
// Close it.
func openExisting(ctx context.Context, folder string, limits photo.Limits, options ...workspace.Options) (*data, error) {
	store, err := sqlite.OpenCurrent(ctx, filepath.Join(folder, "collie.db"))
	if err != nil {
		return nil, err
	}
	return withBlobs(store, folder, limits, options...)
}

// withBlobs opens the files of the data folder that store belongs to. After an
// error the store is closed.
func withBlobs(store *sqlite.Store, folder string, limits photo.Limits, options ...workspace.Options) (*data, error) {
	blobs, err := blob.Open(filepath.Join(folder, "blobs"))
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &data{store, blobs, workspace.New(store, blobs, photo.NewGate(limits), options...)}, nil
}

// anyPhoto are limits for what has been taken in already.
var anyPhoto = photo.Limits{Bytes: 4 << 30, Pixels: 1 << 30, Side: 1 << 20}

// Ready returns nil when the folder can be read and has not failed.
func (d *data) Ready(ctx context.Context) error {
	if err := d.blobs.Ready(); err != nil {
		return err
	}
	return d.store.Ready(ctx)
}

// Close closes what the folder holds open.
func (d *data) Close() error { return errors.Join(d.blobs.Close(), d.store.Close()) }

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"collie/segment"
	"collie/storage/blob"
	"collie/storage/cache"
	"collie/storage/disk"
	"collie/storage/postgres"
	"collie/storage/s3"
)

// Names in the data folder of a place whose files are in a bucket.
const (
	bucketFile    = "bucket" // says which one
	cacheFolder   = "cache"
	scratchFolder = "scratch" // for files that live as long as a request
)

// bucket are the files of a place with --blobs.
type bucket struct {
	segment.Blobs // the cache, or the store without one
	store         *s3.Store
	cache         *cache.Cache // nil without one
}

// openBucket returns the bucket of a place, without asking it anything; nil without
// --blobs.
func openBucket(place dataFlag) (*bucket, error) {
	if err := place.check(); err != nil {
		return nil, err
	}
	if place.Blobs == "" {
		return nil, stays(place.Data)
	}
	at, err := s3.ParsePlace(place.Blobs)
	if err != nil {
		return nil, fmt.Errorf("--blobs: %w", err)
	}
	store, err := s3.New(at, filepath.Join(place.Data, scratchFolder))
	if err != nil {
		return nil, err
	}
	return &bucket{Blobs: store, store: store}, nil
}

// openExamined is openBucket for a bucket that has shown what servers need of it.
func openExamined(ctx context.Context, place dataFlag) (*bucket, error) {
	b, err := openBucket(place)
	if err != nil || b == nil {
		return nil, err
	}
	if err := b.store.Examine(ctx); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// attach makes the bucket that of a database. It refuses one that belongs to
// another, a new one when there are images already, and one for a folder that has
// files itself.
func (b *bucket) attach(ctx context.Context, store database, place dataFlag, cacheSize int64) error {
	if place.Database == "" {
		if err := b.withoutFiles(ctx, place); err != nil {
			return err
		}
	}
	unused, err := b.unused(ctx, store)
	if err != nil {
		return err
	}
	if shared, ok := store.(*postgres.Store); ok {
		if err := b.together(ctx, shared, unused); err != nil {
			return err
		}
	}
	if err := b.claim(ctx, store); err != nil {
		return err
	}
	if place.Database == "" {
		if err := note(filepath.Join(place.Data, bucketFile), b.store.String()); err != nil {
			return err
		}
	}
	if cacheSize == 0 {
		return nil
	}
	if b.cache, err = cache.Open(ctx, b.store, filepath.Join(place.Data, cacheFolder), cacheSize); err != nil {
		return err
	}
	b.Blobs = b.cache
	return nil
}

// unused reports whether a bucket has no owner yet. It refuses one for a database with
// images, whose files must be in another bucket.
func (b *bucket) unused(ctx context.Context, store database) (bool, error) {
	owner, err := b.store.Owner(ctx)
	if err != nil || owner != "" {
		return false, err
	}
	for im, err := range store.EveryImage(ctx) {
		if err != nil {
			return false, err
		}
		return false, fmt.Errorf("the bucket %v is new and doesn't have the files of the images, such as %q; correct --blobs. Nothing was changed", b.store, im.Name)
	}
	return true, nil
}

// claim makes the bucket that of a database, or says that it is another's.
func (b *bucket) claim(ctx context.Context, store database) error {
	own, err := store.Identity(ctx)
	if err != nil {
		return err
	}
	owner, err := b.store.Claim(ctx, own)
	if err == nil && owner != own {
		err = fmt.Errorf("the bucket %v belongs to another installation of Collie; give this one its own bucket or prefix (--blobs s3://BUCKET/PREFIX?…)", b.store)
	}
	return err
}

// note writes a line to a file unless it is there already.
func note(name, line string) error {
	if noted(name, line) {
		return nil
	}
	return disk.Write(name, []byte(line+"\n"))
}

// noted reports whether a file has a line.
func noted(name, line string) bool {
	content, err := os.ReadFile(name)
	return err == nil && string(content) == line+"\n"
}

// notedElsewhere returns an error if a data folder has a note of where something is. The
// format takes the folder and that place.
func notedElsewhere(folder, file, format string) error {
	line, err := os.ReadFile(filepath.Join(folder, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf(format, folder, strings.TrimSpace(string(line)))
}

// withoutFiles refuses a data folder that has files, which would be missing when the
// bucket is used. Where the folder notes that they are in this bucket, those in the
// folder are what an interrupted move has left.
func (b *bucket) withoutFiles(ctx context.Context, place dataFlag) error {
	if noted(filepath.Join(place.Data, bucketFile), b.store.String()) {
		return nil
	}
	folder := filepath.Join(place.Data, blobsFolder)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	local, err := blob.Open(folder)
	if err != nil {
		return err
	}
	defer local.Close()
	for _, err := range local.All(ctx) {
		if err != nil {
			return err
		}
		return fmt.Errorf("the files of %s are in the folder itself; move them to the bucket with: server move bucket --data %s --blobs …", place.Data, place.Data)
	}
	return nil
}

// stays returns an error when the files of a data folder are in a bucket.
func stays(folder string) error {
	return notedElsewhere(folder, bucketFile, "the files of %s are in the bucket %s: give its address with --blobs or COLLIE_BLOBS")
}

// Ready returns nil: a bucket that is away comes back by itself, and a server that
// said it is not ready would lose all its pages.
func (b *bucket) Ready() error { return nil }

// Failed is never closed.
func (b *bucket) Failed() <-chan struct{} { return nil }

// Close closes the cache and the store of the bucket, if any.
func (b *bucket) Close() error {
	if b == nil {
		return nil
	}
	err := b.store.Close()
	if b.cache != nil {
		err = errors.Join(b.cache.Close(), err)
	}
	return err
}

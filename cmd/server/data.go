package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"collie/segment"
	"collie/segment/accounts"
	"collie/segment/job"
	"collie/segment/photo"
	"collie/segment/workspace"
	"collie/storage/blob"
	"collie/storage/postgres"
	"collie/storage/sqlite"
)

// dataFlag says where the data is, for every command that works on it.
type dataFlag struct {
	Data     string `default:"./collie-data" env:"COLLIE_DATA" type:"path" help:"Folder for all data; serving, 'users add', 'users invite' and 'restore' create it. With --database, for what only this server needs."`
	Database string `env:"COLLIE_DATABASE" placeholder:"postgres://…" help:"PostgreSQL database that several servers share, instead of one in the data folder; needs --blobs. Other users of the machine can see a password on the command line, but not in the environment."`
	Direct   string `name:"database-listen" env:"COLLIE_DATABASE_LISTEN" placeholder:"postgres://…" help:"Address of the same database without a connection pooler, for hearing at once what other servers have done. Needed only when --database is a pooler that passes on no notifications, such as PgBouncer in transaction mode."`
	Blobs    string `env:"COLLIE_BLOBS" placeholder:"s3://BUCKET?endpoint=URL" help:"Bucket of an S3 server for the images' files and exports, which are in the data folder otherwise; s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION. Its keys are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment."`
}

// check returns an error for flags that don't go together, and for a folder that this
// user can't read.
func (d *dataFlag) check() error {
	if d.Data == "" {
		return errors.New("--data or COLLIE_DATA is empty: name a folder for the data, or leave it out for ./collie-data")
	}
	info, err := os.Stat(d.Data)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("--data %s is a file; name a folder", d.Data)
	}
	if err == nil {
		_, err = os.ReadDir(d.Data)
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("the data folder %s can't be read: run this as the user to whom it belongs, or as root", d.Data)
	}
	if d.Database != "" && d.Blobs == "" {
		return errors.New("--database needs --blobs: servers that share a database need a bucket for the files, too")
	}
	if d.Direct != "" && d.Database == "" {
		return errors.New("--database-listen needs --database: it is another address of that database")
	}
	return nil
}

// elsewhere returns an error when the records are not where the flags say.
func (d *dataFlag) elsewhere() error {
	if _, err := os.Stat(filepath.Join(d.Data, databaseFile)); err != nil {
		if d.Database == "" {
			return moved(d.Data)
		}
		return nil
	}
	if err := notedElsewhere(d.Data, sharedFile, "a move of records between %s and the database %s was interrupted; complete it with the command 'server move database', and with --back if the folder should have them"); err != nil {
		return err
	}
	if d.Database != "" {
		return fmt.Errorf("%s has records itself; move them with: server move database --data %s --database … --blobs …, or give another folder with --data", d.Data, d.Data)
	}
	return nil
}

// moved returns an error when the records of a data folder are in a database that
// servers share.
func moved(folder string) error {
	return notedElsewhere(folder, sharedFile, "the records of %s are in the database %s: give its address with --database or COLLIE_DATABASE")
}

// database is where a place keeps its records.
type database interface {
	segment.Store
	accounts.Store
	accounts.SessionStore
	job.Store
	Identity(ctx context.Context) (string, error)
	Ready(ctx context.Context) error
	Synced(f func(took time.Duration))
	Close() error
}

// files are where a place keeps its files.
type files interface {
	segment.Blobs
	Ready() error            // nil as long as files can be stored
	Failed() <-chan struct{} // closed when nothing can be stored until a restart
	Close() error
}

// data is an opened place.
type data struct {
	store     database
	local     *sqlite.Store   // the same, when it is in the data folder
	shared    *postgres.Store // the same, when several servers share it
	blobs     files
	workspace *workspace.Workspace
}

// openData opens a place for a server, which makes what is not there. Of files in
// a bucket up to so many bytes are kept in the folder, too. Uploads are held
// against limits. Close it.
func openData(ctx context.Context, place dataFlag, cacheSize int64, limits photo.Limits, options ...workspace.Options) (*data, error) {
	b, err := openExamined(ctx, place) // before anything is made
	if err != nil {
		return nil, err
	}
	store, err := openDatabase(ctx, place)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return withFiles(ctx, store, place, b, cacheSize, limits, options...)
}

// openExisting opens a place that is there and has the program's own schema, which
// may be in use by a server. Photographs are held against limits. Close it.
func openExisting(ctx context.Context, place dataFlag, limits photo.Limits, options ...workspace.Options) (*data, error) {
	b, err := openBucket(place)
	if err != nil {
		return nil, err
	}
	store, err := existingDatabase(ctx, place)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return withFiles(ctx, store, place, b, 0, limits, options...)
}

// existingDatabase opens the database alone of a place as openExisting does. Close
// it.
func existingDatabase(ctx context.Context, place dataFlag) (database, error) {
	if err := cmp.Or(place.check(), place.elsewhere()); err != nil {
		return nil, err
	}
	if place.Database != "" {
		return place.shared(postgres.OpenCurrent(ctx, place.Database))
	}
	file := filepath.Join(place.Data, databaseFile)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the database %s doesn't exist: name the folder of a server with --data or COLLIE_DATA", file)
	}
	return own(sqlite.OpenCurrent(ctx, file))
}

// firstDatabase opens the database alone for what can come before the first start of a
// server: it is made if needed. One in the folder has to have the program's own schema,
// because an older server may be running.
func firstDatabase(ctx context.Context, place dataFlag) (database, error) {
	if _, err := os.Stat(filepath.Join(place.Data, databaseFile)); err == nil {
		return existingDatabase(ctx, place)
	}
	return openDatabase(ctx, place)
}

// databaseFile is the name of the database in a data folder.
const databaseFile = "collie.db"

// openDatabase opens the database alone, which is made if needed. Close it.
func openDatabase(ctx context.Context, place dataFlag) (database, error) {
	if err := cmp.Or(place.check(), place.elsewhere()); err != nil {
		return nil, err
	}
	if place.Database != "" {
		return place.shared(postgres.Open(ctx, place.Database))
	}
	if err := os.MkdirAll(place.Data, 0o700); err != nil {
		return nil, err
	}
	return own(sqlite.Open(ctx, filepath.Join(place.Data, databaseFile)))
}

// shared is a database of several servers, and no interface without one.
func (d *dataFlag) shared(s *postgres.Store, err error) (database, error) {
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	if d.Direct != "" {
		if err := s.ListenAt(d.Direct); err != nil {
			return nil, errors.Join(fmt.Errorf("--database-listen: %w", err), s.Close())
		}
	}
	return s, nil
}

// own is a database in a data folder, and no interface without one.
func own(s *sqlite.Store, err error) (database, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// withFiles opens the files that belong to a store: those of the bucket, or of the
// folder when b is nil. After an error both are closed.
func withFiles(ctx context.Context, store database, place dataFlag, b *bucket, cacheSize int64, limits photo.Limits, options ...workspace.Options) (_ *data, err error) {
	opened := &data{store: store}
	opened.local, _ = store.(*sqlite.Store)
	opened.shared, _ = store.(*postgres.Store)
	if b != nil {
		opened.blobs, err = b, b.attach(ctx, store, place, cacheSize)
	} else {
		opened.blobs, err = openFolder(place.Data)
	}
	if err != nil {
		return nil, errors.Join(err, b.Close(), store.Close())
	}
	opened.workspace = workspace.New(store, opened.blobs, photo.NewGate(limits), options...)
	return opened, nil
}

// openFolder opens the files in a data folder.
func openFolder(folder string) (files, error) {
	b, err := blob.Open(filepath.Join(folder, blobsFolder))
	if err != nil {
		return nil, err
	}
	return b, nil
}

// blobsFolder is the folder for files in a data folder.
const blobsFolder = "blobs"

// anyPhoto are limits for what has been taken in already.
var anyPhoto = photo.Limits{Bytes: 4 << 30, Pixels: 1 << 30, Side: 1 << 20}

// failed is closed when the disk of the database has failed, or when a newer program
// has made the database unfit for this one. Otherwise a database of several servers
// comes back by itself.
func (d *data) failed() <-chan struct{} {
	if d.local == nil {
		return d.shared.Failed()
	}
	return d.local.Failed()
}

// Ready returns nil when the place can be read and has not failed. A database or a
// bucket that is away does not count: a balancer would cut the pages of all servers
// at once.
func (d *data) Ready(ctx context.Context) error {
	if err := d.blobs.Ready(); err != nil {
		return err
	}
	if d.local == nil {
		return d.shared.Unfit()
	}
	return d.local.Ready(ctx)
}

// Close closes what the place holds open.
func (d *data) Close() error { return errors.Join(d.blobs.Close(), d.store.Close()) }

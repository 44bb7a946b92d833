package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/segment/job"
	"collie/storage/blob"
	"collie/storage/sqlite"
	"collie/storage/workspacetest"
)

// folder is an opened data folder.
type folder struct {
	store *sqlite.Store
	blobs *blob.Store
}

func mustOpen(tb testing.TB, dir string) folder {
	tb.Helper()
	f := workspacetest.MustOpenFolder(tb, dir)
	return folder{f.Store, f.Blobs}
}

// mustFill makes a data folder with three images, one of them in the trash, and
// a file that belongs to none.
func mustFill(tb testing.TB) folder {
	tb.Helper()
	f := mustOpen(tb, tb.TempDir())
	ctx := tb.Context()
	p := segment.Project{ID: segment.NewID(), Name: "p", Classes: segment.DefaultClasses()}
	err := f.store.CreateProject(ctx, p)
	for i, name := range []string{"one", "two", "three"} {
		im := segment.Image{ID: segment.NewID(), ProjectID: p.ID, Name: name}
		for k, key := range im.Keys() {
			err = errors.Join(err, f.blobs.Put(ctx, key, func(w io.Writer) error {
				_, err := w.Write(bytes.Repeat([]byte(name), 1000*i*k))
				return err
			}))
		}
		err = errors.Join(err, f.store.CreateImage(ctx, im, 0), f.store.Append(ctx, im.ID, 0, segment.Event{ID: name, Kind: segment.Undo}, segment.Progress{Clicks: i}))
		if i == 0 {
			err = errors.Join(err, f.store.TrashImages(ctx, p.ID, []string{im.ID}))
		}
	}
	err = errors.Join(err, f.blobs.Put(ctx, "original/orphan", func(io.Writer) error { return nil }))
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// images are those in a folder, also in its trash.
func (f folder) images(tb testing.TB) (images []segment.Image) {
	tb.Helper()
	for im, err := range f.store.EveryImage(tb.Context()) {
		if err != nil {
			tb.Fatal(err)
		}
		images = append(images, im)
	}
	return images
}

// content is everything in a folder.
func (f folder) content(tb testing.TB) map[string]string {
	tb.Helper()
	all := map[string]string{}
	for _, im := range f.images(tb) {
		events, err := f.store.Events(tb.Context(), im.ID, 0)
		all[im.ID] = fmt.Sprint(im, events, segment.KindOf(err))
	}
	for info, err := range f.blobs.All(tb.Context()) {
		if err != nil {
			tb.Fatal(err)
		}
		file, err := f.blobs.Open(tb.Context(), info.Key)
		if err != nil {
			tb.Fatal(err)
		}
		b, err := io.ReadAll(file)
		if err := errors.Join(err, file.Close()); err != nil {
			tb.Fatal(err)
		}
		all[info.Key] = fmt.Sprintf("%d %x", len(b), sha256.Sum256(b))
	}
	return all
}

// mustWrite returns a backup of what mustFill has made.
func mustWrite(t *testing.T) []byte {
	t.Helper()
	f := mustFill(t)
	path := filepath.Join(t.TempDir(), "backup.tar")
	if _, err := Write(t.Context(), path, f.store, f.blobs); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Sessions and API tokens that have ended since the backup must not come back.
func TestRestoreEndsAccess(t *testing.T) {
	f, ctx := mustFill(t), t.Context()
	ann := accounts.User{ID: segment.NewID(), Name: "ann", Role: access.Admin, Created: time.Now()}
	_, begun := f.store.AddSession(ctx, "session", ann, accounts.SessionLimits{}.OrDefault())
	err := errors.Join(f.store.CreateUser(ctx, ann), begun)
	_, added := f.store.AddToken(ctx, "token", ann, accounts.Token{ID: segment.NewID(), User: ann.ID, Name: "robot", Scope: access.ReadOnly}, 0)
	path, place := filepath.Join(t.TempDir(), "backup.tar"), filepath.Join(t.TempDir(), "restored")
	_, written := Write(ctx, path, f.store, f.blobs)
	_, read := Read(ctx, path, place)
	if err := errors.Join(err, added, written, read); err != nil {
		t.Fatal(err)
	}
	restored := mustOpen(t, place).store
	for store, want := range map[*sqlite.Store]segment.Kind{f.store: 0, restored: segment.NotFound} {
		_, session := store.Session(ctx, "session")
		_, token := store.Token(ctx, "token")
		if segment.KindOf(session) != want || segment.KindOf(token) != want {
			t.Errorf("session: %v, token: %v; want kind %v", session, token, want)
		}
	}
	if _, err := restored.User(ctx, ann.ID); err != nil {
		t.Errorf("the user: %v", err)
	}
}

// A backup that an older program made is brought up to date. The copy that this keeps of a
// server's database would have the sessions and tokens.
func TestRestoreOfOlderBackup(t *testing.T) {
	step, err := os.ReadFile("../sqlite/migrations/0001_projects.sql")
	if err != nil {
		t.Fatal(err)
	}
	dir, all := t.TempDir(), entries(t, mustWrite(t))
	db := filepath.Join(dir, "db")
	if err := execute(t, db, string(step)+"; PRAGMA user_version = 1; PRAGMA application_id = 0x436f6c6c"); err != nil {
		t.Fatal(err)
	}
	if all[0].content, err = os.ReadFile(db); err != nil {
		t.Fatal(err)
	}
	path, place := filepath.Join(dir, "backup.tar"), filepath.Join(dir, "restored")
	if err := os.WriteFile(path, pack(t, all, false), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(t.Context(), path, place); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(place, databaseName+"*backup*")); err != nil || len(left) > 0 {
		t.Errorf("%q, %v are left of the older database", left, err)
	}
}

// A backup doesn't have the archives of exports, so those that have ended are no
// longer announced. Others are made when the server starts, and other jobs stay.
func TestRestoreForgetsExports(t *testing.T) {
	f, ctx := mustFill(t), t.Context()
	ended := func(id, kind string) {
		j := job.Job{ID: id, Kind: kind, Arguments: []byte{}, Created: time.Now()}
		added := f.store.Add(ctx, j, 10)
		running, claimed := f.store.Claim(ctx, "node", []string{kind}, time.Hour)
		if err := errors.Join(added, claimed); err != nil {
			t.Fatal(err)
		}
		if err := f.store.End(ctx, running, []byte("result")); err != nil {
			t.Fatal(err)
		}
	}
	ended("first", job.Exported)
	ended("second", job.Exported)
	ended("sweep", "sweep")
	path, place := filepath.Join(t.TempDir(), "backup.tar"), filepath.Join(t.TempDir(), "restored")
	added := f.store.Add(ctx, job.Job{ID: "waiting", Kind: job.Exported, Arguments: []byte{}, Created: time.Now()}, 10)
	_, written := Write(ctx, path, f.store, f.blobs)
	_, read := Read(ctx, path, place)
	if err := errors.Join(added, written, read); err != nil {
		t.Fatal(err)
	}
	restored := mustOpen(t, place).store
	for id, want := range map[string]segment.Kind{"first": segment.NotFound, "second": segment.NotFound, "sweep": 0, "waiting": 0} {
		if _, err := restored.Job(ctx, id); segment.KindOf(err) != want {
			t.Errorf("job %s: %v; want kind %v", id, err, want)
		}
	}
}

func TestBackupRestore(t *testing.T) {
	f := mustFill(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "backup.tar")
	written, err := Write(t.Context(), path, f.store, f.blobs)
	if err != nil || written.Images != 3 || written.Files != 15 {
		t.Fatalf("%+v, %v", written, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || info.Size() != written.Bytes {
		t.Errorf("%v, %v, want %d bytes that only the owner reads", info, err, written.Bytes)
	}
	if _, err := Write(t.Context(), path, f.store, f.blobs); err == nil {
		t.Error("a backup has replaced another")
	}

	place := filepath.Join(dir, "new", "data")
	read, err := Read(t.Context(), path, place)
	if err != nil || read.Images != 3 || read.Files != 15 {
		t.Fatalf("%+v, %v", read, err)
	}
	want := f.content(t)
	delete(want, "original/orphan")
	got := mustOpen(t, place)
	if diff := cmp.Diff(want, got.content(t)); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	if items, err := got.store.Trash(t.Context()); err != nil || len(items) != 1 {
		t.Errorf("trash %v, %v", items, err)
	}
	if _, err := Read(t.Context(), path, place); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("restoring over a folder in use: %v", err)
	}
	if names := list(t, dir); !cmp.Equal(names, []string{"backup.tar", "new"}) {
		t.Errorf("left behind: %q", names)
	}
}

// lossy is a store in which some files are damaged.
type lossy struct {
	segment.Blobs
	damaged map[string]bool
}

func (l lossy) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if l.damaged[key] {
		return nil, segment.Errorf(segment.Damaged, "The file %s is damaged.", key)
	}
	return l.Blobs.Open(ctx, key)
}

// A lost and a damaged file don't keep the others out of a backup, and are missing after
// it was restored; without any file there is no backup.
func TestBackupOfLostFiles(t *testing.T) {
	f := mustFill(t)
	images := f.images(t)
	if err := f.blobs.Remove(t.Context(), images[1].OriginalKey()); err != nil {
		t.Fatal(err)
	}
	files := lossy{f.blobs, map[string]bool{images[2].GraphKey(): true}}
	dir := t.TempDir()
	path := filepath.Join(dir, "backup.tar")
	written, err := Write(t.Context(), path, f.store, files)
	if err != nil || written.Images != 3 || written.Files != 13 || len(written.Lost) != 2 {
		t.Fatalf("%+v, %v", written, err)
	}
	place := filepath.Join(dir, "data")
	read, err := Read(t.Context(), path, place)
	if err != nil || read.Images != 3 || read.Files != 13 || !cmp.Equal(read.Lost, written.Lost) {
		t.Fatalf("%+v, %v", read, err)
	}
	want := f.content(t)
	delete(want, "original/orphan")
	delete(want, images[2].GraphKey())
	if diff := cmp.Diff(want, mustOpen(t, place).content(t)); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	for _, im := range images {
		for _, key := range im.Keys() {
			files.damaged[key] = true
		}
	}
	path = filepath.Join(dir, "none.tar")
	if _, err := Write(t.Context(), path, f.store, files); err == nil || len(list(t, dir)) != 2 {
		t.Errorf("without any file: %v, %q", err, list(t, dir))
	}
}

// A file of an image that has been in the trash for long enough is not lost: a sweep has
// erased it since the snapshot.
func TestBackupDuringASweep(t *testing.T) {
	for _, days := range []int{segment.TrashDays - 1, segment.TrashDays + 1} {
		for _, what := range []string{"image", "project"} {
			f := mustFill(t)
			images := f.images(t)
			swept := images[0] // which is in the trash
			if what == "project" {
				swept = images[1]
				if err := f.store.TrashProject(t.Context(), swept.ProjectID); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.blobs.Remove(t.Context(), swept.OriginalKey()); err != nil {
				t.Fatal(err)
			}
			store, dir := aged{f.store, what, time.Now().AddDate(0, 0, -days)}, t.TempDir()
			written, err := Write(t.Context(), filepath.Join(dir, "backup.tar"), store, f.blobs)
			if lost := days < segment.TrashDays; err != nil || written.Images != 3 || written.Files != 14 || (len(written.Lost) == 1) != lost {
				t.Errorf("%d days after the %s went to the trash: %+v, %v", days, what, written, err)
			}
			read, err := Read(t.Context(), filepath.Join(dir, "backup.tar"), filepath.Join(dir, "data"))
			if err != nil || read.Files != 14 || !cmp.Equal(read.Lost, written.Lost) {
				t.Errorf("restored %d days after the %s went to the trash: %+v, %v", days, what, read, err)
			}
		}
	}
}

// aged is a store in whose snapshots what is in the trash went there at a time.
type aged struct {
	Store
	table string
	at    time.Time
}

func (a aged) Snapshot(ctx context.Context, path string) error {
	if err := a.Store.Snapshot(ctx, path); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE "+a.table+" SET trashed_at = ? WHERE trashed_at IS NOT NULL", a.at.UnixMilli())
	return errors.Join(err, db.Close())
}

func list(tb testing.TB, dir string) (names []string) {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

package postgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"collie/segment"
	"collie/segment/audit"
	"collie/storage/row"
)

// mustWait waits until a connection to the test's schema waits for a lock, or until
// a function sleeps.
func mustWait(tb testing.TB, s *Store, what string) {
	tb.Helper()
	const query = `SELECT count(*) FROM pg_stat_activity WHERE application_name = current_setting('application_name') AND wait_event_type = $1`
	for end := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		var waiting int
		if err := s.pool.QueryRow(tb.Context(), query, what).Scan(&waiting); err != nil {
			tb.Fatal(err)
		}
		if waiting > 0 {
			return
		}
		if time.Now().After(end) {
			tb.Fatalf("nobody waits: %s", what)
		}
	}
}

// Restoring an image that is erased meanwhile fails.
func TestErasedMeanwhile(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, t.TempDir())
	defer s.Close()
	p := segment.Project{ID: segment.NewID(), Name: "p", Classes: segment.DefaultClasses(), Created: time.Now()}
	im := segment.Image{ID: segment.NewID(), ProjectID: p.ID, Name: "im", Format: "png", Width: 10, Height: 10, Regions: 5, Bytes: 1, Created: time.Now()}
	for _, do := range []func() error{
		func() error { return s.CreateProject(t.Context(), p) },
		func() error { return s.CreateImage(t.Context(), im, 0) },
		func() error { return s.TrashImages(t.Context(), p.ID, []string{im.ID}) },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	restored := make(chan error, 1)
	err := s.write(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT FROM image, project WHERE image.id = $1 FOR UPDATE", im.ID); err != nil {
			return err
		}
		go func() {
			_, err := s.Restore(context.Background(), im.ID, 0)
			restored <- err
		}()
		mustWait(t, s, "Lock")
		_, err := tx.Exec(ctx, "DELETE FROM image WHERE id = $1", im.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-restored; segment.KindOf(err) != segment.NotFound {
		t.Errorf("restored an image that was erased: %v", err)
	}
}

// Reading the audit log from the last known number on misses no entry: one whose
// commit takes long, here until the reader waits for it, is not overtaken.
func TestOvertakenEntry(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, t.TempDir())
	defer s.Close()
	_, err := s.pool.Exec(t.Context(), `CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			FOR i IN 1..400 LOOP
				EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE relation = 'audit'::regclass AND NOT granted);
				PERFORM pg_sleep(0.02);
			END LOOP;
			RETURN NULL;
		END $$;
		CREATE CONSTRAINT TRIGGER late AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.about = 'late') EXECUTE FUNCTION late()`)
	if err != nil {
		t.Fatal(err)
	}
	recorded := make(chan error, 1)
	go func() {
		recorded <- s.Record(context.Background(), audit.New(context.Background(), audit.ServerStarted, "late", ""))
	}()
	mustWait(t, s, "Timeout") // in its sleep, which is its commit
	if err := s.Record(t.Context(), audit.New(t.Context(), audit.ServerStarted, "soon", "")); err != nil {
		t.Fatal(err)
	}
	var read []string
	for after := int64(0); ; {
		entries, err := s.EntriesAfter(t.Context(), after, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			read, after = append(read, e.About), e.Number
		}
	}
	if err := <-recorded; err != nil {
		t.Fatal(err)
	}
	if len(read) != 2 || read[0] != "late" {
		t.Errorf("read entries about %q, want those about late and soon", read)
	}
}

// A migration gives way to a reader that holds one of its tables and then wants
// another, which would be a deadlock, and is made afterwards.
func TestMigrationGivesWay(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, t.TempDir())
	defer s.Close()
	later, err := os.ReadFile(filepath.Join("testdata", "later.sql"))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := row.Steps(migrations, first)
	if err != nil {
		t.Fatal(err)
	}
	files, next := fstest.MapFS{}, first+len(steps)
	for i, text := range append(steps, string(later)) {
		files[fmt.Sprintf("%04d_.sql", first+i)] = &fstest.MapFile{Data: []byte(text)}
	}
	migrated := make(chan error, 1)
	if err := pgx.BeginFunc(t.Context(), s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "SELECT FROM event"); err != nil {
			return err
		}
		go func() { migrated <- migrate(context.Background(), s.pool, files, true) }()
		mustWait(t, s, "Lock") // it has changed the image's table and waits for that of events
		_, err := tx.Exec(t.Context(), "SELECT FROM image")
		return err
	}); err != nil {
		t.Errorf("the reader: %v", err)
	}
	if err := <-migrated; err != nil {
		t.Errorf("the migration: %v", err)
	}
	var found int
	if err := s.pool.QueryRow(t.Context(), "SELECT version FROM schema").Scan(&found); err != nil || found != next {
		t.Errorf("the schema has the version %d, %v, want %d", found, err, next)
	}
}

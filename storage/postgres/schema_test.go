package postgres

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"collie/segment"
	"collie/storage/postgres/postgrestest"
	"collie/storage/row"
	"collie/storage/sqlite"
	"collie/storage/storagetest"
)

// SQLite has the same tables and columns, so that a move is a copy.
func TestSameColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "collie.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT (CASE m.name WHEN 'user' THEN 'users' ELSE m.name END) || '.' || c.name || ' ' || c.type || iif(c."notnull" OR c.pk, ' NOT NULL', '')
		FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT IN ('sqlite_sequence', 'commits')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	want := map[string]bool{}
	for rows.Next() {
		column, err := row.Text(rows)
		if err != nil {
			t.Fatal(err)
		}
		want[column] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	delete(want, "event.number INTEGER NOT NULL") // here the key is image and seq
	kinds := map[string]string{"bigint": "INTEGER", "boolean": "INTEGER", "text": "TEXT", "bytea": "BLOB", "double precision": "REAL"}
	got := map[string]bool{}
	p := mustOpen(t, t.TempDir())
	defer p.Close()
	columns, err := all(t.Context(), p, row.Text, "reading the columns", `SELECT table_name || '.' || column_name || '/' || data_type || '/' || coalesce(collation_name, '') || '/' || is_nullable
		FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT IN ('schema', 'installation')`)
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range columns {
		part := strings.Split(column, "/")
		if part[1] == "text" && part[2] != "C" {
			t.Errorf("%s has the collation %q", part[0], part[2])
		}
		line := part[0] + " " + kinds[part[1]]
		if part[3] == "NO" {
			line += " NOT NULL"
		}
		got[line] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-SQLite +PostgreSQL):\n%s", diff)
	}
	if len(want) < 80 {
		t.Errorf("only %d columns were compared", len(want))
	}
}

// Servers that start together on an empty database make its tables once.
func TestMigratedOnce(t *testing.T) {
	url := postgrestest.MustStart(t).MustURL(t, t.TempDir())
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			s, err := Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if _, err := s.Projects(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

// The contract of a store also holds on the tables of the next release, which an
// upgrade leaves to this one for a while. It runs in the long form only.
func TestNextRelease(t *testing.T) {
	if !storagetest.Long {
		t.Skip("skipped without COLLIE_TORTURE: repeats TestStore")
	}
	later, err := os.ReadFile(filepath.Join("testdata", "later.sql"))
	if err != nil {
		t.Fatal(err)
	}
	storagetest.TestStore(t, func(tb testing.TB, place string) storagetest.Store {
		s := mustOpen(tb, place)
		if _, err := s.pool.Exec(tb.Context(), string(later)+"UPDATE schema SET version = 1000"); err != nil {
			tb.Fatal(err)
		}
		return s
	})
}

// A program that is at work notices that a newer one has made the schema unfit for it,
// and reads and writes nothing more. A newer schema alone doesn't stop it.
func TestOutgrown(t *testing.T) {
	t.Parallel()
	server, place := postgrestest.MustStart(t), t.TempDir()
	s, err := Open(t.Context(), server.MustURL(t, place))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := segment.Project{ID: segment.NewID(), Name: "p", Created: segment.Now()}
	server.MustExec(t, place, "UPDATE schema SET version = version + 1")
	if err := errors.Join(s.fits(t.Context()), s.CreateProject(t.Context(), p)); err != nil {
		t.Errorf("with a neighbour's schema: %v", err)
	}
	defer s.WatchSchema()()
	server.MustExec(t, place, "UPDATE schema SET oldest = version")
	<-s.Failed()
	if err := s.Unfit(); err == nil || !strings.Contains(err.Error(), "Use the newer program") {
		t.Error(err)
	}
	p.ID = segment.NewID()
	if err := s.CreateProject(t.Context(), p); segment.KindOf(err) != segment.Unavailable || segment.Uncertain(err) {
		t.Errorf("a write into tables that the program doesn't know: %v", err)
	}
	if _, err := s.Projects(t.Context()); segment.KindOf(err) != segment.Unavailable {
		t.Errorf("a read of tables that the program doesn't know: %v", err)
	}
}

// The bucket of servers of older releases, which only the audit log has, is noted for those
// of this one; it stays until nobody else is connected.
func TestBucketOfOlderServers(t *testing.T) {
	t.Parallel()
	server, place := postgrestest.MustStart(t), t.TempDir()
	open := func() *Store {
		s, err := Open(t.Context(), server.MustURL(t, place))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	open().Close()
	server.MustExec(t, place, "ALTER TABLE installation DROP COLUMN bucket; UPDATE schema SET version = 21")
	for i, detail := range []string{`origin "", bucket s3://first`, `origin "", bucket s3://second at 10.0.0.1:9000`} {
		server.MustExec(t, place, fmt.Sprintf("INSERT INTO audit (at, \"user\", name, address, action, about, detail) VALUES (%d, '', '', '', 'server.start', '', '%s')", i, detail))
	}
	s, other := open(), open()
	defer s.Close()
	uses := func(bucket, want string) {
		t.Helper()
		if noted, err := s.UseBucket(t.Context(), bucket); err != nil || noted != want {
			t.Errorf("who uses %s hears of %q, %v; want %q", bucket, noted, err, want)
		}
	}
	if err := other.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	uses("s3://third", "s3://second at 10.0.0.1:9000")
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		if others, err := s.Others(t.Context()); err != nil || others == 0 { // the database has noticed
			break
		}
	}
	uses("s3://third", "s3://third")
}

// A program uses the schema of its neighbour, not one that has gone further, and
// leaves databases of others alone.
func TestRefusedDatabases(t *testing.T) {
	server := postgrestest.MustStart(t)
	for name, c := range map[string]struct{ prepare, want string }{
		"foreign":   {"CREATE TABLE thing (a int)", "another program"},
		"far ahead": {"CREATE TABLE schema (version bigint, oldest bigint); INSERT INTO schema VALUES (1000, 999)", "newer program"},
		"neighbour": {"", ""},
		"read-only": {"SET default_transaction_read_only = on", ""},
	} {
		t.Run(name, func(t *testing.T) {
			url := server.MustURL(t, t.TempDir())
			conn, err := pgx.Connect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(t.Context())
			if name == "neighbour" {
				mustOpen := func() *Store {
					s, err := Open(t.Context(), url)
					if err != nil {
						t.Fatal(err)
					}
					return s
				}
				if err := mustOpen().Close(); err != nil {
					t.Fatal(err)
				}
				c.prepare = "UPDATE schema SET version = version + 1; ALTER TABLE project ADD COLUMN later text"
				defer func() { mustOpen().Close() }()
			}
			if _, err := conn.Exec(t.Context(), c.prepare); err != nil {
				t.Fatal(err)
			}
			if name == "read-only" {
				url, c.want = url+"&default_transaction_read_only=on", "is read-only"
			}
			s, err := Open(t.Context(), url)
			if err == nil {
				s.Close()
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	for url, want := range map[string]string{
		"postgres://collie:secret@/postgres?port=x":                                 "can't be read",
		"postgres://collie:secret@127.0.0.1:1/postgres?connect_timeout=1":           "can't be reached",
		"postgres://collie:secret@/nothing?host=" + server.Folder():                 "the database nothing on " + server.Folder() + ": doesn't exist; create it",
		"postgres://nobody:secret@/postgres?host=" + server.Folder():                "doesn't let this user in; correct",
		"postgress://collie:secret@127.0.0.1/postgres":                              "write it like postgres://USER@HOST/DATABASE",
		"postgres://collie:secret@/postgres?search_path=no&host=" + server.Folder(): "search_path",
	} {
		_, err := Open(t.Context(), url)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v, want %q", url, err, want)
		}
	}
}

// A command that may not make the tables says that nobody has.
func TestCommandBeforeTheFirstStart(t *testing.T) {
	t.Parallel()
	if _, err := OpenCurrent(t.Context(), postgrestest.MustStart(t).MustURL(t, t.TempDir())); err == nil || !strings.Contains(err.Error(), "is empty; start the server once") {
		t.Errorf("an empty database: %v", err)
	}
}

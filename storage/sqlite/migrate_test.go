package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"collie/segment"
	"collie/segment/access"
	"collie/storage/row"
)

// steps are made-up migrations.
func steps(texts ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for i, text := range texts {
		files[fmt.Sprintf("%04d_x.sql", i+1)] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

const (
	one = "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (7)"
	two = "ALTER TABLE a RENAME COLUMN x TO y"
	end = "ALTER TABLE a RENAME COLUMN y TO z"
)

func TestMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s, err := open(t.Context(), path, steps(one))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".v0.backup"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a new database was copied: %v", err)
	}

	// A step that fails changes nothing, nor do those before it: the next attempt starts
	// from there, and the copy is one that an older program can use.
	for _, fails := range []fstest.MapFS{steps(one, two+"; SELECT nonsense"), steps(one, two, end+"; SELECT nonsense")} {
		_, err := open(t.Context(), path, fails)
		if err == nil || !strings.Contains(err.Error(), "The file still has version 1") {
			t.Fatalf("a migration with an error in it: %v", err)
		}
		if v, column := inspect(t, path); v != 1 || column != "x" {
			t.Errorf("after a failed step: version %d, column %s", v, column)
		}
	}
	s, err = open(t.Context(), path, steps(one, two))
	if err != nil {
		t.Fatal(err)
	}
	if s.Kept() != path+".v1.backup" {
		t.Errorf("the copy is %q", s.Kept())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if v, column := inspect(t, path); v != 2 || column != "y" {
		t.Errorf("after the step: version %d, column %s", v, column)
	}
	if v, column := inspect(t, path+".v1.backup"); v != 1 || column != "x" {
		t.Errorf("the copy has version %d, column %s", v, column)
	}

	_, err = open(t.Context(), path, steps(one))
	if err == nil || !strings.Contains(err.Error(), "schema has version 2, but this program knows versions up to 1 only") {
		t.Errorf("a newer schema: error %v", err)
	}
	if v, column := inspect(t, path); v != 2 || column != "y" {
		t.Errorf("a refused file became version %d, column %s", v, column)
	}
}

// TestBackupHoldsLog checks that the copy has what is in the write-ahead log
// only, as after a crash.
func TestBackupHoldsLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	crashed, err := open(t.Context(), path, steps(one))
	if err != nil {
		t.Fatal(err)
	}
	defer crashed.Close() // keeps the log from being folded in
	s, err := open(t.Context(), path, steps(one, two))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if v, column := inspect(t, path+".v1.backup"); v != 1 || column != "x" {
		t.Errorf("the copy has version %d, column %s", v, column)
	}
}

// A database that can't be copied is not migrated.
func TestNoBackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s, err := open(t.Context(), path, steps(one))
	if err := errors.Join(err, s.Close(), os.MkdirAll(path+".v1.backup.part/in the way", 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t.Context(), path, steps(one, two)); err == nil || !strings.Contains(err.Error(), "its disk needs space") {
		t.Errorf("a database that can't be copied: %v", err)
	}
	if v, column := inspect(t, path); v != 1 || column != "x" {
		t.Errorf("it has version %d, column %s", v, column)
	}
}

// The newest copy stays; all of them stay until the next migration has succeeded.
func TestOldBackups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	for _, c := range []struct {
		what  string
		steps fstest.MapFS
		fails bool
		want  []string
	}{
		{"made", steps(one), false, nil},
		{"migrated", steps(one, two), false, []string{path + ".v1.backup"}},
		{"not migrated", steps(one, two, end+"; SELECT nonsense"), true, []string{path + ".v1.backup", path + ".v2.backup"}},
		{"migrated again", steps(one, two, end), false, []string{path + ".v2.backup"}},
		{"opened", steps(one, two, end), false, []string{path + ".v2.backup"}},
	} {
		s, err := open(t.Context(), path, c.steps)
		if (err != nil) != c.fails {
			t.Fatalf("%s: %v", c.what, err)
		}
		if err == nil {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		got, err := filepath.Glob(path + ".v*")
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: copies %q, %v, want %q", c.what, got, err, c.want)
		}
	}
	if v, column := inspect(t, path+".v2.backup"); v != 2 || column != "y" {
		t.Errorf("the copy has version %d, column %s", v, column)
	}
}

// inspect returns the version and the column of a made-up database.
func inspect(t *testing.T, path string) (version int, column string) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, "ro"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.QueryRow("SELECT user_version, (SELECT name FROM pragma_table_info('a')) FROM pragma_user_version, a").Scan(&version, &column)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return version, column
}

func TestRefusedFiles(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", dsn(other, "rwc"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE theirs (x)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		other:                               "belongs to another program",
		text:                                "not a database",
		filepath.Join(dir, "missing", "db"): "no such file",
	} {
		before, _ := os.ReadFile(path)
		_, err := Open(t.Context(), path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want %q and the path", err, want)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s was changed", path)
		}
	}
}

func TestMigrationNumbers(t *testing.T) {
	for _, name := range []string{"0002_a.sql", "a.sql"} {
		if _, err := row.Steps(fstest.MapFS{name: &fstest.MapFile{}}, 1); err == nil {
			t.Errorf("a first migration called %s passed", name)
		}
	}
	if released, err := row.Steps(migrations, 1); err != nil || len(released) == 0 {
		t.Errorf("%d migrations, error %v", len(released), err)
	}
}

// TestLocked lets another program hold the file's lock for longer than the
// store waits.
func TestLocked(t *testing.T) {
	place := t.TempDir()
	s := openAt(t, place).(*Store)
	defer s.Close()
	if _, err := s.writer.conn.ExecContext(t.Context(), "PRAGMA busy_timeout = 50"); err != nil {
		t.Fatal(err)
	}
	other := openAt(t, place).(*Store)
	defer other.Close()
	tx, err := other.writer.conn.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("UPDATE project SET name = ''"); err != nil {
		t.Fatal(err)
	}
	p := segment.Project{ID: segment.NewID()}
	if err := s.CreateProject(t.Context(), p); segment.KindOf(err) != segment.Unavailable {
		t.Errorf("while the file is locked: %v", err)
	}
	if _, err := s.Projects(t.Context()); err != nil {
		t.Errorf("reading while the file is locked: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.CreateProject(t.Context(), p); err != nil {
		t.Errorf("after the lock: %v", err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("Ready: %v", err)
	}
}

// Roles that counted in all projects become those of members; projects in the
// trash have them too.
func TestMembersOfOlderDatabases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	before, err := row.Steps(migrations, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), path, steps(before[:10]...))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		`INSERT INTO project (id, name, classes, created, trashed_at) VALUES ('p', 'P', '[]', 1, NULL), ('gone', 'Gone', '[]', 2, 3)`,
		`INSERT INTO user (id, name, role, password, created, removed_at) VALUES ('a', 'admin', 'admin', '', 1, NULL), ('n', 'ann', 'annotator', '', 1, NULL), ('v', 'vic', 'viewer', '', 1, NULL), ('x', 'ex', 'annotator', '', 1, 5)`,
	} {
		if err := s.writer.write(t.Context(), func(w *writer) error { return w.exec(row) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, project := range []string{"p", "gone"} {
		for user, want := range map[string]access.Role{"a": access.Nobody, "n": access.Annotator, "v": access.Viewer, "x": access.Nobody} {
			if got, err := s.RoleIn(t.Context(), project, user); got != want || err != nil {
				t.Errorf("%s is %v in %s, want %v: %v", user, got, project, want, err)
			}
		}
	}
	for user, want := range map[string]access.Role{"a": access.Admin, "n": access.User, "v": access.User} {
		if u, err := s.User(t.Context(), user); err != nil || u.Role != want {
			t.Errorf("%s is %v on the server, want %v: %v", user, u.Role, want, err)
		}
	}
	if wrong, err := s.Check(t.Context()); len(wrong) > 0 || err != nil {
		t.Errorf("the doctor says %q, %v", wrong, err)
	}
}

// Commits reach the disk itself, on macOS as well.
func TestSyncs(t *testing.T) {
	s := openAt(t, t.TempDir()).(*Store)
	for pragma, want := range map[string]int{"synchronous": 2, "fullfsync": 1} {
		var got int
		if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %d, %v, want %d", pragma, got, err, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

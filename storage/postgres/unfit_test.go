package postgres

import (
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"collie/segment"
	"collie/storage/postgres/postgrestest"
	"collie/storage/row"
)

// A database that doesn't keep what it acknowledges, can't hold every name or can't
// be written is refused in a sentence that names the setting, and nothing is made
// in it.
func TestUnfitDatabases(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: starts a database server")
	}
	address := postgrestest.MustStartOwn(t).MustURL(t, "unfit") // its settings change
	with := func(change func(u *url.URL, q url.Values)) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		change(u, q)
		u.RawQuery = q.Encode()
		return u.String()
	}
	mustRun(t, address, "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", "CREATE ROLE poor LOGIN", "CREATE ROLE reader LOGIN",
		"DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO reader', current_schema()); END $$")
	latin := with(func(u *url.URL, q url.Values) { u.Path = "/latin"; q.Del("search_path") })
	as := func(role string) string { return with(func(u *url.URL, _ url.Values) { u.User = url.User(role) }) }
	for _, c := range []struct{ name, address, off, want string }{
		{"fsync", address, "fsync", "has fsync = off"},
		{"pages", address, "full_page_writes", "has full_page_writes = off"},
		{"encoding", latin, "", "has the encoding LATIN1"},
		{"a role that sees nothing", as("poor"), "", "has no schema that its search_path names"},
		{"a role that makes nothing", as("reader"), "", "GRANT CREATE ON SCHEMA"},
	} {
		if c.off != "" {
			mustSet(t, address, c.off, "off")
		}
		s, err := Open(t.Context(), c.address)
		switch {
		case err == nil:
			s.Close()
			t.Errorf("%s: it is used", c.name)
		case !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if c.off != "" {
			mustSet(t, address, c.off, "on")
		}
	}
	if tables := mustRun(t, address, "SELECT count(*)::text FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"); tables != "0" {
		t.Errorf("%s tables were made", tables)
	}
	s, err := Open(t.Context(), address) // the control
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// What a test has no server for.
func TestUnfit(t *testing.T) {
	fit := nature{150000, "on", "on", "UTF8", "off", false}
	if err := fit.unfit(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*nature){
		"is PostgreSQL 14; version 15 or later": func(n *nature) { n.version = 140011 },
		"is a standby":                          func(n *nature) { n.standby = true },
		"is read-only":                          func(n *nature) { n.readOnly = "on" },
	} {
		n := fit
		change(&n)
		if err := n.unfit(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// What the database has refused is not stored for sure, so the files of a refused
// upload can go; after a connection that broke during a commit nobody knows.
func TestRefusalsAreCertain(t *testing.T) {
	for _, err := range []error{
		&pgconn.PgError{Code: readOnly}, &pgconn.PgError{Code: noPrivilege}, &pgconn.PgError{Code: diskBroken}, &pgconn.PgError{Code: statementTimeout}, &pgconn.PgError{Code: twicePrepared},
		&brokenError{cause: io.EOF}, row.Closed(),
	} {
		if got := trouble(err); segment.KindOf(got) != segment.Unavailable || segment.Uncertain(got) {
			t.Errorf("%v is uncertain: %v", err, got)
		}
	}
	if got := trouble(&brokenError{cause: io.EOF, sent: true}); !segment.Uncertain(got) {
		t.Errorf("a commit whose connection broke is certain: %v", got)
	}
}

// mustRun runs statements on a connection of its own and returns the first value of
// the last one's result, if there is one.
func mustRun(tb testing.TB, address string, statements ...string) (value string) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), address)
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close(tb.Context())
	for _, s := range statements {
		rows, err := conn.Query(tb.Context(), s)
		if err != nil {
			tb.Fatalf("%s: %v", s, err)
		}
		if rows.Next() && len(rows.FieldDescriptions()) == 1 && rows.FieldDescriptions()[0].DataTypeOID == 25 { // text
			err = rows.Scan(&value)
		}
		rows.Close()
		if err == nil {
			err = rows.Err()
		}
		if err != nil {
			tb.Fatalf("%s: %v", s, err)
		}
	}
	return value
}

// mustSet changes a setting of the server and waits until new connections have it.
func mustSet(t *testing.T, address, setting, value string) {
	t.Helper()
	mustRun(t, address, "ALTER SYSTEM SET "+setting+" = "+value, "SELECT pg_reload_conf()")
	for began := time.Now(); mustRun(t, address, "SHOW "+setting) != value; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("%s does not become %s", setting, value)
		}
	}
}

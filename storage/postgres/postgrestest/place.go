package postgrestest

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"net/url"
	"strings"
	"testing"
	"time"
)

// MustURL returns the address of an empty place in the server: for the same name
// the same, so that it can be opened again.
func (s *Server) MustURL(tb testing.TB, name string) string {
	tb.Helper()
	schema := schemaOf(name)
	if err := s.psql("CREATE SCHEMA IF NOT EXISTS " + schema); err != nil {
		tb.Fatal(err)
	}
	return "postgres://collie@/postgres?" + url.Values{"host": {s.folder}, "search_path": {schema}}.Encode()
}

// schemaOf names the schema of a place.
func schemaOf(name string) string {
	h := fnv.New64a()
	h.Write([]byte(name))
	return fmt.Sprintf("t%x", h.Sum64())
}

// MustExec runs a statement on a place, as MustURL knows it.
func (s *Server) MustExec(tb testing.TB, name, statement string) {
	tb.Helper()
	if err := s.psql(fmt.Sprintf("SET search_path = %s; %s", schemaOf(name), statement)); err != nil {
		tb.Fatal(err)
	}
}

// MustHold runs a statement on a place, as MustURL knows it, in a transaction that
// stays open until release is called.
func (s *Server) MustHold(tb testing.TB, name, statement string) (release func()) {
	tb.Helper()
	schema := schemaOf(name)
	ended := make(chan error, 1)
	go func() {
		ended <- s.psql(fmt.Sprintf("SET search_path = %s; %s; SELECT pg_sleep(600)", schema, statement))
	}()
	const those = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%%%s%%'"
	for s.psql(fmt.Sprintf("SELECT 1 / count(*) "+those, schema)) != nil { // until there is one
		select {
		case err := <-ended:
			tb.Fatal(err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return func() {
		if err := s.psql(fmt.Sprintf("SELECT pg_terminate_backend(pid) "+those, schema)); err != nil {
			tb.Error(err)
		}
		<-ended // with the error of a session that was ended
	}
}

// psql runs a statement.
func (s *Server) psql(statement string) error {
	cmd := s.command("psql", "--no-psqlrc", "--quiet", "--host", s.folder, "--username", "collie", "--dbname", "postgres", "--set", "ON_ERROR_STOP=1", "--command", statement)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", statement, err, strings.TrimSpace(stderr.String()))
	}
	return nil
}

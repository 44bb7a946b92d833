package sqlite

import (
	"path/filepath"
	"testing"
	"time"
)

func TestSessions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	store, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s := store.Sessions()
	commit := func(token, data string, expiry time.Duration) {
		t.Helper()
		if err := s.Commit(token, []byte(data), time.Now().Add(expiry)); err != nil {
			t.Fatal(err)
		}
	}
	find := func(token, want string) {
		t.Helper()
		data, found, err := s.Find(token)
		if err != nil || found != (want != "") || string(data) != want {
			t.Errorf("session %s: %q, %v, %v; want %q", token, data, found, err, want)
		}
	}
	find("a", "")
	commit("a", "one", time.Hour)
	commit("b", "two", time.Hour)
	commit("a", "three", time.Hour)
	commit("old", "gone", -time.Second)
	find("a", "three")
	find("old", "")
	if err := s.Delete("b"); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete("never was"); err != nil {
		t.Fatal(err)
	}
	find("b", "")
	commit("c", "four", time.Hour) // sweeps
	var rows int
	if err := store.reads.QueryRowContext(t.Context(), "SELECT count(*) FROM session").Scan(&rows); err != nil || rows != 2 {
		t.Errorf("%d rows are kept, want a and c: %v", rows, err)
	}

	// People stay signed in when the program starts anew.
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if store, err = Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	s = store.Sessions()
	find("a", "three")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

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

	// A touch moves the end, in steps worth a write, and revives nothing.
	expires := func(token string) (at int64) {
		t.Helper()
		if err := store.reads.QueryRowContext(t.Context(), "SELECT expires FROM session WHERE token = ?", tokenHash(token)).Scan(&at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	before := expires("a")
	for _, c := range []struct {
		later time.Duration
		moves bool
	}{{-time.Minute, false}, {30 * time.Second, false}, {10 * time.Minute, true}} {
		want := time.UnixMilli(before).Add(c.later)
		if err := s.Touch(t.Context(), "a", want); err != nil {
			t.Fatal(err)
		}
		if got := expires("a"); (got == want.UnixMilli()) != c.moves {
			t.Errorf("touched to %v later, it ends %v later", c.later, time.Duration(got-before)*time.Millisecond)
		}
	}
	if err := s.Touch(t.Context(), "b", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	find("b", "")
	var leaked int
	if err := store.reads.QueryRowContext(t.Context(), "SELECT count(*) FROM session WHERE length(token) <> 64").Scan(&leaked); err != nil || leaked > 0 {
		t.Errorf("%d tokens are stored as they are, %v", leaked, err)
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

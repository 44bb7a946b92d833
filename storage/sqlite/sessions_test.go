package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/accounts"
)

func TestSessions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	session := func(user string, expires time.Duration) accounts.Session {
		return accounts.Session{User: user, Generation: 3, Expires: now.Add(expires), Ends: now.Add(24 * time.Hour)}
	}
	add := func(token string, session accounts.Session) {
		t.Helper()
		if err := s.AddSession(t.Context(), token, session); err != nil {
			t.Fatal(err)
		}
	}
	has := func(token string, want accounts.Session) {
		t.Helper()
		got, err := s.Session(t.Context(), token)
		if err != nil {
			t.Errorf("session %s: %v", token, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("session %s differs:\n%s", token, diff)
		}
	}
	lacks := func(token string) {
		t.Helper()
		if got, err := s.Session(t.Context(), token); segment.KindOf(err) != segment.NotFound {
			t.Errorf("session %s: %+v, %v", token, got, err)
		}
	}
	lacks("a")
	add("a", session("ann", time.Hour))
	add("b", session("bob", time.Hour))
	add("old", session("bob", -time.Second))
	has("a", session("ann", time.Hour))
	lacks("old")
	for _, token := range []string{"b", "never existed"} {
		if err := s.RemoveSession(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	lacks("b")
	add("c", session("bob", time.Hour))
	var rows int
	if err := s.reads.QueryRowContext(t.Context(), "SELECT count(*) FROM session").Scan(&rows); err != nil || rows != 2 {
		t.Errorf("%d rows are kept, want a and c: %v", rows, err)
	}
	if err := s.AddSession(t.Context(), "a", session("bob", time.Hour)); err == nil {
		t.Error("a token was given away twice")
	}

	// Using a session prolongs it, unless it has ended.
	for _, token := range []string{"a", "b"} {
		if err := s.ProlongSession(t.Context(), token, now.Add(2*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	lacks("b")

	var leaked int
	if err := s.reads.QueryRowContext(t.Context(), "SELECT count(*) FROM session WHERE length(token) <> 64").Scan(&leaked); err != nil || leaked > 0 {
		t.Errorf("%d tokens are stored as they are, %v", leaked, err)
	}

	// People stay signed in when the program starts again.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	has("a", session("ann", 2*time.Hour))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

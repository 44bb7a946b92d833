package storagetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/accounts"
)

// SessionStore is a Store that also keeps sessions.
type SessionStore interface {
	Store
	accounts.SessionStore
}

// TestSessions checks the contract of accounts.SessionStore; rows counts what is
// stored, and of that what is as long as a hash.
func TestSessions(t *testing.T, open func(tb testing.TB, place string) SessionStore, rows func(s SessionStore) (all, hashed int)) {
	ctx, place := t.Context(), t.TempDir()
	s := open(t, place)
	limits := accounts.SessionLimits{Idle: time.Hour, Lifetime: 24 * time.Hour}
	add := func(token, user string) accounts.Session {
		t.Helper()
		session, err := s.AddSession(ctx, token, accounts.User{ID: user, Generation: 3}, limits)
		must(t, err)
		return session
	}
	has := func(token string, want accounts.Session) {
		t.Helper()
		got, err := s.Session(ctx, token)
		must(t, err)
		if got.Read.Before(want.Read) || got.Read.Sub(want.Read) > limits.Idle/2 {
			t.Errorf("session %s was read at %v and began at %v", token, got.Read, want.Read)
		}
		want.Read = got.Read
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("session %s differs:\n%s", token, diff)
		}
	}
	lacks := func(token string) {
		t.Helper()
		if got, err := s.Session(ctx, token); segment.KindOf(err) != segment.NotFound {
			t.Errorf("session %s: %+v, %v", token, got, err)
		}
	}
	lacks("a")
	a := add("a", "ann")
	if want := limits.Begin(accounts.User{ID: "ann", Generation: 3}, a.Read); !cmp.Equal(a, want) || a.Left() != limits.Idle {
		t.Errorf("a new session is %+v, want %+v", a, want)
	}
	add("b", "bob")
	old := add("old", "bob")
	must(t, s.ProlongSession(ctx, "old", old.Read.Add(-time.Second)))
	has("a", a)
	lacks("old")
	for _, token := range []string{"b", "never existed"} {
		must(t, s.RemoveSession(ctx, token))
	}
	lacks("b")
	add("c", "bob")
	if all, hashed := rows(s); all != 2 || hashed != 2 {
		t.Errorf("%d rows are kept, %d of them with a hash, want a and c", all, hashed)
	}
	if _, err := s.AddSession(ctx, "a", accounts.User{ID: "bob"}, limits); err == nil {
		t.Error("a token was given away twice")
	}

	// Using a session prolongs it, unless it has ended.
	a.Expires = a.Expires.Add(time.Hour)
	for _, token := range []string{"a", "b"} {
		must(t, s.ProlongSession(ctx, token, a.Expires))
	}
	lacks("b")

	// People stay signed in when the program starts again.
	must(t, s.Close())
	s = open(t, place)
	has("a", a)
	must(t, s.Close())
}

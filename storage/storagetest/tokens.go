package storagetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
)

// TestTokens checks the contract of accounts.TokenStore.
func TestTokens(t *testing.T, open func(tb testing.TB, place string) TeamStore) {
	ctx, place := t.Context(), t.TempDir()
	s := open(t, place)
	user := func(name string) accounts.User {
		u := accounts.User{ID: segment.NewID(), Name: name, Role: access.Admin, Created: moment()}
		must(t, s.CreateUser(ctx, u))
		return u
	}
	ann, bob := user("Ann"), user("bob")
	add := func(u accounts.User, secret string, days int) accounts.Token {
		t.Helper()
		token, err := s.AddToken(ctx, secret, u, accounts.Token{ID: segment.NewID(), User: u.ID, Name: "for " + secret, Scope: access.ReadOnly}, days)
		must(t, err)
		return token
	}
	has := func(secret string, want accounts.Token) {
		t.Helper()
		got, err := s.Token(ctx, secret)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", secret, diff)
		}
	}
	lacks := func(secret string) {
		t.Helper()
		if got, err := s.Token(ctx, secret); segment.KindOf(err) != segment.NotFound {
			t.Errorf("%s: %+v, %v", secret, got, err)
		}
	}
	lists := func(u accounts.User, want ...accounts.Token) {
		t.Helper()
		got, err := s.Tokens(ctx, u.ID)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the tokens of %s (-want +got):\n%s", u.Name, diff)
		}
	}
	lacks("one")
	lists(ann)
	began := time.Now()
	one := add(ann, "one", 0)
	past := add(ann, "past", -1)
	theirs := add(bob, "theirs", 2)
	if one.Created.Before(began.Add(-time.Second)) || one.Created.After(time.Now().Add(time.Second)) || !one.Expires.IsZero() || theirs.Expires.Sub(theirs.Created) != 48*time.Hour {
		t.Errorf("created between %v and now: %+v, %+v", began, one, theirs)
	}
	has("one", one)
	has("theirs", theirs)
	lacks("past")
	for _, id := range []string{one.ID, one.Name} {
		lacks(id)
	}
	if past.Created.Equal(one.Created) && past.ID < one.ID {
		lists(ann, past, one)
	} else {
		lists(ann, one, past)
	}
	if _, err := s.AddToken(ctx, "one", bob, accounts.Token{ID: segment.NewID(), User: bob.ID, Scope: access.ReadOnly}, 0); err == nil {
		t.Error("a secret was given away twice")
	}
	if _, err := s.AddToken(ctx, "new", accounts.User{ID: "nobody"}, accounts.Token{ID: segment.NewID(), User: "nobody", Scope: access.ReadOnly}, 0); segment.KindOf(err) != segment.NotFound {
		t.Errorf("a token of nobody: %v", err)
	}

	theirs.Used = moment()
	must(t, s.UseToken(ctx, theirs.ID, theirs.Used))
	has("theirs", theirs)
	for _, wrong := range [][2]string{{bob.ID, one.ID}, {ann.ID, "nothing"}, {"nobody", one.ID}} {
		if err := s.RemoveToken(ctx, wrong[0], wrong[1]); segment.KindOf(err) != segment.NotFound {
			t.Errorf("removing %s of %s: %v", wrong[1], wrong[0], err)
		}
	}
	must(t, s.RemoveToken(ctx, ann.ID, past.ID))
	lists(ann, one)

	// They end with a new password and with their user, others don't.
	must(t, s.SetRole(ctx, ann.ID, access.User))
	has("one", one)
	must(t, s.SetPassword(ctx, ann, "hash"))
	lacks("one")
	lists(ann)
	if _, err := s.AddToken(ctx, "two", ann, one, 0); segment.KindOf(err) != segment.NotFound {
		t.Errorf("a token for a session from before: %v", err)
	}
	if err := s.SetPassword(ctx, ann, "other"); segment.KindOf(err) != segment.NotFound {
		t.Errorf("a password for a user from before: %v", err)
	}
	ann, err := s.User(ctx, ann.ID)
	must(t, err)
	if _, err := s.AddToken(ctx, "two", ann, one, 0); err != nil {
		t.Fatal(err)
	}
	must(t, s.RemoveUser(ctx, ann.ID))
	lacks("two")
	must(t, s.Close())
	s = open(t, place)
	has("theirs", theirs)
	must(t, s.Close())
}

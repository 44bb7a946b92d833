package storagetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
)

// TestIdentities checks the contract of accounts.IdentityStore.
func TestIdentities(t *testing.T, open func(tb testing.TB, place string) TeamStore) {
	ctx, place := t.Context(), t.TempDir()
	s := open(t, place)
	user := func(name string, identities ...accounts.Identity) accounts.User {
		t.Helper()
		u := accounts.User{ID: segment.NewID(), Name: name, Role: access.Admin, Created: moment()}
		must(t, s.CreateUser(ctx, u, identities...))
		return u
	}
	is := func(i accounts.Identity, want string) {
		t.Helper()
		switch got, err := s.Identified(ctx, i); {
		case want == "" && segment.KindOf(err) == segment.NotFound:
		case want == "" || err != nil || got != want:
			t.Errorf("%s is user %q, %v, want %q", i, got, err, want)
		}
	}
	lists := func(u accounts.User, want ...accounts.Identity) {
		t.Helper()
		got, err := s.Identities(ctx, u.ID)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the identities of %s (-want +got):\n%s", u.Name, diff)
		}
	}
	kind := func(err error, want segment.Kind) {
		t.Helper()
		if segment.KindOf(err) != want {
			t.Errorf("error %v, want kind %v", err, want)
		}
	}
	one, two := accounts.Identity{Issuer: "https://one.example", Subject: "1"}, accounts.Identity{Issuer: "https://one.example", Subject: "2"}
	elsewhere := accounts.Identity{Issuer: "https://two.example", Subject: "1"}
	ann, bob := user("ann", one), user("bob")
	is(one, ann.ID)
	is(two, "")
	is(elsewhere, "") // the same subject of another provider
	lists(bob)

	// What is refused changes nothing: neither the user nor their other identities.
	kind(s.CreateUser(ctx, accounts.User{ID: segment.NewID(), Name: "cleo", Role: access.User, Created: moment()}, two, one), segment.Conflict)
	kind(s.CreateUser(ctx, accounts.User{ID: segment.NewID(), Name: "Ann", Role: access.User, Created: moment()}, two), segment.Conflict)
	is(two, "")
	if _, err := s.UserNamed(ctx, "cleo"); segment.KindOf(err) != segment.NotFound {
		t.Errorf("a user was made with another's identity: %v", err)
	}
	kind(s.LinkIdentity(ctx, one, bob.ID), segment.Conflict)
	kind(s.LinkIdentity(ctx, two, "nobody"), segment.NotFound)
	kind(s.UnlinkIdentity(ctx, two), segment.NotFound)
	is(one, ann.ID)

	must(t, s.LinkIdentity(ctx, elsewhere, ann.ID))
	must(t, s.LinkIdentity(ctx, two, ann.ID))
	must(t, s.LinkIdentity(ctx, two, ann.ID)) // again
	lists(ann, one, two, elsewhere)

	// Unlinking ends sessions and tokens of that user only.
	token := func(u accounts.User) string {
		id := segment.NewID()
		_, err := s.AddToken(ctx, id, u, accounts.Token{ID: id, User: u.ID, Name: "x", Scope: access.ReadOnly}, 0)
		must(t, err)
		return id
	}
	theirs, other := token(ann), token(bob)
	must(t, s.UnlinkIdentity(ctx, two))
	lists(ann, one, elsewhere)
	if u, err := s.User(ctx, ann.ID); err != nil || u.Generation != 1 {
		t.Errorf("after unlinking: generation %d, %v", u.Generation, err)
	}
	if _, err := s.Token(ctx, theirs); segment.KindOf(err) != segment.NotFound {
		t.Errorf("after unlinking, the token: %v", err)
	}
	if _, err := s.Token(ctx, other); err != nil {
		t.Error(err)
	}

	// A removed user keeps the identity, so that it makes no new user, until it is
	// given to somebody else.
	must(t, s.RemoveUser(ctx, ann.ID))
	is(one, ann.ID)
	must(t, s.LinkIdentity(ctx, one, bob.ID))
	must(t, s.Close())
	s = open(t, place)
	is(one, bob.ID)
	is(elsewhere, ann.ID)
	must(t, s.Close())
}

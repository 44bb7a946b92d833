package accounts_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/storage/sqlite"
)

// Of many who use an invitation at once, one chooses the password.
func TestInvitationAtOnce(t *testing.T) {
	store, ctx := mustStore(t), access.With(t.Context(), access.Operator)
	a := accounts.New(store, accounts.Limits{})
	sessions := accounts.NewSessions(store, a, accounts.SessionLimits{}, slog.New(slog.DiscardHandler))
	added, err := a.AddInvited(ctx, []string{"ann"}, access.User)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := sessions.Invite(ctx, added[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	const tries = 4
	errs := make(chan error, tries)
	for range tries {
		go func() {
			_, err := sessions.Join(t.Context(), secret, password)
			errs <- err
		}()
	}
	joined := 0
	for range tries {
		if err := <-errs; err == nil {
			joined++
		} else if segment.KindOf(err) != segment.NotFound {
			t.Errorf("joining too late: %v", err)
		}
	}
	if joined != 1 {
		t.Errorf("%d joined, want 1", joined)
	}
}

// taken is a store in which somebody else adds a user of the same name a moment before.
type taken struct {
	*sqlite.Store
	name string
}

func (s taken) CreateUser(ctx context.Context, u accounts.User, identities ...accounts.Identity) error {
	if u.Name == s.name {
		other := u
		other.ID = segment.NewID()
		if err := s.Store.CreateUser(ctx, other); err != nil {
			return err
		}
	}
	return s.Store.CreateUser(ctx, u, identities...)
}

// Of a list that two admins add at once, whoever is late hears who was added.
func TestListTakenMeanwhile(t *testing.T) {
	for taking, want := range map[string]string{"cleo": "were added before: ann, bob.", "bob": "were added before: ann.", "ann": "Nothing was changed"} {
		store, ctx := mustStore(t), access.With(t.Context(), access.Operator)
		a := accounts.New(taken{store, taking}, accounts.Limits{})
		added, err := a.AddInvited(ctx, []string{"ann", "bob", "cleo"}, access.User)
		if segment.KindOf(err) != segment.Conflict || !strings.Contains(err.Error(), "a user called "+taking) || !strings.Contains(err.Error(), want) || len(added) > 0 == strings.Contains(err.Error(), "Nothing was changed") {
			t.Errorf("%s is taken: %+v, %v", taking, added, err)
		}
	}
}

// An invitation lets its user choose a password once. It is no session, and no session
// is one.
func TestInvitations(t *testing.T) {
	store, ctx := mustStore(t), access.With(t.Context(), access.Operator)
	a := accounts.New(store, accounts.Limits{})
	sessions := accounts.NewSessions(store, a, accounts.SessionLimits{}, slog.New(slog.DiscardHandler))
	added, err := a.AddInvited(ctx, []string{"ann", "bob"}, access.User)
	if err != nil || len(added) != 2 {
		t.Fatalf("%+v, %v", added, err)
	}
	ann := added[0]
	for _, try := range []string{"", password} {
		if _, err := a.SignIn(t.Context(), "ann", try, here); err == nil {
			t.Errorf("ann, who has no password, signs in with %q", try)
		}
	}
	invite := func() string {
		t.Helper()
		secret, err := sessions.Invite(ctx, ann.ID)
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	gone := func(secret string) {
		t.Helper()
		_, err := sessions.Join(t.Context(), secret, "another horse")
		if segment.KindOf(err) != segment.NotFound || !strings.Contains(err.Error(), "Ask an admin") {
			t.Errorf("joining: %v", err)
		}
	}
	first, second, late := invite(), invite(), invite()
	if err := store.ProlongSession(ctx, late, time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	gone(late)
	gone("join_x")
	if _, _, err := sessions.Find(t.Context(), first, true); segment.KindOf(err) != segment.NotFound {
		t.Errorf("an invitation as a session: %v", err)
	}
	if _, err := sessions.Join(t.Context(), first, "short"); segment.KindOf(err) != segment.Invalid {
		t.Errorf("a short password: %v", err)
	}
	if u, err := sessions.Invited(t.Context(), first); err != nil || u.ID != ann.ID {
		t.Errorf("invited is %+v, %v", u, err)
	}
	u, err := sessions.Join(t.Context(), first, password)
	if err != nil || u.ID != ann.ID {
		t.Fatalf("%+v, %v", u, err)
	}
	if _, err := a.SignIn(t.Context(), "ann", password, here); err != nil {
		t.Errorf("with the chosen password: %v", err)
	}
	gone(first)
	gone(second)
	if u, err = a.User(ctx, u.ID); err != nil {
		t.Fatal(err)
	}
	session, _, err := sessions.Begin(ctx, u, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := sessions.Find(t.Context(), session, true); err != nil {
		t.Errorf("the session after joining: %v", err)
	}
	gone(session)

	last := invite()
	if err := a.Remove(ctx, ann.ID); err != nil {
		t.Fatal(err)
	}
	gone(last)
	if _, err := sessions.Invite(ctx, ann.ID); segment.KindOf(err) != segment.NotFound {
		t.Errorf("inviting somebody who was removed: %v", err)
	}
	if _, err := sessions.Invite(access.With(t.Context(), u.Principal()), added[1].ID); segment.KindOf(err) != segment.NotFound {
		t.Errorf("a user invites: %v", err)
	}
}

// One bad name, and nobody is added.
func TestInvitedNames(t *testing.T) {
	a, ctx := mustOpen(t, accounts.Limits{})
	mustAdd(t, a, ctx, "admin", access.Admin)
	for _, c := range []struct {
		names string
		role  access.Role
		kind  segment.Kind
		want  string
	}{
		{"zoe ann/smith", access.User, segment.Invalid, `"ann/smith" can't be`},
		{"zoe Admin", access.User, segment.Conflict, "called Admin"},
		{"zoe yan ZOE", access.User, segment.Conflict, "ZOE is in the list twice"},
		{"zoe project", access.User, segment.Invalid, `"project" is taken`},
		{"zoe", access.Viewer, segment.Invalid, "user or admin"},
	} {
		added, err := a.AddInvited(ctx, strings.Fields(c.names), c.role)
		if segment.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) || len(added) > 0 {
			t.Errorf("%s as %s: %+v, %v", c.names, c.role, added, err)
		}
	}
	if users, err := a.List(ctx); err != nil || len(users) != 1 {
		t.Errorf("users %+v, %v; want the admin", users, err)
	}
	if _, err := a.AddInvited(t.Context(), []string{"zoe"}, access.User); segment.KindOf(err) != segment.NotFound {
		t.Errorf("a stranger adds users: %v", err)
	}
}

package accounts_test

import (
	"context"
	"errors"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/storage/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const password = "correct horse"

var here = netip.MustParseAddr("192.0.2.1")

// mustOpen returns the accounts of an empty store, and a context that can manage
// them.
func mustOpen(tb testing.TB, limits accounts.Limits) (*accounts.Accounts, context.Context) {
	tb.Helper()
	return accounts.New(mustStore(tb), limits), access.With(tb.Context(), access.Operator)
}

func mustStore(tb testing.TB) *sqlite.Store {
	tb.Helper()
	store, err := sqlite.Open(tb.Context(), filepath.Join(tb.TempDir(), "collie.db"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := store.Close(); err != nil {
			tb.Error(err)
		}
	})
	return store
}

func mustAdd(tb testing.TB, a *accounts.Accounts, ctx context.Context, name string, role access.Role) accounts.User {
	tb.Helper()
	u, err := a.Add(ctx, name, password, role)
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

func TestUsers(t *testing.T) {
	a, ctx := mustOpen(t, accounts.Limits{})
	if some, err := a.Any(ctx); some || err != nil {
		t.Errorf("an empty store has users: %v, %v", some, err)
	}
	ann := mustAdd(t, a, ctx, "Ann", access.Admin)
	bob := mustAdd(t, a, ctx, " bob@example.org ", access.User)
	for name, c := range map[string]struct {
		name, password string
		role           access.Role
		kind           segment.Kind
	}{
		"taken":          {"aNN", password, access.User, segment.Conflict},
		"empty":          {"", password, access.User, segment.Invalid},
		"a space":        {"a b", password, access.User, segment.Invalid},
		"another script": {"Аnn", password, access.User, segment.Invalid},
		"long":           {strings.Repeat("a", 65), password, access.User, segment.Invalid},
		"a dot first":    {".a", password, access.User, segment.Invalid},
		"the model":      {"Project", password, access.User, segment.Invalid},
		"no role":        {"cleo", password, access.Nobody, segment.Invalid},
		"short password": {"cleo", "ninechars", access.User, segment.Invalid},
		"long password":  {"cleo", strings.Repeat("x", 1025), access.User, segment.Invalid},
		"name, twice":    {"cleopatra.7", "CLEOPATRA.7", access.User, segment.Invalid},
	} {
		if _, err := a.Add(ctx, c.name, c.password, c.role); segment.KindOf(err) != c.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	users, err := a.List(ctx)
	if err != nil || len(users) != 2 || users[0].Name != "Ann" || users[1].Name != "bob@example.org" || users[1].Role != access.User || users[0].Created != ann.Created {
		t.Errorf("%+v, %v", users, err)
	}

	// There is always an admin.
	if err := a.SetRole(ctx, ann.ID, access.User); segment.KindOf(err) != segment.Conflict {
		t.Errorf("the only admin became less: %v", err)
	}
	if err := a.Remove(ctx, ann.ID); segment.KindOf(err) != segment.Conflict {
		t.Errorf("the only admin went: %v", err)
	}
	if err := errors.Join(a.SetRole(ctx, ann.ID, access.Admin), a.SetRole(ctx, bob.ID, access.Admin), a.Remove(ctx, ann.ID)); err != nil {
		t.Error(err)
	}
	if u, err := a.User(ctx, bob.ID); err != nil || u.Role != access.Admin || u.Generation != 0 {
		t.Errorf("%+v, %v", u, err)
	}

	// A removed user is gone, and the name is free again.
	for name, err := range map[string]error{
		"role":     a.SetRole(ctx, ann.ID, access.User),
		"password": a.SetPassword(ctx, ann.ID, password),
		"removal":  a.Remove(ctx, ann.ID),
		"unknown":  a.Remove(ctx, "nobody"),
	} {
		if segment.KindOf(err) != segment.NotFound {
			t.Errorf("%s of a removed user: %v", name, err)
		}
	}
	if _, err := a.SignIn(ctx, "Ann", password, here); err != accounts.ErrWrong {
		t.Errorf("a removed user signs in: %v", err)
	}
	if again := mustAdd(t, a, ctx, "ann", access.User); again.ID == ann.ID {
		t.Error("the new user has the identifier of the old one")
	}
}

func TestOnlyAdminsManage(t *testing.T) {
	a, owner := mustOpen(t, accounts.Limits{})
	ann := mustAdd(t, a, owner, "ann", access.Admin)
	mustAdd(t, a, owner, "bob", access.Admin)
	for _, ctx := range []context.Context{
		t.Context(),
		access.With(t.Context(), access.Principal{}),
		access.With(t.Context(), access.Principal{User: ann.ID, Role: access.User}),
		access.With(t.Context(), access.Principal{User: ann.ID, Role: access.User}),
	} {
		_, added := a.Add(ctx, "eve", password, access.Admin)
		_, listed := a.List(ctx)
		_, named := a.Named(ctx, "ann")
		for what, err := range map[string]error{
			"add": added, "list": listed, "named": named, "role": a.SetRole(ctx, ann.ID, access.User),
			"password": a.SetPassword(ctx, ann.ID, "another horse"), "remove": a.Remove(ctx, ann.ID),
		} {
			if segment.KindOf(err) != segment.NotFound {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	if _, err := a.SignIn(owner, "ann", password, here); err != nil {
		t.Errorf("something was changed: %v", err)
	}
}

func TestPasswords(t *testing.T) {
	a, ctx := mustOpen(t, accounts.Limits{})
	ann := mustAdd(t, a, ctx, "ann", access.User)
	u, err := a.SignIn(ctx, "ANN", password, here)
	if err != nil || u.ID != ann.ID || u.Principal() != (access.Principal{User: ann.ID, Name: "ann", Role: access.User}) {
		t.Fatalf("%+v, %v", u, err)
	}
	own := access.With(t.Context(), u.Principal())
	if err := a.ChangePassword(own, "wrong password", "another horse", here); err != accounts.ErrWrong {
		t.Errorf("changed with a wrong password: %v", err)
	}
	if err := a.ChangePassword(own, password, "short", here); segment.KindOf(err) != segment.Invalid {
		t.Errorf("changed to a short one: %v", err)
	}
	if err := a.ChangePassword(access.With(t.Context(), access.Operator), password, "another horse", here); segment.KindOf(err) != segment.NotFound {
		t.Errorf("who is no user: %v", err)
	}
	if err := a.ChangePassword(own, password, "another horse", here); err != nil {
		t.Fatal(err)
	}
	if _, err := a.SignIn(ctx, "ann", password, here); err != accounts.ErrWrong {
		t.Errorf("the old password: %v", err)
	}
	u, err = a.SignIn(ctx, "ann", "another horse", here)
	if err != nil || u.Generation != 1 {
		t.Errorf("the new password: %+v, %v", u, err)
	}
	if err := a.SetPassword(ctx, ann.ID, "a third horse"); err != nil {
		t.Error(err)
	}
	if u, err = a.SignIn(ctx, "ann", "a third horse", here); err != nil || u.Generation != 2 {
		t.Errorf("the password that an admin gave: %+v, %v", u, err)
	}
	if _, err := a.SignIn(ctx, "ann", strings.Repeat("x", 1<<20), here); err != accounts.ErrWrong {
		t.Errorf("a huge password: %v", err)
	}
}

// Guessing, even in parallel and with the right password at the end, is slowed
// down per account and address, and per address. Unknown names are treated alike,
// and the owner of a name can still sign in from elsewhere.
func TestGuessing(t *testing.T) {
	store, ctx := mustStore(t), access.With(t.Context(), access.Operator)
	a := accounts.New(store, accounts.Limits{AddressTries: 100})
	mustAdd(t, a, ctx, "ann", access.User)
	mustAdd(t, a, ctx, "bob", access.User)
	there := netip.MustParseAddr("10.0.0.7")
	for _, name := range []string{"ann", "unknown"} {
		var wrong, late int
		var mu sync.Mutex
		var guesses sync.WaitGroup
		for range 15 {
			guesses.Go(func() {
				_, err := a.SignIn(ctx, name, "wrong password", there)
				var tries *accounts.TriesError
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == accounts.ErrWrong:
					wrong++
				case errors.As(err, &tries) && tries.Wait > 14*time.Minute && tries.Wait <= 15*time.Minute:
					late++
				default:
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		guesses.Wait()
		if wrong != 5 || late != 10 {
			t.Errorf("%s: %d guesses were looked at and %d came too late, want 5 and 10", name, wrong, late)
		}
	}
	var tries *accounts.TriesError
	a = accounts.New(store, accounts.Limits{AddressTries: 100}) // the server was restarted, or this is another one
	if _, err := a.SignIn(ctx, "ann", password, there); !errors.As(err, &tries) {
		t.Errorf("the right password after five wrong ones: %v", err)
	}
	if _, err := a.SignIn(ctx, "ann", password, here); err != nil {
		t.Errorf("the owner is locked out: %v", err)
	}
	ann, err := a.Named(ctx, "ann")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetPassword(ctx, ann.ID, "a new horse"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.SignIn(ctx, "ann", "a new horse", there); err != nil {
		t.Errorf("a new password doesn't forgive the wrong ones before: %v", err)
	}
}

// Guessing many names from one address is slowed down as well; signing in is not.
func TestGuessingNames(t *testing.T) {
	a, ctx := mustOpen(t, accounts.Limits{AddressTries: 3})
	mustAdd(t, a, ctx, "bob", access.User)
	there := netip.MustParseAddr("2001:db8::1")
	for i, name := range []string{"a", "b", "c"} {
		if _, err := a.SignIn(ctx, name, password, there); err != accounts.ErrWrong {
			t.Fatalf("try %d: %v", i, err)
		}
		if _, err := a.SignIn(ctx, "bob", password, here); err != nil {
			t.Fatal(err)
		}
	}
	var tries *accounts.TriesError
	if _, err := a.SignIn(ctx, "bob", password, netip.MustParseAddr("2001:db8::ffff:1%eth0")); !errors.As(err, &tries) || tries.Wait > time.Minute {
		t.Errorf("the fourth try from a network: %v", err)
	}
	for _, elsewhere := range []netip.Addr{here, netip.MustParseAddr("2001:db8:0:1::1")} {
		if _, err := a.SignIn(ctx, "bob", password, elsewhere); err != nil {
			t.Errorf("from %v: %v", elsewhere, err)
		}
	}
}

// People behind one address, and the scripts of one user, can sign in all at once:
// passwords that are still being checked don't count as wrong.
func TestSigningInAtOnce(t *testing.T) {
	a, ctx := mustOpen(t, accounts.Limits{AccountTries: 2, AddressTries: 3})
	names := []string{"ann", "bob", "cleo"}
	for _, name := range names {
		mustAdd(t, a, ctx, name, access.User)
	}
	var all sync.WaitGroup
	for i := range 15 {
		all.Go(func() {
			if _, err := a.SignIn(ctx, names[i%3], password, here); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// A script that goes on with a wrong password locks out itself, not the colleagues behind
// the same address.
func TestLockedAccount(t *testing.T) {
	a, ctx := mustOpen(t, accounts.Limits{AccountTries: 2, AddressTries: 4})
	mustAdd(t, a, ctx, "ann", access.User)
	mustAdd(t, a, ctx, "bob", access.User)
	for i := range 10 {
		_, err := a.SignIn(ctx, "ann", "wrong password", here)
		if late := errors.As(err, new(*accounts.TriesError)); late != (i >= 2) {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	if _, err := a.SignIn(ctx, "bob", password, here); err != nil {
		t.Errorf("a colleague: %v", err)
	}
}

// The time of the answer doesn't reveal whether a name exists. The minimum over
// several tries is affected least by a busy machine.
func TestUnknownNamesTakeAsLong(t *testing.T) {
	a, ctx := mustOpen(t, accounts.Limits{AccountTries: 100, AddressTries: 100})
	mustAdd(t, a, ctx, "ann", access.User)
	least := map[string]time.Duration{"ann": time.Hour, "nobody": time.Hour}
	for range 10 {
		for name := range least {
			began := time.Now()
			if _, err := a.SignIn(ctx, name, "wrong password", here); err != accounts.ErrWrong {
				t.Fatal(err)
			}
			least[name] = min(least[name], time.Since(began))
		}
	}
	known, unknown := least["ann"], least["nobody"]
	t.Logf("known %v, unknown %v", known, unknown)
	if unknown < known/3 || known < unknown/3 {
		t.Errorf("a known name takes %v, an unknown one %v", known, unknown)
	}
}

// A try that could not be checked does not count.
func TestTriesThatWereNone(t *testing.T) {
	a, ctx := mustOpen(t, accounts.Limits{AccountTries: 1, AddressTries: 1})
	mustAdd(t, a, ctx, "ann", access.User)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	for range 3 {
		if _, err := a.SignIn(gone, "ann", "wrong password", here); !errors.Is(err, context.Canceled) {
			t.Fatalf("a caller who left: %v", err)
		}
	}
	if _, err := a.SignIn(ctx, "ann", password, here); err != nil {
		t.Errorf("after them: %v", err)
	}
}

// full is a store that can't keep another token.
type full struct{ *sqlite.Store }

func (full) AddToken(context.Context, string, accounts.User, accounts.Token, int) (accounts.Token, error) {
	return accounts.Token{}, segment.Errorf(segment.Full, "The disk is full.")
}

// Who has been shown a token that could not be stored is told that it doesn't work.
func TestTokenThatIsNotStored(t *testing.T) {
	a, ctx := accounts.New(full{mustStore(t)}, accounts.Limits{}), access.With(t.Context(), access.Operator)
	mustAdd(t, a, ctx, "Ann", access.Admin)
	shown := 0
	err := a.CreateTokenFor(ctx, "Ann", "scripts", access.ReadOnly, 0, func(string) error { shown++; return nil })
	if shown != 1 || segment.KindOf(err) != segment.Full || !strings.Contains(err.Error(), "doesn't work") {
		t.Errorf("shown %d times, %v", shown, err)
	}
	err = a.CreateTokenFor(ctx, "Ann", "", access.ReadOnly, 0, func(string) error { shown++; return nil })
	if shown != 1 || segment.KindOf(err) != segment.Invalid || strings.Contains(err.Error(), "doesn't work") {
		t.Errorf("without a name: shown %d times, %v", shown, err)
	}
}

// A request that was on its way when its session ended with a new password gets no token,
// which would outlast that.
func TestTokenForAnEndedSession(t *testing.T) {
	a, ctx := mustOpen(t, accounts.Limits{})
	ann := mustAdd(t, a, ctx, "Ann", access.User)
	session := access.With(t.Context(), ann.Principal())
	if _, _, err := a.CreateToken(session, "before", access.Unrestricted, 0); err != nil {
		t.Fatal(err)
	}
	if err := a.SetPassword(ctx, ann.ID, "another password"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.CreateToken(session, "after", access.Unrestricted, 0); segment.KindOf(err) != segment.NotFound {
		t.Errorf("a token of the session before: %v", err)
	}
	if left, err := a.Tokens(session); len(left) > 0 || err != nil {
		t.Errorf("tokens of the user: %+v, %v", left, err)
	}
}

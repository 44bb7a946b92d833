package web

import (
	"slices"
	"strings"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/storage/sqlite"
	"collie/web/people"
)

// withLogin makes a server ask people to sign in.
func withLogin(c *Config, store *sqlite.Store) {
	c.Login = &people.Login{Accounts: accounts.New(store, accounts.Limits{}), Sessions: store}
}

func limited(l Limits) func(*Config, *sqlite.Store) {
	return func(c *Config, _ *sqlite.Store) { c.Limits = l }
}

// as returns the site as the user of a new session sees it.
func (s *site) as(u accounts.User) *site {
	s.tb.Helper()
	token, _, err := s.begun.Begin(s.tb.Context(), u, "")
	if err != nil {
		s.tb.Fatal(err)
	}
	signed := *s
	signed.token = token
	return &signed
}

// user creates a user without a password. Admins are admins of the server; others
// get their role in all projects of the test, including later ones.
func (s *site) user(name string, role access.Role) accounts.User {
	s.tb.Helper()
	u := accounts.User{ID: segment.NewID(), Name: name, Role: onServer(role), Created: time.Now().UTC().Truncate(time.Millisecond)}
	if err := s.store.CreateUser(s.tb.Context(), u); err != nil {
		s.tb.Fatal(err)
	}
	s.enlist(name, role)
	return u
}

// onServer is the server role of somebody with a given role in projects.
func onServer(role access.Role) access.Role {
	if role != access.Admin {
		return access.User
	}
	return role
}

// everyRole signs in one user of each role in projects, by its name.
func (s *site) everyRole() map[string]*site {
	s.tb.Helper()
	as := map[string]*site{}
	for _, role := range access.ProjectRoles() {
		as[role.String()] = s.as(s.user(role.String(), role))
	}
	return as
}

// enlist gives a user a role in all projects of the test.
func (s *site) enlist(name string, role access.Role) {
	s.tb.Helper()
	if !slices.Contains(access.ProjectRoles(), role) {
		return
	}
	s.team[name] = role
	projects, err := s.store.Projects(s.tb.Context())
	if err != nil {
		s.tb.Fatal(err)
	}
	for _, p := range projects {
		s.join(p.ID, name, role)
	}
}

func (s *site) join(projectID, name string, role access.Role) {
	s.tb.Helper()
	if _, err := s.store.SetMember(s.tb.Context(), projectID, name, role, ""); err != nil {
		s.tb.Fatal(err)
	}
}

// On a server without login everybody is the owner and nobody can sign in.
func TestWithoutLogin(t *testing.T) {
	s := MustServe(t)
	for _, call := range []string{"GET /login", "POST /login", "GET /join", "POST /join", "POST /logout", "GET /users", "POST /users", "GET /account", "POST /api/v1/session", "DELETE /api/v1/session"} {
		method, path, _ := strings.Cut(call, " ")
		if a := s.send(method, path, nil); a.status != 404 || !strings.Contains(string(a.body), "--auth") {
			t.Errorf("%s: %d %s", call, a.status, a.body)
		}
	}
	var who people.Session
	s.get("/api/v1/session").into(t, 200, &who)
	if who.Role != "admin" {
		t.Errorf("everybody is %+v", who)
	}
	if page := s.send("GET", "/", nil, "Accept: text/html").body; strings.Contains(string(page), "Sign out") {
		t.Error("the page offers to sign out")
	}
}

func mustNamed(tb testing.TB, s *site, name string) accounts.User {
	tb.Helper()
	u, err := s.store.UserNamed(tb.Context(), name)
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

// whoami is the identifier of the user who is signed in.
func (s *site) whoami(tb testing.TB) string {
	tb.Helper()
	var who people.Session
	s.get("/api/v1/session").into(tb, 200, &who)
	return mustNamed(tb, s, who.Name).ID
}

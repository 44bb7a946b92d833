package web

import (
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
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

// damage runs an SQL statement in the store's database behind its back.
func (s *site) damage(statement string) {
	s.tb.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.folder, "collie.db"))
	if err == nil {
		_, err = db.ExecContext(s.tb.Context(), statement)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		s.tb.Fatal(err)
	}
}

// When the database fails nobody is told that something was done, or shown what there
// is as if the rest didn't exist.
func TestDatabaseFails(t *testing.T) {
	b := mustServeOpenID(t)
	b.there.Enrol("sub-1", "ann")
	root := b.as(mustNamed(t, b.site, "root"))
	const noSessions = "CREATE TRIGGER broken BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'broken'); END"
	const sessions = "DROP TRIGGER broken"
	for name, c := range map[string]struct {
		damage, repair string
		ask            func() answer
		status         int // once repaired
	}{
		"sign in":       {noSessions, sessions, func() answer { return b.submit("/login", url.Values{"name": {"root"}, "password": {testPassword}}) }, 303},
		"sign in there": {noSessions, sessions, func() answer { return b.signIn("ann") }, 303},
		"invite":        {noSessions, sessions, func() answer { return root.submit("/users", url.Values{"name": {segment.NewID()}, "role": {"user"}}) }, 200},
		"list users":    {"ALTER TABLE identity RENAME TO away", "ALTER TABLE away RENAME TO identity", func() answer { return root.get("/users") }, 200},
		"list tokens":   {"ALTER TABLE token RENAME TO away", "ALTER TABLE away RENAME TO token", func() answer { return root.get("/api/v1/tokens") }, 200},
	} {
		b.damage(c.damage)
		signsIn := func(cookie string) bool { return strings.HasPrefix(cookie, "__Host-collie=") }
		if a := c.ask(); a.status != 500 || slices.ContainsFunc(a.header.Values("Set-Cookie"), signsIn) {
			t.Errorf("%s: %d %.500s", name, a.status, a.body)
		}
		b.damage(c.repair)
		if a := c.ask(); a.status != c.status {
			t.Errorf("%s, repaired: %d %.500s", name, a.status, a.body)
		}
	}
	for _, c := range []struct {
		damage, ask, password string // it is the user's then
		status                int
		says                  string
	}{
		{"CREATE TRIGGER broken BEFORE UPDATE ON user BEGIN SELECT RAISE(ABORT, 'broken'); END", "/account", testPassword, 500, "Something unexpected went wrong."},
		{noSessions, "/account", "another horse", 503, "Your new password is set, but"},
		{noSessions, "/join", "a third horse", 503, "Your new password is set, but"},
	} {
		fields := url.Values{"present": {testPassword}, "password": {"another horse"}}
		if c.ask == "/join" {
			link := joinLink.FindStringSubmatch(string(root.submit("/users/"+root.whoami(t)+"/invite", nil).body))
			fields = url.Values{"with": {strings.TrimPrefix(link[1], "/join?with=")}, "password": {c.password}}
		}
		b.damage(c.damage)
		if a := root.submit(c.ask, fields); a.status != c.status || !strings.Contains(string(a.body), c.says) {
			t.Errorf("%s: %d %.2000s", c.ask, a.status, a.body)
		}
		b.damage("DROP TRIGGER broken")
		in := b.submit("/login", url.Values{"name": {"root"}, "password": {c.password}})
		if in.status != 303 {
			t.Fatalf("%s: then the password %q is refused: %d", c.ask, c.password, in.status)
		}
		root.token = in.cookie(t).Value
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

package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/segment/access"
	"collie/segment/accounts"
	"collie/storage/sqlite"
	"collie/web/live"
	"collie/web/people"
)

// holding returns the site as a program with a new API token of the user sees it.
func (s *site) holding(u accounts.User, scope access.Scope) *site {
	s.tb.Helper()
	secret, _, err := s.users.CreateToken(access.With(s.tb.Context(), u.Principal()), "robot", scope, 0)
	if err != nil {
		s.tb.Fatal(err)
	}
	program := *s
	program.token = secret
	return &program
}

// sessionsOnly are the calls that refuse API tokens.
var sessionsOnly = map[string]bool{
	"POST /logout": true, "GET /account": true, "POST /account": true, "POST /account/tokens": true, "POST /account/tokens/{id}/revoke": true,
	"POST /users": true, "POST /users/{id}/role": true, "POST /users/{id}/invite": true, "POST /users/{id}/password": true, "POST /users/{id}/remove": true,
	"DELETE /api/v1/session": true, "GET /api/v1/tokens": true, "POST /api/v1/tokens": true, "DELETE /api/v1/tokens/{id}": true,
}

// Every route is asked with API tokens: a token has the rights of a role, or
// fewer, so its answers are those in the role's column of the matrix, or refusals.
func TestRightsOfTokens(t *testing.T) {
	t.Parallel()
	s := MustServe(t, func(c *Config, store *sqlite.Store) {
		c.Login = &people.Login{Accounts: accounts.New(store, accounts.Limits{AccountTries: 100, AddressTries: 100}), Sessions: store}
	})
	admin, viewer := s.user("admin", access.Admin), s.user("viewer", access.Viewer)
	s.user("outsider", access.User)
	of := things{s: s.as(admin), team: s.team, made: map[string]string{}}
	const stranger, asViewer, asReviewer, asAnnotator, asAdmin = 0, 1, 2, 3, 5
	cells := 0
	err := chi.Walk(s.server.routes(), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		name := method + " " + route
		row := rights[name]
		either := row.statuses[asAnnotator]
		if either == 404 {
			either = row.statuses[asReviewer]
		}
		for _, c := range []struct {
			user  accounts.User
			scope access.Scope
			want  int
		}{
			{admin, access.ReadOnly, row.statuses[asViewer]},
			{admin, access.Annotating, either},
			{admin, access.Unrestricted, row.statuses[asAdmin]},
			{viewer, access.Unrestricted, row.statuses[asViewer]},
		} {
			switch {
			case sessionsOnly[name]:
				c.want = 403
			case name == "DELETE /api/v1/exports/{id}" && c.user.ID == admin.ID:
				c.want = 204 // the admin has started it
			}
			got := s.holding(c.user, c.scope).ask(row, method, route, of.about(name))
			cells++
			if got.status < 400 {
				delete(of.made, name)
			}
			if got.status != c.want {
				t.Errorf("%s, a token of %s with scope %s: %d, want %d: %.200s", name, c.user.Name, c.scope, got.status, c.want, got.body)
			}
			s.revokeAll(t, admin, viewer)
		}

		// Scope metrics opens /metrics and whatever is open to everybody.
		got := s.holding(admin, access.Metrics).ask(row, method, route, of.about(name))
		cells++
		switch open := row.statuses[stranger] != 401 || name == "POST /login" || name == "GET /api" || name == "GET /api/v1/openapi.json" || name == "GET /api/v1/session"; {
		case name == "GET /metrics":
			if got.status != 200 || !strings.Contains(string(got.body), "go_goroutines") {
				t.Errorf("%s with a token for it: %d %.200s", name, got.status, got.body)
			}
		case !open && got.status != 403 && got.status != 404:
			t.Errorf("%s, a token for metrics: %d %.200s", name, got.status, got.body)
		}
		s.revokeAll(t, admin)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d requests with API tokens", cells)
}

// revokeAll keeps users below the limit on tokens.
func (s *site) revokeAll(tb testing.TB, users ...accounts.User) {
	tb.Helper()
	for _, u := range users {
		tokens, err := s.store.Tokens(tb.Context(), u.ID)
		if err != nil {
			tb.Fatal(err)
		}
		for _, t := range tokens {
			if err := s.store.RemoveToken(tb.Context(), u.ID, t.ID); err != nil {
				tb.Fatal(err)
			}
		}
	}
}

// The life of a token, as seen by a program and on the account page.
func TestTokens(t *testing.T) {
	s := MustServe(t, withLogin, limited(Limits{Socket: live.Limits{PingEvery: time.Hour}})) // so that no ping ends a socket
	s.known("ann", access.Admin)
	s.known("bob", access.User)
	ann := s.as(mustNamed(t, s, "ann"))
	im := ann.photo()

	var made people.Token
	ann.post("/api/v1/tokens", `{"name":"nightly upload","scope":"annotate","days":30}`).into(t, 201, &made)
	if !regexp.MustCompile(`^collie_[A-Za-z0-9_-]{43}$`).MatchString(made.Token) || made.Used != nil || made.Expires == nil || made.Expires.Sub(made.Created) != 30*24*time.Hour {
		t.Errorf("created %+v", made)
	}
	robot := *s
	robot.token = made.Token
	var who people.Session
	robot.get("/api/v1/session").into(t, 200, &who)
	if who.Name != "ann" || who.Role != "user" || who.Scope != "annotate" {
		t.Errorf("the program is %+v", who)
	}
	if p := robot.post("/api/v1/projects", `{"name":"New"}`).problem(t, 404); !strings.Contains(p.Detail, "API token of scope annotate") {
		t.Errorf("the refusal doesn't speak of the token: %s", p.Detail)
	}
	if a := s.send("GET", "/", nil, "Cookie: collie="+made.Token); a.status != 401 {
		t.Errorf("a token as a cookie: %d", a.status)
	}

	var list []people.Token
	ann.get("/api/v1/tokens").into(t, 200, &list)
	if len(list) != 1 || list[0].ID != made.ID || list[0].Token != "" || list[0].Used == nil || time.Since(*list[0].Used) > time.Minute {
		t.Errorf("the list: %+v", list)
	}
	page := string(ann.get("/account").body)
	if !strings.Contains(page, "nightly upload") || !strings.Contains(page, "last used on") || strings.Contains(page, made.Token) {
		t.Errorf("the page: %s", page)
	}

	// Another user can neither see nor revoke it.
	bob := s.as(mustNamed(t, s, "bob"))
	var others []people.Token
	bob.get("/api/v1/tokens").into(t, 200, &others)
	if len(others) != 0 {
		t.Errorf("bob sees %+v", others)
	}
	c := robot.greet(im.ID)
	bob.send("DELETE", "/api/v1/tokens/"+made.ID, nil).problem(t, 404)
	c.lives()

	// The audit log says which token was used.
	robot.upload(im.Project, file{"dusk.png", picture()}).into(t, 201, new(any))
	entries := ann.audited(0)
	if e := entries[len(entries)-2]; e.Action != "images.upload" || e.Name != "ann" || e.Token != made.ID || e.TokenName != "nightly upload" {
		t.Errorf("the entry of the upload: %+v", e)
	}
	if page := string(ann.get("/audit").body); !strings.Contains(page, "with the token nightly upload") {
		t.Errorf("the page of the audit log: %s", page)
	}
	for _, e := range entries {
		if e.Action != "images.upload" && e.Token+e.TokenName != "" {
			t.Errorf("%+v was done with a token", e)
		}
	}

	// Revoking it takes effect with the next request, and its sockets end at once.
	if a := ann.send("DELETE", "/api/v1/tokens/"+made.ID, nil); a.status != 204 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	robot.get("/api/v1/projects").problem(t, 401)
	c.ends(live.CloseSignedOut)
	ann.send("DELETE", "/api/v1/tokens/"+made.ID, nil).problem(t, 404)

	// By form; the secret is shown once.
	a := ann.submit("/account/tokens", url.Values{"name": {"prometheus"}, "scope": {"metrics"}, "days": {"0"}})
	secret := regexp.MustCompile(`collie_[A-Za-z0-9_-]{43}`).FindString(string(a.body))
	if a.status != 200 || secret == "" || a.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v %s", a.status, a.header, a.body)
	}
	robot.token = secret
	if a := robot.get("/metrics"); a.status != 200 {
		t.Errorf("metrics: %d %s", a.status, a.body)
	}
	id := regexp.MustCompile(`/account/tokens/([a-z0-9]+)/revoke`).FindStringSubmatch(string(a.body))[1]
	if a := ann.submit("/account/tokens/"+id+"/revoke", nil); a.status != 303 || a.header.Get("Location") != "/account?done=revoked" {
		t.Errorf("%d %s", a.status, a.body)
	}
	robot.get("/metrics").problem(t, 401)

	var actions []string
	for _, e := range ann.audited(0) {
		if strings.HasPrefix(e.Action, "token.") {
			actions = append(actions, e.Action+"|"+e.Name+"|"+e.Detail)
		}
	}
	want := "token.create|ann|ann: nightly upload, annotate\ntoken.revoke|ann|ann: nightly upload, annotate\n" +
		"token.create|ann|ann: prometheus, metrics\ntoken.revoke|ann|ann: prometheus, metrics"
	if got := strings.Join(actions, "\n"); got != want {
		t.Errorf("the audit log has\n%s", got)
	}
}

func TestTokensRefused(t *testing.T) {
	s := MustServe(t, withLogin)
	bob := s.as(s.user("bob", access.User))
	for body, want := range map[string]string{
		`{"name":" ","scope":"read"}`:                                "name of the API token is empty",
		`{"name":"a\u202eb","scope":"read"}`:                         "text-direction",
		`{"name":"x","scope":"everything"}`:                          "metrics, read, annotate or admin",
		`{"name":"x","scope":""}`:                                    "metrics, read, annotate or admin",
		`{"name":"x","scope":"metrics"}`:                             "Only admins",
		`{"name":"x","scope":"read","days":-1}`:                      "1 to 3650 days",
		`{"name":"x","scope":"read","days":3651}`:                    "1 to 3650 days",
		`{"name":"` + strings.Repeat("x", 101) + `","scope":"read"}`: "longer than 100",
	} {
		if p := bob.post("/api/v1/tokens", body).problem(t, 422); !strings.Contains(p.Detail, want) {
			t.Errorf("%s: %s", body, p.Detail)
		}
	}
	if a := bob.submit("/account/tokens", url.Values{"name": {"prometheus"}, "scope": {"metrics"}, "days": {"0"}}); a.status != 422 || !strings.Contains(string(a.body), "Only admins") || !strings.Contains(string(a.body), `value="prometheus"`) {
		t.Errorf("the form: %d %s", a.status, a.body)
	}
	if a := bob.submit("/account/tokens", url.Values{"name": {"x"}, "scope": {"read"}}); a.status != 400 {
		t.Errorf("the form without days: %d %s", a.status, a.body)
	}
	for i := range 50 {
		if a := bob.post("/api/v1/tokens", fmt.Sprintf(`{"name":"n%d","scope":"read"}`, i)); a.status != 201 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	bob.post("/api/v1/tokens", `{"name":"one more","scope":"read"}`).problem(t, 409)
}

// Whatever ends a user's access ends their tokens and deletes them.
func TestTokensEnd(t *testing.T) {
	s := MustServe(t, withLogin)
	s.user("root", access.Admin)
	ctx := access.With(t.Context(), access.Operator)
	users := s.users
	for what, end := range map[string]func(u accounts.User) error{
		"password": func(u accounts.User) error { return users.SetPassword(ctx, u.ID, "another horse") },
		"removed":  func(u accounts.User) error { return users.Remove(ctx, u.ID) },
	} {
		u := s.user(what, access.User)
		other := s.holding(s.user("other-"+what, access.User), access.ReadOnly)
		robot := s.holding(u, access.ReadOnly)
		if a := robot.get("/api/v1/projects"); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if err := end(u); err != nil {
			t.Fatal(err)
		}
		robot.get("/api/v1/projects").problem(t, 401)
		if left, err := s.store.Tokens(t.Context(), u.ID); len(left) > 0 || err != nil {
			t.Errorf("%s: %d tokens are kept: %v", what, len(left), err)
		}
		if a := other.get("/api/v1/projects"); a.status != 200 {
			t.Errorf("%s: another user's token answers %d", what, a.status)
		}
	}
	// An admin's token for metrics ends with their role.
	was := s.user("was", access.Admin)
	robot := s.holding(was, access.Metrics)
	if err := users.SetRole(ctx, was.ID, access.User); err != nil {
		t.Fatal(err)
	}
	robot.get("/metrics").problem(t, 401)
}

// What an admin's token for reading can't do on the server is refused without
// a word about a role in a project.
func TestScopeOnTheServer(t *testing.T) {
	s := MustServe(t, withLogin)
	robot := s.holding(s.user("root", access.Admin), access.ReadOnly)
	a := robot.post("/api/v1/projects", `{"name":"new"}`)
	if a.status != 404 || !strings.Contains(string(a.body), "Only admins") || !strings.Contains(string(a.body), "scope read") || strings.Contains(string(a.body), "in this project") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

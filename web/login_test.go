package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment/access"
	"collie/segment/accounts"
	"collie/storage/sqlite"
	"collie/web/people"
)

const testPassword = "correct horse"

// known adds a user who has the password above.
func (s *site) known(name string, role access.Role) {
	s.tb.Helper()
	if _, err := s.users.Add(access.With(s.tb.Context(), access.Operator), name, testPassword, onServer(role)); err != nil {
		s.tb.Fatal(err)
	}
	s.enlist(name, role)
}

// submit sends a form as a browser does.
func (s *site) submit(path string, fields url.Values, header ...string) answer {
	s.tb.Helper()
	header = append(header, "Content-Type: application/x-www-form-urlencoded", "Origin: "+s.url, "Sec-Fetch-Site: same-origin", "Accept: text/html")
	return s.send("POST", path, strings.NewReader(fields.Encode()), header...)
}

// cookie is the only one that an answer sets.
func (a answer) cookie(tb testing.TB) *http.Cookie {
	tb.Helper()
	set := a.header.Values("Set-Cookie")
	if len(set) != 1 {
		tb.Fatalf("cookies %q, want one", set)
	}
	c, err := http.ParseSetCookie(set[0])
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// A person follows a link, signs in, reaches the page and signs out.
func TestLogin(t *testing.T) {
	s := MustServe(t, withLogin)
	s.known("ann", access.Admin)
	a := s.send("GET", "/projects/abc?x=1&y=2", nil, "Accept: text/html,*/*")
	login := a.header.Get("Location")
	if a.status != 303 || login != "/login?next=%2Fprojects%2Fabc%3Fx%3D1%26y%3D2" {
		t.Fatalf("%d to %s", a.status, login)
	}
	if page := string(s.get(login).body); !strings.Contains(page, `name="next" value="/projects/abc?x=1&amp;y=2"`) {
		t.Errorf("the page forgets where to go: %s", page)
	}

	wrong := s.submit("/login", url.Values{"name": {"ann"}, "password": {"wrong password"}, "next": {"/projects/abc"}})
	if page := string(wrong.body); wrong.status != 401 || len(wrong.header.Values("Set-Cookie")) > 0 || !strings.Contains(page, "rong name or password") ||
		!strings.Contains(page, `value="ann"`) || !strings.Contains(page, `value="/projects/abc"`) || strings.Contains(page, "wrong password") {
		t.Errorf("a wrong password: %d %s", wrong.status, page)
	}

	in := s.submit("/login", url.Values{"name": {"ANN"}, "password": {testPassword}, "next": {"/projects/abc"}})
	if in.status != 303 || in.header.Get("Location") != "/projects/abc" {
		t.Errorf("%d to %s", in.status, in.header.Get("Location"))
	}
	c := in.cookie(t)
	if len(c.Value) != 43 || c.MaxAge != int(12*time.Hour/time.Second) {
		t.Errorf("token %q for %d s", c.Value, c.MaxAge)
	}
	plain := http.Cookie{Name: "collie", Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
	got := *c
	got.Value, got.MaxAge, got.Raw = "", 0, ""
	if diff := cmp.Diff(plain, got); diff != "" {
		t.Errorf("the cookie differs:\n%s", diff)
	}

	// The cookie opens the pages, which show who is signed in.
	cookie := "Cookie: collie=" + c.Value
	if page := s.send("GET", "/", nil, cookie, "Accept: text/html"); page.status != 200 || !strings.Contains(string(page.body), ">ann</span>") || !strings.Contains(string(page.body), `href="/users"`) {
		t.Errorf("%d %s", page.status, page.body)
	}
	if a := s.send("GET", "/login?next=/api", nil, cookie); a.status != 303 || a.header.Get("Location") != "/api" {
		t.Errorf("who is signed in is asked again: %d", a.status)
	}

	// Signing in gives a new token; the old one no longer works.
	again := s.submit("/login", url.Values{"name": {"ann"}, "password": {testPassword}}, cookie).cookie(t)
	if again.Value == c.Value || s.send("GET", "/api/v1/session", nil, cookie).status != 401 {
		t.Error("the old token lives on")
	}
	cookie = "Cookie: collie=" + again.Value
	s.send("GET", "/api/v1/session", nil, cookie).into(t, 200, &people.Session{})

	out := s.submit("/logout", nil, cookie)
	if c := out.cookie(t); out.status != 303 || out.header.Get("Location") != "/login" || c.Name != "collie" || c.Value != "" || c.MaxAge != -1 || c.Path != "/" {
		t.Errorf("%d, cookie %v", out.status, c)
	}
	s.send("GET", "/api/v1/session", nil, cookie).problem(t, 401)
}

// Over https the cookie has the prefix that binds it to the host and to https.
func TestSecureCookie(t *testing.T) {
	s := MustServe(t, withLogin, func(c *Config, _ *sqlite.Store) { c.Origin = "https://collie.example" })
	s.known("ann", access.Viewer)
	a := s.send("POST", "/login", strings.NewReader("name=ann&password="+url.QueryEscape(testPassword)),
		"Content-Type: application/x-www-form-urlencoded", "Origin: https://collie.example", "Sec-Fetch-Site: same-origin", "Host: collie.example")
	c := a.cookie(t)
	if c.Name != "__Host-collie" || !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" || c.SameSite != http.SameSiteLaxMode {
		t.Errorf("cookie %+v", c)
	}
	if a := s.send("GET", "/api/v1/projects", nil, "Cookie: __Host-collie="+c.Value); a.status != 200 {
		t.Errorf("with the cookie: %d", a.status)
	}
	if a := s.send("GET", "/api/v1/projects", nil, "Cookie: collie="+c.Value); a.status != 401 {
		t.Errorf("with a cookie that a neighbour could have set: %d", a.status)
	}
	if out := s.send("POST", "/logout", nil, "Cookie: __Host-collie="+c.Value).cookie(t); out.Name != "__Host-collie" || !out.Secure || out.MaxAge != -1 {
		t.Errorf("taken away by %+v", out)
	}
}

// A request to sign in that lacks a name or password is told so, and is no failed try.
func TestSignInSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin)
	s.known("ann", access.Viewer)
	for range 2 {
		for _, body := range []string{`{}`, `{"name":"ann"}`, `{"password":"x"}`, `{"user":"ann","password":"` + testPassword + `"}`} {
			if p := s.post("/api/v1/session", body).problem(t, 422); !strings.Contains(p.Detail, `"name" and "password"`) {
				t.Errorf("%s: %s", body, p.Detail)
			}
		}
	}
	s.post("/api/v1/session", `{"name":"ann"}`).problem(t, 422)
	s.post("/api/v1/session", `{"name":"ann","password":"`+testPassword+`"}`).into(t, 201, &people.Session{})
}

// After too many wrong passwords every way to sign in answers when to try again,
// and the right password doesn't help until then.
func TestTooManyTries(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin)
	s.known("ann", access.Viewer)
	for range 5 {
		s.post("/api/v1/session", `{"name":"ann","password":"wrong password"}`).problem(t, 401)
	}
	a := s.post("/api/v1/session", `{"name":"ann","password":"`+testPassword+`"}`)
	a.problem(t, 429)
	wait, err := time.ParseDuration(a.header.Get("Retry-After") + "s")
	if err != nil || wait < 14*time.Minute || wait > 15*time.Minute {
		t.Errorf("Retry-After: %s", a.header.Get("Retry-After"))
	}
	page := s.submit("/login", url.Values{"name": {"ann"}, "password": {testPassword}})
	if page.status != 429 || page.header.Get("Retry-After") == "" || !strings.Contains(string(page.body), "in 15 minutes") {
		t.Errorf("%d %s", page.status, page.body)
	}
	for range 15 {
		s.post("/api/v1/session", `{"name":"ann`+time.Now().Format("150405.000000000")+`","password":"x"}`)
	}
	s.known("bob", access.Viewer)
	a = s.post("/api/v1/session", `{"name":"bob","password":"`+testPassword+`"}`)
	a.problem(t, 429)
	if wait, err := time.ParseDuration(a.header.Get("Retry-After") + "s"); err != nil || wait > time.Minute {
		t.Errorf("Retry-After of an address: %s", a.header.Get("Retry-After"))
	}
}

// Programs sign in with a call and send a bearer token.
func TestSessionOfPrograms(t *testing.T) {
	s := MustServe(t, withLogin)
	s.known("robot", access.Annotator)
	var made, who people.Session
	s.post("/api/v1/session", `{"name":"robot","password":"`+testPassword+`"}`).into(t, 201, &made)
	if made.Role != "user" || len(made.Token) != 43 || made.Expires == nil {
		t.Errorf("%+v", made)
	}
	for _, header := range []string{"Authorization: Bearer " + made.Token, "Authorization: bearer  " + made.Token} {
		s.send("GET", "/api/v1/session", nil, header).into(t, 200, &who)
		if (who != people.Session{Name: "robot", Role: "user"}) {
			t.Errorf("%+v", who)
		}
	}
	for _, header := range []string{"X: y", "Authorization: Bearer", "Authorization: Bearer " + made.Token + "x", "Authorization: Basic " + made.Token, "Authorization: " + made.Token} {
		a := s.send("GET", "/api/v1/projects", nil, header)
		a.problem(t, 401)
		if a.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("WWW-Authenticate: %q", a.header.Get("WWW-Authenticate"))
		}
	}
	s.token = made.Token
	if a := s.send("DELETE", "/api/v1/session", nil); a.status != 204 {
		t.Errorf("signing out: %d", a.status)
	}
	s.get("/api/v1/session").problem(t, 401)
}

// expire makes the session of s expire after a time.
func (s *site) expire(in time.Duration) (end time.Time) {
	s.tb.Helper()
	end = time.Now().Add(in)
	if err := s.store.ProlongSession(s.tb.Context(), s.token, end); err != nil {
		s.tb.Fatal(err)
	}
	return end
}

// expires is when the session of s expires.
func (s *site) expires() time.Time {
	s.tb.Helper()
	session, err := s.store.Session(s.tb.Context(), s.token)
	if err != nil {
		s.tb.Fatal(err)
	}
	return session.Expires
}

// Sessions end when they are not used, and in any case some time after the login.
func TestSessionsEnd(t *testing.T) {
	s := MustServe(t, withLogin, limited(Limits{Session: accounts.SessionLimits{Idle: time.Hour, Lifetime: 90 * time.Minute}}))
	ann := s.as(s.user("ann", access.Viewer))
	ann.expire(-time.Millisecond)
	ann.get("/api/v1/session").problem(t, 401)

	// A request extends the session by the idle time; another within a minute
	// writes nothing, and none extends it beyond the lifetime.
	ann = s.as(mustNamed(t, s, "ann"))
	for _, c := range []struct {
		left            time.Duration
		atLeast, atMost time.Duration
	}{
		{time.Minute, 60 * time.Minute, 61 * time.Minute},
		{59*time.Minute + 40*time.Second, 59 * time.Minute, 60 * time.Minute},
	} {
		before := ann.expire(c.left)
		began := time.Now()
		if a := ann.get("/api/v1/session"); a.status != 200 {
			t.Fatalf("with %v left: %d", c.left, a.status)
		}
		after := ann.expires()
		if after.Before(began.Add(c.atLeast).Add(-time.Second)) || after.After(time.Now().Add(c.atMost)) {
			t.Errorf("with %v left, the expiry moved from %v to %v", c.left, before, after)
		}
	}
	short := MustServe(t, withLogin, limited(Limits{Session: accounts.SessionLimits{Idle: time.Hour, Lifetime: 30 * time.Minute}}))
	ann = short.as(short.user("ann", access.Viewer))
	end := ann.expires()
	ann.expire(time.Minute)
	if ann.get("/api/v1/session"); !ann.expires().Equal(end) {
		t.Errorf("a session that is used ends at %v, want the end of its lifetime, %v", ann.expires(), end)
	}
}

// A browser keeps its cookie as long as the session lasts, even when that is
// extended; programs, which send a bearer token, get no cookie.
func TestCookieIsRenewed(t *testing.T) {
	s := MustServe(t, withLogin)
	ann := s.as(s.user("ann", access.Viewer))
	cookie := "Cookie: collie=" + ann.token
	ann.expire(time.Minute) // as it is 12 hours after login, less a minute
	for _, path := range []string{"/", "/api/v1/projects", "/api/v1/session", "/nothing/here"} {
		a := s.send("GET", path, nil, cookie)
		c := a.cookie(t)
		if c.Value != ann.token || !c.HttpOnly || c.Path != "/" || c.SameSite != http.SameSiteLaxMode ||
			c.MaxAge < int(11*time.Hour/time.Second) || time.Until(ann.expires()) < 11*time.Hour {
			t.Errorf("%s: cookie %v, and the session expires at %v", path, c, ann.expires())
		}
	}
	for name, a := range map[string]answer{
		"a program":    ann.get("/api/v1/projects"),
		"a stranger":   s.get("/login"),
		"a dead token": s.send("GET", "/login", nil, "Cookie: collie=x"),
	} {
		if set := a.header.Values("Set-Cookie"); len(set) > 0 {
			t.Errorf("%s gets a cookie: %q", name, set)
		}
	}
}

// Files that are the same for everybody need no session.
func TestStaticFilesLookUpNoSession(t *testing.T) {
	var asked countedSessions
	s := MustServe(t, withLogin, func(c *Config, _ *sqlite.Store) {
		asked.SessionStore = c.Login.Sessions
		c.Login.Sessions = &asked
	})
	cookie := "Cookie: collie=" + s.as(s.user("ann", access.Viewer)).token
	for path, want := range map[string]int32{"/static/icons/favicon.svg": 0, "/static/missing.js": 0, "/healthz": 0, "/readyz": 0, "/": 1, "/login": 1} {
		before := asked.n.Load()
		a := s.send("GET", path, nil, cookie)
		if got := asked.n.Load() - before; got != want || a.status >= 500 {
			t.Errorf("%s: %d with %d look-ups of the session, want %d", path, a.status, got, want)
		}
	}
}

// countedSessions counts how often a session is looked up.
type countedSessions struct {
	accounts.SessionStore
	n atomic.Int32
}

func (c *countedSessions) Session(ctx context.Context, token string) (accounts.Session, error) {
	c.n.Add(1)
	return c.SessionStore.Session(ctx, token)
}

// What admins do on the page Users takes effect at once.
func TestUsersPage(t *testing.T) {
	s := MustServe(t, withLogin)
	s.known("admin", access.Admin)
	admin := s.as(mustNamed(t, s, "admin"))
	done := func(path string, fields url.Values, notice string) {
		t.Helper()
		a := admin.submit(path, fields)
		if a.status != 303 {
			t.Fatalf("%s: %d %s", path, a.status, a.body)
		}
		if page := admin.get(a.header.Get("Location")); page.status != 200 || !strings.Contains(string(page.body), notice) {
			t.Errorf("%s: the page lacks %q", path, notice)
		}
	}
	done("/users", url.Values{"name": {"bob"}, "password": {testPassword}, "role": {"user"}}, "User added")
	bob := mustNamed(t, s, "bob")
	if page := string(admin.get("/users").body); !strings.Contains(page, "/users/"+bob.ID+"/remove") || strings.Contains(page, "argon2") {
		t.Error("the list lacks bob, or has more than it should")
	}
	one := s.as(bob)
	if a := one.post("/api/v1/projects", `{"name":"x"}`); a.status != 404 {
		t.Errorf("a user makes a project: %d", a.status)
	}
	done("/users/"+bob.ID+"/role", url.Values{"role": {"admin"}}, "Role changed")
	if a := one.post("/api/v1/projects", `{"name":"x"}`); a.status != 201 {
		t.Errorf("the new role does not count: %d", a.status)
	}
	done("/users/"+bob.ID+"/password", url.Values{"password": {"another horse"}}, "Password changed")
	if a := one.get("/api/v1/session"); a.status != 401 {
		t.Errorf("a session outlives its password: %d", a.status)
	}
	one = s.as(mustNamed(t, s, "bob"))
	done("/users/"+bob.ID+"/remove", nil, "User removed")
	if a := one.get("/api/v1/session"); a.status != 401 {
		t.Errorf("a session outlives its user: %d", a.status)
	}

	for name, c := range map[string]struct {
		path   string
		fields url.Values
		status int
		says   string
	}{
		"short password": {"/users", url.Values{"name": {"cleo"}, "password": {"x"}, "role": {"user"}}, 422, "shorter than 10"},
		"no role":        {"/users", url.Values{"name": {"cleo"}, "password": {testPassword}}, 422, "role"},
		"taken":          {"/users", url.Values{"name": {"Admin"}, "password": {testPassword}, "role": {"user"}}, 409, "already"},
		"last admin":     {"/users/" + admin.whoami(t) + "/remove", nil, 409, "only admin"},
	} {
		if a := admin.submit(c.path, c.fields); a.status != c.status || !strings.Contains(string(a.body), c.says) || !strings.Contains(string(a.body), "/users/") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if a := admin.submit("/users", url.Values{"name": {strings.Repeat("x", 16<<10)}}); a.status != 413 {
		t.Errorf("a huge form: %d", a.status)
	}
}

// Changing one's password signs out everywhere but here.
func TestChangePassword(t *testing.T) {
	s := MustServe(t, withLogin)
	s.known("ann", access.Viewer)
	u := mustNamed(t, s, "ann")
	here, there := s.as(u), s.as(u)
	for name, c := range map[string]struct {
		present, password string
		status            int
		says              string
	}{
		"wrong": {"wrong password", "another horse", 401, "The current password is wrong."},
		"short": {testPassword, "short", 422, "at least 10 characters"},
	} {
		if a := here.submit("/account", url.Values{"present": {c.present}, "password": {c.password}}); a.status != c.status || !strings.Contains(string(a.body), `role="alert"`) || !strings.Contains(string(a.body), c.says) {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	a := here.submit("/account", url.Values{"present": {testPassword}, "password": {"another horse"}})
	if a.status != 200 || !strings.Contains(string(a.body), "Password changed") {
		t.Fatalf("%d %s", a.status, a.body)
	}
	there.get("/api/v1/session").problem(t, 401)
	here.get("/api/v1/session").problem(t, 401) // the old token
	here.token = a.cookie(t).Value
	if a := here.get("/api/v1/session"); a.status != 200 {
		t.Errorf("signed out here too: %d", a.status)
	}
}

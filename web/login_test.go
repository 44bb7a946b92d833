package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment/access"
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

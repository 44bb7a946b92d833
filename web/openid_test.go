package web

import (
	"encoding/base64"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment/access"
	"collie/segment/accounts"
	"collie/storage/sqlite"
	"collie/web/openid"
	"collie/web/openid/openidtest"
	"collie/web/people"
)

// browser is a site with an OpenID provider, as one browser sees it.
type browser struct {
	*site
	there   *openidtest.Provider
	cookies map[string]string
}

// mustServeOpenID serves a site behind https, with an admin called root who has a
// password.
func mustServeOpenID(t *testing.T, changes ...func(*openid.Config)) *browser {
	t.Helper()
	const origin = "https://collie.example"
	there := openidtest.MustStart(t, origin+openid.CallbackPath)
	c := openid.Config{
		Issuer: there.URL, Client: openidtest.Client, Secret: openidtest.Secret, Origin: origin, Scopes: []string{"profile"},
		Label: "Example & Co", NameClaim: "preferred_username", GroupsClaim: "groups",
	}
	for _, change := range changes {
		change(&c)
	}
	s := MustServe(t, withLogin, func(config *Config, _ *sqlite.Store) {
		config.Origin = origin
		config.Login.OpenID = openid.New(c, config.Log)
	})
	s.known("root", access.Admin)
	return &browser{s, there, map[string]string{}}
}

// visit makes a request and keeps the answer's cookies.
func (b *browser) visit(method, path string, header ...string) answer {
	b.tb.Helper()
	var all []string
	for name, value := range b.cookies {
		all = append(all, name+"="+value)
	}
	a := b.send(method, path, nil, append(header, "Accept: text/html", "Cookie: "+strings.Join(all, "; "))...)
	for _, line := range a.header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		if err != nil {
			b.tb.Fatal(err)
		}
		if !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" || c.SameSite != http.SameSiteLaxMode || !strings.HasPrefix(c.Name, "__Host-collie") {
			b.tb.Errorf("%s sets the cookie %s", path, line)
		}
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c.Value
		}
	}
	return a
}

// begin follows the link on the login page to the provider, signs in there and
// returns the path that the provider sends the browser back to.
func (b *browser) begin(name, next string) string {
	b.tb.Helper()
	a := b.visit("GET", "/login/openid?next="+url.QueryEscape(next))
	if a.status != 303 {
		b.tb.Fatalf("%d %s", a.status, a.body)
	}
	return b.there.SignIn(a.header.Get("Location"), name).RequestURI()
}

// signIn is begin, then the return to this site.
func (b *browser) signIn(name string) answer {
	b.tb.Helper()
	return b.visit("GET", b.begin(name, "/api"))
}

// refused checks that somebody was not signed in, and what the login page says.
func (b *browser) refused(what string, a answer, status int, says string) {
	b.tb.Helper()
	page := html.UnescapeString(string(a.body))
	if a.status != status || !strings.Contains(page, says) || !strings.Contains(page, `action="/login"`) {
		b.tb.Errorf("%s: %d, want %d and %q:\n%s", what, a.status, status, says, page)
	}
	if got := b.visit("GET", "/api/v1/session"); got.status != 401 || len(b.cookies) > 0 {
		b.tb.Errorf("%s: the session answers %d, cookies %v", what, got.status, b.cookies)
	}
}

// entries lists the audit log's entries whose action has a prefix.
func (b *browser) entries(prefix string) (lines []string) {
	b.tb.Helper()
	all, err := b.store.EntriesAfter(b.tb.Context(), 0, 1000)
	if err != nil {
		b.tb.Fatal(err)
	}
	for _, e := range all {
		if strings.HasPrefix(string(e.Action), prefix) {
			lines = append(lines, string(e.Action)+"|"+e.Name+"|"+strings.ReplaceAll(e.Detail, b.there.URL, "URL"))
		}
	}
	return lines
}

// A person without an account follows a link, signs in at the provider, reaches
// the page and signs out.
func TestOpenID(t *testing.T) {
	b := mustServeOpenID(t)
	b.there.Enrol("sub-1", "ann")
	page := string(b.visit("GET", "/login?next=/api%3Fx%3D1%26y%3D2").body)
	link := html.UnescapeString(regexp.MustCompile(`href="(/login/openid\?[^"]+)"`).FindStringSubmatch(page)[1])
	if link != "/login/openid?next=%2Fapi%3Fx%3D1%26y%3D2" || !strings.Contains(page, "Sign in with Example &amp; Co") {
		t.Errorf("the page has the link %s: %s", link, page)
	}
	a := b.visit("GET", link)
	if a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), b.there.URL+"/auth?") || len(b.cookies) != 1 {
		t.Fatalf("%d %v, cookies %v", a.status, a.header, b.cookies)
	}
	back := b.there.SignIn(a.header.Get("Location"), "ann").RequestURI()
	if a := b.visit("GET", back); a.status != 303 || a.header.Get("Location") != "/api?x=1&y=2" {
		t.Fatalf("%d to %q: %s", a.status, a.header.Get("Location"), a.body)
	}
	if len(b.cookies) != 1 || len(b.cookies["__Host-collie"]) != 43 {
		t.Errorf("cookies %v, want that of the session", b.cookies)
	}
	var who people.Session
	b.visit("GET", "/api/v1/session").into(t, 200, &who)
	if who.Name != "ann" || who.Role != "user" {
		t.Errorf("signed in as %+v", who)
	}
	if page := string(b.visit("GET", "/account").body); !strings.Contains(page, "With your account at Example &amp; Co") || strings.Contains(page, `name="present"`) || !strings.Contains(page, "Create token") {
		t.Errorf("the account page: %s", page)
	}
	b.post("/api/v1/session", `{"name":"ann","password":""}`).problem(t, 422)
	b.post("/api/v1/session", `{"name":"ann","password":"`+testPassword+`"}`).problem(t, 401)

	// The second time it is the same user, whatever the provider calls them, and
	// the browser's first session ends.
	first := b.cookies["__Host-collie"]
	b.there.Enrol("sub-1", "root")
	if a := b.signIn("root"); a.status != 303 || a.header.Get("Location") != "/api" {
		t.Fatalf("the second time: %d %s", a.status, a.body)
	}
	b.visit("GET", "/api/v1/session").into(t, 200, &who)
	if who.Name != "ann" || b.cookies["__Host-collie"] == first {
		t.Errorf("the second time: %+v", who)
	}
	b.send("GET", "/api/v1/session", nil, "Cookie: __Host-collie="+first).problem(t, 401)

	out := b.visit("POST", "/logout", "Origin: https://collie.example", "Sec-Fetch-Site: same-origin")
	if out.status != 303 || out.header.Get("Location") != "/login?left" || len(b.cookies) > 0 {
		t.Errorf("signing out: %d %v, cookies %v", out.status, out.header, b.cookies)
	}
	if page := html.UnescapeString(string(b.visit("GET", "/login?left").body)); !strings.Contains(page, `href="`+b.there.URL+"/end_session?client_id=collie&post_logout_redirect_uri=https%3A%2F%2Fcollie.example%2Flogin") {
		t.Errorf("no way to sign out at the provider: %s", page)
	}
	if diff := cmp.Diff([]string{
		"user.add|owner|root: admin", "user.add|ann|ann: user, sub-1 of URL",
		"session.begin|ann|OpenID Connect, sub-1 of URL", "session.begin|ann|OpenID Connect, sub-1 of URL",
	}, append(b.entries("user."), b.entries("session.begin")...)); diff != "" {
		t.Errorf("the audit log (-want +got):\n%s", diff)
	}
}

// Having the same name gives nobody another user's account; only an admin links
// the two.
func TestOpenIDNames(t *testing.T) {
	b := mustServeOpenID(t)
	ctx := access.With(t.Context(), access.Operator)
	users := b.users
	b.there.Enrol("sub-1", "Root")
	b.there.Enrol("sub-2", "ann b")
	b.there.Enrol("sub-3", "project")
	b.refused("a name that is taken", b.signIn("Root"), 403, "There is already a user called Root, who signs in another way.")
	b.refused("a name that can't be one", b.signIn("ann b"), 403, "contains only letters")
	b.refused("the model's name", b.signIn("project"), 403, "appears under it")
	if list, err := users.List(ctx); len(list) != 1 || err != nil {
		t.Errorf("users %v, %v", list, err)
	}
	identity := accounts.Identity{Issuer: b.there.URL, Subject: "sub-1"}
	root := mustNamed(t, b.site, "root")
	if err := users.Link(ctx, root.ID, identity); err != nil {
		t.Fatal(err)
	}
	b.signIn("Root")
	var who people.Session
	b.visit("GET", "/api/v1/session").into(t, 200, &who)
	if who.Name != "root" || who.Role != "admin" {
		t.Errorf("after linking: %+v", who)
	}
	if page := string(b.visit("GET", "/account").body); !strings.Contains(page, `name="present"`) {
		t.Errorf("who has a password can't change it: %s", page)
	}
	b.post("/api/v1/session", `{"name":"root","password":"`+testPassword+`"}`).into(t, 201, new(any)) // local accounts stay

	// Unlinking signs out everywhere.
	if err := users.Unlink(ctx, identity); err != nil {
		t.Fatal(err)
	}
	if a := b.visit("GET", "/api/v1/session"); a.status != 401 {
		t.Errorf("after unlinking: %d", a.status)
	}
	clear(b.cookies)
	b.refused("after unlinking", b.signIn("Root"), 403, "already a user")

	for what, err := range map[string]error{
		"a stranger links":       users.Link(t.Context(), root.ID, identity),
		"a stranger unlinks":     users.Unlink(t.Context(), identity),
		"no subject":             users.Link(ctx, root.ID, accounts.Identity{Issuer: "x"}),
		"a subject that is long": users.Link(ctx, root.ID, accounts.Identity{Issuer: "x", Subject: strings.Repeat("x", 256)}),
	} {
		if err == nil {
			t.Errorf("%s: allowed", what)
		}
	}
	if diff := cmp.Diff([]string{
		"session.refused||sub-1 of URL: another user is called Root", "session.refused||sub-2 of URL: the name can't be a user name",
		"session.refused||sub-3 of URL: the name can't be a user name",
		"session.refused||sub-1 of URL: another user is called Root",
		"user.link|owner|root: sub-1 of URL", "user.unlink|owner|sub-1 of URL",
	}, append(b.entries("session.refused"), append(b.entries("user.link"), b.entries("user.unlink")...)...)); diff != "" {
		t.Errorf("the audit log (-want +got):\n%s", diff)
	}
}

// Groups decide at each sign-in who gets in and who is an admin. Users removed
// here stay out.
func TestOpenIDRoles(t *testing.T) {
	b := mustServeOpenID(t, func(c *openid.Config) { c.Admins, c.Users = []string{"boss"}, []string{"staff"} })
	ctx := access.With(t.Context(), access.Operator)
	users := b.users
	role := func(groups []string, want string) {
		t.Helper()
		b.there.Enrol("sub-1", "ann", groups...)
		if a := b.signIn("ann"); a.status != 303 {
			t.Fatalf("groups %q: %d %s", groups, a.status, a.body)
		}
		var who people.Session
		b.visit("GET", "/api/v1/session").into(t, 200, &who)
		if who.Name != "ann" || who.Role != want {
			t.Errorf("groups %q: %+v, want %s", groups, who, want)
		}
	}
	b.there.Enrol("sub-1", "ann", "cats")
	b.refused("no such group", b.signIn("ann"), 403, "not in a group that can use this server")
	role([]string{"staff"}, "user")
	role([]string{"staff", "boss"}, "admin")
	role([]string{"staff"}, "user")
	clear(b.cookies)
	b.there.Enrol("sub-1", "ann", "cats")
	b.refused("not any more", b.signIn("ann"), 403, "not in a group")
	if diff := cmp.Diff([]string{"user.role|ann|ann: admin, from the groups of URL", "user.role|ann|ann: user, from the groups of URL"}, b.entries("user.role")); diff != "" {
		t.Errorf("the audit log (-want +got):\n%s", diff)
	}

	// The last admin is not demoted.
	role([]string{"boss"}, "admin")
	if err := users.Remove(ctx, mustNamed(t, b.site, "root").ID); err != nil {
		t.Fatal(err)
	}
	clear(b.cookies)
	b.there.Enrol("sub-1", "ann", "staff")
	b.refused("the only admin", b.signIn("ann"), 403, "You are the only admin")

	b.there.Enrol("sub-2", "bob", "boss")
	if a := b.signIn("bob"); a.status != 303 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if err := users.Remove(ctx, mustNamed(t, b.site, "ann").ID); err != nil {
		t.Fatal(err)
	}
	clear(b.cookies)
	b.refused("removed", b.signIn("ann"), 403, "Your access to this server has been removed")
	if _, err := b.store.UserNamed(t.Context(), "ann"); err == nil {
		t.Error("whoever was removed came back")
	}
}

// Forged links, cookies and answers don't work.
func TestOpenIDHostile(t *testing.T) {
	b := mustServeOpenID(t)
	b.there.Enrol("sub-1", "ann")
	const callback = "/login/openid/callback"
	for what, path := range map[string]string{"nothing": callback, "a forged link": callback + "?code=x&state=y", "an empty state": callback + "?code=x&state="} {
		b.refused(what, b.visit("GET", path), 403, "This sign-in has expired, or another one was begun in this browser.")
	}
	// The attacker's own answer, in the victim's browser (login CSRF).
	theirs := b.begin("ann", "/")
	clear(b.cookies)
	b.refused("another browser's answer", b.visit("GET", theirs), 403, "expired")
	b.begin("ann", "/")
	b.refused("another browser's answer after an own link", b.visit("GET", theirs), 403, "expired")

	// The page afterwards is always on this site, even if the cookie says
	// otherwise.
	for _, next := range []string{"https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/" + strings.Repeat("x", 4000)} {
		if a := b.visit("GET", b.begin("ann", next)); a.status != 303 || a.header.Get("Location") != "/" {
			t.Errorf("after %.30s: %d to %.50s", next, a.status, a.header.Get("Location"))
		}
	}
	back := b.begin("ann", "/")
	const flow = "__Host-collie-openid"
	content, err := base64.RawURLEncoding.DecodeString(b.cookies[flow])
	if err != nil {
		t.Fatal(err)
	}
	b.cookies[flow] = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(content), `"x":"/"`, `"x":"//evil.example"`, 1)))
	if a := b.visit("GET", back); a.status != 303 || a.header.Get("Location") != "/" {
		t.Errorf("with a changed cookie: %d to %s", a.status, a.header.Get("Location"))
	}

	// The same answer a second time, with the same cookie.
	back = b.begin("ann", "/")
	kept := b.cookies[flow]
	b.visit("GET", back)
	clear(b.cookies)
	b.cookies[flow] = kept
	b.refused("replayed", b.visit("GET", back), 403, "already used")
	for _, nonsense := range []string{"x", "!!!", "e30", "bnVsbA", strings.Repeat("x", 3000)} {
		b.cookies[flow] = nonsense
		b.refused("the cookie "+nonsense[:1], b.visit("GET", back), 403, "expired")
	}

	// Answers without a cookie, which pages of other sites can ask for, count against nobody.
	before := len(b.entries("session.refused"))
	for range 30 {
		b.visit("GET", callback+"?code=x&state=y")
	}
	if noted := len(b.entries("session.refused")) - before; noted != 0 {
		t.Errorf("%d answers without a cookie are in the audit log", noted)
	}
	b.post("/api/v1/session", `{"name":"root","password":"`+testPassword+`"}`).into(t, 201, new(any))

	// Failed tries count by address, and then the provider is not asked.
	status := 0
	for range 30 {
		b.visit("GET", "/login/openid")
		if status = b.visit("GET", callback+"?code=x&state=y").status; status != 403 {
			break
		}
	}
	if status != 429 {
		t.Errorf("after many tries: %d", status)
	}
}

// When the provider is away the login page says so, and passwords still work.
// Without a provider the page doesn't mention one.
func TestOpenIDAway(t *testing.T) {
	b := mustServeOpenID(t)
	b.there.Enrol("sub-1", "ann")
	const says = "Example & Co can't be used for signing in right now."
	b.there.Away("/")
	for range 25 { // these are no failed tries
		a := b.visit("GET", "/login/openid")
		b.refused("away", a, 503, says)
		if a.header.Get("Retry-After") == "" {
			t.Error("no word of when to come back")
		}
	}
	b.there.Away("")
	back := b.begin("ann", "/")
	b.there.Away("/oauth/token")
	b.refused("away in between", b.visit("GET", back), 503, says)
	b.there.Away("")
	if a := b.signIn("ann"); a.status != 303 {
		t.Errorf("back again: %d %s", a.status, a.body)
	}

	plain := MustServe(t, withLogin)
	for _, path := range []string{"/login/openid", openid.CallbackPath + "?code=x&state=y"} {
		if a := plain.get(path); a.status != 404 || !strings.Contains(string(a.body), "without an OpenID provider") {
			t.Errorf("%s without a provider: %d %s", path, a.status, a.body)
		}
	}
	if page := string(plain.get("/login").body); strings.Contains(page, "openid") {
		t.Errorf("the page offers a provider: %s", page)
	}
}

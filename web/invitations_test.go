package web

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"collie/segment/access"
	"collie/storage/sqlite"
	"collie/web/people"
)

var joinLink = regexp.MustCompile(`https?://[^/\s]+(/join\?with=join_[\w-]{43})`)

// An admin adds users by their names alone; each chooses a password with a link and is
// signed in.
func TestInvitations(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin)
	s.known("admin", access.Admin)
	admin := s.as(mustNamed(t, s, "admin"))
	add := func(names, password string) (status int, page string) {
		t.Helper()
		a := admin.submit("/users", url.Values{"name": {names}, "password": {password}, "role": {"user"}})
		return a.status, html.UnescapeString(string(a.body))
	}
	for names, want := range map[string]string{"ann smith": `"ann smith" can't be`, "ann\r\nadmin": "called admin", "": "1 to 64 characters"} {
		if status, page := add(names, ""); status < 400 || status >= 500 || !strings.Contains(page, want) || !strings.Contains(page, names) {
			t.Errorf("adding %q: %d without %q", names, status, want)
		}
	}
	if status, page := add("ann\r\nbob", testPassword); status != 422 || !strings.Contains(page, "A password is for one user") {
		t.Errorf("one password for two: %d", status)
	}
	status, page := add(" ann \r\n\r\nbob\r\n", "")
	links := joinLink.FindAllStringSubmatch(page, -1)
	if status != 200 || len(links) != 2 || !strings.Contains(page, "ann\t"+links[0][0]) || !strings.Contains(page, "bob\t"+links[1][0]) || !strings.HasPrefix(links[0][0], s.url+"/join") {
		t.Fatalf("%d, links %q", status, links)
	}

	waiting := func(want int) {
		t.Helper()
		if n := strings.Count(string(admin.get("/users").body), "no password yet"); n != want {
			t.Errorf("%d users have no password yet, want %d", n, want)
		}
	}
	waiting(2)

	ann := links[0][1]
	if page := string(s.get(ann).body); !strings.Contains(page, "<strong>ann</strong>") || strings.Contains(page, ">Users<") {
		t.Errorf("the page of the invitation lacks its user or has more: %.2000s", page)
	}
	_, secret, _ := strings.Cut(ann, "=")
	choose := func(password string) answer {
		return s.submit("/join", url.Values{"with": {secret}, "password": {password}})
	}
	if a := choose("short"); a.status != 422 || !strings.Contains(string(a.body), "shorter than 10") || !strings.Contains(string(a.body), secret) {
		t.Errorf("a short password: %d", a.status)
	}
	in := choose(testPassword)
	if in.status != 303 || in.header.Get("Location") != "/" {
		t.Fatalf("choosing a password: %d", in.status)
	}
	var who people.Session
	s.send("GET", "/api/v1/session", nil, "Cookie: collie="+in.cookie(t).Value).into(t, 200, &who)
	if who.Name != "ann" || who.Role != "user" {
		t.Errorf("signed in as %+v", who)
	}
	waiting(1)
	for _, a := range []answer{choose("another horse"), s.get(ann), s.get("/join")} {
		if a.status != 404 || !strings.Contains(string(a.body), "Ask an admin for another one") {
			t.Errorf("an invitation that was used: %d", a.status)
		}
	}
	if a := s.send("GET", "/api/v1/projects", nil, "Authorization: Bearer "+strings.TrimPrefix(links[1][1], "/join?with=")); a.status != 401 {
		t.Errorf("an invitation opens projects: %d", a.status)
	}

	// A user who forgot the password gets a link, too. It ends their sessions when it is used.
	again := joinLink.FindAllStringSubmatch(html.UnescapeString(string(admin.submit("/users/"+mustNamed(t, s, "ann").ID+"/invite", nil).body)), -1)
	if len(again) != 1 {
		t.Fatalf("links %q", again)
	}
	_, secret, _ = strings.Cut(again[0][1], "=")
	if a := choose("another horse"); a.status != 303 {
		t.Errorf("choosing another: %d", a.status)
	}
	if a := s.send("GET", "/api/v1/session", nil, "Cookie: collie="+in.cookie(t).Value); a.status != 401 {
		t.Errorf("the session before: %d", a.status)
	}
	var done []string
	for _, e := range admin.audited(0) {
		if strings.HasPrefix(e.Action, "user.") || e.Action == "session.begin" {
			done = append(done, e.Name+" "+e.Action+" "+e.Detail)
		}
	}
	want := "admin user.add ann: user; admin user.add bob: user; admin user.invite ann; admin user.invite bob; ann user.password ann; ann session.begin an invitation; " +
		"admin user.invite ann; ann user.password ann; ann session.begin an invitation"
	if got := strings.Join(done, "; "); !strings.HasSuffix(got, want) {
		t.Errorf("the audit log has\n%s, want\n%s", got, want)
	}
}

// Links lead to the address that people type.
func TestInvitationOrigin(t *testing.T) {
	s := MustServe(t, withLogin, func(c *Config, _ *sqlite.Store) { c.Origin = "https://collie.example" })
	s.known("admin", access.Admin)
	page := s.as(mustNamed(t, s, "admin")).submit("/users", url.Values{"name": {"ann"}, "role": {"user"}}).body
	if !strings.Contains(string(page), ">https://collie.example/join?with=join_") {
		t.Errorf("links don't begin with the origin")
	}
}

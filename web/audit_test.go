package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
	"collie/storage/sqlite"
	"collie/web/people"
	"collie/web/wire"
)

// audited returns the log as an admin reads it.
func (s *site) audited(after int64) (entries []people.Entry) {
	s.tb.Helper()
	a := s.get(fmt.Sprint("/api/v1/audit?after=", after))
	if a.status != 200 {
		s.tb.Fatalf("%d %s", a.status, a.body)
	}
	for line := range bytes.Lines(a.body) {
		var e people.Entry
		if err := json.Unmarshal(line, &e); err != nil {
			s.tb.Fatalf("%v in %s", err, line)
		}
		entries = append(entries, e)
	}
	return entries
}

// The log has every action that it promises exactly once, with who did it and from
// where, and no action that was refused.
func TestAudit(t *testing.T) {
	s := MustServe(t, withLogin, func(c *Config, _ *sqlite.Store) { c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	s.known("admin", access.Admin)
	s.known("ann", access.User)
	signIn := func(name, password string, status int) *site {
		t.Helper()
		a := s.send("POST", "/api/v1/session", strings.NewReader(fmt.Sprintf(`{"name":%q,"password":%q}`, name, password)), "Content-Type: application/json", "X-Forwarded-For: 198.51.100.9, 192.0.2.7")
		if a.status != status {
			t.Fatalf("%s: %d %s", name, a.status, a.body)
		}
		var made people.Session
		_ = json.Unmarshal(a.body, &made)
		in := *s
		in.token = made.Token
		return &in
	}
	signIn("ann", "wrong password", 401)
	signIn("My Secret Password", "ann", 401)
	admin := signIn("admin", testPassword, 201)
	from := admin.audited(0)
	var start []string
	for _, e := range from {
		start = append(start, strings.Join([]string{e.Action, e.Name, e.Detail, e.Address}, "|"))
	}
	if diff := cmp.Diff([]string{
		"user.add|owner|admin: admin|", "user.add|owner|ann: user|",
		"session.refused|ann||192.0.2.7", "session.refused|||192.0.2.7", "session.begin|admin||192.0.2.7", "audit.download|admin||127.0.0.1",
	}, start); diff != "" {
		t.Errorf("the first entries (-want +got):\n%s", diff)
	}

	p := admin.project()
	path := "/api/v1/projects/" + p.ID
	admin.patchProject(p.ID, `{"name":"Shore"}`).into(t, 200, new(any))
	admin.patchProject(p.ID, `{"name":"Shore"}`).into(t, 200, new(any))
	admin.send("PUT", path+"/members/ann", strings.NewReader(`{"role":"viewer"}`), "Content-Type: application/json")
	ann := signIn("ann", testPassword, 201)
	ann.patchProject(p.ID, `{"name":"Mine"}`).problem(t, 404)
	var images []wire.Image
	admin.upload(p.ID, file{"beach.png", picture()}).into(t, 201, &images)
	export := ann.exported(p.ID, `{"format":"coco"}`).ID
	ann.send("HEAD", "/api/v1/exports/"+export+"/file", nil)
	ann.send("GET", "/api/v1/exports/"+export+"/file", nil, `If-None-Match: "`+export+`"`)
	ann.send("GET", "/api/v1/exports/"+export+"/file", nil, "Range: bytes=99999999-").problem(t, 416)
	admin.send("HEAD", "/api/v1/audit", nil)
	ann.get("/api/v1/exports/" + export + "/file")
	ann.send("GET", "/api/v1/exports/"+export+"/file", nil, "Range: bytes=100-")
	admin.send("GET", "/api/v1/exports/"+export+"/file", nil, "Range: bytes=1-")
	admin.send("GET", "/api/v1/exports/"+export+"/file", nil, "Range: bytes=100-")
	ann.send("DELETE", "/api/v1/exports/"+export, nil)
	admin.send("DELETE", path+"/members/ann", nil)
	admin.send("DELETE", "/api/v1/images/"+images[0].ID, nil)
	admin.send("DELETE", path, nil)
	admin.send("POST", "/api/v1/trash/"+p.ID+"/restore", nil)
	id := mustNamed(t, s, "ann").ID
	admin.submit("/users", url.Values{"name": {"bob"}, "password": {testPassword}, "role": {"user"}})
	admin.submit("/users/"+id+"/role", url.Values{"role": {"admin"}})
	admin.submit("/users/"+id+"/password", url.Values{"password": {"another horse"}})
	admin.submit("/users/"+id+"/remove", nil)
	var got []string
	for _, e := range admin.audited(from[len(from)-1].Number) {
		if e.Name == "" || e.User == "" || e.Address == "" {
			t.Errorf("%+v lacks who or where", e)
		}
		got = append(got, strings.TrimSpace(e.Name+": "+e.Action+" "+strings.ReplaceAll(e.Detail, export, "ID")))
		if slices.Contains([]string{"project.create", "project.edit", "member.set", "export.start", "project.trash", "trash.restore"}, e.Action) && e.About != p.ID {
			t.Errorf("%+v is not about the project", e)
		}
	}
	if diff := cmp.Diff([]string{
		"admin: project.create Beach", "admin: project.edit name: Shore", "admin: member.set ann: viewer", "ann: session.begin",
		"admin: images.upload 1 image", "ann: export.start coco ID", "ann: export.download coco ID", "admin: export.download coco ID", "ann: export.cancel coco ID",
		"admin: member.remove ann", "admin: image.trash beach.png", "admin: project.trash Shore", "admin: trash.restore project Shore",
		"admin: user.add bob: user", "admin: user.role ann: admin", "admin: user.password ann", "admin: user.remove ann", "admin: audit.download",
	}, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// The page names projects that are in the trash, or erased.
func TestAuditOfGoneProject(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	s.patchProject(p.ID, `{"name":"Shore"}`).into(t, 200, new(any))
	s.send("DELETE", "/api/v1/projects/"+p.ID, nil)
	for _, erased := range []bool{false, true} {
		if erased {
			ctx := access.With(t.Context(), access.Operator)
			if _, err := s.server.workspace.Sweep(ctx, time.Now().AddDate(0, 0, segment.TrashDays+1)); err != nil {
				t.Fatal(err)
			}
		}
		page := regexp.MustCompile(`\s+`).ReplaceAllString(string(s.get("/audit").body), " ")
		for says, want := range map[string]bool{"name: Shore in Shore": true, "1 project: Shore": erased} {
			if strings.Contains(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, ""), says) != want {
				t.Errorf("erased %t: the page says %q: %t\n%s", erased, says, !want, page)
			}
		}
	}
}

// The page shows the log page by page, newest entry first.
func TestAuditPage(t *testing.T) {
	s := MustServe(t)
	for i := range 130 {
		if err := s.store.Record(t.Context(), audit.New(t.Context(), audit.ServerStarted, "", fmt.Sprintf("<b>start %d.", i))); err != nil {
			t.Fatal(err)
		}
	}
	first := string(s.get("/audit").body)
	older := regexp.MustCompile(`/audit\?before=\d+`).FindString(first)
	if older == "" || !strings.Contains(first, "&lt;b&gt;start 129.") || strings.Contains(first, "start 29.") || strings.Contains(first, "Newest entries") {
		t.Errorf("the first page: %s", first)
	}
	second := string(s.get(older).body)
	if !strings.Contains(second, "start 29.") || !strings.Contains(second, "start 0.") || strings.Contains(second, "start 30.") || strings.Contains(second, "before=") || !strings.Contains(second, "Newest entries") {
		t.Errorf("the second page: %s", second)
	}
	for _, nonsense := range []string{"?before=x", "?before=-1", "?before=99999999999999999999"} {
		if a := s.get("/audit" + nonsense); a.status != 200 || !strings.Contains(string(a.body), "start 129.") {
			t.Errorf("%s: %d", nonsense, a.status)
		}
	}
}

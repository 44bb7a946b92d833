package web

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment/access"
	"collie/web/wire"
)

// An owner adds a member, changes their role and removes them.
func TestMembers(t *testing.T) {
	s := MustServe(t, withLogin)
	admin := s.as(s.user("admin", access.Admin))
	p, other := admin.project(), admin.project()
	im := admin.photo() // in a third one
	s.user("ann", access.User)
	s.user("bob", access.User)
	ann, bob := s.as(mustNamed(t, s, "ann")), s.as(mustNamed(t, s, "bob"))
	put := func(who *site, project, name, role string) answer {
		t.Helper()
		return who.send("PUT", "/api/v1/projects/"+project+"/members/"+name, strings.NewReader(`{"role":"`+role+`"}`), "Content-Type: application/json")
	}
	sees := func(who *site, want ...string) {
		t.Helper()
		var list []wire.Project
		who.get("/api/v1/projects").into(t, 200, &list)
		var got []string
		for _, p := range list {
			got = append(got, p.ID+" "+p.Role)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("projects (-want +got):\n%s", diff)
		}
		page := string(who.send("GET", "/", nil, "Accept: text/html").body)
		for _, project := range []string{p.ID, other.ID, im.Project} {
			if strings.Contains(page, project) != strings.Contains(strings.Join(want, " "), project) {
				t.Errorf("the start page has what is not theirs, or lacks what is: %s", project)
			}
		}
	}

	sees(ann)
	var m memberJSON
	put(admin, p.ID, "ANN", "owner").into(t, 200, &m)
	if m.Name != "ann" || m.Role != "owner" || m.Since.IsZero() {
		t.Errorf("%+v", m)
	}
	sees(ann, p.ID+" owner")
	put(ann, p.ID, "bob", "reviewer").into(t, 200, &m) // an owner chooses the others
	sees(bob, p.ID+" reviewer")
	put(bob, p.ID, "bob", "owner").problem(t, 404) // and nobody makes themselves one
	put(ann, other.ID, "ann", "viewer").problem(t, 404)
	var list []memberJSON
	bob.get("/api/v1/projects/"+p.ID+"/members").into(t, 200, &list)
	if len(list) != 2 || list[0].Name != "ann" || list[1].Role != "reviewer" {
		t.Errorf("%+v", list)
	}
	// The only owner stays one, by whatever spelling; others can be given away.
	for _, name := range []string{"ann", "ANN"} {
		if got := put(ann, p.ID, name, "viewer").problem(t, 409); !strings.Contains(got.Detail, "only owner") || got.Seq != nil {
			t.Errorf("%+v", got)
		}
		ann.send("DELETE", "/api/v1/projects/"+p.ID+"/members/"+name, nil).problem(t, 409)
	}
	put(ann, p.ID, "ann", "owner").into(t, 200, &m)
	put(ann, p.ID, "bob", "owner").into(t, 200, &m)
	put(ann, p.ID, "ann", "viewer").into(t, 200, &m)
	put(bob, p.ID, "ann", "owner").into(t, 200, &m)
	put(ann, p.ID, "bob", "reviewer").into(t, 200, &m)
	put(admin, p.ID, "ann", "annotator").into(t, 200, &m) // who can give it back
	put(admin, p.ID, "ann", "owner").into(t, 200, &m)

	for body, status := range map[string]int{`{"role":"admin"}`: 422, `{"role":"user"}`: 422, `{"role":""}`: 422, `{}`: 422, `{`: 400} {
		a := ann.send("PUT", "/api/v1/projects/"+p.ID+"/members/bob", strings.NewReader(body), "Content-Type: application/json")
		a.problem(t, status)
	}
	if got := put(ann, p.ID, "nobody", "viewer").problem(t, 404); !strings.HasSuffix(got.Detail, `doesn't exist. An admin can add users on the page "Users".`) {
		t.Errorf("a member whom nobody knows: %q", got.Detail)
	}

	// Everybody's trash shows what they can restore.
	trash := func(who *site, want int) {
		t.Helper()
		var items []wire.TrashItem
		who.get("/api/v1/trash").into(t, 200, &items)
		if len(items) != want {
			t.Errorf("%d things in the trash, want %d", len(items), want)
		}
	}
	admin.send("DELETE", "/api/v1/images/"+im.ID, nil)
	ann.send("DELETE", "/api/v1/projects/"+p.ID, nil)
	trash(admin, 2)
	trash(ann, 1)
	trash(bob, 0)
	ann.send("POST", "/api/v1/trash/"+im.ID+"/restore", nil).problem(t, 404)
	bob.send("POST", "/api/v1/trash/"+p.ID+"/restore", nil).problem(t, 404)
	if a := ann.send("POST", "/api/v1/trash/"+p.ID+"/restore", nil); a.status != 200 {
		t.Errorf("the owner restores: %d %s", a.status, a.body)
	}

	// Former members can't read the exports they started.
	export := bob.exported(p.ID, `{"format":"coco"}`).ID
	if a := ann.send("DELETE", "/api/v1/projects/"+p.ID+"/members/bob", nil); a.status != 204 {
		t.Errorf("%d %s", a.status, a.body)
	}
	sees(bob)
	for _, path := range []string{"/api/v1/exports/" + export, "/api/v1/exports/" + export + "/file", "/api/v1/projects/" + p.ID + "/learning", "/projects/" + p.ID} {
		if a := bob.get(path); a.status != 404 {
			t.Errorf("%s after the end: %d", path, a.status)
		}
	}
	if a := ann.send("DELETE", "/api/v1/projects/"+p.ID+"/members/bob", nil); a.status != 404 {
		t.Errorf("removed twice: %d", a.status)
	}
}

// Owners who have moved their only project to the trash find the way there; others are
// not offered any.
func TestOnlyProjectInTrash(t *testing.T) {
	s := MustServe(t, withLogin)
	admin := s.as(s.user("admin", access.Admin))
	p := admin.project()
	for name, role := range map[string]string{"ann": "owner", "bob": "annotator"} {
		s.user(name, access.User)
		admin.send("PUT", "/api/v1/projects/"+p.ID+"/members/"+name, strings.NewReader(`{"role":"`+role+`"}`), "Content-Type: application/json").into(t, 200, new(memberJSON))
	}
	ann, bob := s.as(mustNamed(t, s, "ann")), s.as(mustNamed(t, s, "bob"))
	if a := ann.send("DELETE", "/api/v1/projects/"+p.ID, nil); a.status != 204 {
		t.Fatalf("status %d", a.status)
	}
	for who, want := range map[*site]string{ann: "Your projects are in the", bob: "No projects yet. Ask"} {
		page := string(who.send("GET", "/", nil, "Accept: text/html").body)
		if !strings.Contains(page, want) || strings.Contains(page, `href="/trash" hidden`) != (who == bob) {
			t.Errorf("the start page lacks %q, or the trash is offered to the wrong user", want)
		}
	}
}

// Admins choose members from the names of all users, which owners don't get to know.
func TestNamesOfUsers(t *testing.T) {
	s := MustServe(t, withLogin)
	admin := s.as(s.user("admin", access.Admin))
	p := admin.project()
	for _, name := range []string{"ann", "bob"} {
		s.user(name, access.User)
	}
	s.join(p.ID, "ann", access.Owner)
	for who, want := range map[*site]bool{admin: true, s.as(mustNamed(t, s, "ann")): false} {
		page := string(who.send("GET", "/projects/"+p.ID, nil, "Accept: text/html").body)
		if !strings.Contains(page, `id="members-name"`) || strings.Contains(page, `<option value="bob">`) != want {
			t.Errorf("the page of the project names other users: %v, want %v", !want, want)
		}
	}
}

// Browsers escape the @ and the + of a user's name in an address, although nobody has to.
func TestMembersByEscapedNames(t *testing.T) {
	s := MustServe(t, withLogin)
	admin := s.as(s.user("admin", access.Admin))
	p := admin.project()
	for name, escaped := range map[string]string{"ann@example.org": "ann%40example.org", "ann+sea": "ann%2Bsea", "bob": "%62ob"} {
		s.user(name, access.User)
		for _, form := range []string{name, escaped} {
			address := "/api/v1/projects/" + p.ID + "/members/" + form
			var m memberJSON
			admin.send("PUT", address, strings.NewReader(`{"role":"viewer"}`)).into(t, 200, &m)
			if m.Name != name {
				t.Errorf("%s: %+v", form, m)
			}
			if a := admin.send("DELETE", address, nil); a.status != 204 {
				t.Errorf("%s: removing answers %d", form, a.status)
			}
		}
	}
}

// A server without login has no members.
func TestMembersWithoutLogin(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	if p := s.get("/api/v1/projects/"+p.ID+"/members").problem(t, 404); !strings.Contains(p.Detail, "--auth") {
		t.Error(p.Detail)
	}
	if page := string(s.get("/projects/" + p.ID).body); !strings.Contains(page, `id="members" hidden`) {
		t.Error("the page offers members")
	}
}

package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"collie/segment/access"
	"collie/segment/audit"
	"collie/web/wire"
)

// Images are assigned to members who can work on them, and refused calls change
// nothing. Whoever is no longer a member keeps their images until others take them.
func TestAssignments(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin)
	admin := s.as(s.user("admin", access.Admin))
	im, other := admin.photo(), admin.photo()
	as := s.everyRole()
	address := "/api/v1/projects/" + im.Project + "/assignments"
	now := func() string {
		var got []wire.Image
		admin.get("/api/v1/projects/"+im.Project+"/images").into(t, 200, &got)
		return got[0].Assignee
	}
	assign := func(who, to string) answer {
		return as[who].send("PUT", address, strings.NewReader(`{"images":["`+im.ID+`"],"assignee":"`+to+`"}`))
	}
	for _, step := range []struct {
		who, to string
		answer  int
		then    string
	}{
		{"viewer", "annotator", 404, ""},
		{"annotator", "ANNOTATOR", 200, "annotator"},
		{"annotator", "reviewer", 200, "reviewer"},
		{"reviewer", "viewer", 422, "reviewer"},
		{"reviewer", "nobody", 422, "reviewer"},
		{"reviewer", "admin", 422, "reviewer"}, // is no member
		{"reviewer", "", 200, ""},
		{"owner", "annotator", 200, "annotator"},
	} {
		if a := assign(step.who, step.to); a.status != step.answer || now() != step.then {
			t.Errorf("%s assigns to %q: %d, then %q, want %d, %q: %s", step.who, step.to, a.status, now(), step.answer, step.then, a.body)
		}
	}
	for _, body := range []string{
		`{}`, `[]`, `{"images":["` + im.ID + `"]}`, `{"images":["` + im.ID + `"],"assignee":null}`, `{"images":null,"assignee":""}`, `{"images":["` + im.ID + `"],"user":""}`,
	} {
		if a := admin.send("PUT", address, strings.NewReader(body)); a.status != http.StatusUnprocessableEntity || now() != "annotator" {
			t.Errorf("%s: %d, then %q: %s", body, a.status, now(), a.body)
		}
	}
	if a := admin.send("PUT", address, strings.NewReader(`{"images":["`+im.ID+`","`+other.ID+`"],"assignee":""}`)); a.status != http.StatusNotFound || now() != "annotator" {
		t.Errorf("with an image of another project: %d, then %s", a.status, now())
	}
	for replaces, want := range map[string]int{"reviewer": 409, "": 409, "annotator": 200} {
		a := as["owner"].send("PUT", address, strings.NewReader(`{"images":["`+im.ID+`"],"assignee":"annotator","replaces":"`+replaces+`"}`))
		if a.status != want || now() != "annotator" {
			t.Errorf("in the place of %q: %d, then %q, want %d: %s", replaces, a.status, now(), want, a.body)
		}
	}
	entries, err := s.store.EntriesBefore(t.Context(), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if e := entries[0]; e.Action != audit.ImagesAssigned || e.Name != "owner" || e.About != im.Project || e.Detail != fmt.Sprintf("annotator: %q %s", im.Name, im.ID) {
		t.Errorf("the audit log says %+v", e)
	}
	if page := string(admin.get("/audit").body); !strings.Contains(page, `annotator: <a dir="auto" href="/images/`+im.ID+`">`+im.Name+`</a>`) {
		t.Errorf("the page of the audit log doesn't name the image: %s", page)
	}
	admin.send("DELETE", "/api/v1/projects/"+im.Project+"/members/annotator", nil)
	if now() != "annotator" {
		t.Errorf("after the member was removed the image is assigned to %q", now())
	}
}

package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"collie/segment/access"
	"collie/segment/audit"
	"collie/web/wire"
)

// Annotators say how far they are, reviewers say what is good enough, and refused
// calls change nothing.
func TestReviews(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin)
	admin := s.as(s.user("admin", access.Admin))
	im := admin.photo()
	as := s.everyRole()
	address := "/api/v1/projects/" + im.Project + "/reviews"
	set := func(who, status, comment string) answer {
		return as[who].send("PUT", address, strings.NewReader(`{"images":["`+im.ID+`"],"status":"`+status+`","comment":"`+comment+`"}`))
	}
	now := func() (status string) {
		var got wire.Image
		admin.get("/api/v1/images/"+im.ID).into(t, 200, &got)
		if got.Review != nil {
			status = string(got.Review.Status)
		}
		return status
	}
	open := as["viewer"].greet(im.ID)
	for _, step := range []struct {
		who, status, comment string
		answer               int
		then                 string
	}{
		{"viewer", "done", "", 404, ""},
		{"annotator", "progress", "", 200, "progress"},
		{"annotator", "approved", "", 404, "progress"},
		{"annotator", "rejected", "bad", 404, "progress"},
		{"reviewer", "rejected", "", 422, "progress"}, // without a comment
		{"reviewer", "rejected", "the rim is missing", 200, "rejected"},
		{"annotator", "done", "", 200, "done"}, // corrected
		{"reviewer", "approved", "", 200, "approved"},
		{"annotator", "todo", "", 404, "approved"},
		{"annotator", "", "", 404, "approved"},
		{"owner", "", "", 200, ""},
		{"owner", "perfect", "", 422, ""},
		{"owner", "todo", strings.Repeat("x", 1001), 422, ""},
		{"owner", "todo", `a\u202eb`, 422, ""},
	} {
		if a := set(step.who, step.status, step.comment); a.status != step.answer || now() != step.then {
			t.Errorf("%s sets %q: %d, then %q, want %d, %q: %s", step.who, step.status, a.status, now(), step.answer, step.then, a.body)
		}
		if step.answer == 200 {
			open.expect("reviewed")
		}
	}

	set("owner", "approved", "")
	if a := admin.send("PUT", address, strings.NewReader(`[]`)); !strings.Contains(string(a.body), "The JSON is a list") {
		t.Errorf("a list: %s", a.body)
	}
	for _, body := range []string{`{}`, `null`, `[]`, `{"images":["` + im.ID + `"]}`, `{"images":["` + im.ID + `"],"state":"done"}`, `{"images":["` + im.ID + `"],"status":null}`, `{"images":null,"status":""}`} {
		if a := admin.send("PUT", address, strings.NewReader(body)); a.status != http.StatusUnprocessableEntity || now() != "approved" {
			t.Errorf("%s: %d, then %q: %s", body, a.status, now(), a.body)
		}
	}

	// The note says who and when, and what has happened since.
	set("reviewer", "rejected", " the rim\\nis missing ")
	admin.send("POST", "/api/v1/images/"+im.ID+"/evidence", strings.NewReader(labelAt("a", 0, inSky, 0)))
	var got []wire.Image
	admin.get("/api/v1/projects/"+im.Project+"/images").into(t, 200, &got)
	r := got[0].Review
	if r == nil || r.Comment != "the rim\nis missing" || r.By != "reviewer" || r.At.IsZero() || r.Seq != 0 || got[0].Seq != 1 {
		t.Errorf("the review is %+v at event %d", r, got[0].Seq)
	}
	// It is about what was seen: an edit that comes meanwhile is not covered.
	for seen, want := range map[string]int{`,"seen":{"` + im.ID + `":0}`: 0, `,"seen":{"` + im.ID + `":4294967295}`: 1, `,"seen":{}`: 1, "": 1} {
		var about []wire.Image
		as["reviewer"].send("PUT", address, strings.NewReader(`{"images":["`+im.ID+`"],"status":"approved"`+seen+`}`)).into(t, 200, &about)
		admin.get("/api/v1/projects/"+im.Project+"/images").into(t, 200, &got)
		if about[0].Review.Seq != want || got[0].Review.Seq != want {
			t.Errorf("approved%s: about %d events, stored %d, want %d", seen, about[0].Review.Seq, got[0].Review.Seq, want)
		}
	}
	for _, seen := range []string{`{"none":1}`, `{"` + im.ID + `":-1}`, `{"` + im.ID + `":0.5}`, `{"` + im.ID + `":"0"}`, `[0]`, `0`} {
		if a := admin.send("PUT", address, strings.NewReader(`{"images":["`+im.ID+`"],"status":"done","seen":`+seen+`}`)); a.status != http.StatusUnprocessableEntity || now() != "approved" {
			t.Errorf("seen %s: %d, then %q: %s", seen, a.status, now(), a.body)
		}
	}

	// Taking back a status doesn't replace what somebody else has set since.
	set("owner", "progress", "")
	var mine []wire.Image
	set("annotator", "done", "").into(t, 200, &mine)
	back := func(replaces string) answer {
		return as["annotator"].send("PUT", address, strings.NewReader(`{"images":["`+im.ID+`"],"status":"","replaces":`+replaces+`}`))
	}
	at, _ := mine[0].Review.At.MarshalText()
	time.Sleep(2 * time.Millisecond) // a moment that can be told from the first
	set("owner", "todo", "")
	for replaces, status := range map[string]int{`{"` + im.ID + `":"` + string(at) + `"}`: 409, `{"` + im.ID + `":""}`: 409, `{"` + im.ID + `":"now"}`: 422, `{"none":""}`: 422} {
		if a := back(replaces); a.status != status || now() != "todo" {
			t.Errorf("taken back where it replaces %s: %d, then %q: %s", replaces, a.status, now(), a.body)
		}
	}
	set("annotator", "done", "").into(t, 200, &mine)
	at, _ = mine[0].Review.At.MarshalText()
	for _, replaces := range []string{`{"` + im.ID + `":"` + string(at) + `"}`, `{"` + im.ID + `":""}`, `{}`} {
		if a := back(replaces); a.status != 200 || now() != "" {
			t.Errorf("taken back where it replaces %s: %d, then %q: %s", replaces, a.status, now(), a.body)
		}
	}
	set("reviewer", "rejected", "again")

	// An unknown image leaves the others unchanged.
	other := admin.photo()
	if a := admin.send("PUT", address, strings.NewReader(`{"images":["`+im.ID+`","`+other.ID+`"],"status":"approved"}`)); a.status != http.StatusNotFound || now() != "rejected" {
		t.Errorf("with an image of another project: %d, then %s", a.status, now())
	}
	entries, err := s.store.EntriesBefore(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var last string
	for _, e := range entries {
		if e.Action == audit.ImagesReviewed {
			last = e.Name + " " + e.About + " " + e.Detail
			break
		}
	}
	if last != fmt.Sprintf("reviewer %s rejected: %q %s", im.Project, im.Name, im.ID) {
		t.Errorf("the audit log says %q", last)
	}
	if page := string(admin.get("/audit").body); !strings.Contains(page, `rejected: <a dir="auto" href="/images/`+im.ID+`">`+im.Name+`</a>`) {
		t.Errorf("the page of the audit log doesn't name the image %s: %s", im.Name, page)
	}
}

// The overlay is sent again only when the labels or the classes have changed.
func TestOverlay(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	address := "/api/v1/images/" + im.ID + "/mask.png?style=overlay"
	first := s.get(address)
	if first.status != 200 || first.header.Get("Content-Type") != "image/png" {
		t.Fatalf("%d %s", first.status, first.header)
	}
	tag := first.header.Get("ETag")
	for _, has := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} { // the others are as proxies write it
		if a := s.send("GET", address, nil, "If-None-Match: "+has); a.status != http.StatusNotModified || len(a.body) > 0 {
			t.Errorf("the same again: %d, %d bytes", a.status, len(a.body))
		}
	}
	s.post("/api/v1/images/"+im.ID+"/evidence", labelAt("a", 0, inSky, 0))
	after := s.send("GET", address, nil, "If-None-Match: "+tag)
	if after.status != 200 || string(after.body) == string(first.body) {
		t.Errorf("after a click: %d", after.status)
	}
	s.send("PATCH", "/api/v1/projects/"+im.Project, strings.NewReader(`{"classes":[{"id":0,"name":"sky","color":"#010203"},{"id":1},{"id":2}]}`))
	if a := s.send("GET", address, nil, "If-None-Match: "+after.header.Get("ETag")); a.status != 200 || string(a.body) == string(after.body) {
		t.Errorf("in another colour: %d", a.status)
	}
	if a := s.get(address + "&of=hypothesis"); a.status != 422 {
		t.Errorf("of a hypothesis: %d", a.status)
	}
}

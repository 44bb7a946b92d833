package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The list of images has the status by hand, in the words of the page, and the assignee.
func TestListOfReviews(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `[{"id": "p", "name": "Beach"}]`
		if strings.HasSuffix(r.URL.Path, "/images") {
			answer = `[
				{"id": "a", "name": "a.png", "status": "started", "seq": 3, "width": 4, "height": 3},
				{"id": "b", "name": "b.png", "status": "done", "seq": 3, "width": 4, "height": 3, "review": {"status": "approved", "seq": 3}},
				{"id": "c", "name": "c.png", "status": "done", "seq": 3, "width": 4, "height": 3, "review": {"status": "rejected", "seq": 2}},
				{"id": "d", "name": "d.png", "status": "done", "seq": 3, "width": 4, "height": 3, "assignee": "ann", "review": {"status": "progress", "seq": 2}},
				{"id": "e", "name": "e.png", "status": "done", "seq": 3, "width": 4, "height": 3, "review": {"status": "done", "seq": 3}}]`
		}
		_, _ = io.WriteString(w, answer)
	}))
	defer site.Close()
	s, err := newServer(site.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if err := (&listCommand{Project: "Beach"}).Run(t.Context(), s, streams{&said, io.Discard}); err != nil {
		t.Fatal(err)
	}
	want := "a\tstarted\t4 × 3\ta.png\t\t\n" +
		"b\tdone\t4 × 3\tb.png\tApproved\t\n" +
		"c\tdone\t4 × 3\tc.png\tRejected, changed since\t\n" +
		"d\tdone\t4 × 3\td.png\tIn progress\tann\n" +
		"e\tdone\t4 × 3\te.png\tMarked done\t\n"
	if said.String() != want {
		t.Errorf("got\n%swant\n%s", &said, want)
	}
}

// For programs the records are as the server has them, one a line.
func TestListOfRecords(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `[{"id": "p", "name": "Beach"}, {"id": "q", "name": "Ü"}]`
		if strings.HasSuffix(r.URL.Path, "/p/images") {
			answer = `[{"id": "a", "name": "a\tb.png", "new": {"field": 1}}]`
		}
		_, _ = io.WriteString(w, answer)
	}))
	defer site.Close()
	s, err := newServer(site.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	for project, want := range map[string]string{
		"":      `{"id":"p","name":"Beach"}` + "\n" + `{"id":"q","name":"Ü"}` + "\n",
		"Beach": `{"id":"a","name":"a\tb.png","new":{"field":1}}` + "\n",
	} {
		var said bytes.Buffer
		if err := (&listCommand{Project: project, JSON: true}).Run(t.Context(), s, streams{&said, io.Discard}); err != nil || said.String() != want {
			t.Errorf("%q: %v\ngot  %swant %s", project, err, &said, want)
		}
	}
}

// Waiting says how many images only a person calls done.
func TestWaitSaysWhatIsDoneByHand(t *testing.T) {
	asked := 0
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `[{"id": "p", "name": "Beach"}]`
		if strings.HasSuffix(r.URL.Path, "/images") {
			answer = `[{"id": "a", "status": "started", "review": {"status": "done"}}, {"id": "b", "status": "untouched", "review": {"status": "rejected"}}, {"id": "c", "status": "done"}]`
			if asked++; asked > 2 {
				answer = `[{"id": "a", "status": "done", "review": {"status": "done"}}]`
			}
		}
		_, _ = io.WriteString(w, answer)
	}))
	defer site.Close()
	s, err := newServer(site.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if err := (&waitCommand{Project: "Beach"}).Run(t.Context(), s, streams{io.Discard, &said}); err != nil {
		t.Fatal(err)
	}
	if want := "images done: 1 of 3; done or approved by hand, but not labelled everywhere: 1\nimages done: 1 of 1\n"; said.String() != want {
		t.Errorf("got\n%swant\n%s", &said, want)
	}
}

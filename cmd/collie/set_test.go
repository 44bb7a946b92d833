package main

import (
	"slices"
	"strings"
	"testing"
)

// Statuses and assignments of images by id and by name, and of all of a project; what is
// refused changes nothing.
func TestSet(t *testing.T) {
	p := serve(t)
	p.photographs("photos")
	p.do("", "collie", "create", "Beach")
	p.do("", "collie", "upload", "Beach", "photos")
	p.do("", "server", "members", "set", "Beach", "ann", "owner")
	listed := func() (ids []string, said string) {
		for line := range strings.Lines(p.do("", "collie", "list", "Beach")) {
			columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			ids = append(ids, columns[0])
			said += strings.Join(columns[3:], " ") + "; "
		}
		return ids, said
	}
	want := func(want string) {
		t.Helper()
		if _, got := listed(); got != want {
			t.Errorf("the images are %q, want %q", got, want)
		}
	}
	ids, _ := listed()
	p.do("", "collie", "set", "Beach", "--status", "todo")
	p.do("", "collie", "set", "Beach", ids[1], "beach2.png", "--assign", "ann", "--status", "rejected", "--comment", "The sea is missing.")
	const set = "beach0.png To do ; beach1.png Rejected ann; beach2.png Rejected ann; "
	want(set)
	p.fails("say what to set", "set", "Beach")
	p.fails("--comment goes with --status", "set", "Beach", "--assign", "ann", "--comment", "Why?")
	p.fails("must be one of", "set", "Beach", "--status", "good")
	p.fails(`id or name "beach9.png"; nothing was changed`, "set", "Beach", "beach0.png", "beach9.png", "--status", "done")
	p.fails("bob", "set", "Beach", "--assign", "bob", "--status", "done")
	p.fails("--status rejected needs a --comment", "set", "Beach", "--assign", "", "--status", "rejected", "--comment", " ")
	want(set)
	p.do("correct horse\n", "server", "users", "add", "cleo")
	p.do("", "server", "members", "set", "Beach", "cleo", "annotator")
	cleo := *p
	cleo.env = append(slices.Clone(p.env), "COLLIE_TOKEN="+strings.TrimSpace(p.do("", "server", "tokens", "create", "cleo", "test", "--scope", "annotate")))
	cleo.fails("have been assigned, but their status could not be set", "set", "Beach", "beach0.png", "--assign", "cleo", "--status", "approved")
	want("beach0.png To do cleo; beach1.png Rejected ann; beach2.png Rejected ann; ")
	p.do("", "collie", "set", "Beach", "--assign", "", "--status", "none")
	want("beach0.png  ; beach1.png  ; beach2.png  ; ")
}

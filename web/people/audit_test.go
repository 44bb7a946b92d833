package people

import (
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment/audit"
	"collie/templates"
)

// Names in the details lead to what is there, what is gone keeps its name, and identifiers
// of what was erased are left out, but for entries of older programs.
func TestDetails(t *testing.T) {
	const id, beach, shore = "yi5cpubdwlmarydrsvekkqbceh", "c7w2u3d5wlmarydrsvekkqbceh", "d7w2u3d5wlmarydrsvekkqbceh"
	projects := map[string]string{beach: "Beach"}
	for _, c := range []struct {
		entry audit.Entry
		want  []templates.AuditText
	}{
		{
			audit.Entry{Action: audit.ImagesReviewed, About: beach, Detail: `done: "a \"b\".png" ` + id + ", and 1 more"},
			[]templates.AuditText{{Text: "done: "}, {Text: `a "b".png`, Link: "/images/" + id}, {Text: ", and 1 more in "}, {Text: "Beach", Link: "/projects/" + beach}},
		},
		{audit.Entry{Action: audit.Erased, Detail: `2 images: "a.png" ` + id + `, "b.png" ` + id}, []templates.AuditText{{Text: "2 images: "}, {Text: "a.png"}, {Text: ", "}, {Text: "b.png"}}},
		{audit.Entry{Action: audit.Erased, Detail: "2 images: " + id + " " + id}, []templates.AuditText{{Text: "2 images: "}, {Text: id}, {Text: " "}, {Text: id}}},
		{audit.Entry{Action: audit.ImagesUploaded, About: beach, Detail: "3 images"}, []templates.AuditText{{Text: "3 images in "}, {Text: "Beach", Link: "/projects/" + beach}}},
		{audit.Entry{Action: audit.ProjectCreated, About: beach, Detail: "Beach"}, []templates.AuditText{{Text: "Beach", Link: "/projects/" + beach}}},
		{audit.Entry{Action: audit.Restored, About: beach, Detail: "project Beach"}, []templates.AuditText{{Text: "project "}, {Text: "Beach", Link: "/projects/" + beach}}},
		{audit.Entry{Action: audit.ImagesUploaded, About: id, Detail: "3 images"}, []templates.AuditText{{Text: "3 images"}}},
		{audit.Entry{Action: audit.ServerStarted, Detail: "listen"}, []templates.AuditText{{Text: "listen"}}},
		{audit.Entry{Action: audit.ImagesUploaded, About: shore, Detail: "3 images"}, []templates.AuditText{{Text: "3 images in "}, {Text: "Shore"}}},
		{audit.Entry{Action: audit.ProjectTrashed, About: shore, Detail: "Shore"}, []templates.AuditText{{Text: "Shore"}}},
		{
			audit.Entry{Action: audit.Erased, Detail: `1 project: "Shore" ` + shore + `; 1 image: "a.png" ` + id},
			[]templates.AuditText{{Text: "1 project: "}, {Text: "Shore"}, {Text: "; 1 image: "}, {Text: "a.png"}},
		},
	} {
		if diff := cmp.Diff(c.want, details(c.entry, projects, map[string]string{shore: "Shore", beach: "Old beach"})); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.entry, diff)
		}
	}
}

// Every action of package audit has words on the page.
func TestDoings(t *testing.T) {
	source, err := os.ReadFile("../../segment/audit/audit.go")
	if err != nil {
		t.Fatal(err)
	}
	actions := regexp.MustCompile(`(?m)^\t\w+ +Action = "([a-z.]+)"`).FindAllSubmatch(source, -1)
	if len(actions) < len(doings) {
		t.Errorf("found %d actions, and words for %d", len(actions), len(doings))
	}
	for _, a := range actions {
		if doings[audit.Action(a[1])] == "" {
			t.Errorf("%s has no words", a[1])
		}
	}
}

package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/web/wire"
)

func TestProjects(t *testing.T) {
	s := MustServe(t)
	var first, second wire.Project
	s.post("/api/v1/projects", `{"name":"  One "}`).into(t, http.StatusCreated, &first)
	want := wire.Project{Name: "One", Classes: []wire.Class{{ID: 0, Index: 0, Name: "background", Color: "#5b6b7f"}, {ID: 1, Index: 1, Name: "object", Color: "#f2a541"}}, Learning: true, Role: "admin"}
	if diff := cmp.Diff(want, first, cmpopts.IgnoreFields(wire.Project{}, "ID", "Created", "Rest")); diff != "" {
		t.Errorf("default project (-want +got):\n%s", diff)
	}
	made := s.post("/api/v1/projects", `{"name":"Two","classes":[{"name":"a","color":"#ABCDEF"}],"later":true}`)
	made.into(t, http.StatusCreated, &second)
	if got := made.header.Get("Location"); got != "/api/v1/projects/"+second.ID {
		t.Errorf("Location %q", got)
	}

	var list []wire.Project
	s.get("/api/v1/projects").into(t, http.StatusOK, &list)
	if len(list) != 2 || list[0].ID != second.ID {
		t.Errorf("list %+v, want the newest first", list)
	}

	var edited, read wire.Project
	s.send("PATCH", "/api/v1/projects/"+second.ID, strings.NewReader(`{"name":"Zwei","classes":[{"name":"b","color":"#000001"},{"name":"c"}]}`)).into(t, http.StatusOK, &edited)
	s.get("/api/v1/projects/"+second.ID).into(t, http.StatusOK, &read)
	if diff := cmp.Diff(edited, read); diff != "" {
		t.Errorf("edited and read differ:\n%s", diff)
	}
	if read.Name != "Zwei" || len(read.Classes) != 2 || read.Classes[0] != (wire.Class{ID: 0, Index: 0, Name: "b", Color: "#000001"}) {
		t.Errorf("edited project %+v", read)
	}

	if a := s.send("DELETE", "/api/v1/projects/"+second.ID, nil); a.status != http.StatusNoContent {
		t.Errorf("delete: %d", a.status)
	}
	s.get("/api/v1/projects/"+second.ID).problem(t, http.StatusNotFound)
	s.get("/api/v1/projects").into(t, http.StatusOK, &list)
	if len(list) != 1 {
		t.Errorf("%d projects after the deletion, want 1", len(list))
	}
}

func TestProjectMistakes(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	path := "/api/v1/projects/" + p.ID
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		says                     string
	}{
		{"no body", "POST", "/api/v1/projects", ``, 400, "The request is empty"},
		{"no JSON", "POST", "/api/v1/projects", `name=x`, 400, "byte 2"},
		{"NaN", "POST", "/api/v1/projects", `{"name":NaN}`, 400, "byte"},
		{"trailing garbage", "POST", "/api/v1/projects", `{"name":"x"} {}`, 400, "byte"},
		{"a list", "POST", "/api/v1/projects", `[]`, 422, "object"},
		{"no name", "POST", "/api/v1/projects", `{}`, 422, `"name" is missing`},
		{"null name", "POST", "/api/v1/projects", `{"name":null}`, 422, `"name" is missing`},
		{"empty name", "POST", "/api/v1/projects", `{"name":" "}`, 422, "is empty; it needs 1 to 100 characters"},
		{"long name", "POST", "/api/v1/projects", `{"name":"` + strings.Repeat("x", 101) + `"}`, 422, "longer than 100 characters"},
		{"name of the wrong type", "POST", "/api/v1/projects", `{"name":7}`, 422, `"name"`},
		{"nested wrong type", "POST", "/api/v1/projects", `{"name":"x","classes":[{"name":true}]}`, 422, `"classes.name"`},
		{"text direction in a name", "POST", "/api/v1/projects", "{\"name\":\"a\u202eb\"}", 422, "text-direction"},
		{"a name that is not UTF-8", "POST", "/api/v1/projects", "{\"name\":\"a\xff\"}", 422, "UTF-8"},
		{"half an emoji as a name", "PATCH", path, `{"name":"\ud83d"}`, 422, "surrogate"},
		{"a class that is not UTF-8", "PATCH", path, "{\"classes\":[{\"id\":0,\"name\":\"a\xff\"},{\"id\":1},{\"id\":2}]}", 422, "UTF-8"},
		{"a label set that is not UTF-8", "PUT", path + "/classes", "[\"a\xff\"]", 422, "UTF-8"},
		{"half an emoji in a label set", "PUT", path + "/classes", `["\ud83d"]`, 422, "surrogate"},
		{"lines that are not UTF-8", "PUT", path + "/classes?format=txt", "a\xff\n", 422, "UTF-8"},
		{"bad colour", "POST", "/api/v1/projects", `{"name":"x","classes":[{"name":"a","color":"red"}]}`, 422, "#rrggbb"},
		{"two equal names", "POST", "/api/v1/projects", `{"name":"x","classes":[{"name":"a"},{"name":"A"}]}`, 422, "differ"},
		{"256 classes", "POST", "/api/v1/projects", `{"name":"x","classes":[` + strings.Repeat(`{"name":"a"},`, 255) + `{"name":"a"}]}`, 422, "255"},
		{"fewer classes", "PATCH", path, `{"classes":[{"name":"a"}]}`, 422, "but not remove any"},
		{"no such class", "PATCH", path, `{"classes":[{"id":0},{"id":9}]}`, 422, "classes 0 to 2"},
		{"id of no class", "PATCH", path, `{"classes":[{"id":255}]}`, 422, "255 means undecided"},
		{"id out of range", "PATCH", path, `{"classes":[{"id":256}]}`, 422, `"classes.id"`},
		{"remap to a text", "PATCH", path, `{"classes":[{"id":0}],"remap":{"1":"x"}}`, 422, `"remap`},
		{"remap to null", "PATCH", path, `{"classes":[{"id":0},{"id":2}],"remap":{"1":null}}`, 422, `An entry of "remap" can't be null`},
		{"remap of a text", "PATCH", path, `{"classes":[{"id":0}],"remap":{"x":1}}`, 422, `"remap`},
		{"remap without classes", "PATCH", path, `{"remap":{"9":1}}`, 422, "list of classes is missing"},
		{"empty list of classes", "PATCH", path, `{"classes":[]}`, 422, "at least one class"},
		{"restore of a class that is there", "POST", path + "/classes/1/restore", ``, 422, "Class 1 is not in the trash"},
		{"restore of undecided", "POST", path + "/classes/255/restore", ``, 422, "Class 255 is not in the trash"},
		{"restore of a word", "POST", path + "/classes/sky/restore", ``, 404, "class"},
		{"empty new name", "PATCH", path, `{"name":""}`, 422, "empty"},
		{"unknown project", "PATCH", "/api/v1/projects/nope", `{"name":"x"}`, 404, ""},
		{"delete of an unknown project", "DELETE", "/api/v1/projects/nope", ``, 404, ""},
		{"too long a body", "POST", "/api/v1/projects", `{"name":"` + strings.Repeat("x", 4<<20) + `"}`, 413, "4 MiB"},
		{"images of an unknown project", "GET", "/api/v1/projects/nope/images", ``, 404, ""},
		{"wrong method", "PUT", path, `{}`, 405, "PUT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.send(c.method, c.path, strings.NewReader(c.body))
			if p := a.problem(t, c.status); !strings.Contains(p.Detail, c.says) {
				t.Errorf("detail %q does not say %q", p.Detail, c.says)
			} else if c.status == 422 && !strings.Contains(p.Detail, "Nothing was changed") {
				t.Errorf("detail %q does not say that nothing was changed", p.Detail)
			}
			if c.status == 405 && a.header.Get("Allow") != "GET, HEAD, PATCH, DELETE" {
				t.Errorf("Allow: %q", a.header.Get("Allow"))
			}
		})
	}
	var after wire.Project
	s.get(path).into(t, http.StatusOK, &after)
	if diff := cmp.Diff(p, after); diff != "" {
		t.Errorf("the project changed:\n%s", diff)
	}
}

// What nobody clicks: by index on the way in and out, by id inside, so that it
// stays with its class when the list is reordered; the default goes with the
// name of the first class until somebody chooses.
func TestRestOfProject(t *testing.T) {
	s := MustServe(t)
	var p wire.Project
	create := func(body string) {
		t.Helper()
		p = wire.Project{}
		s.post("/api/v1/projects", body).into(t, http.StatusCreated, &p)
	}
	patch := func(body, want string) {
		t.Helper()
		id := p.ID
		p = wire.Project{}
		s.send("PATCH", "/api/v1/projects/"+id, strings.NewReader(body)).into(t, http.StatusOK, &p)
		if got := p.Rest.Value.String(); got != want {
			t.Errorf("PATCH %s: rest is %s, want %s", body, got, want)
		}
	}
	create(`{"name":"a"}`)
	if got := p.Rest.Value.String(); got != "0" {
		t.Errorf("rest of a new project is %s, want 0", got)
	}
	patch(`{"classes":[{"id":0,"name":"sky"},{"id":1}]}`, "undecided-first")
	patch(`{"classes":[{"id":0,"name":"Background"},{"id":1}]}`, "0")
	patch(`{"rest":1}`, "1")
	patch(`{"classes":[{"id":1},{"id":0}]}`, "0")
	patch(`{"classes":[{"id":0,"name":"sky"},{"id":1}]}`, "1") // chosen, so it stays
	patch(`{"rest":null}`, "undecided")
	patch(`{"rest":"nothing"}`, "nothing")
	patch(`{"name":"b"}`, "nothing")
	for _, wrong := range []string{`2`, `255`, `-1`, `"0"`, `"background"`, `true`, `{}`, `1.5`} {
		for _, a := range []answer{
			s.send("PATCH", "/api/v1/projects/"+p.ID, strings.NewReader(`{"rest":`+wrong+`}`)),
			s.post("/api/v1/projects", `{"name":"x","rest":`+wrong+`}`),
		} {
			if a.status != http.StatusUnprocessableEntity {
				t.Errorf("rest %s: %d, want 422", wrong, a.status)
			}
		}
	}
	patch(`{"name":"c"}`, "nothing")
	create(`{"name":"d","classes":[{"name":"road"},{"name":"tree"}]}`)
	if p.Rest.Value.String() != "undecided-first" {
		t.Errorf("rest of a list of streets is %v", p.Rest.Value)
	}
	create(`{"name":"e","classes":[{"name":"road"},{"name":"tree"}],"rest":1}`)
	if p.Rest.Value.String() != "1" {
		t.Errorf("rest %v, want what was asked for", p.Rest.Value)
	}
	var all []wire.Project
	s.get("/api/v1/projects").into(t, http.StatusOK, &all)
	if len(all) != 3 {
		t.Errorf("%d projects, want the 3 that were accepted", len(all))
	}
}

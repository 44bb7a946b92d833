package web

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/web/wire"
)

// A label set goes from one project to another in every format; classes in use
// stay.
func TestLabelSets(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/projects/" + im.Project + "/classes"
	want := map[string]string{
		"txt":  "sky #112233\n",
		"voc":  "sky:17,34,51::\n",
		"json": `"name": "sky"`,
	}
	var other wire.Project
	s.send("POST", "/api/v1/projects", strings.NewReader(`{"name":"Other"}`), "Content-Type: application/json").into(t, http.StatusCreated, &other)
	for format, part := range want {
		a := s.get(path + "?format=" + format)
		if a.status != http.StatusOK || !strings.Contains(string(a.body), part) || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %d %s", format, a.status, a.body)
		}
		var p wire.Project
		s.send("PUT", "/api/v1/projects/"+other.ID+"/classes?format="+format, strings.NewReader(string(a.body)), "Content-Type: text/plain").into(t, http.StatusOK, &p)
		var names []string
		for _, c := range p.Classes {
			names = append(names, c.Name)
		}
		if d := cmp.Diff([]string{"sky", "sea", "sand"}, names); d != "" {
			t.Errorf("%s: %s", format, d)
		}
	}

	s.clickThree("/api/v1/images/" + im.ID)
	put := func(set string) answer {
		return s.send("PUT", path+"?format=txt", strings.NewReader(set), "Content-Type: text/plain")
	}
	if p := put("sky\nsea").problem(t, http.StatusConflict); !strings.Contains(p.Detail, "sand") {
		t.Errorf("a class in use was to go: %s", p.Detail)
	}
	put("sky\nsky").problem(t, http.StatusUnprocessableEntity)
	s.send("PUT", path+"?format=xml", strings.NewReader("x")).problem(t, http.StatusUnprocessableEntity)
	s.send("PUT", path, strings.NewReader("{")).problem(t, http.StatusUnprocessableEntity)
	var p wire.Project
	s.get("/api/v1/projects/"+im.Project).into(t, http.StatusOK, &p)
	sand := p.Classes[2].Color
	put("SEA #010203\nwood\nsand\nsky").into(t, http.StatusOK, &p)
	wantClasses := []wire.Class{{ID: 1, Index: 0, Name: "SEA", Color: "#010203"}, {ID: 3, Index: 1, Name: "wood", Color: p.Classes[1].Color}, {ID: 2, Index: 2, Name: "sand", Color: sand}, {ID: 0, Index: 3, Name: "sky", Color: "#112233"}}
	if d := cmp.Diff(wantClasses, p.Classes); d != "" {
		t.Error(d)
	}
}

// putLabelSet sends a label set in a form.
func (s *site) putLabelSet(t *testing.T, project string, parts map[string]string) answer {
	t.Helper()
	body := new(bytes.Buffer)
	form := multipart.NewWriter(body)
	for name, text := range parts {
		to, err := form.CreateFormField(name)
		if name == "file" {
			to, err = form.CreateFormFile(name, "labels.txt")
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(to, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return s.send("PUT", "/api/v1/projects/"+project+"/classes?format=txt", body, "Content-Type: "+form.FormDataContentType())
}

// A label set can have classes under new names, also those that labels use.
func TestLabelSetRenames(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	s.clickThree("/api/v1/images/" + im.ID)
	put := func(set, renamed string) answer {
		t.Helper()
		return s.putLabelSet(t, im.Project, map[string]string{"file": set, "renamed": renamed})
	}
	put("sky\nsea\ndune", `{"0":"air"}`).problem(t, http.StatusConflict)
	put("sky\nsand\ndune", `{"2":"dune"}`).problem(t, http.StatusConflict)
	put("sky\nsea\ndune", `{"256":"dune"}`).problem(t, http.StatusUnprocessableEntity)
	var p wire.Project
	put("dune #010203\nsky\nsea", `{"2":"Dune"}`).into(t, http.StatusOK, &p)
	if c := p.Classes[0]; c.ID != 2 || c.Name != "dune" || c.Color != "#010203" || len(p.Classes) != 3 || len(p.Deleted) > 0 {
		t.Errorf("after renaming: %+v", p)
	}
}

// A label set chosen for an outdated list of classes is refused with the current
// one, and accepted when chosen for that.
func TestLabelSetMovedOn(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	put := func(parts map[string]string) answer {
		t.Helper()
		return s.putLabelSet(t, p.ID, parts)
	}
	var first, present wire.Project
	s.patchProject(p.ID, `{"classes":[{"id":0},{"id":1},{"id":2},{"name":"theirs"}]}`).into(t, http.StatusOK, &first)
	late := put(map[string]string{"file": "sky\nsea", "base": string(encode(p.Classes))}).problem(t, http.StatusConflict)
	if late.Project == nil || late.Seq != nil {
		t.Fatalf("a late label set: %+v", late)
	}
	s.get("/api/v1/projects/"+p.ID).into(t, http.StatusOK, &present)
	told := *late.Project
	told.Role = present.Role
	if diff := cmp.Diff(first, present) + cmp.Diff(present, told); diff != "" {
		t.Errorf("the project has changed, or is told otherwise:\n%s", diff)
	}
	put(map[string]string{"file": "sky\nsea", "base": string(encode(late.Project.Classes))}).into(t, http.StatusOK, &present)
	if len(present.Classes) != 2 || len(present.Deleted) != 2 {
		t.Errorf("for the present list: %+v", present)
	}
	if a := put(map[string]string{"file": "sky", "base": "[{"}).problem(t, http.StatusBadRequest); !strings.Contains(a.Detail, `The JSON of the field "base" has a mistake at byte 2`) {
		t.Errorf("a broken base: %+v", a)
	}
	if a := put(map[string]string{"file": "sky", "base": "5"}).problem(t, http.StatusUnprocessableEntity); a.Detail != `The field "base" can't be a number; it must be a list. Nothing was changed.` {
		t.Errorf("a number as base: %+v", a)
	}
	for what, parts := range map[string]map[string]string{
		"no label set":    {"base": "[]"},
		"no list":         {"file": "sky", "base": `{"id":0}`},
		"a base by names": {"file": "sky", "base": `[{"name":"sky"}]`},
		"a name twice":    {"file": "sky\nsky", "base": string(encode(present.Classes))},
	} {
		if a := put(parts).problem(t, http.StatusUnprocessableEntity); a.Project != nil {
			t.Errorf("%s: %+v", what, a)
		}
	}
	put(map[string]string{"file": "sea"}).into(t, http.StatusOK, &present)
	if len(present.Classes) != 1 {
		t.Errorf("without a base: %+v", present)
	}
	s.send("PUT", "/api/v1/projects/"+p.ID+"/classes", strings.NewReader("--x"), "Content-Type: multipart/form-data; boundary=x").problem(t, http.StatusBadRequest)
	if a := s.send("DELETE", "/api/v1/projects/"+p.ID+"/classes", nil); a.header.Get("Allow") != "GET, HEAD, PUT" {
		t.Errorf("allowed: %q", a.header.Get("Allow"))
	}
}

package web

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/web/wire"
)

func (s *site) patchProject(id, body string) answer {
	s.tb.Helper()
	return s.send("PATCH", "/api/v1/projects/"+id, strings.NewReader(body), "Content-Type: application/json")
}

// valueAt is the class that the mask has at a point.
func (s *site) valueAt(path string, p image.Point) uint8 {
	s.tb.Helper()
	img, err := png.Decode(bytes.NewReader(s.maskOf(path).body))
	if err != nil {
		s.tb.Fatal(err)
	}
	return img.(*image.Paletted).ColorIndexAt(p.X, p.Y)
}

// Classes are reordered, deleted and restored while a page has the image open:
// masks have positions in the list, the page is notified, and evidence keeps its
// ids.
func TestClassesChange(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	s.clickThree(path)
	c := s.greet(im.ID)

	var p wire.Project
	s.patchProject(im.Project, `{"classes":[{"id":2},{"id":0,"name":"air"},{"id":1,"color":"#123456"}]}`).into(t, http.StatusOK, &p)
	want := []wire.Class{{ID: 2, Index: 0, Name: "sand", Color: p.Classes[0].Color}, {ID: 0, Index: 1, Name: "air", Color: "#112233"}, {ID: 1, Index: 2, Name: "sea", Color: "#123456"}}
	if diff := cmp.Diff(want, p.Classes); diff != "" {
		t.Errorf("reordered (-want +got):\n%s", diff)
	}
	for i, at := range []image.Point{inSand, inSky, inSea} {
		if got := s.valueAt(path, at); int(got) != i {
			t.Errorf("the mask has %d at %v, want %d", got, at, i)
		}
	}
	if m := c.expect("project"); len(m.Project.Classes) != 3 {
		t.Errorf("told of %+v", m)
	}
	c.expect("state")
	c.until("done")

	short := `{"classes":[{"id":2},{"id":0}]`
	if p := s.patchProject(im.Project, short+`}`).problem(t, http.StatusConflict); p.InUse[1] != 1 || p.Seq != nil || !strings.Contains(p.Detail, `"sea" (in 1 image)`) {
		t.Errorf("deletion of a class in use: %+v", p)
	}
	s.patchProject(im.Project, short+`,"remap":{"1":2}}`).into(t, http.StatusOK, &p)
	if len(p.Classes) != 2 || len(p.Deleted) != 1 || p.Deleted[0].ID != 1 || p.Deleted[0].Target != 2 {
		t.Errorf("after the deletion %+v", p)
	}
	if got := s.valueAt(path, inSea); got != 0 {
		t.Errorf("the mask has %d in the sea, want that of sand, 0", got)
	}
	c.expect("project")
	if m := c.expect("state"); m.Seq != 3 || strings.Contains(string(m.Labels), "\x01") || strings.Contains(string(m.Clicks), "\x01") {
		t.Errorf("state %+v", m)
	}
	if m := c.expect("run"); m.Seq != 3 {
		t.Errorf("run %+v", m)
	}
	if p := s.post(path+"/evidence", labelAt("late", 3, inSea, 1)).problem(t, 422); !strings.Contains(p.Detail, "deleted") {
		t.Errorf("a click on the deleted class: %+v", p)
	}

	var back wire.Project
	s.post("/api/v1/projects/"+im.Project+"/classes/1/restore", ``).into(t, http.StatusOK, &back)
	if len(back.Classes) != 3 || back.Classes[2].ID != 1 || len(back.Deleted) != 0 {
		t.Errorf("after the restoration %+v", back)
	}
	if got := s.valueAt(path, inSea); got != 2 {
		t.Errorf("the mask has %d in the sea, want 2", got)
	}
}

// An edit made from an outdated list of classes is refused with the current one,
// before anything else is checked.
func TestClassesMovedOn(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	path := "/api/v1/projects/" + p.ID
	const base = `,"base":[{"id":0,"name":"sky","color":"#112233"},{"id":1},{"id":2,"name":"sand"}]}`
	var first, present wire.Project
	s.patchProject(p.ID, `{"classes":[{"id":0},{"id":1},{"id":2},{"name":"theirs"}]`+base).into(t, http.StatusOK, &first)

	late := s.patchProject(p.ID, `{"name":"Renamed","classes":[{"id":0},{"id":1},{"id":2},{"name":"mine"}]`+base).problem(t, http.StatusConflict)
	if late.Project == nil || late.Seq != nil {
		t.Fatalf("a late edit: %+v", late)
	}
	s.get(path).into(t, http.StatusOK, &present)
	told := *late.Project
	told.Role = present.Role
	if diff := cmp.Diff(first, present) + cmp.Diff(present, told); diff != "" {
		t.Errorf("the project has changed, or is told otherwise:\n%s", diff)
	}
	again := `{"classes":[{"id":0},{"id":1},{"id":2},{"id":3},{"name":"mine"}],"base":` + string(encode(late.Project.Classes)) + `}`
	s.patchProject(p.ID, again).into(t, http.StatusOK, &present)
	if len(present.Classes) != 5 || len(present.Deleted) != 0 {
		t.Errorf("made again: %+v", present)
	}
	s.patchProject(p.ID, `{"classes":[{"id":0}],"base":[{"name":"sky"}]}`).problem(t, http.StatusUnprocessableEntity)
	s.patchProject(p.ID, `{"classes":[{"id":0}]}`).into(t, http.StatusOK, &present)
	if len(present.Classes) != 1 || len(present.Deleted) != 4 {
		t.Errorf("without a base: %+v", present)
	}
}

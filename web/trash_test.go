package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"collie/segment/audit"
	"collie/web/wire"

	"github.com/google/go-cmp/cmp"
)

// TestRemoveEmpty: a project that was made for files that could not be read leaves nothing,
// one with images goes to the trash whatever is asked.
func TestRemoveEmpty(t *testing.T) {
	s := MustServe(t)
	empty, full := s.project().ID, s.photo()
	s.send("DELETE", "/api/v1/images/"+full.ID, nil)
	for _, id := range []string{empty, full.Project} {
		if a := s.send("DELETE", "/api/v1/projects/"+id+"?empty=remove", nil); a.status != http.StatusNoContent {
			t.Errorf("status %d: %s", a.status, a.body)
		}
		s.get("/api/v1/projects/"+id).problem(t, http.StatusNotFound)
	}
	var items []wire.TrashItem
	if s.get("/api/v1/trash").into(t, http.StatusOK, &items); len(items) != 2 || items[0].ID != full.Project || items[1].ID != full.ID {
		t.Errorf("trash: %+v", items)
	}
	s.send("DELETE", "/api/v1/projects/"+full.Project+"?empty=keep", nil).problem(t, http.StatusUnprocessableEntity)
}

func TestTrash(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	project, image := "/api/v1/projects/"+im.Project, "/api/v1/images/"+im.ID
	trash := func(want ...string) []wire.TrashItem {
		t.Helper()
		var items []wire.TrashItem
		s.get("/api/v1/trash").into(t, http.StatusOK, &items)
		var got []string
		for _, item := range items {
			got = append(got, string(item.Kind)+" "+item.ID)
			if item.Until.Sub(item.Trashed).Hours() < 29*24 || item.ProjectName != "Beach" || item.Project != im.Project || item.Images != 1 {
				t.Errorf("%+v", item)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("trash (-want +got):\n%s", diff)
		}
		return items
	}
	discard := func(path string) {
		t.Helper()
		if a := s.send("DELETE", path, nil); a.status != http.StatusNoContent || len(a.body) > 0 {
			t.Errorf("DELETE %s: %d %s", path, a.status, a.body)
		}
		s.send("DELETE", path, nil).problem(t, http.StatusNotFound)
		if detail := s.get(path).problem(t, http.StatusNotFound).Detail; !strings.Contains(detail, "is in the trash") {
			t.Errorf("GET %s: %s", path, detail)
		}
	}
	restore := func(id string) answer { return s.post("/api/v1/trash/"+id+"/restore", "") }

	discard(image)
	for _, part := range []string{"/display", "/original", "/thumbnail", "/evidence", "/mask.png", "/superpixels.bin", "/hypotheses"} {
		s.get(image+part).problem(t, http.StatusNotFound)
	}
	s.post(image+"/evidence", `{"id":"a","expected_seq":0,"kind":"undo"}`).problem(t, http.StatusNotFound)
	trash("image " + im.ID)
	discard(project)
	trash("project "+im.Project, "image "+im.ID)

	restore(im.ID).problem(t, http.StatusConflict)
	restore("nope").problem(t, http.StatusNotFound)
	var back wire.TrashItem
	restore(im.Project).into(t, http.StatusOK, &back)
	if back.Kind != "project" || back.Name != "Beach" {
		t.Errorf("%+v", back)
	}
	restore(im.ID).into(t, http.StatusOK, &back)
	if back.Kind != "image" || back.Name != "beach.png" {
		t.Errorf("%+v", back)
	}
	trash()
	restore(im.ID).problem(t, http.StatusNotFound)
	var again wire.Image
	s.get(image).into(t, http.StatusOK, &again)
}

// Many images go to the trash and come back in one request each, all or none, with one
// entry of the audit log.
func TestTrashMany(t *testing.T) {
	t.Parallel()
	s := MustServe(t)
	im, other := s.photo(), s.photo()
	var more []wire.Image
	s.upload(im.Project, file{"second.png", picture()}).into(t, http.StatusCreated, &more)
	second := more[0]
	address := "/api/v1/projects/" + im.Project + "/trash"
	put := func(trashed bool, ids ...string) answer {
		body, _ := json.Marshal(map[string]any{"images": ids, "trashed": trashed})
		return s.send("PUT", address, bytes.NewReader(body))
	}
	left := func(want int) {
		t.Helper()
		var images []wire.Image
		if s.get("/api/v1/projects/"+im.Project+"/images").into(t, http.StatusOK, &images); len(images) != want {
			t.Errorf("%d images are left, want %d", len(images), want)
		}
	}
	for _, id := range []string{other.ID, "nope"} {
		if p := put(true, im.ID, id).problem(t, http.StatusNotFound); !strings.Contains(p.Detail, "1 of the images. Nothing was changed") {
			t.Error(p.Detail)
		}
	}
	for _, body := range []string{`{}`, `[]`, `{"images":["` + im.ID + `"]}`, `{"images":["` + im.ID + `"],"trashed":null}`, `{"images":null,"trashed":true}`, `{"images":["` + im.ID + `"],"trash":true}`} {
		s.send("PUT", address, strings.NewReader(body)).problem(t, http.StatusUnprocessableEntity)
	}
	left(2)
	said := func(action audit.Action, names ...string) {
		t.Helper()
		entries, err := s.store.EntriesBefore(t.Context(), 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if e := entries[0]; e.Action != action || e.About != im.Project || slices.ContainsFunc(names, func(n string) bool { return !strings.Contains(e.Detail, n) }) {
			t.Errorf("the audit log says %+v, want %s of %q", e, action, names)
		}
	}
	if a := put(true, im.ID, second.ID, im.ID); a.status != http.StatusNoContent || len(a.body) > 0 {
		t.Errorf("%d: %s", a.status, a.body)
	}
	left(0)
	names := []string{fmt.Sprintf("%q %s", im.Name, im.ID), fmt.Sprintf("%q %s", second.Name, second.ID)}
	said(audit.ImagesTrashed, names...)

	if p := put(false, im.ID, second.ID, other.ID).problem(t, http.StatusNotFound); !strings.Contains(p.Detail, "1 of the images. Nothing was restored") {
		t.Error(p.Detail)
	}
	left(0)
	if a := put(false, second.ID, im.ID); a.status != http.StatusNoContent {
		t.Errorf("%d: %s", a.status, a.body)
	}
	left(2)
	said(audit.ImagesRestored, names...)
	s.send("DELETE", "/api/v1/projects/"+im.Project, nil)
	put(false, im.ID).problem(t, http.StatusNotFound)
}

// A deleted class is in the trash of its project and can be restored.
func TestTrashedClass(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	path := "/api/v1/projects/" + p.ID
	a := s.send("PATCH", path, strings.NewReader(`{"classes":[{"id":0,"name":"sky"},{"id":2,"name":"sand"}]}`), "Content-Type: application/json")
	a.into(t, http.StatusOK, &p)
	var items []wire.TrashItem
	s.get("/api/v1/trash").into(t, http.StatusOK, &items)
	if len(items) != 1 || items[0].Kind != "class" || items[0].Name != "sea" || items[0].Project != p.ID || items[0].ID != p.ID+"-1" {
		t.Fatalf("%+v", items)
	}
	if page := string(s.get("/trash").body); !strings.Contains(page, "Class in Beach") || !strings.Contains(page, `data-open="/projects/`+p.ID) {
		t.Error("the page does not list the class")
	}
	for _, id := range []string{p.ID + "-7", p.ID + "-0", p.ID + "-", "nope-1"} {
		s.post("/api/v1/trash/"+id+"/restore", "").problem(t, http.StatusNotFound)
	}
	rename := func(to string) {
		t.Helper()
		if a := s.patchProject(p.ID, `{"classes":[{"id":0},{"id":2,"name":"`+to+`"}]}`); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	rename("Sea")
	if got := s.post("/api/v1/trash/"+items[0].ID+"/restore", "").problem(t, http.StatusUnprocessableEntity); !strings.Contains(got.Detail, "another class \"Sea\" by now. Rename that one") {
		t.Error(got.Detail)
	}
	rename("sand")
	var back wire.TrashItem
	s.post("/api/v1/trash/"+items[0].ID+"/restore", "").into(t, http.StatusOK, &back)
	s.get(path).into(t, http.StatusOK, &p)
	if back.Name != "sea" || len(p.Classes) != 3 {
		t.Errorf("%+v, %+v", back, p)
	}
	s.post("/api/v1/trash/"+items[0].ID+"/restore", "").problem(t, http.StatusNotFound)
}

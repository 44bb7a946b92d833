package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/web/wire"
)

// A pixel is repaired over HTTP. Its class shows in the record and on all pages
// until the superpixel is labelled again; undo brings the repair back.
func TestRepairsOverHTTPAndTheSocket(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	s.clickThree(path)
	c := s.dial(im.ID)
	c.say(`{"type":"hello"}`)
	if m := c.expect("state"); m.Repairs == nil || len(m.Repairs) != 0 {
		t.Errorf("the first state has repairs %v, want an empty list", m.Repairs)
	}
	c.until("done")
	run := func(y, x, n int) []int32 { return []int32{int32(y*pictureWidth + x), int32(n)} }

	const corner = pictureWidth*pictureHeight - 2

	// Two runs that touch become one, in whatever order they come.
	at, two := run(inSea.Y, inSea.X, 3), run(inSea.Y, inSea.X+3, 2)
	body := fmt.Sprintf(`{"id":"p","expected_seq":3,"kind":"pixels","repairs":[{"class":2,"runs":[%d,2,%d,3]},{"class":255,"runs":[%d,2]}]}`, two[0], at[0], corner)
	var out seqJSON
	s.post(path+"/evidence", body).into(t, http.StatusOK, &out)
	s.post(path+"/evidence", body).into(t, http.StatusOK, &out)
	if out.Seq != 4 {
		t.Errorf("a repeat answers %d, want 4", out.Seq)
	}
	want := []wire.Repair{{Class: new(2), Runs: run(inSea.Y, inSea.X, 5)}, {Class: new(255), Runs: []int32{corner, 2}}}
	check := func(what string, want []wire.Repair) {
		t.Helper()
		var record wire.OpenImage
		s.get(path).into(t, http.StatusOK, &record)
		if diff := cmp.Diff(want, record.Repairs); diff != "" {
			t.Errorf("%s, record (-want +got):\n%s", what, diff)
		}
		m := c.until("state")
		if diff := cmp.Diff(want, m[len(m)-1].Repairs); diff != "" {
			t.Errorf("%s, state (-want +got):\n%s", what, diff)
		}
	}
	check("repaired", want)

	s.post(path+"/evidence", labelAt("sky", 4, inSky, 1)).into(t, http.StatusOK, &out)
	if m := c.until("state"); m[len(m)-1].Repairs != nil {
		t.Errorf("a state with the repairs of the one before has them again: %v", m[len(m)-1].Repairs)
	}
	s.post(path+"/evidence", labelAt("sea", 5, inSea, 1)).into(t, http.StatusOK, &out)
	check("labelled again", want[1:])
	s.post(path+"/evidence", `{"id":"u","expected_seq":6,"kind":"undo"}`).into(t, http.StatusOK, &out)
	check("undone", want)

	// Its class is merged into another, and the repair follows.
	s.patchProject(im.Project, `{"classes":[{"id":0},{"id":1}],"remap":{"2":0}}`).into(t, http.StatusOK, &wire.Project{})
	check("remapped", []wire.Repair{{Class: new(0), Runs: want[0].Runs}, want[1]})
}

func TestRepairMistakes(t *testing.T) {
	t.Parallel()
	s := MustServe(t)
	path := "/api/v1/images/" + s.photo().ID + "/evidence"
	for _, c := range []struct {
		name, repairs string
		status        int
		says          string
	}{
		{"nothing", `[]`, 422, "at least one run"},
		{"no class", `[{"runs":[0,1]}]`, 422, `"class" of repair 0`},
		{"negative class", `[{"class":-1,"runs":[0,1]}]`, 422, `"class" of repair 0`},
		{"class beyond", `[{"class":256,"runs":[0,1]}]`, 422, `"class" of repair 0`},
		{"unknown class", `[{"class":3,"runs":[0,1]}]`, 422, "classes 0 to 2"},
		{"a pixel beyond the image", fmt.Sprintf(`[{"class":1,"runs":[%d,1]}]`, pictureWidth*pictureHeight), 422, "The run of 1 pixel from"},
		{"beyond the image", fmt.Sprintf(`[{"class":1,"runs":[%d,2]}]`, pictureWidth*pictureHeight-1), 422, "is outside the image"},
		{"beyond numbers", `[{"class":1,"runs":[0,4294967297]}]`, 422, `"repairs.runs"`},
		{"a fraction", `[{"class":1,"runs":[0.5,1]}]`, 422, `"repairs.runs"`},
		{"half a run", `[{"class":1,"runs":[7]}]`, 422, "class 1 has 1 number."},
		{"a pixel twice", `[{"class":1,"runs":[7,2]},{"class":2,"runs":[8,1]}]`, 422, "Pixel 8"},
		{"too many", `[{"class":1,"runs":[` + strings.Repeat("0,1,", 100_000) + `0,1]}]`, 413, "100000 runs"},
	} {
		body := `{"id":"x","expected_seq":0,"kind":"pixels","repairs":` + c.repairs + `}`
		if p := s.post(path, body).problem(t, c.status); !strings.Contains(p.Detail, c.says) {
			t.Errorf("%s: detail %q does not say %q", c.name, p.Detail, c.says)
		}
	}
	var log struct{ Events []eventJSON }
	s.get(path).into(t, http.StatusOK, &log)
	if len(log.Events) != 0 {
		t.Errorf("log %+v", log)
	}
}

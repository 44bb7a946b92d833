package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A label set goes from one project to another in every format; what labels use
// stays.
func TestLabelSets(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/projects/" + im.Project + "/classes"
	want := map[string]string{
		"txt":  "sky #112233\n",
		"voc":  "sky:17,34,51::\n",
		"json": `"name": "sky"`,
	}
	var other projectJSON
	s.send("POST", "/api/v1/projects", strings.NewReader(`{"name":"Other"}`), "Content-Type: application/json").into(t, http.StatusCreated, &other)
	for format, part := range want {
		a := s.get(path + "?format=" + format)
		if a.status != http.StatusOK || !strings.Contains(string(a.body), part) || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %d %s", format, a.status, a.body)
		}
		var p projectJSON
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
	var p projectJSON
	s.get("/api/v1/projects/"+im.Project).into(t, http.StatusOK, &p)
	sand := p.Classes[2].Color
	put("SEA #010203\nwood\nsand\nsky").into(t, http.StatusOK, &p)
	wantClasses := []classJSON{{1, 0, "SEA", "#010203"}, {3, 1, "wood", p.Classes[1].Color}, {2, 2, "sand", sand}, {0, 3, "sky", "#112233"}}
	if d := cmp.Diff(wantClasses, p.Classes); d != "" {
		t.Error(d)
	}
}

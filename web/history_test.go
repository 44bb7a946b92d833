package web

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A script goes back to an earlier state as a new step and reads what happened,
// page by page.
func TestHistoryOverHTTP(t *testing.T) {
	s := MustServe(t)
	path := "/api/v1/images/" + s.photo().ID
	s.clickThree(path)
	var h hypothesesJSON
	s.get(path+"/hypotheses?count=1").into(t, http.StatusOK, &h)
	before := s.maskOf(path).body
	seq := 3
	post := func(body string) {
		t.Helper()
		var out seqJSON
		s.post(path+"/evidence", fmt.Sprintf(`{"id":"e%d","expected_seq":%d,%s}`, seq, seq, body)).into(t, http.StatusOK, &out)
		if seq++; out.Seq != seq {
			t.Fatalf("event %d became number %d", seq, out.Seq)
		}
	}
	post(`"kind":"accept","hypothesis":0`)
	post(`"kind":"pixels","repairs":[{"class":2,"runs":[0,7,20,1]}]`)
	post(`"kind":"granularity","regions":8`)
	changed := s.maskOf(path).body
	if bytes.Equal(before, changed) || s.valueAt(path, inSky.Sub(inSky)) != 2 {
		t.Error("the mask does not show the accepted hypothesis and the repair")
	}
	post(`"kind":"restore","to":3`)
	if !bytes.Equal(before, s.maskOf(path).body) {
		t.Error("the mask after the restore is not the one of then")
	}
	post(`"kind":"undo"`)
	if !bytes.Equal(changed, s.maskOf(path).body) {
		t.Error("the mask after the undo of the restore is not the one before it")
	}

	s.get(path+"/mask.png?of=hypothesis&after=3").problem(t, 422) // it would be one for the current evidence

	type list struct {
		Seq    int
		More   bool
		Events []map[string]any
	}
	read := func(query string) list {
		t.Helper()
		var out list
		s.get(path+"/evidence"+query).into(t, http.StatusOK, &out)
		for _, e := range out.Events {
			delete(e, "created")
			delete(e, "id")
		}
		return out
	}
	n := float64(len(h.Hypotheses[0].Labels))
	pick := map[string]any{"rank": 0.0, "digest": h.Hypotheses[0].Digest}
	want := list{8, true, []map[string]any{
		{"seq": 3.0, "kind": "label", "class": 2.0, "count": 1.0, "by": "owner"},
		{"seq": 4.0, "kind": "accept", "hypothesis": pick, "count": n, "by": "owner"},
		{"seq": 5.0, "kind": "pixels", "repairs": []any{map[string]any{"class": 2.0, "pixels": 8.0}}, "by": "owner"},
		{"seq": 6.0, "kind": "granularity", "regions": 8.0, "by": "owner"},
		{"seq": 7.0, "kind": "restore", "to": 3.0, "by": "owner"},
	}}
	if diff := cmp.Diff(want, read("?after=2&limit=5&detail=summary")); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	want = list{8, false, []map[string]any{{"seq": 8.0, "kind": "undo", "about": 7.0, "by": "owner"}}}
	if diff := cmp.Diff(want, read("?after=7&limit=5")); diff != "" {
		t.Errorf("the last page (-want +got):\n%s", diff)
	}
	runs := []any{map[string]any{"class": 2.0, "pixels": 8.0, "runs": []any{0.0, 7.0, 20.0, 1.0}}}
	if full := read("?after=3&limit=2&detail=full"); full.Events[0]["labels"] == nil || !cmp.Equal(full.Events[1]["repairs"], runs) {
		t.Errorf("in full %v", full)
	}
	if all := read(""); all.Events[3]["labels"] != nil || !cmp.Equal(all.Events[4]["repairs"], runs) {
		t.Errorf("by default %v", all)
	}

	for _, body := range []string{`{"id":"x","expected_seq":8,"kind":"restore"}`, `{"id":"x","expected_seq":8,"kind":"restore","to":9}`, `{"id":"x","expected_seq":8,"kind":"restore","to":-1}`} {
		s.post(path+"/evidence", body).problem(t, http.StatusUnprocessableEntity)
	}
	for _, query := range []string{"?limit=0", "?limit=10001", "?detail=all"} {
		s.get(path+"/evidence"+query).problem(t, http.StatusUnprocessableEntity)
	}
}

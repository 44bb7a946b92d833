package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// While a client takes large events their memory is lent, and no longer.
func TestLargeEvidenceIsLent(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID + "/evidence"
	var runs []string
	for i := range pictureWidth * pictureHeight / 2 {
		runs = append(runs, fmt.Sprint(2*i, ",1"))
	}
	for seq := range 3 {
		event := fmt.Sprintf(`{"id":"%d","expected_seq":%d,"kind":"pixels","repairs":[{"class":%d,"runs":[%s]}]}`, seq, seq, 1+seq%2, strings.Join(runs, ","))
		if a := s.post(path, event); a.status != http.StatusOK && a.status != http.StatusCreated {
			t.Fatalf("status %d: %s", a.status, a.body)
		}
	}
	for detail, lent := range map[string]bool{"full": true, "summary": false} {
		w := &asking{httptest.NewRecorder(), func() {
			if idle := s.server.memory.Idle(); idle == lent {
				t.Errorf("detail=%s: while it is sent, nothing is lent: %v", detail, idle)
			}
		}}
		s.server.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path+"?detail="+detail, nil))
		if w.Code != http.StatusOK || !s.server.memory.Idle() {
			t.Errorf("detail=%s: status %d, nothing is lent afterwards: %v", detail, w.Code, s.server.memory.Idle())
		}
	}
}

// Events that are written piece by piece are the JSON that they describe.
func TestWriteEvents(t *testing.T) {
	class := 1
	for _, events := range [][]eventJSON{
		{},
		{
			{Seq: 1, ID: "a", Kind: "label", Superpixels: []int32{3, 4}, Class: &class, Created: time.Unix(1, 0).UTC()},
			{Seq: 2, ID: "b", Kind: "pixels", Repairs: []loggedRepairJSON{{Class: 1, Pixels: 7, Runs: []int32{2, 3, 9, 4}}, {Class: 255, Pixels: 1}}},
		},
	} {
		want := evidenceListJSON{Seq: 9, More: true, Events: events}
		frame, err := json.Marshal(evidenceListJSON{Seq: 9, More: true, Events: []eventJSON{}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := writeEvents(&out, frame, events); err != nil {
			t.Fatal(err)
		}
		var got evidenceListJSON
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%v: %s", err, out.Bytes())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("written (-want +got):\n%s", d)
		}
	}
}

// An answer of many pieces is not cut off while the client goes on.
func TestDownloadsCanTakeLong(t *testing.T) {
	pieces := 0
	w := &asking{httptest.NewRecorder(), func() { pieces++ }}
	p := &patientWriter{ResponseWriter: w, control: http.NewResponseController(w), pace: pace{stall: time.Minute, rate: 1}}
	if n, err := p.Write(make([]byte, 3*patientPiece+1)); n != 3*patientPiece+1 || err != nil || pieces != 4 {
		t.Errorf("%d bytes in %d pieces, %v; want a deadline for each of 4", n, pieces, err)
	}
}

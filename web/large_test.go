package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/ledger"
)

// Memory is lent for a large answer until it is sent. A request that finds none is
// refused after a while; small ones need none.
func TestAnswersAreLent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{kept: ledger.New(answerMemory, answerShare, answerWaiting)}
		give, err := s.lend(t.Context(), answerShare)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := s.lend(t.Context(), smallAnswer+1); segment.KindOf(err) != segment.Busy || time.Since(began) != answerPatience {
			t.Errorf("without memory: %v after %v", err, time.Since(began))
		}
		if _, err := s.lend(t.Context(), smallAnswer); err != nil {
			t.Errorf("a small answer: %v", err)
		}
		give()
		if give, err = s.lend(t.Context(), 2*answerMemory); err != nil { // alone, it gets all there is
			t.Fatal(err)
		}
		give()
		if !s.kept.Idle() {
			t.Error("memory is still lent")
		}
	})
}

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
			if idle := s.server.kept.Idle(); idle == lent {
				t.Errorf("detail=%s: while it is sent, nothing is lent: %v", detail, idle)
			}
		}}
		s.server.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path+"?detail="+detail, nil))
		if w.Code != http.StatusOK || !s.server.kept.Idle() {
			t.Errorf("detail=%s: status %d, nothing is lent afterwards: %v", detail, w.Code, s.server.kept.Idle())
		}
	}
}

// Clients who take an answer at the same time share it; it is kept no longer.
func TestSharedAnswers(t *testing.T) {
	var s shared
	made := 0
	get := func() func() {
		_, leave, err := s.get("a", func() ([]byte, error) { made++; return []byte("map"), nil })
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	first, second := get(), get()
	first()
	if made != 1 || len(s.byKey) != 1 {
		t.Errorf("made %d times and %d kept for two clients", made, len(s.byKey))
	}
	second()
	if len(s.byKey) != 0 {
		t.Error("kept when all clients have it")
	}
	if _, _, err := s.get("a", func() ([]byte, error) { return nil, errors.New("broken") }); err == nil || len(s.byKey) != 0 {
		t.Errorf("an answer that could not be made: %v, %d kept", err, len(s.byKey))
	}
	get()()
	if made != 2 {
		t.Errorf("made %d times, want again", made)
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

package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// direct answers a request without a connection, which would be too slow for
// fuzzing.
func (s *site) direct(method, path, kind string, body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost"+path, bytes.NewReader(body))
	r.Header.Set("Content-Type", kind)
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, r)
	return w
}

// FuzzCalls sends bodies to the calls that change something: whatever they
// contain, the answer is no 5xx, and everything stored before can still be read.
func FuzzCalls(f *testing.F) {
	s := MustServe(f)
	im := s.photo()
	calls := []struct{ method, path string }{
		{"POST", "/api/v1/projects"},
		{"PATCH", "/api/v1/projects/" + im.Project},
		{"POST", "/api/v1/images/" + im.ID + "/evidence"},
	}
	f.Add(uint8(0), []byte(`{"name":"Beach","classes":[{"name":"sky","color":"#112233"}]}`))
	f.Add(uint8(1), []byte(`{"classes":[{"id":0,"name":"a"},{"name":"b"}],"remap":{"1":0,"2":255}}`))
	for _, event := range []string{
		`{"id":"a","expected_seq":0,"kind":"label","class":1,"superpixels":[1,2,3]}`,
		`{"id":"b","expected_seq":0,"kind":"label","class":2,"points":[[1.5,2e300]]}`,
		`{"id":"c","expected_seq":0,"kind":"accept","hypothesis":{"rank":0,"digest":"x"}}`,
		`{"id":"d","expected_seq":0,"kind":"granularity","regions":5}`,
		`{"id":"e","expected_seq":0,"kind":"pixels","repairs":[{"class":1,"runs":[0,5,100,2147483647]}]}`,
		`{"id":"f","expected_seq":0,"kind":"restore","to":0}`,
		`{"id":"g","expected_seq":0,"kind":"undo"}`,
	} {
		f.Add(uint8(2), []byte(event))
	}
	var seq seqJSON
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		call := calls[int(which)%len(calls)]
		// Events that can be stored: for the current state, with new ids.
		body = bytes.ReplaceAll(body, []byte(`"expected_seq":0`), fmt.Appendf(nil, `"expected_seq":%d`, seq.Seq))
		body = bytes.ReplaceAll(body, []byte(`"id":"`), fmt.Appendf(nil, `"id":"%d`, seq.Seq))
		if w := s.direct(call.method, call.path, "application/json", body); w.Code >= 500 {
			t.Errorf("%s %s %q: %d %s", call.method, call.path, body, w.Code, w.Body)
		}
		w := s.direct("GET", "/api/v1/images/"+im.ID, "", nil)
		if err := json.Unmarshal(w.Body.Bytes(), &seq); err != nil || w.Code != http.StatusOK {
			t.Fatalf("after %s %s %q the image is gone: %v, %d %s", call.method, call.path, body, err, w.Code, w.Body)
		}
	})
}

// FuzzUpload sends multipart bodies, so that parts, files and archives can be
// broken anywhere.
func FuzzUpload(f *testing.F) {
	s := MustServe(f)
	project := s.project().ID
	body, kind := form(file{"a.txt", []byte("hello")}, file{"b.zip", pack(f, file{"c.txt", []byte("hello")}, file{"../d", []byte("x")})})
	boundary := strings.TrimPrefix(kind, "multipart/form-data; boundary=")
	f.Add(bytes.ReplaceAll(body.Bytes(), []byte(boundary), []byte("xxx")))
	f.Fuzz(func(t *testing.T, body []byte) {
		if w := s.direct("POST", "/api/v1/projects/"+project+"/images", "multipart/form-data; boundary=xxx", body); w.Code >= 500 {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}

package web

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/segment/access"
	"collie/segment/accounts"
	"collie/web/people"
)

// untouched is a body that must not be read.
type untouched struct{ read bool }

func (u *untouched) Read([]byte) (int, error) { u.read = true; return 0, io.ErrUnexpectedEOF }

// A call that somebody has no right to make is refused before any of its body is
// read, whatever its content type.
func TestRightsBeforeBodies(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin)
	im := s.as(s.user("admin", access.Admin)).photo()
	visitors := []*accounts.User{nil}
	for _, role := range access.ProjectRoles() {
		u := s.user(role.String(), role)
		visitors = append(visitors, &u)
	}
	asked := 0
	err := chi.Walk(s.server.routes(), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		row := rights[method+" "+route]
		for i, u := range visitors {
			if method == "GET" || row.statuses[i] != 401 && row.statuses[i] != 404 || people.Public(route) {
				continue
			}
			id := im.ID
			if strings.Contains(route, "/projects/") {
				id = im.Project
			}
			for _, kind := range []string{"application/json", "multipart/x", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"} {
				body := new(untouched)
				r := httptest.NewRequest(method, strings.NewReplacer("{id}", id, "{class}", "1", "{user}", "viewer").Replace(route), body)
				r.ContentLength = 1 << 40
				r.Header.Set("Content-Type", kind)
				if u != nil {
					r.Header.Set("Authorization", "Bearer "+s.as(*u).token)
				}
				w := httptest.NewRecorder()
				s.server.ServeHTTP(w, r)
				asked++
				if w.Code != row.statuses[i] || body.read {
					t.Errorf("%s %s as %d, %s: %d, want %d; the body was read: %v", method, route, i, kind, w.Code, row.statuses[i], body.read)
				}
			}
		}
		return nil
	})
	if err != nil || asked < 150 {
		t.Errorf("%d requests, %v", asked, err)
	}
}

// The size of body that a route accepts depends on the route alone.
func TestBodiesByRoute(t *testing.T) {
	t.Parallel()
	s := mustServe(t, Limits{JSON: 100 << 10, Upload: 200 << 10})
	p := s.project()
	large := `{"name":"` + strings.Repeat("x", 150<<10) + `"}`
	for _, kind := range []string{"application/json", "multipart/x", "multipart/form-data; boundary=x"} {
		for _, call := range []string{"POST /api/v1/projects", "PATCH /api/v1/projects/" + p.ID, "PUT /api/v1/projects/" + p.ID + "/classes"} {
			method, path, _ := strings.Cut(call, " ")
			for _, body := range []io.Reader{strings.NewReader(large), io.MultiReader(strings.NewReader(large))} { // the second states no length
				a := s.send(method, path, body, "Content-Type: "+kind)
				if a.status != 413 && !(a.status == 400 && strings.Contains(kind, "form-data")) {
					t.Errorf("%s, %s: %d %.200s", call, kind, a.status, a.body)
				}
			}
		}
	}
	noise := make([]byte, 150<<10)
	s.upload(p.ID, file{"a.png", append([]byte("\x89PNG\r\n\x1a\n"), noise...)}).problem(t, 422)
	s.upload(p.ID, file{"a.png", append(noise, noise...)}).problem(t, 413)
	// Larger bodies go through a file.
	s.send("PATCH", "/api/v1/projects/"+p.ID, strings.NewReader(`{"name":"Long","what":"`+strings.Repeat("x", 90<<10)+`"}`)).into(t, 200, new(any))
}

// Lists can have at most as many entries as a project can have classes; longer
// ones are refused unread.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	s := MustServe(t)
	p := s.project()
	many := "[" + strings.Repeat("{},", 1<<20) + "{}]"
	for _, body := range []string{`{"classes":` + many + `}`, `{"base":` + many + `}`} {
		got := s.send("PATCH", "/api/v1/projects/"+p.ID, strings.NewReader(body)).problem(t, 422)
		if !strings.Contains(got.Detail, "255") && !strings.Contains(got.Detail, "no id") {
			t.Error(got.Detail)
		}
	}
	im := s.photo()
	got := s.post("/api/v1/images/"+im.ID+"/evidence", `{"id":"x","expected_seq":0,"kind":"pixels","repairs":`+many+`}`).problem(t, 422)
	if !strings.Contains(got.Detail, "256") {
		t.Error(got.Detail)
	}
}

// One user's stalled uploads take only that user's places.
func TestStalledUploads(t *testing.T) {
	s := MustServe(t, withLogin)
	ann, bob := s.as(s.user("ann", access.Annotator)), s.as(s.user("bob", access.Annotator))
	p := s.as(s.user("admin", access.Admin)).project()
	body, kind := form(file{"a.png", append(picture(), make([]byte, 100<<10)...)})
	half := body.Bytes()[:body.Len()/2]
	for range 40 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST /api/v1/projects/%s/images HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
			p.ID, ann.token, kind, body.Len(), half)
		if err != nil {
			t.Fatal(err)
		}
	}
	for s.server.scratch.Places.Waiting() < 32 {
		time.Sleep(time.Millisecond)
	}
	if a := ann.upload(p.ID, file{"b.png", picture()}); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
		t.Errorf("the 41st upload: %d %s", a.status, a.body)
	}
	bob.upload(p.ID, file{"b.png", picture()}).into(t, http.StatusCreated, new(any))
	bob.importFiles("/api/v1/projects/"+p.ID+"/imports", file{"b.png", halfMask()}).into(t, http.StatusOK, new(any))
	if n := s.server.scratch.Places.Waiting(); n < 32 {
		t.Errorf("others waited until stalled uploads were stopped; %d are left", n)
	}
}

// An upload that breaks off at the beginning of a file is answered as such, also while
// other uploads have all places.
func TestBrokenOffWithoutAPlace(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	leave, err := s.server.scratch.Places.Take(t.Context(), int64(s.server.limits.Receiving))
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	for name, content := range map[string]string{"a.zip": "PK\x03\x04", "a.png": "\x89PNG\r\n\x1a\n", "a.txt": "text"} {
		body, kind := form(file{name, []byte(content)})
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST /api/v1/projects/%s/images HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: 100000\r\n\r\n%s",
			p.ID, kind, body.Bytes()[:bytes.Index(body.Bytes(), []byte(content))+len(content)])
		if err == nil {
			err = errors.Join(conn.(*net.TCPConn).CloseWrite(), conn.SetReadDeadline(time.Now().Add(time.Minute)))
		}
		if err != nil {
			t.Fatal(err)
		}
		got := s.answer(http.ReadResponse(bufio.NewReader(conn), nil)).problem(t, http.StatusBadRequest)
		if !strings.Contains(got.Detail, "interrupted") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// When a client leaves, the import of what it has sent ends.
func TestImportsEndWithTheirClient(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	var set bytes.Buffer // its drawing takes minutes
	fmt.Fprintf(&set, `{"images":[{"id":1,"file_name":"beach.png","width":6000,"height":6000}],"categories":[{"id":1,"name":"sky"}],"annotations":[`)
	for i := range 5000 {
		if i > 0 {
			set.WriteByte(',')
		}
		fmt.Fprintf(&set, `{"id":%d,"image_id":1,"category_id":1,"area":1,"segmentation":[[0,0,6000,0,6000,6000,0,6000]]}`, i)
	}
	set.WriteString("]}")
	body, kind := form(file{"set.json", set.Bytes()})
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn, "POST /api/v1/projects/%s/imports HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", im.Project, kind, body.Len(), body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for s.server.scratch.Places.Idle() {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond) // it is drawing by now, or will be
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(2 * time.Minute); !s.server.scratch.Places.Idle(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the import goes on without its client")
		}
	}
}

// A compressed body is refused for what it is.
func TestCompressedBodies(t *testing.T) {
	t.Parallel()
	s := MustServe(t)
	p := s.project()
	for _, path := range []string{"/projects", "/projects/" + p.ID + "/images", "/projects/" + p.ID + "/imports", "/imports"} {
		got := s.send("POST", "/api/v1"+path, strings.NewReader("\x1f\x8b\x08"), "Content-Type: multipart/form-data; boundary=x", "Content-Encoding: gzip").problem(t, 415)
		if !strings.Contains(got.Detail, "Content-Encoding: gzip") {
			t.Errorf("%s: %s", path, got.Detail)
		}
	}
	got := s.send("PUT", "/api/v1/projects/"+p.ID+"/classes", strings.NewReader("x"), "Content-Encoding: deflate").problem(t, 415)
	if !strings.Contains(got.Detail, "Content-Encoding: deflate") {
		t.Error(got.Detail)
	}
	s.send("POST", "/api/v1/projects", strings.NewReader(`{"name":"Plain"}`), "Content-Encoding: identity").into(t, 201, new(any))
}

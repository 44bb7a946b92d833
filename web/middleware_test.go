package web

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"collie/static"
	"collie/web/answers"
	"collie/web/panics"
)

func TestSecurityHeaders(t *testing.T) {
	s := MustServe(t)
	for _, path := range []string{"/", "/api", "/nope", "/api/v1/projects", "/api/v1/nope", static.Address("annotate/app.js"), "/healthz"} {
		h := s.get(path).header
		for name, want := range map[string]string{
			"X-Content-Type-Options":     "nosniff",
			"Referrer-Policy":            "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s: %q, want %q", path, name, got, want)
			}
		}
		csp := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'self';", "object-src 'none';", "frame-src 'none';", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s: policy %q lacks %q", path, csp, want)
			}
		}
		if strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q allows something unsafe", path, csp)
		}
	}
}

func TestOtherSitesCantChangeAnything(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	path := "/api/v1/projects/" + p.ID
	for _, c := range []struct {
		name   string
		header []string
		status int
	}{
		{"another site, new browser", []string{"Sec-Fetch-Site: cross-site", "Origin: http://evil.example"}, 403},
		{"another port", []string{"Sec-Fetch-Site: same-site", "Origin: http://127.0.0.1:1"}, 403},
		{"another site, old browser", []string{"Origin: http://evil.example"}, 403},
		{"no page", []string{"Origin: null"}, 403},
		{"our own page", []string{"Sec-Fetch-Site: same-origin", "Origin: " + s.url}, 200},
		{"a program", nil, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.send("PATCH", path, strings.NewReader(`{"name":"`+c.name+`"}`), c.header...)
			if c.status == 403 {
				a.problem(t, 403)
			} else if a.status != 200 {
				t.Errorf("status %d: %s", a.status, a.body)
			}
			if read := s.send("GET", path, nil, c.header...); read.status != 200 {
				t.Errorf("reading answers %d", read.status)
			}
		})
	}
	for _, method := range []string{"POST", "DELETE"} {
		s.send(method, path+"/images", nil, "Sec-Fetch-Site: cross-site").problem(t, 403)
	}
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "application/json"} { // a page of another site can send the first two without asking
		s.send("POST", "/api/v1/projects", strings.NewReader(`{"name":"Beach"}`), "Content-Type: "+kind, "Origin: http://evil.example").problem(t, 403)
	}
}

// Requests under another site's name that points to this machine are refused.
func TestOtherNamesAreRefused(t *testing.T) {
	s := MustServe(t)
	for host, status := range map[string]int{
		"evil.example": 421, "evil.example:8080": 421, "127.0.0.1.evil.example": 421, "10.0.0.1": 421, "0.0.0.0:80": 421,
		"localhost": 200, "LOCALHOST:1": 200, "127.0.0.1": 200, "127.8.9.1:99": 200, "[::1]:80": 200, "collie.localhost": 200,
	} {
		if a := s.send("GET", "/api/v1/projects", nil, "Host: "+host); a.status != status {
			t.Errorf("as %s: %d, want %d", host, a.status, status)
		}
	}
}

func TestPanicsBecomeProblems(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	s := &Server{log: logger, answers: answers.New(logger)}
	serve := func(h http.HandlerFunc) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.logRequests(s.recoverPanics(h)).ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/x?secret=1", nil))
		return w
	}
	w := serve(func(http.ResponseWriter, *http.Request) { panic("inner secret") })
	if w.Code != 500 || strings.Contains(w.Body.String(), "inner secret") {
		t.Errorf("answer %d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "inner secret") || !strings.Contains(log.String(), "status=500") || strings.Contains(log.String(), "secret=1") {
		t.Errorf("log %s", log.String())
	}
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("a panic in the middle of an answer did not cut the connection")
		}
	}()
	serve(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("half"))
		panic("late")
	})
}

func TestBodyLimits(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	path := "/api/v1/projects/" + p.ID + "/images"
	body, kind := form(file{"a.png", picture()})

	r := httptest.NewRequest("POST", "http://localhost"+path, bytes.NewReader(nil))
	r.Header.Set("Content-Type", kind)
	r.ContentLength = 4<<30 + 1
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), "4 GiB") {
		t.Errorf("a header over the limit: %d %s", w.Code, w.Body)
	}

	// Only images are kept as they arrive. A form without a boundary is refused everywhere.
	for call, want := range map[string]string{
		"POST " + path: arrivedKept,
		"POST /api/v1/projects/" + p.ID + "/imports": nothingChanged,
		"POST /api/v1/imports":                       nothingChanged,
		"PUT /api/v1/projects/" + p.ID + "/classes":  nothingChanged,
	} {
		method, path, _ := strings.Cut(call, " ")
		cutOff := s.send(method, path, bytes.NewReader(body.Bytes()[:body.Len()/2]), "Content-Type: "+kind)
		if got := cutOff.problem(t, http.StatusBadRequest); !strings.Contains(got.Detail, want) || !strings.Contains(got.Detail, "interrupted") {
			t.Errorf("%s that breaks off: %+v", call, got)
		}
		if want == nothingChanged {
			s.send(method, path, bytes.NewReader(body.Bytes()[:body.Len()-len("--\r\n")]), "Content-Type: "+kind).problem(t, http.StatusBadRequest)
		}
		if got := s.send(method, path, strings.NewReader("x"), "Content-Type: multipart/form-data").problem(t, 415); !strings.Contains(got.Detail, "boundary") {
			t.Errorf("%s without a boundary: %+v", call, got)
		}
	}
	s.send("POST", path, strings.NewReader("{}"), "Content-Type: application/json").problem(t, 415)
}

func TestGuard(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	if err := panics.Guard(log, "x", func() error { panic(1) }); err == nil {
		t.Error("a panic gave no error")
	}
	want := errors.New("e")
	if err := panics.Guard(log, "x", func() error { return want }); err != want {
		t.Errorf("error %v", err)
	}
}

// An upload can take longer than the server's time for a request as long as data
// arrives; bodies of other calls can't, and their clients are told.
func TestSlowClients(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: waits for a time limit")
	}
	t.Parallel()
	s := MustServe(t)
	project := s.project().ID
	slow := httptest.NewUnstartedServer(s.server)
	slow.Config.ReadTimeout, slow.Config.WriteTimeout = 2*time.Second, 2*time.Second
	slow.Start()
	defer slow.Close()

	body, kind := form(file{"a.png", picture()})
	post := func(path, kind string, body []byte) (int, error) {
		r, err := http.NewRequestWithContext(t.Context(), "POST", slow.URL+path, &dribble{rest: body, piece: len(body)/5 + 1, pause: 700 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", kind)
		resp, err := slow.Client().Do(r)
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		return resp.StatusCode, nil
	}
	if status, err := post("/api/v1/projects/"+project+"/images", kind, body.Bytes()); err != nil || status != http.StatusCreated {
		t.Errorf("a slow upload: %d, %v", status, err)
	}
	if status, err := post("/api/v1/projects", "application/json", []byte(`{"name":"slowly"}`)); err != nil || status != http.StatusRequestTimeout {
		t.Errorf("a slow body of a plain call: %d, %v", status, err)
	}
}

// dribble delivers its bytes in pieces, with a pause before each.
type dribble struct {
	rest  []byte
	piece int
	pause time.Duration
}

func (d *dribble) Read(b []byte) (int, error) {
	if len(d.rest) == 0 {
		return 0, io.EOF
	}
	time.Sleep(d.pause)
	n := copy(b, d.rest[:min(len(d.rest), d.piece)])
	d.rest = d.rest[n:]
	return n, nil
}

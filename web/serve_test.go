package web

import (
	"bytes"
	"encoding/json"
	"flag"
	"image"
	"io"
	"io/fs"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"collie/segment/access"
	"collie/segment/accounts"
	"collie/segment/export/jobs"
	"collie/segment/workspace"
	"collie/sharedtest"
	"collie/storage/sqlite"
	"collie/storage/workspacetest"
	"collie/web/metrics"
	"collie/web/problem"
	"collie/web/wire"
)

var update = flag.Bool("update", false, "rewrite the message fixtures")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a running server over a store and blobs of its own.
type site struct {
	tb     testing.TB
	server *Server
	store  *sqlite.Store
	folder string
	url    string
	client *http.Client
	users  *accounts.Accounts     // nil without login
	begun  *accounts.Sessions     // nil without login
	token  string                 // of the session that requests are made with, or empty
	team   map[string]access.Role // what users are in all projects; see enlist
}

// MustServe starts a server as main does, in a temporary folder, set up as the
// changes say. It ends with the test.
func MustServe(tb testing.TB, changes ...func(*Config, *sqlite.Store)) *site {
	tb.Helper()
	return serve(tb, nil, changes...)
}

// mustServe is MustServe with limits and with options of the workspace.
func mustServe(tb testing.TB, limits Limits, options ...workspace.Options) *site {
	tb.Helper()
	return serve(tb, options, limited(limits))
}

func serve(tb testing.TB, options []workspace.Options, changes ...func(*Config, *sqlite.Store)) *site {
	tb.Helper()
	folder := tb.TempDir()
	data := workspacetest.MustOpenFolder(tb, folder)
	scratch, err := os.OpenRoot(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	workspace := data.Workspace(options...)
	config := Config{
		Workspace: workspace,
		Exports:   jobs.New(workspace, data.Blobs, data.Store, slog.New(slog.DiscardHandler)),
		Ready:     data.Store.Ready,
		Log:       slog.New(slog.DiscardHandler),
		Scratch:   scratch,
		Metrics:   metrics.New(),
	}
	for _, change := range changes {
		change(&config, data.Store)
	}
	server := New(config)
	listener := httptest.NewServer(server)
	tb.Cleanup(func() {
		server.Close()
		listener.Close()
		if left, err := fs.ReadDir(scratch.FS(), "."); len(left) > 0 || err != nil {
			tb.Errorf("left in the scratch folder: %v, %v", left, err)
		}
		if err := scratch.Close(); err != nil {
			tb.Error(err)
		}
	})
	client := listener.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s := &site{tb: tb, server: server, store: data.Store, folder: folder, url: listener.URL, client: client, team: map[string]access.Role{}}
	if config.Login != nil {
		s.users = config.Login.Accounts
		s.begun = accounts.NewSessions(config.Login.Sessions, s.users, config.Limits.Session, config.Log)
	}
	return s
}

// encode returns the body that a test sends.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// answer is a response read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// send makes a request; header is "Name: value" lines.
func (s *site) send(method, path string, body io.Reader, header ...string) answer {
	s.tb.Helper()
	var sent []byte
	switch body.(type) {
	case *strings.Reader, *bytes.Reader, *bytes.Buffer: // what is in memory
		var err error
		if sent, err = io.ReadAll(body); err != nil {
			s.tb.Fatal(err)
		}
		body = bytes.NewReader(sent)
	}
	r, err := http.NewRequestWithContext(s.tb.Context(), method, s.url+path, body)
	if err != nil {
		s.tb.Fatal(err)
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	a := s.answer(s.client.Do(r))
	if err := theDocument().check(r, sent, a); err != nil {
		s.tb.Errorf("%s %s is not as the document of the interface says: %v\n%.300s", method, path, err, a.body)
	}
	return a
}

// answer reads the response to a request.
func (s *site) answer(resp *http.Response, err error) answer {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.tb.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, b}
}

func (s *site) get(path string) answer { s.tb.Helper(); return s.send("GET", path, nil) }

func (s *site) post(path, body string) answer {
	s.tb.Helper()
	return s.send("POST", path, strings.NewReader(body), "Content-Type: application/json")
}

// into decodes the body of an answer that must have the given status.
func (a answer) into(tb testing.TB, status int, v any) {
	tb.Helper()
	if a.status != status {
		tb.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		tb.Fatalf("%v in %s", err, a.body)
	}
}

// problem checks that the answer is a problem of the given status and returns it.
func (a answer) problem(tb testing.TB, status int) problem.Problem {
	tb.Helper()
	if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
		tb.Errorf("content type %q, want application/problem+json", kind)
	}
	var p problem.Problem
	a.into(tb, status, &p)
	if p.Status != status || p.Title == "" || p.Detail == "" || !strings.HasPrefix(p.Type, "/api#problem-") {
		tb.Errorf("incomplete problem %+v", p)
	}
	return p
}

// file is a part of an upload.
type file struct {
	name    string
	content []byte
}

// form is the body of an upload and its content type.
func form(files ...file) (body *bytes.Buffer, kind string) {
	body = new(bytes.Buffer)
	w := multipart.NewWriter(body)
	for _, f := range files {
		part, err := w.CreateFormFile("file", f.name)
		if err != nil {
			panic(err)
		}
		if _, err := part.Write(f.content); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return body, w.FormDataContentType()
}

func (s *site) upload(project string, files ...file) answer {
	s.tb.Helper()
	body, kind := form(files...)
	return s.send("POST", "/api/v1/projects/"+project+"/images", body, "Content-Type: "+kind)
}

// project makes a project with the classes sky, sea and sand.
func (s *site) project() wire.Project {
	s.tb.Helper()
	var p wire.Project
	s.post("/api/v1/projects", `{"name":"Beach","classes":[{"name":"sky","color":"#112233"},{"name":"sea"},{"name":"sand"}],"rest":"nothing"}`).into(s.tb, http.StatusCreated, &p)
	for name, role := range s.team {
		s.join(p.ID, name, role)
	}
	return p
}

// photo makes a project with one picture in it.
func (s *site) photo() wire.Image {
	s.tb.Helper()
	var images []wire.Image
	s.upload(s.project().ID, file{"beach.png", picture()}).into(s.tb, http.StatusCreated, &images)
	return images[0]
}

// Size of the picture below and points in its three parts.
const (
	pictureWidth  = 120
	pictureHeight = 80
)

var (
	inSky  = image.Pt(10, 10)
	inSea  = image.Pt(100, 20)
	inSand = image.Pt(60, 75)
)

// picture is a PNG of three areas.
func picture() []byte { return sharedtest.Coast(pictureWidth, pictureHeight) }

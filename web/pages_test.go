package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/segment"
	"collie/static"
	"collie/storage/sqlite"
	"collie/web/wire"
)

// A damaged record of a project, or of an image of it, keeps nobody from the others.
func TestDamagedRecords(t *testing.T) {
	s := MustServe(t)
	good, bad, other := s.photo(), s.photo(), s.photo()
	s.send("PATCH", "/api/v1/projects/"+other.Project, strings.NewReader(`{"classes":[{"id":0,"name":"sky"},{"id":1,"name":"sea"}]}`)).into(t, http.StatusOK, new(any))
	s.damage("UPDATE project SET rest = 'by magic' WHERE id = '" + bad.Project + "'")
	s.damage("UPDATE image SET classes = x'0102' WHERE id = '" + other.ID + "'")
	for _, path := range []string{"/", "/trash", "/audit", "/api/v1/projects", "/api/v1/trash", "/projects/" + good.Project, "/images/" + good.ID} {
		if a := s.get(path); a.status != http.StatusOK {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	page := string(s.get("/").body)
	for project, listed := range map[string]bool{good.Project: true, other.Project: true, bad.Project: false} {
		if strings.Contains(page, "/projects/"+project) != listed {
			t.Errorf("%s is listed: %t", project, !listed)
		}
	}
	for _, path := range []string{"/api/v1/projects/" + bad.Project, "/api/v1/images/" + bad.ID, "/api/v1/images/" + other.ID} {
		if p := s.get(path).problem(t, http.StatusInternalServerError); !strings.Contains(p.Detail, "in the database can't be read") {
			t.Errorf("%s: %s", path, p.Detail)
		}
	}
}

func TestPages(t *testing.T) {
	s := MustServe(t)
	im, discarded := s.photo(), s.photo()
	if a := s.send("DELETE", "/api/v1/images/"+discarded.ID, nil); a.status != http.StatusNoContent {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for path, wants := range map[string][]string{
		"/":                       {"Beach", "/projects/" + im.Project, "/api/v1/images/" + im.ID + "/thumbnail"},
		"/projects/" + im.Project: {"Beach", `data-project="` + im.Project, "1 image", "sand"},
		"/images/" + im.ID:        {"beach.png", "/api/v1/images/" + im.ID + "/socket", "/api/v1/images/" + im.ID + "/superpixels.bin", `data-regions="`},
		"/trash":                  {"beach.png", "Image in Beach", `data-id="` + discarded.ID, "30 days left"},
		"/api":                    {"POST /api/v1/projects", "mask.png", `id="problem-conflict"`},
	} {
		a := s.get(path)
		if a.status != http.StatusOK || a.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d %s", path, a.status, a.header.Get("Content-Type"))
		}
		for _, want := range wants {
			if !strings.Contains(string(a.body), want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
		if inline.Match(a.body) {
			t.Errorf("%s has inline script or style, which the policy forbids: %s", path, inline.Find(a.body))
		}
	}
}

// On later visits the page is about the projects: a new one takes a line above them, and
// the existing sample is offered.
func TestStartPageOfReturningUsers(t *testing.T) {
	s := MustServe(t)
	places := func(words ...string) []int {
		t.Helper()
		page := string(s.get("/").body)
		var at []int
		for _, word := range words {
			at = append(at, strings.Index(page, word))
		}
		return at
	}
	if at := places(`id="drop"`, `id="projects-title"`, "Try the sample image"); slices.Min(at) < 0 || at[0] > at[1] {
		t.Errorf("a new user finds the drop zone, the projects and the sample at %d", at)
	}
	var made sampleJSON
	s.post("/api/v1/sample", "").into(t, 201, &made)
	if at := places(`<h1 class="projects-title"`, `class="drop drop-small"`, `id="projects"`, `data-open="/images/`+made.Images[0].ID+`"`, "Open the sample image"); slices.Min(at) < 0 || at[0] > at[1] || at[1] > at[2] {
		t.Errorf("a returning user finds the title, the drop zone, the projects and the sample at %d", at)
	}
	s.send("DELETE", "/api/v1/projects/"+made.ID, nil)
	if at := places("Try the sample image"); at[0] < 0 {
		t.Error("a sample in the trash is offered")
	}
}

// Where the sample photograph can't be added, no empty project is left.
func TestNoSampleWithoutPhotograph(t *testing.T) {
	t.Parallel()
	s := MustServe(t, func(c *Config, _ *sqlite.Store) { c.Workspace.LimitImages(0) })
	var projects []wire.Project
	s.post("/api/v1/sample", "").problem(t, http.StatusRequestEntityTooLarge)
	if s.get("/api/v1/projects").into(t, 200, &projects); len(projects) > 0 {
		t.Errorf("projects: %+v", projects)
	}
	var trashed []wire.TrashItem
	if s.get("/api/v1/trash").into(t, 200, &trashed); len(trashed) > 0 {
		t.Errorf("trash: %+v", trashed)
	}
}

var inline = regexp.MustCompile(`<style|\sstyle=|\son[a-z]+=|<script[^>]*>[^<]`)

// Every file that a page asks for exists.
func TestPagesFindTheirFiles(t *testing.T) {
	t.Parallel()
	s := MustServe(t)
	im := s.photo()
	links := regexp.MustCompile(`(?:src|href)="(/static/[^"]+)"`)
	types := map[string]string{
		".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".map": "application/json",
	}
	seen := map[string]bool{}
	check := func(address string) {
		if seen[address] {
			return
		}
		seen[address] = true
		a := s.get(address)
		if a.status != http.StatusOK {
			t.Errorf("%s: %d", address, a.status)
			return
		}
		if got, want := a.header.Get("Content-Type"), types[path.Ext(address)]; got != want {
			t.Errorf("%s is served as %q, want %q", address, got, want)
		}
		if got := a.header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control %q", address, got)
		}
	}
	for _, page := range []string{"/", "/projects/" + im.Project, "/images/" + im.ID, "/images/nope", "/trash", "/api"} {
		for _, m := range links.FindAllSubmatch(s.send("GET", page, nil, "Accept: text/html").body, -1) {
			check(string(m[1]))
			if strings.Contains(string(m[1]), "/pages/") {
				check(string(m[1]) + ".map")
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d files found: %v", len(seen), seen)
	}
}

// Browsers cache a file for good at the address with its digest, and only there.
func TestStaticVersions(t *testing.T) {
	s := MustServe(t)
	for address, want := range map[string]string{
		static.Address("ui/base.css"):          "public, max-age=31536000, immutable",
		"/static/0123456789abcdef/ui/base.css": "no-store",
	} {
		if a := s.get(address); a.status != http.StatusOK || a.header.Get("Cache-Control") != want || string(a.body) != string(static.Content("ui/base.css")) {
			t.Errorf("%s: %d, Cache-Control %q, want %q, and %d bytes", address, a.status, a.header.Get("Cache-Control"), want, len(a.body))
		}
	}
	for _, name := range []string{
		"ui/dom.test.js", "evidence/evidence.test.js", "package.json", "tsconfig.json", "README.md", "static.go",
		"node_modules/typescript/package.json", "testdata/messages.json", "ui", "ui/", "", "ui/../ui/base.css",
	} {
		if a := s.get("/static/" + static.Version() + "/" + name); a.status != http.StatusNotFound {
			t.Errorf("%q answers %d, want 404", name, a.status)
		}
	}
}

// Pages and their files are sent compressed, and decompress to the original.
func TestPagesArePacked(t *testing.T) {
	s := MustServe(t)
	for _, address := range []string{"/", static.Address("pages/annotate.js"), static.Address("pages/annotate.css"), static.Address("annotate/app.js"), static.Address("ui/favicon.svg")} {
		packed := s.send("GET", address, nil, "Accept-Encoding: gzip")
		plain := s.send("GET", address, nil, "Accept-Encoding: identity")
		if packed.header.Get("Content-Encoding") != "gzip" || plain.header.Get("Content-Encoding") != "" {
			t.Fatalf("%s: packed %q, plain %q", address, packed.header.Get("Content-Encoding"), plain.header.Get("Content-Encoding"))
		}
		if packed.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: Vary %q", address, packed.header.Get("Vary"))
		}
		z, err := gzip.NewReader(bytes.NewReader(packed.body))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(z); err != nil || !bytes.Equal(b, plain.body) {
			t.Errorf("%s unpacks to %d bytes, want the %d of the file, error %v", address, len(b), len(plain.body), err)
		}
	}
}

func TestProblemPages(t *testing.T) {
	s := MustServe(t)
	for _, path := range []string{"/nope", "/projects/nope", "/images/nope", "/static/nope.js", "/static/x/nope.js", "/static/"} {
		a := s.send("GET", path, nil, "Accept: text/html,*/*")
		if a.status != http.StatusNotFound || !strings.Contains(a.header.Get("Content-Type"), "text/html") || !strings.Contains(string(a.body), "All projects") {
			t.Errorf("%s: %d %s", path, a.status, a.header.Get("Content-Type"))
		}
	}
	s.send("GET", "/api/v1/nope", nil, "Accept: text/html").problem(t, http.StatusNotFound)
	a := s.send("POST", "/", nil)
	a.problem(t, http.StatusMethodNotAllowed)
	s.send("BREW", "/api/v1/health", nil).problem(t, http.StatusNotFound)
	if a := s.send("BREW", "/api/v1/projects", nil); !strings.Contains(a.problem(t, http.StatusMethodNotAllowed).Detail, "use GET, HEAD, POST.") {
		t.Errorf("%s", a.body)
	}
	if a.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("Allow: %q", a.header.Get("Allow"))
	}
	if a := s.send("POST", "/api/v1/projects/x/classes", nil); a.header.Get("Allow") != "GET, HEAD, PUT" {
		t.Errorf("Allow: %q", a.header.Get("Allow"))
	}
}

// BenchmarkAnnotatePage is what opening one of 50 images costs the server, from the
// request to the page, alone in their project and among many others.
func BenchmarkAnnotatePage(b *testing.B) {
	for _, all := range []int{50, 5000} {
		b.Run(fmt.Sprint("images=", all), func(b *testing.B) {
			s := MustServe(b, func(c *Config, _ *sqlite.Store) { b.Cleanup(c.Workspace.Learner().Start(b.Context())) })
			p := s.project()
			others := func() { // half of them; nobody opens them
				for range (all - 50) / 2 {
					im := segment.Image{ID: segment.NewID(), ProjectID: p.ID, Name: "other", Format: "png", Width: 9, Height: 9, Regions: 9, Created: time.Now()}
					if err := s.store.CreateImage(b.Context(), im, 0); err != nil {
						b.Fatal(err)
					}
				}
			}
			files := make([]file, 50)
			for i := range files {
				files[i] = file{fmt.Sprintf("%d.png", i), picture()}
			}
			var images []wire.Image
			others()
			s.upload(p.ID, files...).into(b, http.StatusCreated, &images)
			others()
			for i := 0; b.Loop(); i++ {
				w := httptest.NewRecorder()
				s.server.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), "GET", "http://localhost/images/"+images[i%len(images)].ID, nil))
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

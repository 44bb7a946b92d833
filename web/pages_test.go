package web

import (
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"
)

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
		"/trash":                  {"beach.png", "Image of Beach", `data-id="` + discarded.ID, "30 days left"},
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

var inline = regexp.MustCompile(`<style|\sstyle=|\son[a-z]+=|<script[^>]*>[^<]`)

// Every file that a page asks for is there.
func TestPagesFindTheirFiles(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	links := regexp.MustCompile(`(?:src|href)="(/static/[^"]+)"`)
	imports := regexp.MustCompile(`from '(\.[a-z./]+\.js)'`)
	seen := map[string]bool{}
	var check func(address string)
	check = func(address string) {
		if seen[address] {
			return
		}
		seen[address] = true
		a := s.get(address)
		if a.status != http.StatusOK {
			t.Errorf("%s: %d", address, a.status)
			return
		}
		if strings.HasSuffix(address, ".js") && a.header.Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("%s is served as %s", address, a.header.Get("Content-Type"))
		}
		if again := s.send("GET", address, nil, "If-None-Match: "+a.header.Get("ETag")); again.status != http.StatusNotModified {
			t.Errorf("%s asked again: %d, want 304", address, again.status)
		}
		for _, m := range imports.FindAllSubmatch(a.body, -1) {
			check(path.Join(path.Dir(address), string(m[1])))
		}
	}
	for _, page := range []string{"/", "/projects/" + im.Project, "/images/" + im.ID, "/images/nope", "/trash", "/api"} {
		for _, m := range links.FindAllSubmatch(s.send("GET", page, nil, "Accept: text/html").body, -1) {
			check(string(m[1]))
		}
	}
	if len(seen) < 8 {
		t.Errorf("only %d files found: %v", len(seen), seen)
	}
}

func TestProblemPages(t *testing.T) {
	s := MustServe(t)
	for _, path := range []string{"/nope", "/projects/nope", "/images/nope", "/static/nope.js", "/static/"} {
		a := s.send("GET", path, nil, "Accept: text/html,*/*")
		if a.status != http.StatusNotFound || !strings.Contains(a.header.Get("Content-Type"), "text/html") || !strings.Contains(string(a.body), "All projects") {
			t.Errorf("%s: %d %s", path, a.status, a.header.Get("Content-Type"))
		}
	}
	s.send("GET", "/api/v1/nope", nil, "Accept: text/html").problem(t, http.StatusNotFound)
	a := s.send("POST", "/", nil)
	a.problem(t, http.StatusMethodNotAllowed)
	if a.header.Get("Allow") != "GET" {
		t.Errorf("Allow: %q", a.header.Get("Allow"))
	}
}

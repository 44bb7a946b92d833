package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"collie/web/openapi"
)

// documented checks that what goes over the wire matches the document. All
// requests of the tests pass through it.
type documented struct {
	routes []documentedRoute
	c      *jsonschema.Compiler
	mu     sync.Mutex // a compiler is not safe for concurrent use
	made   map[string]*jsonschema.Schema
}

type documentedRoute struct {
	method, path string
	matches      *regexp.Regexp
	op           *openapi.Operation
}

var theDocument = sync.OnceValue(func() *documented {
	d := &documented{c: jsonschema.NewCompiler(), made: map[string]*jsonschema.Schema{}}
	d.c.AssertFormat()
	var doc openapi.Document
	if err := json.Unmarshal(apiDocument(), &doc); err != nil {
		panic(err)
	}
	for path, methods := range doc.Paths {
		pattern := regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), "[^/]+")
		for method, op := range methods {
			d.routes = append(d.routes, documentedRoute{strings.ToUpper(method), path, regexp.MustCompile("^" + pattern + "$"), op})
		}
	}
	var lax, strict any // of requests the server ignores fields that it doesn't know
	if err := errors.Join(json.Unmarshal(apiDocument(), &lax), json.Unmarshal(apiDocument(), &strict)); err != nil {
		panic(err)
	}
	if err := d.c.AddResource("mem:doc", lax); err != nil {
		panic(err)
	}
	closeObjects(strict)
	if err := d.c.AddResource("mem:strict", strict); err != nil {
		panic(err)
	}
	return d
})

// closeObjects makes schemas refuse unknown fields.
func closeObjects(node any) {
	switch n := node.(type) {
	case map[string]any:
		if _, ok := n["properties"].(map[string]any); ok && n["type"] == "object" {
			n["additionalProperties"] = false
		}
		for _, v := range n {
			closeObjects(v)
		}
	case []any:
		for _, v := range n {
			closeObjects(v)
		}
	}
}

// check returns how a request and its answer differ from the document.
func (d *documented) check(r *http.Request, sent []byte, a answer) error {
	i := slices.IndexFunc(d.routes, func(route documentedRoute) bool {
		return route.method == r.Method && route.matches.MatchString(r.URL.Path)
	})
	if i < 0 || a.status == http.StatusMethodNotAllowed {
		return nil // a page, or nothing that there is
	}
	route := d.routes[i]
	if a.status < 300 {
		for name := range r.URL.Query() {
			if !slices.ContainsFunc(route.op.Parameters, func(p openapi.Parameter) bool { return p.Name == name && p.In == "query" }) {
				return errors.New("the parameter " + name + " is not documented")
			}
		}
		if body := route.op.RequestBody; body != nil && sent != nil {
			kind := cmp.Or(r.Header.Get("Content-Type"), "application/json") // which programs can leave out
			if err := d.body(route, "mem:doc", "/requestBody", body.Content, kind, sent); err != nil {
				return errors.Join(errors.New("the request was accepted"), err)
			}
		}
	}
	status := strconv.Itoa(a.status)
	response, ok := route.op.Responses[status]
	if !ok {
		return errors.New("the status " + status + " is not documented")
	}
	at := "/responses/" + status
	if response.Ref != "" {
		at, response.Content = "#/components/responses/Problem", map[string]openapi.Media{"application/problem+json": {}}
	}
	if a.status == http.StatusNotModified {
		return nil
	}
	return d.body(route, "mem:strict", at, response.Content, a.header.Get("Content-Type"), a.body)
}

// body checks one body by a document; at is where its content is, within the call.
func (d *documented) body(route documentedRoute, doc, at string, content map[string]openapi.Media, contentType string, b []byte) error {
	if len(b) == 0 && len(content) == 0 {
		return nil
	}
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return err
	}
	group, _, _ := strings.Cut(kind, "/")
	switch _, ok := content[kind]; {
	case !ok && len(content[group+"/*"].Schema) > 0:
		return nil
	case !ok && kind == "multipart/byteranges":
		return nil
	case !ok:
		return errors.New("the media type " + kind + " is not documented")
	case !strings.HasSuffix(kind, "json") || len(b) > 1<<20:
		return nil
	}
	if !strings.HasPrefix(at, "#") {
		at = "#/paths/" + pointerToken(route.path) + "/" + strings.ToLower(route.method) + at
	}
	schema, err := d.schema(doc + at + "/content/" + pointerToken(kind) + "/schema")
	if err != nil {
		return err
	}
	documents := [][]byte{b}
	if kind == "application/x-ndjson" {
		documents = slices.Collect(bytes.Lines(b))
	}
	for _, document := range documents {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
		if err != nil {
			return err
		}
		if err := schema.Validate(v); err != nil {
			return err
		}
	}
	return nil
}

func (d *documented) schema(at string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s, ok := d.made[at]; ok {
		return s, nil
	}
	s, err := d.c.Compile(at)
	if err == nil {
		d.made[at] = s
	}
	return s, err
}

// Differences between the document and what is sent are detected.
func TestDifferencesFromTheDocument(t *testing.T) {
	get := func(path string) *http.Request {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://localhost"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	post := get("/api/v1/projects")
	post.Method = "POST"
	post.Header.Set("Content-Type", "application/json")
	as := func(status int, kind, body string) answer {
		return answer{status, http.Header{"Content-Type": {kind}}, []byte(body)}
	}
	const project = `{"id":"x","name":"x","rest":0,"learning":true,"classes":[],"created":"2026-01-02T03:04:05Z"}`
	for name, c := range map[string]struct {
		r    *http.Request
		sent string
		a    answer
		ok   bool
	}{
		"as documented":     {get("/api/v1/projects/x"), "", as(200, "application/json", project), true},
		"a problem":         {get("/api/v1/projects/x"), "", as(404, "application/problem+json", `{"type":"/api#x","title":"x","status":404,"detail":"x"}`), true},
		"a field too many":  {get("/api/v1/projects/x"), "", as(200, "application/json", strings.Replace(project, "{", `{"more":1,`, 1)), false},
		"a missing field":   {get("/api/v1/projects/x"), "", as(200, "application/json", strings.Replace(project, `"name":"x",`, "", 1)), false},
		"a mistyped field":  {get("/api/v1/projects/x"), "", as(200, "application/json", strings.Replace(project, `"name":"x"`, `"name":1`, 1)), false},
		"no time":           {get("/api/v1/projects/x"), "", as(200, "application/json", strings.Replace(project, "2026-01-02T03:04:05Z", "now", 1)), false},
		"another status":    {get("/api/v1/projects/x"), "", as(202, "application/json", project), false},
		"another type":      {get("/api/v1/projects/x"), "", as(200, "text/plain", "x"), false},
		"a parameter":       {get("/api/v1/projects/x?more=1"), "", as(200, "application/json", project), false},
		"a request":         {post, `{"name":"x"}`, as(201, "application/json", project), true},
		"a request with":    {post, `{"name":"x","more":1}`, as(201, "application/json", project), true},
		"a request without": {post, `{}`, as(201, "application/json", project), false},
		"a mistyped name":   {post, `{"name":1}`, as(201, "application/json", project), false},
	} {
		if err := theDocument().check(c.r, []byte(c.sent), c.a); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

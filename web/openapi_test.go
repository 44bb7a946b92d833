package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-chi/chi/v5"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"collie/segment/access"
	"collie/segment/export"
	"collie/web/openapi"
)

// pages are the routes for people, which the document leaves out.
var pages = []string{"/", "/projects/{id}", "/images/{id}", "/trash", "/audit", "/api", "/static/*", "/login", "/login/openid", "/login/openid/callback", "/logout", "/account", "/account/tokens", "/account/tokens/{id}/revoke", "/users", "/users/{id}/role", "/users/{id}/password", "/users/{id}/remove"}

func TestOpenAPIListsTheRoutes(t *testing.T) {
	s := MustServe(t)
	var routes []string
	err := chi.Walk(s.server.routes(), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if route = strings.TrimSuffix(route, "/"); route != "" && !slices.Contains(pages, route) {
			routes = append(routes, method+" "+route)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var doc openapi.Document
	s.get("/api/v1/openapi.json").into(t, http.StatusOK, &doc)
	for path, methods := range doc.Paths {
		var allowed []string
		for _, m := range apiMethods {
			if methods[strings.ToLower(m)] != nil {
				allowed = append(allowed, m)
			}
			if m == http.MethodGet && methods["get"] != nil {
				allowed = append(allowed, http.MethodHead)
			}
		}
		a := s.send("OPTIONS", path, nil) // whatever {id} is
		if a.problem(t, http.StatusMethodNotAllowed); a.header.Get("Allow") != strings.Join(allowed, ", ") {
			t.Errorf("%s allows %q, want %q", path, a.header.Get("Allow"), allowed)
		}
		if head := s.send("HEAD", path, nil); methods["get"] != nil && head.status == http.StatusMethodNotAllowed {
			t.Errorf("HEAD %s: %d, unlike GET", path, head.status)
		}
	}
	page := string(s.get("/api").body)
	var described []string
	ids := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			name := strings.ToUpper(method) + " " + path
			described = append(described, name)
			if op.Summary == "" || op.OperationID == "" || ids[op.OperationID] {
				t.Errorf("%s has no summary or no operationId of its own", name)
			}
			ids[op.OperationID] = true
			if !strings.Contains(page, "<h2><code>"+name+"</code></h2>") {
				t.Errorf("/api does not list %s", name)
			}
			for _, p := range op.Parameters {
				if p.Name == "" || p.Description == "" {
					t.Errorf("%s: the parameter %+v has no name or no description", name, p)
				}
			}
		}
	}
	slices.Sort(routes)
	slices.Sort(described)
	if diff := gocmp.Diff(routes, described); diff != "" {
		t.Errorf("routes (-) and document (+) differ:\n%s", diff)
	}
}

// interfaceDocument is the document as sent.
func interfaceDocument(tb testing.TB) map[string]any {
	tb.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(apiDocument()))
	if err != nil {
		tb.Fatal(err)
	}
	return v.(map[string]any)
}

// The document has the structure of OpenAPI 3.1, all its schemas are valid, and
// all references lead somewhere.
func TestDocumentIsOpenAPI(t *testing.T) {
	f, err := os.Open("testdata/openapi-3.1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	structure, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	doc := interfaceDocument(t)
	if err := errors.Join(c.AddResource("mem:structure", structure), c.AddResource("mem:doc", doc)); err != nil {
		t.Fatal(err)
	}
	valid := c.MustCompile("mem:structure")
	if err := valid.Validate(doc); err != nil {
		t.Error(err)
	}
	schemas := 0
	var walk func(at string, node any)
	walk = func(at string, node any) {
		switch n := node.(type) {
		case map[string]any:
			for key, v := range n {
				to := at + "/" + pointerToken(key)
				if key == "schema" || strings.HasSuffix(at, "/components/schemas") {
					schemas++
					if _, err := c.Compile("mem:doc#" + to); err != nil {
						t.Errorf("%s: %v", to, err)
					}
				}
				walk(to, v)
			}
		case []any:
			for i, v := range n {
				walk(at+"/"+strconv.Itoa(i), v)
			}
		}
	}
	walk("", doc)
	if schemas < 100 {
		t.Errorf("only %d schemas found", schemas)
	}

	// Documents that are not OpenAPI are rejected.
	for name, spoil := range map[string]func(doc map[string]any){
		"version":    func(d map[string]any) { d["openapi"] = "3.0.0" },
		"no title":   func(d map[string]any) { delete(d["info"].(map[string]any), "title") },
		"a typo":     func(d map[string]any) { d["pahts"] = d["paths"] },
		"no answers": func(d map[string]any) { delete(callIn(d, "/api/v1/projects", "get"), "responses") },
		"status": func(d map[string]any) {
			callIn(d, "/api/v1/projects", "get")["responses"].(map[string]any)["ok"] = map[string]any{"description": "x"}
		},
		"method": func(d map[string]any) {
			d["paths"].(map[string]any)["/api"] = map[string]any{"fetch": map[string]any{}}
		},
		"scheme": func(d map[string]any) {
			delete(d["components"].(map[string]any)["securitySchemes"].(map[string]any)["bearer"].(map[string]any), "scheme")
		},
		"no path": func(d map[string]any) { d["paths"].(map[string]any)["api"] = map[string]any{} },
		"parameter": func(d map[string]any) {
			callIn(d, "/api/v1/projects/{id}", "get")["parameters"].([]any)[0].(map[string]any)["in"] = "body"
		},
		"no describe": func(d map[string]any) {
			callIn(d, "/healthz", "get")["responses"] = map[string]any{"200": map[string]any{}}
		},
	} {
		spoilt := interfaceDocument(t)
		spoil(spoilt)
		if valid.Validate(spoilt) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Every way of signing in that the document refers to is described, and the calls
// open to everybody are exactly those that the server leaves open.
func TestSecurityOfTheDocument(t *testing.T) {
	doc := interfaceDocument(t)
	schemes := doc["components"].(map[string]any)["securitySchemes"].(map[string]any)
	for _, one := range doc["security"].([]any) {
		for name := range one.(map[string]any) {
			if schemes[name] == nil {
				t.Errorf("%s is not described", name)
			}
		}
	}
	for path, methods := range doc["paths"].(map[string]any) {
		for method, op := range methods.(map[string]any) {
			own, has := op.(map[string]any)["security"].([]any)
			free := rights[strings.ToUpper(method)+" "+path].statuses[0] != 401 && path != "/api/v1/images/{id}"
			if path == "/api/v1/session" { // says 401 itself, for those who have not signed in
				free = true
			}
			if has != free || len(own) > 0 {
				t.Errorf("%s %s: the document says open is %t, the matrix %t", method, path, has, free)
			}
		}
	}
}

func callIn(doc map[string]any, path, method string) map[string]any {
	return doc["paths"].(map[string]any)[path].(map[string]any)[method].(map[string]any)
}

func pointerToken(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(key)
}

func TestEnumsOfTheDocument(t *testing.T) {
	var formats []any
	for _, f := range export.Formats() {
		formats = append(formats, f.Name)
	}
	names := func(roles ...access.Role) (names []any) {
		for _, r := range roles {
			names = append(names, r.String())
		}
		return names
	}
	project := names(access.ProjectRoles()...)
	named := schemas().Named()
	for schema, want := range map[string][]any{
		"NewExport.format": formats, "Session.role": names(access.ServerRoles()...), "Member.role": project, "MemberRole.role": project,
		"Project.role": append(project, access.Admin.String()),
	} {
		name, field, _ := strings.Cut(schema, ".")
		if diff := gocmp.Diff(want, named[name]["properties"].(map[string]openapi.Schema)[field]["enum"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", schema, diff)
		}
	}
}

// Calls read the parameters in the document: an invalid value is refused by name.
func TestQueriesAreRead(t *testing.T) {
	t.Parallel()
	s := MustServe(t)
	im := s.photo()
	read := 0
	for route, c := range calls {
		method, path, _ := strings.Cut(route, " ")
		id := im.ID
		if strings.Contains(path, "/projects/") {
			id = im.Project
		}
		for _, q := range c.query {
			name := q.Parameter().Name
			body, kind := form(file{"x.png", picture()})
			a := s.send(method, strings.ReplaceAll(path, "{id}", id)+"?"+name+"=nonsense", body, "Content-Type: "+kind)
			if p := a.problem(t, http.StatusUnprocessableEntity); !strings.Contains(p.Detail, name+`="nonsense"`) {
				t.Errorf("%s: nonsense in %s is answered with %q", route, name, p.Detail)
			}
			read++
		}
	}
	if read < 13 {
		t.Errorf("only %d parameters found", read)
	}
}

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

func TestHealth(t *testing.T) {
	s := MustServe(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := s.get(path); a.status != http.StatusOK || string(a.body) != "ok\n" {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	s.server.Drain()
	s.get("/readyz").problem(t, http.StatusServiceUnavailable)
	if a := s.get("/api/v1/projects"); a.status != http.StatusOK {
		t.Errorf("projects while draining: %d", a.status)
	}
	s.server.Close()
	if a := s.get("/healthz"); a.status != http.StatusOK {
		t.Errorf("healthz while stopping: %d", a.status)
	}
	s.get("/readyz").problem(t, http.StatusServiceUnavailable)
}

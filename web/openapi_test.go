package web

import (
	"bytes"
	"errors"
	"html"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"collie/segment/access"
	"collie/segment/export"
	"collie/web/openapi"
)

// pages are the routes for people, which the document leaves out.
var pages = []string{"/", "/projects/{id}", "/images/{id}", "/trash", "/audit", "/api", "/static/*", "/login", "/login/openid", "/login/openid/callback", "/join", "/logout", "/account", "/account/tokens", "/account/tokens/{id}/revoke", "/users", "/users/{id}/role", "/users/{id}/invite", "/users/{id}/password", "/users/{id}/remove"}

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
	for path, described := range doc.Paths {
		var allowed []string
		for _, m := range methods {
			if described[strings.ToLower(m)] != nil {
				allowed = append(allowed, m)
			}
			if m == http.MethodGet && described["get"] != nil {
				allowed = append(allowed, http.MethodHead)
			}
		}
		a := s.send("OPTIONS", path, nil) // whatever {id} is
		if a.problem(t, http.StatusMethodNotAllowed); a.header.Get("Allow") != strings.Join(allowed, ", ") {
			t.Errorf("%s allows %q, want %q", path, a.header.Get("Allow"), allowed)
		}
		if head := s.send("HEAD", path, nil); described["get"] != nil && head.status == http.StatusMethodNotAllowed {
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

// The readable page has everything that the document says of bodies, and all its
// links lead somewhere.
func TestReadablePageOfTheDocument(t *testing.T) {
	s := MustServe(t)
	page := html.UnescapeString(string(s.get("/api").body))
	said := 0
	var walk func(node any)
	walk = func(node any) {
		switch n := node.(type) {
		case map[string]any:
			if text, ok := n["description"].(string); ok && n["type"] != "http" && n["type"] != "apiKey" {
				if said++; !strings.Contains(page, text) {
					t.Errorf("/api doesn't say %q", text)
				}
			}
			for _, v := range n {
				walk(v)
			}
		case []any:
			for _, v := range n {
				walk(v)
			}
		}
	}
	doc := interfaceDocument(t)
	walk(doc["components"].(map[string]any)["schemas"])
	for _, methods := range doc["paths"].(map[string]any) {
		for _, op := range methods.(map[string]any) {
			walk(op.(map[string]any)["requestBody"])
			walk(op.(map[string]any)["parameters"])
		}
	}
	if said < 150 {
		t.Errorf("only %d descriptions found", said)
	}
	for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, ` id="`+link[1]+`"`) {
			t.Errorf("a link leads to #%s, which doesn't exist", link[1])
		}
	}
	for _, want := range []string{"default 20", "from 1 to 10000", `"instance"`, `list of <a href="#type-Repair">Repair</a>`} {
		if !strings.Contains(page, want) {
			t.Errorf("/api has no %s", want)
		}
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
		"NewExport.format": formats, "Session.role": names(access.ServerRoles()...), "Member.role": project, "NewMember.role": project,
		"Project.role": append(project, access.Admin.String()),
	} {
		name, field, _ := strings.Cut(schema, ".")
		if diff := gocmp.Diff(want, named[name]["properties"].(map[string]openapi.Schema)[field]["enum"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", schema, diff)
		}
	}
}

// Generators of clients name the type of a field without a name of its own by schema and
// field, so that MemberRole was both a schema and the role of a Member.
func TestNamesForGenerators(t *testing.T) {
	named := schemas().Named()
	for name, schema := range named {
		fields, _ := schema["properties"].(map[string]openapi.Schema)
		for field, of := range fields {
			var made strings.Builder
			for word := range strings.SplitSeq(field, "_") {
				made.WriteString(strings.ToUpper(word[:1]) + word[1:])
			}
			if _, taken := named[name+made.String()]; taken && of["$ref"] == nil {
				t.Errorf("the field %s of %s and the schema %s have one name", field, name, name+made.String())
			}
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

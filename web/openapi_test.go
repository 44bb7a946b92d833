package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"

	"collie/segment/export"
)

// pages are the routes for people, which openapi.json leaves out.
var pages = []string{"/", "/projects/{id}", "/images/{id}", "/trash", "/api", "/static/*", "/login", "/logout", "/account", "/users", "/users/{id}/role", "/users/{id}/password", "/users/{id}/remove"}

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
	var doc struct {
		OpenAPI string                               `json:"openapi"`
		Paths   map[string]map[string]map[string]any `json:"paths"`
	}
	s.get("/api/v1/openapi.json").into(t, http.StatusOK, &doc)
	var described []string
	ids := map[any]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			described = append(described, strings.ToUpper(method)+" "+path)
			if op["summary"] == nil || ids[op["operationId"]] {
				t.Errorf("%s %s has no summary or no operationId of its own", method, path)
			}
			ids[op["operationId"]] = true
		}
	}
	slices.Sort(routes)
	slices.Sort(described)
	if diff := cmp.Diff(routes, described); diff != "" {
		t.Errorf("routes (-) and openapi.json (+) differ:\n%s", diff)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("version %s", doc.OpenAPI)
	}
}

// Every $ref of the document leads somewhere, and its schemas have the fields
// of the types that are sent.
func TestOpenAPISchemas(t *testing.T) {
	var doc any
	if err := json.Unmarshal(openAPIDocument, &doc); err != nil {
		t.Fatal(err)
	}
	at := func(ref string) any {
		node := doc
		for _, key := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			m, _ := node.(map[string]any)
			node = m[key]
		}
		return node
	}
	var walk func(node any)
	walk = func(node any) {
		switch n := node.(type) {
		case map[string]any:
			if ref, ok := n["$ref"].(string); ok && at(ref) == nil {
				t.Errorf("%s leads nowhere", ref)
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
	walk(doc)

	hypothesis := number(1)
	for name, v := range map[string]any{
		"Project": projectJSON{Deleted: []deletedClassJSON{{}}}, "Class": classJSON{}, "DeletedClass": deletedClassJSON{},
		"TrashItem": trashJSON{}, "Repair": repairJSON{}, "LoggedRepair": loggedRepairJSON{Runs: []int32{1}}, "Image": imageJSON{Doubt: new(float64)}, "FailedFile": failedFileJSON{}, "Hypothesis": hypothesisJSON{},
		"Hypotheses": hypothesesJSON{Detail: "x"}, "Seq": seqJSON{}, "Problem": problem{Seq: hypothesis, Files: []failedFileJSON{{}}, InUse: map[uint8]int{1: 1}, Project: &projectJSON{}},
		"NewEvent": evidenceJSON{ID: "x", ExpectedSeq: hypothesis, Kind: "x", Superpixels: []int32{1}, Points: [][2]float64{{}}, Map: "x", Class: hypothesis, Hypothesis: &pickJSON{}, Regions: hypothesis, Repairs: []repairJSON{{}}, To: hypothesis},
		"Event":    eventJSON{Superpixels: []int32{1}, Points: [][2]float64{{}}, Class: hypothesis, Hypothesis: &pickJSON{}, Regions: 2, By: "x", Labels: []byte{1}, Repairs: []loggedRepairJSON{{}}, To: hypothesis, About: 1, Count: 1},
		"Evidence": evidenceListJSON{More: true},
		"Import":   importJSON{}, "ImportedImage": importedImageJSON{Image: "x", Added: true, Seq: 1, Regions: 1, Decided: 1, Lossy: []string{"x"}, Problem: "x"},
		"Pick":      pickJSON{Digest: "x"},
		"Session":   sessionJSON{Token: "x", Expires: &time.Time{}},
		"NewExport": exportBody{}, "Export": export.Status{Problem: "x", Bytes: 1, Report: &export.Report{}},
		"ExportReport":  export.Report{Files: []export.FileReport{{}}},
		"ExportOptions": export.Options{Images: []string{""}, Drafts: new(bool), Undecided: "x", Pictures: new(bool), Objects: "x", Shapes: "x", Background: new(bool), Hypotheses: 1},
	} {
		var sent map[string]any
		if err := json.Unmarshal(encode(v), &sent); err != nil {
			t.Fatal(err)
		}
		schema, _ := at("#/components/schemas/" + name + "/properties").(map[string]any)
		if diff := cmp.Diff(keys(sent), keys(schema)); diff != "" {
			t.Errorf("%s: fields sent (-) and described (+) differ:\n%s", name, diff)
		}
	}
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func TestHealth(t *testing.T) {
	s := MustServe(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := s.get(path); a.status != http.StatusOK || string(a.body) != "ok\n" {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	s.server.Close()
	if a := s.get("/healthz"); a.status != http.StatusOK {
		t.Errorf("healthz while stopping: %d", a.status)
	}
	s.get("/readyz").problem(t, http.StatusServiceUnavailable)
}

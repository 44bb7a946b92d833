package web

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// openapi.json describes /api/v1 for programs, api.html shows it to people.
var (
	//go:embed openapi.json
	openAPIDocument []byte
	//go:embed api.html
	apiPageSource string
	apiTemplate   = template.Must(template.New("api").Parse(apiPageSource))
)

// apiCall is one line of the readable page.
type apiCall struct {
	Method, Path, Summary, Description string
	Parameters                         []apiParameter
}

type apiParameter struct {
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description"`
}

// apiMethods is the order in which the calls of one address are shown.
var apiMethods = []string{"get", "post", "patch", "delete"}

// apiCalls reads the calls out of openapi.json, by address.
var apiCalls = sync.OnceValues(func() ([]apiCall, error) {
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(openAPIDocument, &doc); err != nil {
		return nil, err
	}
	var calls []apiCall
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range apiMethods {
			raw, ok := doc.Paths[path][method]
			if !ok {
				continue
			}
			var op struct {
				Summary     string         `json:"summary"`
				Description string         `json:"description"`
				Parameters  []apiParameter `json:"parameters"`
			}
			if err := json.Unmarshal(raw, &op); err != nil {
				return nil, err
			}
			calls = append(calls, apiCall{strings.ToUpper(method), path, op.Summary, op.Description, op.Parameters})
		}
	}
	return calls, nil
})

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(openAPIDocument); err != nil {
		s.log.Debug("answer not sent", "error", err)
	}
	return nil
}

// apiPage shows the calls to people.
func (s *Server) apiPage(w http.ResponseWriter, _ *http.Request) error {
	calls, err := apiCalls()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := apiTemplate.Execute(&b, map[string]any{"Calls": calls, "Problems": problemKinds}); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if _, err := w.Write(b.Bytes()); err != nil {
		s.log.Debug("page not sent", "error", err)
	}
	return nil
}

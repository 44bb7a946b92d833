package web

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"collie/static"
	"collie/web/openapi"
	"collie/web/problem"
)

// api.html is the readable page of the OpenAPI document.
var (
	//go:embed api.html
	apiPageSource string
	apiTemplate   = template.Must(template.New("api").Funcs(template.FuncMap{
		"address": static.Address, "type": typeOf, "fields": fieldsOf, "success": success,
	}).Parse(apiPageSource))
)

// apiCall is one call on the readable page.
type apiCall struct {
	Method, Path string
	*openapi.Operation
}

// callsOf are all calls of the document by address.
func callsOf(doc *openapi.Document) []apiCall {
	var all []apiCall
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range methods {
			if op := doc.Paths[path][strings.ToLower(method)]; op != nil {
				all = append(all, apiCall{method, path, op})
			}
		}
	}
	return all
}

// success is the answer of a call that didn't fail, the first of several.
func success(op *openapi.Operation) map[string]openapi.Media {
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		if strings.HasPrefix(status, "2") {
			return op.Responses[status].Content
		}
	}
	return nil
}

// field is a value in a JSON object.
type field struct {
	Name     string
	Schema   openapi.Schema
	Required bool
}

// fieldsOf are the fields of an object, of the items of a list, or of the first
// alternative that has any, if it has no name of its own.
func fieldsOf(schema openapi.Schema) []field {
	if items, ok := schema["items"].(map[string]any); ok {
		return fieldsOf(items)
	}
	alternatives, _ := schema["oneOf"].([]any)
	for _, one := range alternatives {
		if fields := fieldsOf(one.(map[string]any)); fields != nil {
			return fields
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	var fields []field
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		fields = append(fields, field{name, properties[name].(map[string]any), slices.Contains(required, any(name))})
	}
	return fields
}

// typeOf says in a few words what values a schema takes. Names lead to the type.
func typeOf(schema openapi.Schema) template.HTML {
	if ref, ok := schema["$ref"].(string); ok {
		name := template.HTMLEscapeString(path.Base(ref))
		return template.HTML(`<a href="#type-` + name + `">` + name + `</a>`)
	}
	join := func(values []any, word string, show func(any) string) template.HTML {
		var shown []string
		for _, v := range values {
			shown = append(shown, show(v))
		}
		return template.HTML(strings.Join(shown, word))
	}
	inner := func(v any) string { return string(typeOf(v.(map[string]any))) }
	literal := func(v any) string {
		b, _ := json.Marshal(v) // which a schema has been made of
		return "<code>" + template.HTMLEscapeString(string(b)) + "</code>"
	}
	if values, ok := schema["enum"].([]any); ok {
		return join(values, ", ", literal)
	}
	if alternatives, ok := schema["oneOf"].([]any); ok {
		return join(alternatives, " or ", inner)
	}
	if items, ok := schema["items"]; ok {
		return template.HTML("list of " + inner(items))
	}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		return template.HTML("object with values " + inner(values))
	}
	kind, _ := schema["type"].(string)
	low, high := schema["minimum"], schema["maximum"]
	switch {
	case kind == "":
		return "any value"
	case low != nil && high != nil:
		kind += fmt.Sprintf(" from %v to %v", low, high)
	case low != nil:
		kind += fmt.Sprintf(" from %v", low)
	case schema["contentEncoding"] != nil:
		kind += ", base64"
	case schema["contentMediaType"] != nil:
		kind = "file"
	case schema["format"] != nil:
		kind += fmt.Sprintf(", %v", schema["format"])
	}
	return template.HTML(template.HTMLEscapeString(kind))
}

// reference is the page: the document never changes while a program runs.
var reference = sync.OnceValues(func() ([]byte, error) {
	var doc openapi.Document
	document := json.NewDecoder(bytes.NewReader(apiDocument()))
	document.UseNumber()
	if err := document.Decode(&doc); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err := apiTemplate.Execute(&b, map[string]any{"Calls": callsOf(&doc), "Types": doc.Components.Schemas, "Problems": problem.Kinds})
	return b.Bytes(), err
})

// apiPage shows the calls to people.
func (s *Server) apiPage(w http.ResponseWriter, _ *http.Request) error {
	page, err := reference()
	if err != nil {
		return err
	}
	s.answers.Bytes(w, http.StatusOK, "text/html; charset=utf-8", page)
	return nil
}

// Package query is the parameters in the query of a call's address: how each is
// read from a request, and how the interface describes it.
package query

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"collie/segment"
	"collie/web/openapi"
)

// Parameter is a parameter of any kind.
type Parameter interface{ Parameter() openapi.Parameter }

// Int is an integer in the query.
type Int struct {
	Name      string
	Fallback  int // when it is absent
	Low, High int // bounds; a fallback outside means that it has no default
	Doc       string
}

// Of reads the number from a request.
func (q Int) Of(r *http.Request) (int, error) {
	text := r.URL.Query().Get(q.Name)
	if text == "" {
		return q.Fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < q.Low || n > q.High {
		return 0, segment.Errorf(segment.Invalid, "The query value %s=%q must be a whole number from %d to %d.", q.Name, text, q.Low, q.High)
	}
	return n, nil
}

// Parameter describes the parameter.
func (q Int) Parameter() openapi.Parameter {
	schema := openapi.Schema{"type": "integer", "minimum": q.Low, "maximum": q.High}
	if q.Fallback >= q.Low && q.Fallback <= q.High {
		schema["default"] = q.Fallback
	}
	return openapi.Parameter{Name: q.Name, In: "query", Description: q.Doc, Schema: schema}
}

// Word is one of a few words in the query; the first is the default.
type Word struct {
	Name  string
	Words []string
	Doc   string
}

// Of reads the word from a request.
func (q Word) Of(r *http.Request) (string, error) {
	text := r.URL.Query().Get(q.Name)
	switch {
	case text == "":
		return q.Words[0], nil
	case slices.Contains(q.Words, text):
		return text, nil
	}
	return "", segment.Errorf(segment.Invalid, "The query value %s=%q is unknown; use one of %s.", q.Name, text, strings.Join(q.Words, ", "))
}

// Parameter describes the parameter.
func (q Word) Parameter() openapi.Parameter {
	return openapi.Parameter{Name: q.Name, In: "query", Description: q.Doc, Schema: openapi.Schema{"type": "string", "enum": q.Words, "default": q.Words[0]}}
}

// ID is the id of a thing in the query, which can be absent.
type ID struct{ Name, Doc string }

// idPattern matches what segment.NewID makes.
const idPattern = "^[a-z2-7]{26}$"

var idExpression = regexp.MustCompile(idPattern)

// Of reads the id from a request; empty if it is absent.
func (q ID) Of(r *http.Request) (string, error) {
	id := r.URL.Query().Get(q.Name)
	if id != "" && !idExpression.MatchString(id) {
		return "", segment.Errorf(segment.Invalid, "The query value %s=%q must be an id of 26 letters and digits, as other calls return it.", q.Name, id)
	}
	return id, nil
}

// Parameter describes the parameter.
func (q ID) Parameter() openapi.Parameter {
	return openapi.Parameter{Name: q.Name, In: "query", Description: q.Doc, Schema: openapi.Schema{"type": "string", "pattern": idPattern}}
}

// Numbers is a list of numbers in the query.
type Numbers struct {
	Name string
	Most int // how many
	Doc  string
}

// Of reads the numbers from a request, ascending and each once.
func (q Numbers) Of(r *http.Request) ([]int32, error) {
	text := r.URL.Query().Get(q.Name)
	if text == "" {
		return nil, segment.Errorf(segment.Invalid, "The query value %s is missing; send whole numbers separated by commas, such as %s=3,14.", q.Name, q.Name)
	}
	var out []int32
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(part, 10, 32)
		if err != nil || len(out) == q.Most {
			return nil, segment.Errorf(segment.Invalid, "The query value %s=%q must be whole numbers separated by commas, up to %d of them.", q.Name, part, q.Most)
		}
		out = append(out, int32(n))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Parameter describes the parameter.
func (q Numbers) Parameter() openapi.Parameter {
	return openapi.Parameter{Name: q.Name, In: "query", Description: q.Doc, Required: true, Schema: openapi.Schema{"type": "string"}}
}

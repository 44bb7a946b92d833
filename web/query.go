package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"collie/web/openapi"
)

// intQuery is an integer in the query.
type intQuery struct {
	name      string
	fallback  int // when it is absent
	low, high int // bounds; a fallback outside means that there is no default
	doc       string
}

// of reads the number from a request.
func (q intQuery) of(r *http.Request) (int, error) {
	text := r.URL.Query().Get(q.name)
	if text == "" {
		return q.fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < q.low || n > q.high {
		return 0, invalid("The query value %s=%q must be a whole number from %d to %d.", q.name, text, q.low, q.high)
	}
	return n, nil
}

func (q intQuery) parameter() openapi.Parameter {
	schema := openapi.Schema{"type": "integer", "minimum": q.low, "maximum": q.high}
	if q.fallback >= q.low && q.fallback <= q.high {
		schema["default"] = q.fallback
	}
	return openapi.Parameter{Name: q.name, In: "query", Description: q.doc, Schema: schema}
}

// wordQuery is one of a few words in the query; the first is the default.
type wordQuery struct {
	name  string
	words []string
	doc   string
}

// of reads the word from a request.
func (q wordQuery) of(r *http.Request) (string, error) {
	text := r.URL.Query().Get(q.name)
	switch {
	case text == "":
		return q.words[0], nil
	case slices.Contains(q.words, text):
		return text, nil
	}
	return "", invalid("The query value %s=%q is unknown; use %s.", q.name, text, strings.Join(q.words, " or "))
}

func (q wordQuery) parameter() openapi.Parameter {
	return openapi.Parameter{Name: q.name, In: "query", Description: q.doc, Schema: openapi.Schema{"type": "string", "enum": q.words, "default": q.words[0]}}
}

// numbersQuery is a list of numbers in the query.
type numbersQuery struct {
	name string
	most int
	doc  string
}

// of reads the numbers from a request, ascending and each once.
func (q numbersQuery) of(r *http.Request) ([]int32, error) {
	text := r.URL.Query().Get(q.name)
	if text == "" {
		return nil, invalid("The query value %s is missing; send whole numbers separated by commas, such as %s=3,14.", q.name, q.name)
	}
	var out []int32
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(part, 10, 32)
		if err != nil || len(out) == q.most {
			return nil, invalid("The query value %s=%q must be whole numbers separated by commas, up to %d of them.", q.name, part, q.most)
		}
		out = append(out, int32(n))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (q numbersQuery) parameter() openapi.Parameter {
	return openapi.Parameter{Name: q.name, In: "query", Description: q.doc, Required: true, Schema: openapi.Schema{"type": "string"}}
}

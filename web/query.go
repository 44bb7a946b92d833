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

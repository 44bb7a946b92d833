package web

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"collie/segment"
	"collie/web/openapi"
)

// decodeBody reads the JSON object in the body of r into v. Fields that v does
// not have are ignored, so that newer clients can talk to older servers.
func decodeBody(r *http.Request, v any) error {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return brokenBody(err)
	}
	return decodeJSON(b, v)
}

// brokenBody says why a body can't be read.
func brokenBody(err error) error {
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		return err
	}
	return badRequest("The body of the request did not arrive complete. Nothing was changed.")
}

// decodeJSON reads one JSON object into v and says what is wrong with it: text
// that is no JSON is a bad request, a value of the wrong type is invalid and
// named.
func decodeJSON(b []byte, v any) error {
	if trimmed := strings.TrimLeft(string(b[:min(len(b), 64)]), " \t\r\n"); trimmed == "" {
		return badRequest("A JSON object is expected, and there is nothing. Nothing was changed.")
	}
	err := json.Unmarshal(b, v)
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case err == nil || segment.KindOf(err) != 0: // the latter says what is wrong with a field
		return err
	case errors.As(err, &syntax):
		return badRequest("The JSON has a mistake at byte %d: %s. Nothing was changed.", syntax.Offset, syntax.Error())
	case errors.As(err, &mismatch):
		field := strings.ReplaceAll(mismatch.Field, "evidenceJSON.", "")
		if field == "" {
			return invalid("The JSON is a %s where an object is expected. Nothing was changed.", mismatch.Value)
		}
		return invalid("The field %q cannot be a %s; it must be %s. Nothing was changed.", field, mismatch.Value, kindText(mismatch))
	}
	return badRequest("The JSON cannot be read: %s. Nothing was changed.", err)
}

// kindText names what a field can hold, in words of JSON.
func kindText(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "int", "int32", "int64", "uint8", "uint32":
		return "a whole number in range"
	case "float64":
		return "a number"
	case "string":
		return "a string"
	case "slice", "array":
		return "a list"
	case "bool":
		return "true or false"
	}
	return "an object"
}

// intQuery is a whole number of the query.
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

// wordQuery is one of a few words of the query; the first is the default.
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
	return "", invalid("The query value %s=%q is not known; it can be %s.", q.name, text, strings.Join(q.words, " or "))
}

func (q wordQuery) parameter() openapi.Parameter {
	return openapi.Parameter{Name: q.name, In: "query", Description: q.doc, Schema: openapi.Schema{"type": "string", "enum": q.words, "default": q.words[0]}}
}

// event turns what a client sent into an event of the domain and the number of
// events that the client had seen.
func (e *evidenceJSON) event() (segment.Event, int, error) {
	ev := segment.Event{ID: e.ID, Kind: segment.EventKind(e.Kind), Map: e.Map, Superpixels: e.Superpixels, Points: e.Points}
	if e.ID == "" {
		return ev, 0, invalid("The field \"id\" is missing: every event needs an id of its own, made by the client, so that a repeat is stored once. Nothing was changed.")
	}
	if e.ExpectedSeq == nil {
		return ev, 0, invalid("The field \"expected_seq\" is missing: the number of events of the image that the client has seen. Nothing was changed.")
	}
	switch ev.Kind {
	case segment.Label:
		if e.Class == nil {
			return ev, 0, invalid("The field \"class\" is missing: a label event says which class. Nothing was changed.")
		}
		ev.Class = *e.Class
	case segment.Pixels:
		for i, r := range e.Repairs {
			if r.Class == nil || *r.Class < 0 || *r.Class > segment.Void {
				return ev, 0, invalid("The field \"class\" of repair %d is missing or is no id of a class, 0 to 254, and not 255 for undecided either. Nothing was changed.", i)
			}
			ev.Repairs = append(ev.Repairs, segment.Repair{Class: uint8(*r.Class), Runs: r.Runs})
		}
	case segment.Granularity:
		if e.Regions == nil {
			return ev, 0, invalid("The field \"regions\" is missing: a granularity event says how many superpixels are wanted. Nothing was changed.")
		}
		ev.Regions = *e.Regions
	case segment.Restore:
		if e.To == nil {
			return ev, 0, invalid("The field \"to\" is missing: a restore event says after which event the state was that is wanted. Nothing was changed.")
		}
		ev.To = *e.To
	case segment.Accept:
		if e.Hypothesis == nil {
			return ev, 0, invalid("The field \"hypothesis\" is missing: an accept event says which one, as {\"rank\": 0, \"digest\": \"…\"}. Nothing was changed.")
		}
		ev.Pick = &segment.Pick{Rank: e.Hypothesis.Rank, Digest: e.Hypothesis.Digest}
	}
	return ev, *e.ExpectedSeq, nil
}

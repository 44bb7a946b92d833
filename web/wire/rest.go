package wire

import (
	"bytes"
	"encoding/json"

	"collie/segment"
	"collie/web/openapi"
)

// Rest is what unclicked regions become: the index of a class, null for
// undecided, or a word. Its value has the index in place of the class id, and
// is nil if a request doesn't have the field.
type Rest struct{ Value *segment.Rest }

// IsZero reports whether there is no value.
func (r Rest) IsZero() bool { return r.Value == nil }

// MarshalJSON writes the value, which must not be nil.
func (r Rest) MarshalJSON() ([]byte, error) {
	switch r.Value.Mode {
	case segment.RestClass:
		return json.Marshal(r.Value.Class)
	case segment.RestUndecided:
		return []byte("null"), nil
	}
	return json.Marshal(r.Value.String())
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Rest) UnmarshalJSON(text []byte) error {
	r.Value = new(segment.Rest)
	if string(text) == "null" {
		r.Value.Mode = segment.RestUndecided
		return nil
	}
	err := r.Value.UnmarshalText(bytes.Trim(text, `"`))
	if number := text[0] != '"'; err != nil || number != (r.Value.Mode == segment.RestClass) {
		return segment.Errorf(segment.Invalid, "The field \"rest\" is %.40s; use the index of a class, null for undecided, \"undecided-first\" or \"nothing\". Nothing was changed.", text)
	}
	return nil
}

// JSONSchema describes it.
func (Rest) JSONSchema() openapi.Schema {
	return openapi.Schema{
		"description": "what nobody clicks: the index of a class, null for undecided, undecided-first for undecided while only one class has evidence (clicks, boxes, scores), or nothing when every class gets some",
		"oneOf": []openapi.Schema{
			{"type": "integer", "minimum": 0, "maximum": segment.MaxClasses - 1},
			{"type": "null"},
			{"enum": []any{segment.Rest{Mode: segment.RestFirst}.String(), segment.Rest{}.String()}},
		},
	}
}

// RestOf returns the rest of a project.
func RestOf(p *segment.Project) Rest {
	rest := p.PresentRest()
	if rest.Mode == segment.RestClass {
		rest.Class = uint8(p.Index(rest.Class))
	}
	return Rest{&rest}
}

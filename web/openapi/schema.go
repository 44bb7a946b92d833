package openapi

import (
	"cmp"
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Schema is a JSON Schema (draft 2020-12), as OpenAPI 3.1 uses them.
type Schema map[string]any

// File is the content of a file in a form.
type File []byte

// OneOf is a value of one of the types of its elements.
type OneOf []any

// List is a list whose items have the schema of Item, for items without a Go
// type.
type List struct{ Item any }

// Schemas derives schemas from Go types. They follow encoding/json; two tags of
// a field add the rest:
//
//	doc:"what it is"
//	schema:"required,min=0,max=254"
//
// The options of a schema are required and optional (by default a field is
// required unless it has omitempty or omitzero), min, max, minLength,
// maxLength, minItems, maxItems, pattern, format, const, enum=a|b|c, media (the type of
// content in a string) and or (an alternative type). A pointer without options
// and without omitempty can be null.
type Schemas struct {
	names map[reflect.Type]string
	made  map[string]Schema
}

// NewSchemas returns schemas that refer to the types of the given values by
// name.
func NewSchemas(named map[string]any) *Schemas {
	s := &Schemas{names: map[reflect.Type]string{}, made: map[string]Schema{}}
	for name, v := range named {
		s.names[reflect.TypeOf(v)] = name
	}
	for t, name := range s.names {
		s.made[name] = s.structure(t)
	}
	return s
}

// Named returns the schemas of the named types, by name.
func (s *Schemas) Named() map[string]Schema { return maps.Clone(s.made) }

// Of returns the schema of values like v: of its type, or as [OneOf] and [List]
// describe.
func (s *Schemas) Of(v any) Schema {
	switch v := v.(type) {
	case nil:
		return Schema{}
	case OneOf:
		all := make([]Schema, len(v))
		for i, one := range v {
			all[i] = s.Of(one)
		}
		return Schema{"oneOf": all}
	case List:
		return Schema{"type": "array", "items": s.Of(v.Item)}
	}
	return s.of(reflect.TypeOf(v))
}

// Describer is a type that describes its JSON itself.
type Describer interface{ JSONSchema() Schema }

var (
	describer = reflect.TypeFor[Describer]()

	timeType = reflect.TypeFor[time.Time]()
	fileType = reflect.TypeFor[File]()
	textType = reflect.TypeFor[encoding.TextMarshaler]()
)

func (s *Schemas) of(t reflect.Type) Schema {
	if name, ok := s.names[t]; ok {
		return Schema{"$ref": "#/components/schemas/" + name}
	}
	switch {
	case t.Implements(describer) && t.Kind() != reflect.Pointer:
		return reflect.Zero(t).Interface().(Describer).JSONSchema()
	case t == timeType:
		return Schema{"type": "string", "format": "date-time"}
	case t == fileType:
		return Schema{"type": "string", "contentMediaType": "application/octet-stream"}
	}
	if t.Implements(textType) {
		return Schema{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.String:
		return Schema{"type": "string"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return Schema{"type": "integer"}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return Schema{"type": "integer", "minimum": 0, "maximum": uint64(1)<<t.Bits() - 1}
	case reflect.Float64:
		return Schema{"type": "number"}
	case reflect.Interface:
		return Schema{}
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return Schema{"type": "string", "contentEncoding": "base64"}
		}
		return Schema{"type": "array", "items": s.of(t.Elem())}
	case reflect.Array:
		return Schema{"type": "array", "items": s.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return Schema{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.structure(t)
	}
	panic(fmt.Sprintf("openapi: no schema for %v", t))
}

// structure is the schema of a struct, whether or not it has a name.
func (s *Schemas) structure(t reflect.Type) Schema {
	properties, required := map[string]Schema{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" || !f.IsExported() || name == "-" {
			continue // the fields of an embedded struct are visible themselves
		}
		name = cmp.Or(name, f.Name)
		property, needed := s.field(f, !strings.Contains(rest, "omit"))
		properties[name] = property
		if needed {
			required = append(required, name)
		}
	}
	schema := Schema{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// field is the schema of a field and whether it is required.
func (s *Schemas) field(f reflect.StructField, always bool) (schema Schema, required bool) {
	schema, required = s.of(f.Type), always
	null := f.Type.Kind() == reflect.Pointer && always
	for option := range strings.SplitSeq(f.Tag.Get("schema"), ",") {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "":
		case "required", "optional":
			required, null = key == "required", false
		case "min", "max":
			schema[key+"imum"] = number(f, value)
		case "minLength", "maxLength", "minItems", "maxItems":
			schema[key] = number(f, value)
		case "pattern", "const", "format":
			schema[key] = value
		case "media":
			schema["contentMediaType"] = value
		case "enum":
			schema[key] = enumerated(schema, f, strings.Split(value, "|"))
		case "or":
			schema = Schema{"oneOf": []Schema{schema, {"type": value}}}
		default:
			panic(fmt.Sprintf("openapi: field %s has the option %q", f.Name, option))
		}
	}
	if null {
		schema = Schema{"oneOf": []Schema{schema, {"type": "null"}}}
	}
	if doc := f.Tag.Get("doc"); doc != "" {
		schema["description"] = doc
	}
	return schema, required
}

// enumerated returns the values of an enum in the schema's type.
func enumerated(schema Schema, f reflect.StructField, words []string) []any {
	values := make([]any, len(words))
	for i, w := range words {
		values[i] = w
		if schema["type"] == "integer" {
			values[i] = number(f, w)
		}
	}
	return values
}

func number(f reflect.StructField, text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("openapi: field %s: %v", f.Name, err))
	}
	return n
}

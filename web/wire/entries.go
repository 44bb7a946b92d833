package wire

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"collie/segment"
)

// checkEntries returns an error for what encoding/json silently reads as
// something else: null in a list or a map, which becomes 0, and lists of a fixed
// length, which are padded or cut. It also refuses lists with more entries than
// the schema of v allows, before memory is allocated for them. name is the field
// that the JSON is the value of, empty for a whole request. An error of no kind says
// that the JSON is malformed, or has text that is not valid UTF-8.
func checkEntries(name string, b []byte, v any) error {
	c := checker{jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true))}
	return c.value(name, reflect.TypeOf(v).Elem(), false, 0)
}

// checker reads JSON next to the type that it is to be decoded into.
type checker struct{ *jsontext.Decoder }

// value reads a value of type t, which is the field at path or an entry of it,
// and a list of at most limit entries unless limit is 0.
func (c checker) value(path string, t reflect.Type, entry bool, limit int) error {
	null := t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface
	if entry && !null && c.PeekKind() == 'n' {
		return wrong(path, entry, "null", accepted(t, ""))
	}
	t = target(t)
	switch begin := c.PeekKind(); {
	case begin == '{' && t.Kind() == reflect.Struct:
		return c.object(path, t)
	case begin == '{' && t.Kind() == reflect.Map:
		return c.table(path, t)
	case begin == '[' && t.Kind() == reflect.Slice:
		return c.list(path, t, limit)
	case begin == '[' && t.Kind() == reflect.Array:
		return c.array(path, t, entry)
	}
	return c.SkipValue()
}

func (c checker) object(path string, t reflect.Type) error {
	if _, err := c.ReadToken(); err != nil {
		return err
	}
	for c.PeekKind() != '}' {
		name, err := c.ReadToken()
		if err != nil {
			return err
		}
		f, ok := fieldNamed(t, name.String())
		if ok {
			err = c.value(strings.TrimPrefix(path+"."+f.name, "."), f.of, false, f.limit)
		} else {
			err = c.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	_, err := c.ReadToken()
	return err
}

// table reads an object whose keys are texts, such as identifiers, or numbers.
func (c checker) table(path string, t reflect.Type) error {
	if _, err := c.ReadToken(); err != nil {
		return err
	}
	for c.PeekKind() != '}' {
		key, err := c.ReadToken()
		if err != nil {
			return err
		}
		if t.Key().Kind() != reflect.String {
			if _, err := strconv.ParseUint(key.String(), 10, t.Key().Bits()); err != nil {
				return segment.Errorf(segment.Invalid, "A key of %q can't be %.40q; it must be %s. Nothing was changed.", path, key.String(), accepted(t.Key(), ""))
			}
		}
		if err := c.value(path, t.Elem(), true, 0); err != nil {
			return err
		}
	}
	_, err := c.ReadToken()
	return err
}

func (c checker) list(path string, t reflect.Type, limit int) error {
	if _, err := c.ReadToken(); err != nil {
		return err
	}
	for n := 0; c.PeekKind() != ']'; n++ {
		if limit > 0 && n == limit {
			return segment.Errorf(segment.Invalid, "The list %q has more than %d entries, which is the limit. Nothing was changed.", path, limit)
		}
		if err := c.value(path, t.Elem(), true, 0); err != nil {
			return err
		}
	}
	_, err := c.ReadToken()
	return err
}

// array reads a list of a fixed length.
func (c checker) array(path string, t reflect.Type, entry bool) error {
	if _, err := c.ReadToken(); err != nil {
		return err
	}
	n := 0
	for ; c.PeekKind() != ']'; n++ {
		if c.PeekKind() == 'n' {
			return wrong(path, entry, "a list with null", accepted(t, ""))
		}
		if err := c.value(path, t.Elem(), true, 0); err != nil {
			return err
		}
	}
	if n != t.Len() {
		return wrong(path, entry, fmt.Sprintf("a list of %d", n), accepted(t, ""))
	}
	_, err := c.ReadToken()
	return err
}

// isEntry reports whether a value of type found that is wrong in the field at
// path, within a v, is not the field itself but an entry of it.
func isEntry(v any, path string, found reflect.Type) bool {
	t := reflect.TypeOf(v).Elem()
	for name := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '.' }) {
		for t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return false
		}
		f, ok := fieldNamed(t, name)
		if !ok {
			return false
		}
		t = f.of
	}
	t = target(t)
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Map) && found != t
}

// target is the type that a pointer type points to.
func target(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// field is a field of a JSON object.
type field struct {
	name  string
	of    reflect.Type
	limit int // of the entries of a list; 0 without one
}

// known are the fields of structs: to find them takes longer than to read a
// message.
var known sync.Map

// fieldNamed returns a field of a struct. Like encoding/json it ignores case.
func fieldNamed(t reflect.Type, name string) (field, bool) {
	fields, ok := known.Load(t)
	if !ok {
		fields, _ = known.LoadOrStore(t, fieldsOf(t))
	}
	for _, f := range fields.([]field) {
		if strings.EqualFold(f.name, name) {
			return f, true
		}
	}
	return field{}, false
}

func fieldsOf(t reflect.Type) []field {
	var all []field
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" || !f.IsExported() {
			continue // the fields of an embedded struct are visible themselves
		}
		limit := 0
		for rule := range strings.SplitSeq(f.Tag.Get("schema"), ",") {
			if n, ok := strings.CutPrefix(rule, "maxItems="); ok {
				limit, _ = strconv.Atoi(n)
			}
		}
		all = append(all, field{cmp.Or(name, f.Name), f.Type, limit})
	}
	return all
}

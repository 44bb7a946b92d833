package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"collie/segment"
)

// Malformed is the error for text that isn't valid JSON.
type Malformed struct{ Detail string }

func (e *Malformed) Error() string { return e.Detail }

func malformed(format string, args ...any) error {
	return &Malformed{fmt.Sprintf(format, args...)}
}

// Decode reads one JSON object into v. Text that isn't valid JSON is a
// Malformed error; a value of the wrong type is a segment.Error of kind Invalid
// that names the field.
func Decode(b []byte, v any) error {
	switch string(bytes.Trim(b, " \t\r\n")) {
	case "":
		return malformed("The request is empty; send a JSON object. Nothing was changed.")
	case "null": // encoding/json would leave v as it is
		return segment.Errorf(segment.Invalid, "The JSON is null; send an object. Nothing was changed.")
	}
	return decode("", b, v)
}

// DecodeField is Decode for a field that comes by itself, such as the part of a
// form.
func DecodeField(name string, b []byte, v any) error { return decode(name, b, v) }

func decode(name string, b []byte, v any) error {
	checked := checkEntries(name, b, v)
	if segment.KindOf(checked) != 0 {
		return checked
	}
	err := json.Unmarshal(b, v)
	if err == nil && checked != nil { // encoding/json puts U+FFFD in place of what is not valid
		return segment.Errorf(segment.Invalid, "The JSON contains text that is not valid UTF-8, or half of a surrogate pair. Nothing was changed.")
	}
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case err == nil || segment.KindOf(err) != 0: // the latter says what is wrong with a field
		return err
	case errors.As(err, &syntax) && name != "":
		return malformed("The JSON of the field %q has a mistake at byte %d: %s. Nothing was changed.", name, syntax.Offset, syntax.Error())
	case errors.As(err, &syntax):
		return malformed("The JSON has a mistake at byte %d: %s. Nothing was changed.", syntax.Offset, syntax.Error())
	case errors.As(err, &mismatch):
		path := strings.ReplaceAll(mismatch.Field, "Evidence.", "")
		if name == "" && path == "" {
			return segment.Errorf(segment.Invalid, "The JSON is %s; send an object. Nothing was changed.", found(mismatch.Value))
		}
		entry := isEntry(v, path, mismatch.Type)
		return wrong(strings.Trim(name+"."+path, "."), entry, found(mismatch.Value), accepted(mismatch.Type, mismatch.Value))
	}
	return malformed("The JSON can't be read: %s. Nothing was changed.", err)
}

// wrong is the error for the field at path, or an entry of it.
func wrong(path string, entry bool, found, accepted string) error {
	what := "The field"
	if entry {
		what = "An entry of"
	}
	return segment.Errorf(segment.Invalid, "%s %q can't be %s; it must be %s. Nothing was changed.", what, path, found, accepted)
}

// found names a value as encoding/json describes it, such as array or number 1.5.
func found(value string) string {
	if number, ok := strings.CutPrefix(value, "number "); ok {
		return fmt.Sprintf("%.40s", number)
	}
	switch value {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a " + value
}

// accepted names what a field of type t can be. value is what was found instead,
// as encoding/json describes it.
func accepted(t reflect.Type, value string) string {
	number, numeric := strings.CutPrefix(value, "number ")
	form := ""
	if f, err := strconv.ParseFloat(number, 64); numeric && err == nil && f == math.Trunc(f) && strings.ContainsAny(number, ".eE") {
		form = ", written without a point or an exponent"
	}
	switch t.Kind() {
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return fmt.Sprintf("a whole number from 0 to %d%s", uint64(1)<<t.Bits()-1, form)
	case reflect.Int, reflect.Int32, reflect.Int64:
		if numeric && strings.Trim(number, "-0123456789") == "" { // it is one, and doesn't fit
			return fmt.Sprintf("a whole number from %d to %d", int64(math.MinInt64)>>(64-t.Bits()), int64(math.MaxInt64)>>(64-t.Bits()))
		}
		return "a whole number" + form
	case reflect.Float64:
		if numeric { // too large
			return "a number between -1.8e308 and 1.8e308"
		}
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	case reflect.Array:
		return fmt.Sprintf("a list of %d numbers", t.Len())
	case reflect.Bool:
		return "true or false"
	}
	return "an object"
}

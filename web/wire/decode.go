package wire

import (
	"encoding/json"
	"errors"
	"fmt"
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
	if trimmed := strings.TrimLeft(string(b[:min(len(b), 64)]), " \t\r\n"); trimmed == "" {
		return malformed("The request is empty; send a JSON object. Nothing was changed.")
	}
	if len(b) > longText {
		if err := checkLists(b, v); err != nil {
			return err
		}
	}
	err := json.Unmarshal(b, v)
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case err == nil || segment.KindOf(err) != 0: // the latter says what is wrong with a field
		return err
	case errors.As(err, &syntax):
		return malformed("The JSON has a mistake at byte %d: %s. Nothing was changed.", syntax.Offset, syntax.Error())
	case errors.As(err, &mismatch):
		field := strings.ReplaceAll(mismatch.Field, "Evidence.", "")
		if field == "" {
			return segment.Errorf(segment.Invalid, "The JSON is %s; send an object. Nothing was changed.", aOrAn(mismatch.Value))
		}
		return segment.Errorf(segment.Invalid, "The field %q cannot be %s; it must be %s. Nothing was changed.", field, aOrAn(mismatch.Value), kindText(mismatch))
	}
	return malformed("The JSON cannot be read: %s. Nothing was changed.", err)
}

// aOrAn puts the article before what was found instead, such as an array.
func aOrAn(found string) string {
	if strings.ContainsAny(found[:1], "aeiou") {
		return "an " + found
	}
	return "a " + found
}

// kindText names the JSON type of a field.
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

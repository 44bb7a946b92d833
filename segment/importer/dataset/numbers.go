package dataset

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"

	"collie/segment"
)

// whole is a whole number. Programs that compute with NumPy or pandas write 200 as
// 200.0.
type whole int

// UnmarshalJSON reads a number that has no fraction; null leaves it as it is.
func (w *whole) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || v != math.Trunc(v) || math.Abs(v) >= 1<<31 {
		return &json.UnmarshalTypeError{Value: "value " + shortened(b), Type: reflect.TypeFor[whole]()}
	}
	*w = whole(v)
	return nil
}

// area is that of a shape in pixels. It decides which one lies on top and nothing
// else, so what is no number counts as 0, which means that it isn't known.
type area float64

// UnmarshalJSON reads a number, also one that is written as text.
func (a *area) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	*a = area(v)
	return nil
}

// identifier is the id of an image, annotation, category or group, or a label: a whole
// number in decimal, or text, such as the name of a file.
type identifier string

// UnmarshalJSON reads a number, however it is written, or text; null leaves it as it
// is.
func (id *identifier) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var text string
	if v, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		text = strconv.FormatInt(v, 10)
	} else if v, err := strconv.ParseFloat(string(b), 64); err == nil && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		text = strconv.FormatInt(int64(v), 10)
	} else if json.Unmarshal(b, &text) != nil {
		return &json.UnmarshalTypeError{Value: "value " + shortened(b), Type: reflect.TypeFor[identifier]()}
	}
	if len(text) > maxOneName {
		return segment.Errorf(segment.TooLarge, "An id or a label has more than %d bytes, which is the limit.", maxOneName)
	}
	*id = identifier(text)
	return nil
}

// String shows an id in messages, where it must not be long.
func (id identifier) String() string { return shortened([]byte(id)) }

// shortened is the beginning of a text.
func shortened(b []byte) string {
	if r := []rune(string(b[:min(len(b), 400)])); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return string(b)
}

package wire

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"collie/segment"
)

// longText is the size in bytes from which the lists of a JSON text are
// checked.
const longText = 64 << 10

// checkLists returns an error for lists with more entries than the schema of v,
// a struct, allows, before memory is allocated for them. Other errors are found
// when the object is decoded.
func checkLists(b []byte, v any) error {
	most := map[string]int{}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v).Elem()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		for rule := range strings.SplitSeq(f.Tag.Get("schema"), ",") {
			if n, ok := strings.CutPrefix(rule, "maxItems="); ok {
				most[strings.ToLower(name)], _ = strconv.Atoi(n)
			}
		}
	}
	d := jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != '{' {
		return nil
	}
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil
		}
		field := strings.ToLower(name.String()) // encoding/json ignores case
		if limit, ok := most[field]; ok && d.PeekKind() == '[' {
			_, _ = d.ReadToken()
			for n := 0; d.PeekKind() != ']'; n++ {
				if n == limit {
					return segment.Errorf(segment.Invalid, "The list %q has more than %d entries, which is the limit. Nothing was changed.", field, limit)
				}
				if d.SkipValue() != nil {
					return nil
				}
			}
			_, _ = d.ReadToken()
		} else if d.SkipValue() != nil {
			return nil
		}
	}
	return nil
}

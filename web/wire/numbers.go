package wire

import (
	"strconv"

	"collie/web/openapi"
)

// Numbers are bytes that JSON has as a list of numbers; encoding/json would write
// base64.
type Numbers []uint8

// MarshalJSON writes the list.
func (n Numbers) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 2+4*len(n)), '[')
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(v), 10)
	}
	return append(b, ']'), nil
}

// JSONSchema describes the list.
func (Numbers) JSONSchema() openapi.Schema {
	return openapi.Schema{"type": "array", "items": openapi.Schema{"type": "integer"}}
}

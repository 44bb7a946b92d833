package npz

import (
	"archive/zip"
	"errors"
	"slices"
	"testing"
)

// Columns have the names that an array of text beside the scores gives them.
func TestNamesOfColumns(t *testing.T) {
	probs := array{"probs", "<f4", false, "(1, 2)", []float32{0.5, 0.5}}
	for name, c := range map[string]struct {
		classes array
		want    []string
		err     error
	}{
		"text":           {array{"classes", "<U3", false, "(2,)", []rune("sky\u00e9\x00\x00")}, []string{"sky", "é"}, nil},
		"bytes":          {array{"classes", "|S3", false, "(2,)", []byte("skya\x00\x00")}, []string{"sky", "a"}, nil},
		"no characters":  {array{"classes", "<U1", false, "(2,)", []int32{-1, 0xd800}}, []string{"\ufffd", "\ufffd"}, nil},
		"numbers":        {array{"classes", "<i8", false, "(2,)", []int64{0, 1}}, nil, nil},
		"another number": {array{"classes", "<U1", false, "(3,)", []rune("abc")}, nil, ErrFormat},
		"two dimensions": {array{"classes", "<U1", false, "(2, 1)", []rune("ab")}, nil, ErrFormat},
		"cut short":      {array{"classes", "<U2", false, "(2,)", []rune("abc")}, nil, ErrFormat},
		"objects":        {array{"classes", "|O", false, "(2,)", []byte("pickled")}, nil, ErrFormat},
		"big-endian":     {array{"classes", ">U1", false, "(2,)", []rune("ab")}, nil, ErrFormat},
		"long names":     {array{"classes", "<U1001", false, "(2,)", []rune("ab")}, nil, ErrLimit},
		"odd type":       {array{"classes", "<Ux", false, "(2,)", []rune("ab")}, nil, ErrLimit},
	} {
		s, err := read(npz(zip.Deflate, c.classes, probs), Limits{})
		if !errors.Is(err, c.err) || err == nil && !slices.Equal(s.Names, c.want) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

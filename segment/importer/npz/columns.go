package npz

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"collie/segment/archive"
)

// maxName is the longest name of a column in characters, as NumPy pads it.
const maxName = 1000

// readNames reads the names of the columns of scores from an array classes, one dimension
// of text. Arrays of this name that hold numbers are ignored; nil without names.
func (s *Scores) readNames(a *archive.Archive) ([]string, error) {
	f := find(a, "classes")
	if f == nil {
		return nil, nil
	}
	names, err := s.columns(f)
	if err != nil {
		return nil, fmt.Errorf("array \"classes\": %w", err)
	}
	return names, nil
}

func (s *Scores) columns(f *archive.File) ([]string, error) {
	body, err := f.Open()
	if err != nil {
		return nil, refused(err)
	}
	defer body.Close()
	h, err := readHeader(body)
	if err != nil {
		return nil, err
	}
	if h.descr == "|O" || strings.HasPrefix(h.descr, ">U") {
		return nil, fmt.Errorf("%w: its type is %s; write numpy.array(names, dtype=str)", ErrFormat, quote(h.descr))
	}
	bytes, unicode := strings.CutPrefix(h.descr, "<U")
	bytes, ascii := strings.CutPrefix(bytes, "|S")
	length, err := strconv.Atoi(bytes)
	switch {
	case !unicode && !ascii:
		return nil, nil
	case err != nil || length < 0 || length > maxName:
		return nil, fmt.Errorf("%w: its type is %s; names have up to %d characters", ErrLimit, quote(h.descr), maxName)
	case len(h.shape) != 1 || h.shape[0] != s.Classes:
		return nil, fmt.Errorf("%w: its shape is %s, but array %s has %d classes", ErrFormat, shapeText(h.shape), quote(s.Name), s.Classes)
	}
	size := length
	if unicode {
		size *= utf32
	}
	names := make([]string, s.Classes)
	text := make([]byte, size)
	for i := range names {
		if _, err := io.ReadFull(body, text); err != nil {
			return nil, broken(err)
		}
		names[i] = textOf(text, unicode)
	}
	return names, nil
}

// utf32 is the size of a character of NumPy's text in bytes.
const utf32 = 4

// textOf decodes text that NumPy has padded with zeros.
func textOf(b []byte, unicode bool) string {
	if !unicode {
		return strings.ToValidUTF8(strings.TrimRight(string(b), "\x00"), string(utf8.RuneError))
	}
	var out strings.Builder
	for ; len(b) > 0; b = b[utf32:] {
		out.WriteRune(rune(binary.LittleEndian.Uint32(b))) // U+FFFD for invalid ones
	}
	return strings.TrimRight(out.String(), "\x00")
}

package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"collie/segment"
)

// Limits of JSON files, in bytes. Only one value at a time is in memory.
const (
	maxJSON  = 256 << 20 // of a file
	maxValue = 8 << 20   // of one annotation or shape
)

// errValue ends the reading of a value that is too long.
var errValue = errors.New("value too long")

// Document reads a JSON file piece by piece and skips embedded pictures.
type Document struct {
	*jsontext.Decoder
	name string
	file io.Closer
	in   *meter
}

// OpenJSON opens a JSON file; the caller closes it.
func OpenJSON(files Files, name string) (*Document, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	in := &meter{r: &elider{r: utf8In(file)}, left: maxJSON, value: maxValue}
	d := jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true))
	return &Document{Decoder: d, name: name, file: file, in: in}, nil
}

// utf8In returns the text of a file as UTF-8 without a byte order mark, which begins files of
// programs on Windows; those of UTF-16 are known by theirs.
func utf8In(file io.Reader) io.Reader {
	return transform.NewReader(bufio.NewReaderSize(file, 64<<10), unicode.BOMOverride(transform.Nop))
}

// Close closes the file.
func (d *Document) Close() { _ = d.file.Close() } // which was only read

// meter reads up to left bytes in total, and up to value of them until it is
// reset.
type meter struct {
	r           io.Reader
	left, value int
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 || m.value <= 0 {
		return 0, errValue
	}
	n, err := m.r.Read(p[:min(len(p), m.left, m.value)])
	m.left -= n
	m.value -= n
	return n, err
}

// Members calls do with the name of each member of the next object; do reads
// the value or leaves it to be skipped. Other values are skipped.
func (d *Document) Members(do func(name string) error) error {
	if d.PeekKind() != '{' {
		return d.Skip()
	}
	if _, err := d.token(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.token()
		if err != nil {
			return err
		}
		at := d.place()
		if err := do(name.String()); err != nil {
			return err
		}
		if d.place() == at {
			if err := d.Skip(); err != nil {
				return err
			}
		}
	}
	_, err := d.token()
	return err
}

// end reads the end of the file: nothing but space may follow what has been read.
func (d *Document) end() error {
	d.in.value = maxValue
	_, err := d.ReadToken()
	if syntax := new(jsontext.SyntacticError); err == nil || errors.As(err, &syntax) {
		return segment.Errorf(segment.Unreadable, "%s is not JSON in the expected form: more text follows its end.", d.name)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return d.trouble(err)
}

// Elements calls do to read each element of the next list, the value of a member.
// Any other value is an error.
func (d *Document) Elements(member string, do func() error) error {
	if kind := d.PeekKind(); kind != '[' {
		if err := d.Skip(); err != nil {
			return err
		}
		return segment.Errorf(segment.Unreadable, "%s is not JSON in the expected form: %q holds %s, not a list.", d.name, member, jsonKinds[kind])
	}
	if _, err := d.token(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if err := do(); err != nil {
			return err
		}
	}
	_, err := d.token()
	return err
}

// jsonKinds names values that are no lists.
var jsonKinds = map[jsontext.Kind]string{
	'{': "an object", '"': "text", '0': "a number", 't': "true", 'f': "false", 'n': "null",
}

// place tells whether anything has been read.
func (d *Document) place() int64 {
	_, n := d.StackIndex(d.StackDepth())
	return n
}

// token reads a token.
func (d *Document) token() (jsontext.Token, error) {
	d.in.value = maxValue
	t, err := d.ReadToken()
	return t, d.trouble(err)
}

// Skip passes over a value.
func (d *Document) Skip() error {
	depth := d.StackDepth()
	for {
		if _, err := d.token(); err != nil {
			return err
		}
		if d.StackDepth() <= depth {
			return nil
		}
	}
}

// excusing calls read to read a value. If something in it is not as expected, that is bad, and the
// rest of the value is passed over. If the file can't be read on from there, that is err.
func (d *Document) excusing(read func() error) (bad, err error) {
	depth, at := d.StackDepth(), d.place()
	bad = read()
	for bad != nil && d.StackDepth() > depth {
		if _, err := d.token(); err != nil {
			return nil, err
		}
	}
	if bad != nil && d.place() == at {
		return nil, bad
	}
	return bad, nil
}

// Into reads a whole value into v.
func (d *Document) Into(v any) error {
	d.in.value = maxValue
	raw, err := d.ReadValue()
	if err != nil {
		return d.trouble(err)
	}
	return d.unlike(json.Unmarshal(raw, v))
}

// text reads a string; any other value is an error.
func (d *Document) text() (string, error) {
	if d.PeekKind() != '"' {
		return "", d.odd(d.Skip())
	}
	t, err := d.token()
	return t.String(), err
}

// number reads a whole number, 0 for null; any other value is an error.
func (d *Document) number() (int, error) {
	if d.PeekKind() == 'n' {
		return 0, d.Skip()
	}
	if d.PeekKind() != '0' {
		return 0, d.odd(d.Skip())
	}
	t, err := d.token()
	if err != nil {
		return 0, err
	}
	if f := t.Float(); f != float64(int(f)) {
		return 0, d.odd(nil)
	}
	return int(t.Int()), nil
}

// odd is the error for a value of an unexpected type, unless err is more
// specific.
func (d *Document) odd(err error) error {
	if err != nil {
		return err
	}
	return segment.Errorf(segment.Unreadable, "%s is not JSON in the expected form.", d.name)
}

// unlike turns the error of a value that can't be decoded into one for people.
func (d *Document) unlike(err error) error {
	if err == nil || segment.KindOf(err) != 0 {
		return err
	}
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) && wrong.Field != "" {
		return segment.Errorf(segment.Unreadable, "%s is not JSON in the expected form: a field %.40q holds a %s.", d.name, wrong.Field, wrong.Value)
	}
	return d.odd(nil)
}

// notText finds a decoder's errors about damaged text, for which jsontext exports no
// value. U+FFFD in its place would make several names one.
var notText = regexp.MustCompile("^jsontext: invalid (UTF-8|surrogate pair)")

// trouble turns a decoder's error into one for people.
func (d *Document) trouble(err error) error {
	switch syntax := new(jsontext.SyntacticError); {
	case err == nil:
		return nil
	case errors.Is(err, errValue) && d.in.left <= 0:
		return segment.Errorf(segment.TooLarge, "%s is larger than %d MiB, which is the limit for such a file. Split it.", d.name, maxJSON>>20)
	case errors.Is(err, errValue):
		return segment.Errorf(segment.TooLarge, "%s has an entry larger than %d MiB, which is the limit.", d.name, maxValue>>20)
	case errors.As(err, &syntax) && notText.MatchString(syntax.Error()):
		return segment.Errorf(segment.Unreadable, "%s contains text that is not valid UTF-8, or half of a surrogate pair.", d.name).Because(err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return segment.Errorf(segment.Unreadable, "%s is not JSON in the expected form: it ends too early, as after a download that was interrupted.", d.name).Because(err)
	case errors.As(err, &syntax):
		return segment.Errorf(segment.Unreadable, "%s is not JSON in the expected form.", d.name).Because(err)
	}
	return err // of the reader
}

// elider drops the text of members called imageData from JSON: in labelme files
// they are photographs, and would have to be in memory as a whole.
type elider struct {
	r       io.Reader
	inside  bool   // a string
	escaped bool   // the next byte belongs to the one before
	dropped bool   // the current string
	last    []byte // the beginning of the last string
	named   bool   // a colon has followed the last string
	err     error
}

var elided = []byte("imageData")

func (e *elider) Read(p []byte) (int, error) {
	for e.err == nil {
		var n int
		n, e.err = e.r.Read(p)
		if n = e.filter(p[:n]); n > 0 || len(p) == 0 {
			return n, nil
		}
	}
	return 0, e.err
}

// filter removes elided bytes from p and returns the remaining length.
func (e *elider) filter(p []byte) int {
	n := 0
	for _, c := range p {
		keep := true
		switch {
		case e.inside && e.escaped:
			e.escaped, keep = false, !e.dropped
		case e.inside && c == '"':
			e.inside, e.named = false, false
		case e.inside:
			e.escaped, keep = c == '\\', !e.dropped
			if len(e.last) <= len(elided) {
				e.last = append(e.last, c)
			}
		case c == '"':
			e.inside, e.dropped = true, e.named && bytes.Equal(e.last, elided)
			e.last = e.last[:0]
		case c == ':':
			e.named = true
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			e.named = false
		}
		if keep {
			p[n] = c
			n++
		}
	}
	return n
}

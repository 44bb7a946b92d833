package npz

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// header is what precedes the values of a .npy array, see
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html:
// the magic, a version, the length of a text, and the text, a Python dictionary.
type header struct {
	descr   string
	fortran bool
	shape   []int
	bytes   int // of the whole header
}

// maxHeader is the longest text that NumPy itself accepts.
const maxHeader = 10_000

// magic is what an array begins with.
const magic = "\x93NUMPY"

func readHeader(r io.Reader) (header, error) {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil {
		return header{}, broken(err)
	}
	version := start[len(magic)]
	if string(start[:len(magic)]) != magic || version < 1 || version > 3 {
		return header{}, fmt.Errorf("%w: it is not a .npy array of version 1 to 3", ErrFormat)
	}
	length := make([]byte, 4)
	field := length // two bytes in version 1, four later
	if version == 1 {
		field = length[:2]
	}
	if _, err := io.ReadFull(r, field); err != nil {
		return header{}, broken(err)
	}
	n := binary.LittleEndian.Uint32(length)
	if n > maxHeader {
		return header{}, fmt.Errorf("%w: its header has %d bytes, the limit is %d", ErrLimit, n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return header{}, broken(err)
	}
	h := header{bytes: len(start) + len(field) + len(text)}
	if !h.parse(string(text)) {
		return h, fmt.Errorf("%w: its header is not like {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} but %s", ErrFormat, quote(string(text)))
	}
	return h, nil
}

// parse reads the dictionary: the three keys in any order, each once.
func (h *header) parse(text string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	seen := map[string]bool{}
	for ok {
		rest = strings.TrimLeft(rest, " ")
		if end, closed := strings.CutPrefix(rest, "}"); closed {
			return end == "" && len(seen) == 3
		}
		var key string
		if key, rest, ok = pythonString(rest); !ok || seen[key] {
			return false
		}
		seen[key] = true
		if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), ":"); !ok {
			return false
		}
		rest = strings.TrimLeft(rest, " ")
		switch key {
		case "descr":
			h.descr, rest, ok = pythonString(rest)
		case "fortran_order":
			if h.fortran = strings.HasPrefix(rest, "True"); h.fortran {
				rest = rest[len("True"):]
			} else {
				rest, ok = strings.CutPrefix(rest, "False")
			}
		case "shape":
			h.shape, rest, ok = pythonTuple(rest)
		default:
			return false
		}
		rest = strings.TrimLeft(rest, " ")
		if after, comma := strings.CutPrefix(rest, ","); comma {
			rest = after
		} else if !strings.HasPrefix(rest, "}") {
			return false
		}
	}
	return false
}

// pythonString cuts a quoted string without escapes off the front.
func pythonString(s string) (value, rest string, ok bool) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return "", s, false
	}
	return strings.Cut(s[1:], s[:1])
}

// pythonTuple cuts a tuple of numbers from 0 off the front.
func pythonTuple(s string) (values []int, rest string, ok bool) {
	s, ok = strings.CutPrefix(s, "(")
	inside, rest, closed := strings.Cut(s, ")")
	if !ok || !closed {
		return nil, rest, false
	}
	items := strings.Split(inside, ",")
	if last := len(items) - 1; strings.TrimSpace(items[last]) == "" {
		items = items[:last] // (5,) and ()
	}
	for _, item := range items {
		n, err := strconv.ParseUint(strings.TrimSpace(item), 10, 31)
		if err != nil {
			return nil, rest, false
		}
		values = append(values, int(n))
	}
	return values, rest, true
}

// kind is a data type.
type kind struct {
	descr  string
	size   int
	decode func(b []byte) float64
}

var kinds = []kind{
	{"<f2", 2, func(b []byte) float64 { return float16(binary.LittleEndian.Uint16(b)) }},
	{"<f4", 4, func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }},
	{"<f8", 8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }},
	{"|u1", 1, func(b []byte) float64 { return float64(b[0]) / 255 }},
}

// float16 decodes IEEE 754 binary16.
func float16(bits uint16) float64 {
	sign := 1 - 2*float64(bits>>15)
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// fill reads the values into dst, rows of classes. O(values).
func (a layout) fill(dst []float32, r io.Reader) error {
	// The axes in the order of the file, the fastest last, and the stride of
	// each in dst.
	axes := len(a.shape)
	place := make([]int, axes)
	step := 1
	for i := range axes {
		axis := axes - 1 - i // classes, width, height
		if a.chw {
			axis = []int{0, 2, 1}[i]
		}
		place[axis] = step
		step *= a.shape[axis]
	}
	order := make([]int, axes)
	for i := range order {
		order[i] = i
		if a.fortran {
			order[i] = axes - 1 - i
		}
	}
	index := make([]int, axes)
	buffer := make([]byte, 4096*a.kind.size)
	at := 0
	for left := a.values; left > 0; {
		chunk := buffer[:min(left*a.kind.size, len(buffer))]
		if _, err := io.ReadFull(r, chunk); err != nil {
			return broken(err)
		}
		for ; len(chunk) > 0; chunk = chunk[a.kind.size:] {
			v := a.kind.decode(chunk)
			if !(v >= a.of.low && v <= a.of.high) {
				return fmt.Errorf("%w: [%s] is %v; %s must be %s", ErrValue, strings.Trim(shapeText(index), "()"), v, a.of.what, a.of.bounds)
			}
			dst[at] = float32(v)
			left--
			for i := axes - 1; i >= 0; i-- {
				axis := order[i]
				at += place[axis]
				if index[axis]++; index[axis] < a.shape[axis] {
					break
				}
				at -= place[axis] * a.shape[axis]
				index[axis] = 0
			}
		}
	}
	return nil
}

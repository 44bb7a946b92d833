package learn

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// errTruncated is the error for truncated bytes.
var errTruncated = errors.New("it ends too early")

const (
	featuresMagic   = "CLFT"
	featuresVersion = 2
	maxBorders      = 1 << 20
	maxArea         = 1 << 30 // pixels
)

// MarshalBinary encodes the features: magic "CLFT", version 2 (one byte), then as
// unsigned LEB128 numbers those of superpixels and of borders, the areas, the
// ancestors, the offsets, and A, B and length of the borders; then Count bytes per
// superpixel, those of one feature together. Version 1 had other features; it is
// an error, so these are computed again.
func (f *Features) MarshalBinary() ([]byte, error) {
	b := append([]byte(featuresMagic), featuresVersion)
	b = binary.AppendUvarint(b, uint64(f.N))
	b = binary.AppendUvarint(b, uint64(len(f.Borders)))
	for _, list := range f.lists() {
		for _, v := range *list {
			b = binary.AppendUvarint(b, uint64(v))
		}
	}
	for _, e := range f.Borders {
		for _, v := range [3]int32{e.A, e.B, e.Length} {
			b = binary.AppendUvarint(b, uint64(v))
		}
	}
	return append(b, f.Values...), nil
}

// lists are the lists with a number per superpixel, in the order in which they
// are stored: areas first.
func (f *Features) lists() []*[]int32 {
	lists := []*[]int32{&f.Area}
	for i := range f.Ancestors {
		lists = append(lists, &f.Ancestors[i])
	}
	for i := range f.Offsets {
		lists = append(lists, &f.Offsets[i])
	}
	return lists
}

// UnmarshalBinary decodes what MarshalBinary wrote. Invalid bytes give an error
// and leave f unchanged; every number is checked, and memory is proportional to
// len(data).
func (f *Features) UnmarshalBinary(data []byte) error {
	d, err := readFeatures(data)
	if err != nil {
		return fmt.Errorf("learn: decode features: %w", err)
	}
	*f = *d
	return nil
}

func readFeatures(data []byte) (*Features, error) {
	r, err := newReader(data, featuresMagic, featuresVersion)
	if err != nil {
		return nil, err
	}
	f := &Features{N: r.number(1, MaxSuperpixels)}
	borders := r.number(0, maxBorders)
	if r.err == nil && len(r.data) < f.N*Count+3*borders {
		return nil, errTruncated
	}
	for i, list := range f.lists() {
		low, high := 0, f.N-1
		if i == 0 {
			low, high = 1, maxArea
		}
		for range f.N {
			if r.err != nil {
				return nil, r.err
			}
			*list = append(*list, int32(r.number(low, high)))
		}
	}
	for range borders {
		if r.err != nil {
			return nil, r.err
		}
		f.Borders = append(f.Borders, Border{int32(r.number(0, f.N-1)), int32(r.number(0, f.N-1)), int32(r.number(1, maxArea))})
	}
	f.Values = append([]uint8(nil), r.bytes(f.N*Count)...)
	return f, r.end()
}

// reader reads numbers from the front of some bytes. After an error, which it
// remembers, all are the lowest possible.
type reader struct {
	data []byte
	err  error
}

func newReader(data []byte, magic string, version byte) (*reader, error) {
	if len(data) < len(magic)+1 {
		return nil, errTruncated
	}
	if string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("magic %q, want %q", data[:len(magic)], magic)
	}
	if v := data[len(magic)]; v != version {
		return nil, fmt.Errorf("version %d, want %d", v, version)
	}
	return &reader{data: data[len(magic)+1:]}, nil
}

// number reads a number from low to high; where that is empty every one is wrong.
func (r *reader) number(low, high int) int {
	v, n := binary.Uvarint(r.data)
	switch {
	case r.err != nil:
		return low
	case n <= 0:
		r.err = errTruncated
		return low
	case high < low || v < uint64(low) || v > uint64(high):
		r.err = fmt.Errorf("number %d, want %d to %d", v, low, high)
		return low
	}
	r.data = r.data[n:]
	return int(v)
}

// bytes reads n bytes, which are shared.
func (r *reader) bytes(n int) []byte {
	if r.err == nil && n > len(r.data) {
		r.err = errTruncated
	}
	if r.err != nil {
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

// end returns the first error, or one for trailing bytes.
func (r *reader) end() error {
	if r.err == nil && len(r.data) > 0 {
		r.err = fmt.Errorf("%d bytes too many", len(r.data))
	}
	return r.err
}

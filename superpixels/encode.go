package superpixels

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// Limits of the encoded forms. They bound what hostile bytes can make a reader
// allocate; larger images can be segmented but not encoded.
const (
	MaxSide   = 1 << 16
	MaxPixels = 1 << 26
)

var (
	errTruncated = errors.New("the data ends too early")
	errTrailing  = errors.New("bytes follow the end of the data")
)

// checkSize reports whether an image of this size can be encoded or decoded.
func checkSize(width, height int) error {
	if width < 1 || height < 1 || width > MaxSide || height > MaxSide || int64(width)*int64(height) > MaxPixels {
		return fmt.Errorf("size %d×%d is outside 1×1..%d×%d with at most %d pixels", width, height, MaxSide, MaxSide, MaxPixels)
	}
	return nil
}

// uvarint reads one unsigned LEB128 number no larger than limit from the front
// of data and returns it with the rest.
func uvarint(data []byte, limit uint64) (uint64, []byte, error) {
	if len(data) > 1 { // most numbers have one byte or two
		v, size := uint64(data[0]), 1
		if v >= 0x80 {
			v, size = v&0x7f|uint64(data[1])<<7, 2
		}
		if v <= limit && data[size-1] < 0x80 {
			return v, data[size:], nil
		}
	}
	v, n := binary.Uvarint(data)
	if n == 0 {
		return 0, nil, errTruncated
	}
	if n < 0 || v > limit {
		return 0, nil, fmt.Errorf("number out of range: the largest possible here is %d", limit)
	}
	return v, data[n:], nil
}

// numbers returns how many LEB128 numbers end in data.
func numbers(data []byte) (count int) {
	for ; len(data) >= 8; data = data[8:] {
		count += bits.OnesCount64(^binary.LittleEndian.Uint64(data) & 0x8080_8080_8080_8080)
	}
	for _, b := range data {
		if b < 0x80 {
			count++
		}
	}
	return count
}

// appendRows appends the runs row by row as pairs (region id, run length) of
// unsigned LEB128 numbers; those that cross the end of a row are divided there.
func (r *Runs) appendRows(dst []byte) []byte {
	for y := range r.Height {
		for run := range r.Between(y*r.Width, (y+1)*r.Width) {
			dst = binary.AppendUvarint(dst, uint64(run.Region))
			dst = binary.AppendUvarint(dst, uint64(run.End-run.Start))
		}
	}
	return dst
}

// readRows reads the rows that appendRows wrote for a map of the given size
// with n regions, and returns them with the remaining bytes. It checks all
// runs, including the order of the ids. Each takes at least two numbers of data,
// so that invalid bytes can't claim more memory than four times their own.
func readRows(width, height, n int, data []byte) (*Runs, []byte, error) {
	spans := make([]span, 0, min(width*height, numbers(data)/2))
	rest := data
	next := uint64(0) // the id that a new region must have
	end := int32(0)
	for y := range height {
		for x := 0; x < width; {
			id, length := uint64(0), uint64(0)
			var err error
			if id, rest, err = uvarint(rest, min(next, uint64(n-1))); err != nil {
				return nil, nil, fmt.Errorf("row %d: region id: %w", y, err)
			}
			if length, rest, err = uvarint(rest, uint64(width-x)); err != nil {
				return nil, nil, fmt.Errorf("row %d: run length: %w", y, err)
			}
			if length == 0 {
				return nil, nil, fmt.Errorf("row %d: a run of length 0", y)
			}
			if id == next {
				next++
			}
			x += int(length)
			end += int32(length)
			spans = extend(spans, span{end, int32(id)})
		}
	}
	if next != uint64(n) {
		return nil, nil, fmt.Errorf("%d regions announced, %d found", n, next)
	}
	return newRuns(width, height, n, spans), rest, nil
}

const (
	mapMagic   = "CSPM"
	mapVersion = 1
	mapHeader  = 20
)

// MarshalBinary encodes the map. Layout, all little-endian:
//
//	offset 0   4 bytes  magic "CSPM"
//	offset 4   1 byte   version, 1
//	offset 5   3 bytes  reserved, 0
//	offset 8   uint32   width
//	offset 12  uint32   height
//	offset 16  uint32   n, the number of regions
//	offset 20  runs
//
// The runs follow row by row, top to bottom: pairs of unsigned LEB128 numbers
// (region id, run length ≥ 1), left to right, until the run lengths of the row
// add up to width. Nothing follows the last row.
func (r *Runs) MarshalBinary() ([]byte, error) {
	if err := checkSize(r.Width, r.Height); err != nil {
		return nil, fmt.Errorf("superpixels: encode map: %w", err)
	}
	return r.appendRows(r.header()), nil
}

func (r *Runs) header() []byte {
	dst := make([]byte, mapHeader, mapHeader+4*(len(r.spans)+r.Height))
	copy(dst, mapMagic)
	dst[4] = mapVersion
	binary.LittleEndian.PutUint32(dst[8:], uint32(r.Width))
	binary.LittleEndian.PutUint32(dst[12:], uint32(r.Height))
	binary.LittleEndian.PutUint32(dst[16:], uint32(r.N))
	return dst
}

// UnmarshalBinary decodes what MarshalBinary wrote. It accepts any bytes:
// invalid ones give an error and leave r unchanged; a map takes at most six times
// len(data). It checks the partition and the numbering of the ids, but not whether
// regions are connected.
func (r *Runs) UnmarshalBinary(data []byte) error {
	d, rest, err := readMap(data)
	if err == nil && len(rest) > 0 {
		err = errTrailing
	}
	if err != nil {
		return fmt.Errorf("superpixels: decode map: %w", err)
	}
	*r = *d
	return nil
}

// readMap decodes a map from the front of data.
func readMap(data []byte) (*Runs, []byte, error) {
	if len(data) < mapHeader {
		return nil, nil, errTruncated
	}
	if string(data[:4]) != mapMagic {
		return nil, nil, fmt.Errorf("magic %q, want %q", data[:4], mapMagic)
	}
	if data[4] != mapVersion || data[5] != 0 || data[6] != 0 || data[7] != 0 {
		return nil, nil, fmt.Errorf("version %d (flags %x), want %d", data[4], data[5:8], mapVersion)
	}
	number := func(offset int) int { return int(binary.LittleEndian.Uint32(data[offset:])) }
	width, height, n := number(8), number(12), number(16)
	if err := checkSize(width, height); err != nil {
		return nil, nil, err
	}
	if n < 1 || n > width*height {
		return nil, nil, fmt.Errorf("%d regions in %d pixels", n, width*height)
	}
	return readRows(width, height, n, data[mapHeader:])
}

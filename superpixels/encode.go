package superpixels

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Limits of the encoded forms. They bound what hostile bytes can make a reader
// allocate; images beyond them can be segmented but not encoded.
const (
	maxSide   = 1 << 16
	maxPixels = 1 << 26
)

var (
	errTruncated = errors.New("the data ends too early")
	errTrailing  = errors.New("bytes follow the end of the data")
)

// checkSize reports whether an image of this size may be encoded or decoded.
func checkSize(width, height int) error {
	if width < 1 || height < 1 || width > maxSide || height > maxSide || int64(width)*int64(height) > maxPixels {
		return fmt.Errorf("size %d×%d is outside 1×1..%d×%d with at most %d pixels", width, height, maxSide, maxSide, maxPixels)
	}
	return nil
}

// uvarint reads one unsigned LEB128 number no larger than limit from the front
// of data and returns it with the rest.
func uvarint(data []byte, limit uint64) (uint64, []byte, error) {
	if len(data) > 0 && data[0] < 0x80 && uint64(data[0]) <= limit { // the common case
		return uint64(data[0]), data[1:], nil
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

// appendRuns appends the label rows as pairs (region id, run length) of
// unsigned LEB128 numbers; no run crosses the end of a row.
func appendRuns(dst []byte, m *Map) []byte {
	for y := range m.Height {
		row := m.Labels[y*m.Width : (y+1)*m.Width]
		for x := 0; x < len(row); {
			end := x + 1
			for end < len(row) && row[end] == row[x] {
				end++
			}
			dst = binary.AppendUvarint(dst, uint64(row[x]))
			dst = binary.AppendUvarint(dst, uint64(end-x))
			x = end
		}
	}
	return dst
}

// readRuns reads what appendRuns wrote for a map whose Width, Height and N are
// set, fills Labels and returns the remaining bytes. The runs are checked in
// full, including the order of the ids, before any memory is taken for them.
func readRuns(m *Map, data []byte) ([]byte, error) {
	rest := data
	next := uint64(0) // the id that a new region must have
	for y := range m.Height {
		for x := 0; x < m.Width; {
			id, length := uint64(0), uint64(0)
			var err error
			if id, rest, err = uvarint(rest, min(next, uint64(m.N-1))); err != nil {
				return nil, fmt.Errorf("row %d: region id: %w", y, err)
			}
			if length, rest, err = uvarint(rest, uint64(m.Width-x)); err != nil {
				return nil, fmt.Errorf("row %d: run length: %w", y, err)
			}
			if length == 0 {
				return nil, fmt.Errorf("row %d: a run of length 0", y)
			}
			if id == next {
				next++
			}
			x += int(length)
		}
	}
	if next != uint64(m.N) {
		return nil, fmt.Errorf("%d regions announced, %d found", m.N, next)
	}
	m.Labels = make([]int32, m.Width*m.Height)
	for p := 0; p < len(m.Labels); {
		id, n := binary.Uvarint(data)
		length, k := binary.Uvarint(data[n:])
		data = data[n+k:]
		run := m.Labels[p : p+int(length)]
		for i := range run {
			run[i] = int32(id)
		}
		p += len(run)
	}
	return rest, nil
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
func (m *Map) MarshalBinary() ([]byte, error) {
	if err := checkSize(m.Width, m.Height); err != nil {
		return nil, fmt.Errorf("superpixels: encode map: %w", err)
	}
	return appendRuns(m.header(), m), nil
}

func (m *Map) header() []byte {
	dst := make([]byte, mapHeader, mapHeader+m.Width*m.Height/4)
	copy(dst, mapMagic)
	dst[4] = mapVersion
	binary.LittleEndian.PutUint32(dst[8:], uint32(m.Width))
	binary.LittleEndian.PutUint32(dst[12:], uint32(m.Height))
	binary.LittleEndian.PutUint32(dst[16:], uint32(m.N))
	return dst
}

// UnmarshalBinary decodes what MarshalBinary wrote. It accepts any bytes:
// those that are no map give an error, leave m unchanged and cost no memory
// beyond what a map of the announced size (at most 64 Mi pixels, every row
// backed by data) needs. It checks the partition and the numbering of the ids,
// not that regions are connected.
func (m *Map) UnmarshalBinary(data []byte) error {
	d, rest, err := readMap(data)
	if err == nil && len(rest) > 0 {
		err = errTrailing
	}
	if err != nil {
		return fmt.Errorf("superpixels: decode map: %w", err)
	}
	*m = *d
	return nil
}

// readMap decodes a map from the front of data.
func readMap(data []byte) (*Map, []byte, error) {
	if len(data) < mapHeader {
		return nil, nil, errTruncated
	}
	if string(data[:4]) != mapMagic {
		return nil, nil, fmt.Errorf("magic %q, want %q", data[:4], mapMagic)
	}
	if data[4] != mapVersion || data[5] != 0 || data[6] != 0 || data[7] != 0 {
		return nil, nil, fmt.Errorf("version %d (flags %x), want %d", data[4], data[5:8], mapVersion)
	}
	width, height, n := binary.LittleEndian.Uint32(data[8:]), binary.LittleEndian.Uint32(data[12:]), binary.LittleEndian.Uint32(data[16:])
	m := &Map{Width: int(width), Height: int(height), N: int(n)}
	if err := checkSize(m.Width, m.Height); err != nil {
		return nil, nil, err
	}
	if m.N < 1 || m.N > m.Width*m.Height {
		return nil, nil, fmt.Errorf("%d regions in %d pixels", m.N, m.Width*m.Height)
	}
	rest, err := readRuns(m, data[mapHeader:])
	return m, rest, err
}

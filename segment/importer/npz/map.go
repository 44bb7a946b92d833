package npz

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"collie/segment/archive"
)

// Map says which row of scores per superpixel each pixel of an image has.
type Map struct {
	Width, Height int
	Rows          []uint32 // in raster order
}

// fits reports whether the map is of an image of a size; a nil one is of none.
func (m *Map) fits(width, height int) bool { return m != nil && m.Width == width && m.Height == height }

// readMap reads the map of scores per superpixel that Collie writes beside them: an array
// superpixels, uint32 of height × width. Arrays of this name that are anything else, or
// larger than the limits leave room for, are ignored.
func (s *Scores) readMap(a *archive.Archive, limits Limits) (*Map, error) {
	f, most := find(a, "superpixels"), limits.Values-len(s.Values)
	if f == nil {
		return nil, nil
	}
	body, err := f.Open()
	if err != nil {
		return nil, refused(err)
	}
	defer body.Close()
	in := bufio.NewReader(body)
	h, err := readHeader(in)
	if err != nil && !errors.Is(err, ErrFormat) {
		return nil, err
	}
	if err != nil || h.descr != "<u4" || h.fortran || len(h.shape) != 2 || h.shape[1] == 0 || h.shape[0] > most/h.shape[1] {
		return nil, nil
	}
	m := &Map{Width: h.shape[1], Height: h.shape[0], Rows: make([]uint32, h.shape[0]*h.shape[1])}
	if int64(h.bytes)+4*int64(len(m.Rows)) != f.Size {
		return nil, nil
	}
	line := make([]byte, 4*m.Width)
	for i := range m.Rows {
		x := i % m.Width
		if x == 0 {
			if _, err := io.ReadFull(in, line); err != nil {
				return nil, broken(err)
			}
		}
		if m.Rows[i] = binary.LittleEndian.Uint32(line[4*x:]); int64(m.Rows[i]) >= int64(s.Rows) {
			return nil, nil
		}
	}
	return m, nil
}

package photo

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"image"
	"io"

	"golang.org/x/image/tiff"
	"golang.org/x/image/tiff/lzw"
)

// rows calls put with the numbers of each row of each strip or tile of a channel, and
// where in the image they begin, until it returns an error. Row is only valid during the
// call.
func (s *samples) rows(channel int, put func(x, y int, row []byte) error) error {
	block, offsets, counts := s.size, s.find(stripOffsetsTag), s.find(stripCountsTag)
	if width, _ := s.value(tileWidthTag, 0); width > 0 {
		length, _ := s.value(tileLengthTag, 0)
		if !tiled(width, s.size.X) || !tiled(length, s.size.Y) {
			return tiff.FormatError("bad size of tiles")
		}
		block, offsets, counts = image.Pt(int(width), int(length)), s.find(tileOffsetsTag), s.find(tileCountsTag)
	} else if rows, _ := s.value(rowsPerStripTag, 0); rows > 0 {
		block.Y = int(min(rows, uint32(s.size.Y)))
	}
	compression, _ := s.value(compressionTag, 0)
	predictor, _ := s.value(predictorTag, 0)
	if compression <= uncompressed { // as libtiff
		predictor = 0
	}
	across, down := (s.size.X+block.X-1)/block.X, (s.size.Y+block.Y-1)/block.Y
	row, spare := make([]byte, block.X*s.bytes), make([]byte, block.X*s.bytes)
	stored := row
	if s.bits == 1 {
		stored = make([]byte, (block.X+7)/8)
	}
	var r io.Reader
	for i := range across * down {
		at, known := s.read(offsets, int64(channel*across*down+i))
		length, also := s.read(counts, int64(channel*across*down+i))
		if !known || !also {
			return tiff.FormatError("inconsistent header")
		}
		var err error
		if r, err = inflated(io.NewSectionReader(s.file, int64(at), int64(length)), compression, r); err != nil {
			return err
		}
		x, y := i%across*block.X, i/across*block.Y
		for line := range min(block.Y, s.size.Y-y) {
			if _, err := io.ReadFull(r, stored); err != nil {
				return err
			}
			switch {
			case s.bits == 1:
				for i := range row {
					row[i] = stored[i/8] >> (7 - i%8) & 1
				}
			case predictor == differences:
				s.sum(row)
			case predictor == floatDifferences:
				s.gather(row, spare)
			}
			if err := put(x, y+line, row[:min(block.X, s.size.X-x)*s.bytes]); err != nil {
				return err
			}
		}
	}
	return nil
}

// tiled reports whether tiles can have a side where the image has another. Many tiny ones,
// or huge ones of a small image, would take much time for little.
func tiled(tile uint32, image int) bool {
	return tile >= 16 && (tile <= 1024 || int64(tile) <= int64(image)+16)
}

// inflated reads what is in a strip or tile. Before read another one, or is nil.
func inflated(r io.Reader, compression uint32, before io.Reader) (io.Reader, error) {
	switch compression {
	case 0, uncompressed:
		return r, nil
	case lzwCompression:
		return lzw.NewReader(r, lzw.MSB, 8), nil
	case deflate, oldDeflate:
		if z, ok := before.(zlib.Resetter); ok { // which allocates nothing
			return before, z.Reset(r, nil)
		}
		return zlib.NewReader(r)
	case packBits:
		return &unpacker{in: bufio.NewReader(r)}, nil
	}
	return nil, tiff.UnsupportedError("compression")
}

// unpacker reads PackBits: pieces that are either as they are or one byte again and again
// (TIFF 6.0, section 9).
type unpacker struct {
	in       *bufio.Reader
	left     int // bytes of the piece
	repeated bool
	of       byte // if repeated
}

func (u *unpacker) Read(p []byte) (n int, err error) {
	for u.left == 0 {
		head, err := u.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch length := int(int8(head)); {
		case length >= 0:
			u.left, u.repeated = length+1, false
		case length > -128: // which is nothing
			u.left, u.repeated = 1-length, true
			if u.of, err = u.in.ReadByte(); err != nil {
				return 0, err
			}
		}
	}
	p = p[:min(len(p), u.left)]
	if u.repeated {
		n = len(p)
		for i := range p {
			p[i] = u.of
		}
	} else {
		n, err = u.in.Read(p)
	}
	u.left -= n
	return n, err
}

// sum undoes differences between the numbers of a row.
func (s *samples) sum(row []byte) {
	for i := s.bytes; i < len(row); i += s.bytes {
		before, b := row[i-s.bytes:], row[i:]
		switch s.bytes {
		case 1:
			b[0] += before[0]
		case 2:
			s.order.PutUint16(b, s.order.Uint16(b)+s.order.Uint16(before))
		case 4:
			s.order.PutUint32(b, s.order.Uint32(b)+s.order.Uint32(before))
		case 8:
			s.order.PutUint64(b, s.order.Uint64(b)+s.order.Uint64(before))
		}
	}
}

// gather undoes differences between the bytes of a row, and puts the bytes of each number
// together, which came as in big-endian files (Adobe Photoshop TIFF Technical Note 3).
func (s *samples) gather(row, spare []byte) {
	for i := 1; i < len(row); i++ {
		row[i] += row[i-1]
	}
	copy(spare, row)
	n := len(row) / s.bytes
	for i := range n {
		for b := range s.bytes {
			to := b
			if s.order == binary.LittleEndian {
				to = s.bytes - 1 - b
			}
			row[i*s.bytes+to] = spare[b*n+i]
		}
	}
}

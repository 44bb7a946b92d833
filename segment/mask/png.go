package mask

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"
)

// Colour types of a PNG, with the bits of a channel.
const (
	greyPNG    = 0
	rgbPNG     = 2
	palettePNG = 3
)

// Form is the header of a PNG except the size. A palette has 256 entries.
type Form struct {
	depth, colour uint8
	pixel         int // bytes
	palette       []byte
}

// Forms of the files that Collie writes.
var (
	Index  = Form{depth: 8, colour: palettePNG, pixel: 1, palette: vocPalette[:]}
	Grey8  = Form{depth: 8, colour: greyPNG, pixel: 1}
	Grey16 = Form{depth: 16, colour: greyPNG, pixel: 2}
	RGB    = Form{depth: 8, colour: rgbPNG, pixel: 3}
)

// WritePNG writes a picture row by row: row fills dst, of width·pixel bytes,
// big-endian. Rows are not filtered, which suits pictures with large areas of
// few colours, and only one row is in memory.
func WritePNG(w io.Writer, form Form, width, height int, row func(y int, dst []byte)) error {
	if _, err := io.WriteString(w, "\x89PNG\r\n\x1a\n"); err != nil {
		return err
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	header = append(header, form.depth, form.colour, 0, 0, 0)
	if err := writeChunk(w, "IHDR", header); err != nil {
		return err
	}
	if form.palette != nil {
		if err := writeChunk(w, "PLTE", form.palette); err != nil {
			return err
		}
	}
	p := packers.Get().(*packer)
	defer packers.Put(p)
	data, z := p.data, p.zlib
	data.Reset(chunkWriter{w})
	defer data.Reset(nil) // keeps no reference to w
	z.Reset(data)
	line := make([]byte, 1+width*form.pixel) // the first byte, 0, means no filter
	for y := range height {
		row(y, line[1:])
		if _, err := z.Write(line); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := data.Flush(); err != nil {
		return err
	}
	return writeChunk(w, "IEND", nil)
}

// packer compresses picture data. One takes 800 KB, much more than most objects of an
// export, so they are used again.
type packer struct {
	data *bufio.Writer
	zlib *zlib.Writer
}

var packers = sync.Pool{New: func() any {
	return &packer{bufio.NewWriterSize(nil, 32<<10), zlib.NewWriter(nil)}
}}

// chunkWriter writes each piece as a chunk of picture data.
type chunkWriter struct{ w io.Writer }

func (c chunkWriter) Write(b []byte) (int, error) {
	if err := writeChunk(c.w, "IDAT", b); err != nil {
		return 0, err
	}
	return len(b), nil
}

func writeChunk(w io.Writer, kind string, data []byte) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	head = append(head, kind...)
	sum := crc32.Update(crc32.ChecksumIEEE(head[4:]), crc32.IEEETable, data)
	for _, b := range [][]byte{head, data, binary.BigEndian.AppendUint32(nil, sum)} {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

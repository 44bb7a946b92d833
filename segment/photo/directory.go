package photo

import (
	"bytes"
	"encoding/binary"
	"io"
	"strconv"
)

// Tags of a TIFF directory (TIFF 6.0, section 8 and appendix A).
const (
	newSubfileTypeTag  = 0x00fe
	imageWidthTag      = 0x0100
	imageLengthTag     = 0x0101
	bitsPerSampleTag   = 0x0102
	compressionTag     = 0x0103
	photometricTag     = 0x0106
	fillOrderTag       = 0x010a
	stripOffsetsTag    = 0x0111
	orientationTag     = 0x0112
	samplesPerPixelTag = 0x0115
	rowsPerStripTag    = 0x0116
	stripCountsTag     = 0x0117
	planarTag          = 0x011c
	predictorTag       = 0x013d
	tileWidthTag       = 0x0142
	tileLengthTag      = 0x0143
	tileOffsetsTag     = 0x0144
	tileCountsTag      = 0x0145
	subDirectoriesTag  = 0x014a
	extraSamplesTag    = 0x0152
	sampleFormatTag    = 0x0153
	noDataTag          = 0xa481 // GDAL_NODATA, a number as text
)

// Values of tags.
const (
	reduced          = 1 // bits of newSubfileTypeTag
	transparency     = 4
	uncompressed     = 1 // compressionTag
	group3           = 3
	group4           = 4
	lzwCompression   = 5
	deflate          = 8
	oldDeflate       = 32946
	packBits         = 32773
	blackIsZero      = 1 // photometricTag
	rgb              = 2
	indexed          = 3
	separate         = 2 // planarTag
	differences      = 2 // predictorTag: from the number before
	floatDifferences = 3 // from the byte before, in a row with all first bytes, then all second ones …
	associatedAlpha  = 1 // extraSamplesTag
	alpha            = 2
	unsigned         = 1 // sampleFormatTag
	signed           = 2
	floating         = 3
)

// directory is one of a TIFF structure, which is what TIFF files and EXIF data are.
type directory struct {
	file    io.ReaderAt
	order   binary.ByteOrder
	start   int64 // of the entries
	entries []byte
	after   int64 // where the next directory is, or 0
}

// entrySize is the length of an entry: tag, kind, count, and the values or where they are.
const entrySize = 12

// firstDirectory reads the first directory; without entries if there is none.
func firstDirectory(file io.ReaderAt) directory {
	d := directory{file: file, order: binary.LittleEndian}
	head := make([]byte, 8)
	if n, _ := file.ReadAt(head, 0); n < len(head) {
		return d
	}
	switch string(head[:4]) {
	case "II*\x00":
	case "MM\x00*":
		d.order = binary.BigEndian
	default:
		return d
	}
	return d.at(int64(d.order.Uint32(head[4:])))
}

// at reads the directory at an offset of the same file; without entries if there is
// none.
func (d *directory) at(offset int64) directory {
	out := directory{file: d.file, order: d.order, start: offset + 2}
	count := make([]byte, 2)
	if n, _ := d.file.ReadAt(count, offset); n < len(count) {
		return out
	}
	size := entrySize * int(d.order.Uint16(count))
	entries := make([]byte, size+4)
	n, _ := d.file.ReadAt(entries, out.start)
	if n == len(entries) {
		out.after = int64(d.order.Uint32(entries[size:]))
	}
	n = min(n, size)
	out.entries = entries[:n-n%entrySize]
	return out
}

// Kinds of values in an entry, and how many bytes each has.
var (
	wholes = map[uint16]int64{1: 1, 3: 2, 4: 4} // byte, short, long
	texts  = map[uint16]int64{2: 1}
)

// numbers are the values of an entry: size bytes each, from at on.
type numbers struct {
	at          int64
	size, count int64
}

// find returns where the whole numbers of a tag are; none if it is missing or of another kind.
func (d *directory) find(tag uint16) numbers { return d.findOf(tag, wholes) }

// findOf is find for values of some kinds.
func (d *directory) findOf(tag uint16, sizes map[uint16]int64) numbers {
	for i := 0; i < len(d.entries); i += entrySize {
		e := d.entries[i : i+entrySize]
		if d.order.Uint16(e) != tag {
			continue
		}
		n := numbers{d.start + int64(i) + 8, sizes[d.order.Uint16(e[2:])], int64(d.order.Uint32(e[4:]))}
		if n.size*n.count > 4 {
			n.at = int64(d.order.Uint32(e[8:]))
		}
		return n
	}
	return numbers{}
}

// value returns the value of a tag with an index; ok is false if there is none.
func (d *directory) value(tag uint16, index int64) (value uint32, ok bool) {
	return d.read(d.find(tag), index)
}

// read returns one of the values that find has found.
func (d *directory) read(n numbers, index int64) (value uint32, ok bool) {
	if n.size == 0 || index < 0 || index >= n.count {
		return 0, false
	}
	b := make([]byte, n.size)
	if read, _ := d.file.ReadAt(b, n.at+index*n.size); read < len(b) {
		return 0, false
	}
	switch n.size {
	case 1:
		return uint32(b[0]), true
	case 2:
		return uint32(d.order.Uint16(b)), true
	}
	return d.order.Uint32(b), true
}

// number returns the number that a tag has as text.
func (d *directory) number(tag uint16) (value float64, ok bool) {
	n := d.findOf(tag, texts)
	text := make([]byte, min(n.size*n.count, 64))
	read, _ := d.file.ReadAt(text, n.at)
	text, _, _ = bytes.Cut(text[:read], []byte{0})
	value, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
	return value, err == nil
}

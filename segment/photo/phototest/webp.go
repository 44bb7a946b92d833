package phototest

import (
	"encoding/binary"
	"image"
)

// WebP builds a WebP file, lossless (RFC 9649), of the red channel of an image as
// grey, with the data in its EXIF and XMP chunks; empty ones are left out.
func WebP(img *image.NRGBA, exif, xmp []byte) []byte {
	width, height := img.Rect.Dx(), img.Rect.Dy()

	var w bitWriter
	w.write(0x2f, 8)
	w.write(uint32(width-1), 14)
	w.write(uint32(height-1), 14)
	w.write(0, 1+3)    // no alpha, version 0
	w.write(1|2<<1, 3) // a transform: green has been subtracted from red and blue
	w.write(0, 1)      // no other one
	w.write(0, 1+1)    // no colour cache, one set of prefix codes
	w.write(0, 1)      // green: a normal code, in which
	w.write(8, 4)      // 12 code lengths are given, in the order 17 18 0 1 2 3 4 5 16 6 7 8:
	for _, length := range []uint32{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1} {
		w.write(length, 3) // bit 0 means length 0, bit 1 means length 8
	}
	w.write(0, 1)
	for symbol := range 280 { // only the first 256 are used
		w.write(map[bool]uint32{true: 1}[symbol < 256], 1)
	}
	w.write(1, 4)              // red: one symbol, of one bit, 0
	w.write(1, 4)              // blue likewise
	w.write(1|1<<2|255<<3, 11) // alpha: one symbol, of eight bits, 255
	w.write(1, 4)              // distances: unused
	for i := 0; i < len(img.Pix); i += 4 {
		for bit := 7; bit >= 0; bit-- { // prefix codes start with the high bit
			w.write(uint32(img.Pix[i]>>bit&1), 1)
		}
	}

	le := binary.LittleEndian
	header := le.AppendUint32(nil, 0x08|0x04) // has EXIF, has XMP
	header = append(header, byte(width-1), byte((width-1)>>8), 0, byte(height-1), byte((height-1)>>8), 0)
	body := []byte("WEBP")
	for _, chunk := range []struct {
		name string
		data []byte
	}{{"VP8X", header}, {"VP8L", w.bytes}, {"EXIF", exif}, {"XMP ", xmp}} {
		if len(chunk.data) == 0 {
			continue
		}
		body = append(body, chunk.name...)
		body = le.AppendUint32(body, uint32(len(chunk.data)))
		body = append(body, chunk.data...)
		if len(chunk.data)%2 == 1 {
			body = append(body, 0)
		}
	}
	return append(le.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// bitWriter packs bits, low ones first.
type bitWriter struct {
	bytes []byte
	used  int // bits of the last byte
}

func (w *bitWriter) write(value uint32, bits int) {
	for i := range bits {
		if w.used%8 == 0 {
			w.bytes, w.used = append(w.bytes, 0), 0
		}
		w.bytes[len(w.bytes)-1] |= byte(value>>i&1) << w.used
		w.used++
	}
}

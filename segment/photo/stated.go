package photo

import (
	"bytes"
	"encoding/binary"
)

// pngSize reads the sides from the IHDR chunk, which comes first (RFC 2083,
// 4.1.1); 0 if not set.
func pngSize(file []byte) (width, height int64) {
	if len(file) < 24 || string(file[12:16]) != "IHDR" {
		return 0, 0
	}
	return int64(binary.BigEndian.Uint32(file[16:])), int64(binary.BigEndian.Uint32(file[20:]))
}

// bmpSize reads the sides from a BITMAPINFOHEADER or a later one; a negative
// height means that the rows go down.
func bmpSize(file []byte) (width, height int64) {
	le := binary.LittleEndian
	if len(file) < 26 || le.Uint32(file[14:]) < 40 {
		return 0, 0
	}
	width, height = int64(int32(le.Uint32(file[18:]))), int64(int32(le.Uint32(file[22:])))
	return width, max(height, -height)
}

// tiffSize reads the sides from the first directory.
func tiffSize(file []byte) (width, height int64) {
	d := firstDirectory(bytes.NewReader(file))
	w, _ := d.value(imageWidthTag, 0)
	h, _ := d.value(imageLengthTag, 0)
	return int64(w), int64(h)
}

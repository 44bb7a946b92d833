package photo

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"collie/segment/photo/phototest"
)

// TestStatedSizes checks the sizes reported for files that are too large for the
// decoder to read.
func TestStatedSizes(t *testing.T) {
	huge := image.Pt(0x7fffffff, 0x7ffffffe)
	be, le := binary.BigEndian, binary.LittleEndian
	var file bytes.Buffer
	img := image.NewGray(image.Rect(0, 0, 3, 2))
	pngFile := phototest.MustPNG(t, img)
	be.PutUint32(pngFile[16:], uint32(huge.X))
	be.PutUint32(pngFile[20:], uint32(huge.Y))
	be.PutUint32(pngFile[29:], crc32.ChecksumIEEE(pngFile[12:29]))
	if err := bmp.Encode(&file, img); err != nil {
		t.Fatal(err)
	}
	bmpFile := bytes.Clone(file.Bytes())
	le.PutUint32(bmpFile[18:], uint32(huge.X))
	le.PutUint32(bmpFile[22:], uint32(-huge.Y))
	bmpFile[26] = 0 // and no planes, so that the decoder does not know it
	file.Reset()
	if err := tiff.Encode(&file, img, nil); err != nil {
		t.Fatal(err)
	}
	tiffFile := bytes.Clone(file.Bytes())
	directory := tiffFile[le.Uint32(tiffFile[4:]):]
	for i := range int(le.Uint16(directory)) {
		entry := directory[2+12*i:]
		switch le.Uint16(entry) {
		case 0x0100, 0x0101:
			le.PutUint16(entry[2:], 4) // a long
			le.PutUint32(entry[8:], uint32(huge.X-int(entry[0])))
		}
	}
	for name, file := range map[string][]byte{"png": pngFile, "bmp": bmpFile, "tiff": tiffFile} {
		_, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(file), nil)
		if reasonOf(err) != TooLarge || !strings.Contains(err.Error(), "2147483647×2147483646") {
			t.Errorf("%s: %v", name, err)
		}
		for cut := range len(file) { // never a panic
			if p, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(file[:cut]), nil); err == nil {
				p.Close()
			}
		}
	}
}

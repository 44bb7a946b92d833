package photo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"golang.org/x/image/tiff"

	"collie/segment/photo/phototest"
)

// turned returns what a photo of the given orientation must look like, written
// down pixel by pixel: EXIF says where row 0 and column 0 of the stored image
// are in the upright one.
func turned(orientation int) []string {
	return map[int][]string{ // stored as abc/def; a row of letters per row
		1: {"abc", "def"},
		2: {"cba", "fed"},     // row 0 top, column 0 right
		3: {"fed", "cba"},     // bottom, right
		4: {"def", "abc"},     // bottom, left
		5: {"ad", "be", "cf"}, // row 0 left, column 0 top
		6: {"da", "eb", "fc"}, // right, top
		7: {"fc", "eb", "da"}, // right, bottom
		8: {"cf", "be", "ad"}, // left, bottom
	}[orientation]
}

const cell = 16 // pixels per letter, so that JPEG blocks keep them apart

// stored is the image abc/def, each letter a square of its own grey.
func stored() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 3*cell, 2*cell))
	for y := range 2 * cell {
		for x := range 3 * cell {
			v := grey("abcdef"[y/cell*3+x/cell])
			img.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
		}
	}
	return img
}

func grey(letter byte) uint8 { return 20 + 40*(letter-'a') }

// exif returns EXIF data with the orientation between two other entries.
func exif(order binary.AppendByteOrder, orientation int) []byte {
	mark := map[bool]string{true: "II*\x00", false: "MM\x00*"}[order == binary.LittleEndian]
	b := order.AppendUint32([]byte(mark), 8)
	b = order.AppendUint16(b, 3)
	for _, e := range [][2]int{{0x010f, 0}, {0x0112, orientation}, {0x0128, 2}} {
		b = order.AppendUint16(b, uint16(e[0]))
		b = order.AppendUint16(b, 3)
		b = order.AppendUint32(b, 1)
		b = order.AppendUint16(b, uint16(e[1]))
		b = order.AppendUint16(b, 0)
	}
	return order.AppendUint32(b, 0)
}

// withEXIF builds a file of the format in which the image carries the data.
func withEXIF(t testing.TB, format string, orientation int) []byte {
	var file bytes.Buffer
	data := exif(binary.LittleEndian, orientation)
	switch format {
	case "jpeg": // after an APP1 segment that holds XMP
		if err := jpeg.Encode(&file, stored(), &jpeg.Options{Quality: 95}); err != nil {
			t.Fatal(err)
		}
		b := file.Bytes()
		segments := append(app1([]byte("http://ns.adobe.com/xap/1.0/\x00<x/>")), app1(append(bytes.Clone(exifMark), exif(binary.BigEndian, orientation)...))...)
		return append(bytes.Clone(b[:2]), append(segments, b[2:]...)...)
	case "png":
		if err := png.Encode(&file, stored()); err != nil {
			t.Fatal(err)
		}
		const header = 8 + 25 // signature, IHDR
		chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		chunk = append(append(chunk, "eXIf"...), data...)
		chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
		b := file.Bytes()
		return append(bytes.Clone(b[:header]), append(chunk, b[header:]...)...)
	case "webp":
		return phototest.WebP(stored(), data, nil)
	case "tiff":
		if err := tiff.Encode(&file, stored(), nil); err != nil {
			t.Fatal(err)
		}
		return phototest.TIFFWith(file.Bytes(), phototest.Entry{Tag: 0x0112, Kind: 3, Count: 1, Value: uint32(orientation)})
	}
	panic(format)
}

func app1(payload []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(payload)+2)), payload...)
}

// TestOrientation checks the pixels of all eight orientations in all formats
// that carry them.
func TestOrientation(t *testing.T) {
	gate := NewGate(Limits{})
	for _, format := range []string{"jpeg", "png", "webp", "tiff"} {
		for o := 0; o <= 9; o++ { // 0 and 9 mean nothing
			t.Run(fmt.Sprintf("%s/%d", format, o), func(t *testing.T) {
				p, err := gate.Read(t.Context(), bytes.NewReader(withEXIF(t, format, o)), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				want := turned(o)
				if want == nil {
					want = turned(1)
				}
				if p.Format != format {
					t.Errorf("format %q", p.Format)
				}
				if got := p.Pixels.Rect.Size(); got != image.Pt(len(want[0])*cell, len(want)*cell) {
					t.Fatalf("size %v, want %d×%d cells", got, len(want[0]), len(want))
				}
				for row, letters := range want {
					for column := range letters {
						for _, d := range []image.Point{{1, 1}, {cell - 2, cell - 2}} {
							got := p.Pixels.NRGBAAt(column*cell+d.X, row*cell+d.Y)
							if v := int(grey(letters[column])); int(got.R) < v-6 || int(got.R) > v+6 || got.A != 255 {
								t.Errorf("cell %d, %d is %v, want %c, which is %d", column, row, got, letters[column], v)
							}
						}
					}
				}
			})
		}
	}
}

// TestOrientationHostile checks that malformed structures mean upright.
func TestOrientationHostile(t *testing.T) {
	good := exif(binary.LittleEndian, 6)
	with := func(at int, b ...byte) []byte {
		c := bytes.Clone(good)
		copy(c[at:], b)
		return c
	}
	for name, c := range map[string]struct {
		data []byte
		want int
	}{
		"good":                       {good, 6},
		"long":                       {with(24, 4), 6},
		"empty":                      {nil, 0},
		"cut in the header":          {good[:7], 0},
		"cut in the directory":       {good[:20], 0},
		"cut before the end of list": {good[:len(good)-10], 6},
		"directory outside":          {with(4, 0xff, 0xff, 0xff, 0xff), 0},
		"directory at the end":       {with(4, byte(len(good))), 0},
		"many entries":               {with(8, 0xff, 0xff), 6},
		"two values":                 {with(26, 2), 6},
		"values outside":             {with(26, 3), 0},
		"values elsewhere":           {append(with(26, 3, 0, 0, 0, 50), 3, 0, 0, 0, 0, 0), 3},
		"no values":                  {with(26, 0), 0},
		"byte":                       {with(24, 1), 6},
		"text":                       {with(24, 2), 0},
		"value 256+6":                {with(31, 1), 0},
		"other byte order":           {with(0, 'M', 'M', 0, '*'), 0},
		"no mark":                    {with(0, 'X'), 0},
	} {
		if got := tiffOrientation(c.data); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// FuzzOrientation looks for panics and endless loops.
func FuzzOrientation(f *testing.F) {
	for _, format := range []string{"jpeg", "png", "webp", "tiff"} {
		f.Add(withEXIF(f, format, 6))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, format := range formats {
			if o := orientation(format, file); o < 1 || o > 8 {
				t.Errorf("%s: %d", format.name, o)
			}
		}
	})
}

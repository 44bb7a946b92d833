// Package phototest makes image files for tests, with metadata and without.
package phototest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"
)

// Secret represents everything that a camera records besides the pixels.
const Secret = "48.8584N 2.2945E"

// Traces are bytes that no file without metadata contains.
var Traces = []string{Secret, "Exif", "eXIf", "EXIF", "XMP ", "XML:com", "xap/1.0", "MPF", "Photoshop"}

// exif is EXIF data: orientation 6, and a GPS directory with the secret as its
// latitude.
func exif() []byte {
	b := binary.BigEndian.AppendUint32([]byte("MM\x00*"), 8)
	b = appendDirectory(binary.BigEndian, b, []Entry{{0x0112, 3, 1, 6 << 16}, {0x8825, 4, 1, 38}})
	b = appendDirectory(binary.BigEndian, b, []Entry{{2, 2, uint32(len(Secret)), 56}})
	return append(b, Secret...)
}

// Located are files of an image by name, one of each format but BMP, which has
// no place for more than pixels. Their metadata contain the secret wherever the
// format has a field for it and, if possible, an orientation of 6 (rotate
// clockwise); the GIF is already rotated.
func Located(tb testing.TB, img *image.NRGBA) map[string][]byte {
	tb.Helper()
	return map[string][]byte{
		"photo.jpg": locatedJPEG(tb, img), "drawing.png": locatedPNG(tb, img), "picture.webp": WebP(img, exif(), []byte(Secret)),
		"scan.tif": locatedTIFF(tb, img), "frames.gif": locatedGIF(tb, img),
	}
}

func locatedJPEG(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		tb.Fatal(err)
	}
	return WithSegments(b.Bytes(), "\xe1Exif\x00\x00"+string(exif()), "\xe1http://ns.adobe.com/xap/1.0/\x00"+Secret, "\xe2MPF\x00"+Secret, "\xedPhotoshop 3.0\x00"+Secret, "\xfe"+Secret)
}

// WithSegments puts segments, each of them its marker and then its content,
// behind the start of a JPEG file.
func WithSegments(file []byte, segments ...string) []byte {
	out := bytes.Clone(file[:2])
	for _, s := range segments {
		out = binary.BigEndian.AppendUint16(append(out, 0xff, s[0]), uint16(len(s)+1))
		out = append(out, s[1:]...)
	}
	return append(out, file[2:]...)
}

func locatedPNG(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		tb.Fatal(err)
	}
	const header = 8 + 25 // signature, IHDR
	out := bytes.Clone(b.Bytes()[:header])
	for _, chunk := range []string{"eXIf" + string(exif()), "tEXtComment\x00" + Secret, "iTXtXML:com.adobe.xmp\x00\x00\x00\x00\x00" + Secret} {
		out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
		out = append(out, chunk...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE([]byte(chunk)))
	}
	return append(out, b.Bytes()[header:]...)
}

func locatedGIF(tb testing.TB, img *image.NRGBA) []byte {
	tb.Helper()
	w, h := img.Rect.Dx(), img.Rect.Dy()
	turned := image.NewNRGBA(image.Rect(0, 0, h, w))
	for y := range h {
		for x := range w {
			turned.SetNRGBA(h-1-y, x, img.NRGBAAt(x, y))
		}
	}
	frame := image.NewPaletted(turned.Rect, palette.Plan9)
	draw.Draw(frame, frame.Rect, turned, image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{1, 1}}); err != nil {
		tb.Fatal(err)
	}
	end := b.Len() - 1
	comment := append([]byte{0x21, 0xfe, byte(len(Secret))}, Secret...)
	return append(append(bytes.Clone(b.Bytes()[:end]), comment...), 0, b.Bytes()[end])
}

// MustPNG returns an image as a file.
func MustPNG(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// FewBits is a grey PNG of 1, 2 or 4 bits per pixel with the values of the indices of img.
func FewBits(tb testing.TB, img *image.Paletted) []byte {
	tb.Helper()
	file := MustPNG(tb, img)
	const header, bits = 8, 24
	if file[bits] >= 8 {
		tb.Fatalf("a palette of %d colours takes %d bits", len(img.Palette), file[bits])
	}
	file[bits+1] = 0 // grey
	binary.BigEndian.PutUint32(file[header+21:], crc32.ChecksumIEEE(file[header+4:header+21]))
	palette := bytes.Index(file, []byte("PLTE")) - 4
	return slices.Delete(file, palette, palette+12+3*len(img.Palette))
}

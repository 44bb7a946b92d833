package photo

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"collie/segment/photo/phototest"
)

func reasonOf(err error) Reason {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.Reason
	}
	return 0
}

// TestRefusals checks the messages for people.
func TestRefusals(t *testing.T) {
	small := phototest.MustPNG(t, image.NewGray(image.Rect(0, 0, 8, 8)))
	var cmyk bytes.Buffer // a TIFF of a kind that the decoder does not know
	if err := tiff.Encode(&cmyk, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	rare := bytes.Replace(cmyk.Bytes(), []byte{0x06, 0x01, 3, 0, 1, 0, 0, 0, 1}, []byte{0x06, 0x01, 3, 0, 1, 0, 0, 0, 5}, 1)
	preview := phototest.TIFFWith(cmyk.Bytes(), phototest.Entry{Tag: newSubfileTypeTag, Kind: 4, Count: 1, Value: reduced}, phototest.Entry{Tag: subDirectoriesTag, Kind: 4, Count: 1, Value: 8})
	for name, c := range map[string]struct {
		file   string
		reason Reason
		text   string
	}{
		"empty":         {"", Unreadable, "empty"},
		"text":          {"hello", Unsupported, "Use JPEG, PNG, WebP, GIF, BMP or TIFF."},
		"svg":           {`<?xml version="1.0"?><svg onload="x()"/>`, Unsupported, "SVG"},
		"svg with mark": {"\xef\xbb\xbf  <SVG>", Unsupported, "SVG"},
		"html":          {"\n<!DOCTYPE html><p>", Unsupported, "HTML"},
		"heic":          {"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00", Unsupported, "a HEIC photo, which Collie can't read. Save a copy as JPEG"},
		"live photo":    {"\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00qt  ", Unsupported, "a video"},
		"moving webp":   {"RIFF\x30\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x3b\x00\x00\x31\x00\x00", Unsupported, "an animated WebP"},
		"avif":          {"\x00\x00\x00\x18ftypavif\x00\x00\x00\x00", Unsupported, "AVIF"},
		"Canon raw":     {"II*\x00\x10\x00\x00\x00CR\x02\x00", Unsupported, "a camera's raw file, which Collie can't read. Export it as JPEG"},
		"Nikon raw":     {string(preview), Unsupported, "a small copy of another, as in a camera's raw files"},
		"dicom":         {strings.Repeat("\x00", 128) + "DICM\x02", Unsupported, "a DICOM image, which Collie can't read. Export its pictures as PNG or TIFF."},
		"rar":           {"Rar!\x1a\x07\x01\x00", Unsupported, "a RAR archive, which Collie can't read. Pack the images into a zip archive."},
		"zip":           {"PK\x03\x04", Unsupported, "a zip archive, which Collie can't read. Upload it alone"},
		"pdf":           {"%PDF-1.7", Unsupported, "PDF document, which Collie can't read. Save its pages"},
		"video":         {"\x00\x00\x00\x20ftypisom\x00\x00\x00\x00", Unsupported, "Save its frames"},
		"COCO":          {`{"images": []}`, Unsupported, "choose \"Import masks\""},
		"CVAT":          {"<?xml version=\"1.0\"?>\n<annotations>", Unsupported, "choose \"Import masks\""},
		"rare TIFF":     {string(rare), Unsupported, "Save it in grey or RGB"},
		"header only":   {string(small[:33]), Unreadable, "PNG"},
		"cut":           {string(small[:len(small)-20]), Unreadable, "PNG"},
		"signature":     {string(small[:8]), Unreadable, "PNG"},
		"too wide":      {string(phototest.MustPNG(t, image.NewGray(image.Rect(0, 0, 101, 1)))), TooLarge, "100 pixels per side"},
		"too high":      {string(phototest.MustPNG(t, image.NewGray(image.Rect(0, 0, 1, 101)))), TooLarge, "100 pixels per side"},
		"too many":      {string(phototest.MustPNG(t, image.NewGray(image.Rect(0, 0, 90, 90)))), TooLarge, "0.008 megapixels"},
		"too long":      {string(small) + strings.Repeat("x", 10_000), TooLarge, "0.009537 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			gate := NewGate(Limits{Bytes: 10_000, Pixels: 8000, Side: 100})
			_, err := gate.Read(t.Context(), strings.NewReader(c.file), nil)
			if reasonOf(err) != c.reason || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v of reason %d, want %q and reason %d", err, reasonOf(err), c.text, c.reason)
			}
			if p, err := gate.Read(t.Context(), bytes.NewReader(small), nil); err != nil { // the memory is back
				t.Errorf("after the refusal: %v", err)
			} else {
				p.Close()
			}
		})
	}
}

// Limits are said in numbers that people read.
func TestLimitsInWords(t *testing.T) {
	for limit, want := range map[int64]string{1 << 19: "0.5 MiB", 64 << 20: "64 MiB", 3 << 29: "1.5 GiB", 12 << 30: "12 GiB"} {
		if err := NewGate(Limits{Bytes: limit}).tooLong(limit + 1); err == nil || !strings.Contains(err.Error(), "larger than "+want+",") {
			t.Errorf("%d: %v, want %s", limit, err, want)
		}
	}
}

// TestReader checks that errors of the reader and of the context are not taken
// for the file's, and that slow readers are fine.
func TestReader(t *testing.T) {
	gate := NewGate(Limits{})
	file := phototest.MustPNG(t, stored())
	own := errors.New("connection lost")
	for _, n := range []int{0, 5, 600} {
		_, err := gate.Read(t.Context(), io.MultiReader(bytes.NewReader(file[:min(n, len(file))]), iotest.ErrReader(own)), nil)
		if !errors.Is(err, own) || reasonOf(err) != 0 {
			t.Errorf("reader that fails after %d bytes: %v", n, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gate.Read(ctx, bytes.NewReader(file), nil); !errors.Is(err, context.Canceled) || reasonOf(err) != 0 {
		t.Errorf("cancelled: %v", err)
	}
	if reason := readOne(t, gate, file); reason != 0 {
		t.Errorf("reason %d", reason)
	}
	if p, err := gate.Read(t.Context(), iotest.OneByteReader(bytes.NewReader(file)), nil); err != nil {
		t.Errorf("one byte at a time: %v", err)
	} else {
		p.Close()
	}
}

// TestColours checks the pixels that come out of each kind of image that goes
// in.
func TestColours(t *testing.T) {
	at := image.Rect(0, 0, 3, 2)
	fill := func(img interface {
		image.Image
		Set(x, y int, c color.Color)
	}, c color.Color,
	) image.Image {
		for y := range 2 {
			for x := range 3 {
				img.Set(x, y, c)
			}
		}
		return img
	}
	opaque := color.NRGBA{200, 100, 50, 255}
	for name, c := range map[string]struct {
		img    image.Image
		encode func(io.Writer, image.Image) error
		want   color.NRGBA
		near   int
	}{
		"png 8 bit":           {fill(image.NewNRGBA(at), opaque), png.Encode, opaque, 0},
		"png palette":         {fill(image.NewPaletted(at, color.Palette{color.Black, opaque}), opaque), png.Encode, opaque, 0},
		"png half on white":   {fill(image.NewNRGBA(at), color.NRGBA{200, 100, 0, 128}), png.Encode, color.NRGBA{227, 177, 127, 255}, 1},
		"png transparent":     {fill(image.NewNRGBA(at), color.NRGBA{9, 9, 9, 0}), png.Encode, color.NRGBA{255, 255, 255, 255}, 0},
		"png grey 16 bit":     {fill(image.NewGray16(at), color.Gray16{0x80ff}), png.Encode, color.NRGBA{0x80, 0x80, 0x80, 255}, 0},
		"png grey 16 highest": {fill(image.NewGray16(at), color.Gray16{0xffff}), png.Encode, color.NRGBA{255, 255, 255, 255}, 0},
		"png grey 16 lowest":  {fill(image.NewGray16(at), color.Gray16{0}), png.Encode, color.NRGBA{0, 0, 0, 255}, 0},
		"png colour 16 bit":   {fill(image.NewNRGBA64(at), color.NRGBA64{0xc812, 0x64ff, 0x3200, 0xffff}), png.Encode, opaque, 0},
		"jpeg colour":         {fill(image.NewRGBA(at), opaque), encodeJPEG, opaque, 4},
		"jpeg grey":           {fill(image.NewGray(at), color.Gray{90}), encodeJPEG, color.NRGBA{90, 90, 90, 255}, 2},
		"gif":                 {fill(image.NewPaletted(at, color.Palette{color.Black, opaque}), opaque), encodeGIF, opaque, 0},
		"bmp":                 {fill(image.NewRGBA(at), opaque), bmp.Encode, opaque, 0},
		"tiff grey 16 bit":    {fill(image.NewGray16(at), color.Gray16{0x80ff}), encodeTIFF, color.NRGBA{0x80, 0x80, 0x80, 255}, 0},
		"tiff colour":         {fill(image.NewNRGBA(at), opaque), encodeTIFF, opaque, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := c.encode(&b, c.img); err != nil {
				t.Fatal(err)
			}
			p, err := NewGate(Limits{}).Read(t.Context(), &b, nil)
			if err != nil {
				t.Fatal(err)
			}
			for y := range 2 {
				for x := range 3 {
					got := p.Pixels.NRGBAAt(x, y)
					for i, d := range []int{int(got.R) - int(c.want.R), int(got.G) - int(c.want.G), int(got.B) - int(c.want.B), int(got.A) - int(c.want.A)} {
						if max(d, -d) > c.near {
							t.Fatalf("pixel %d, %d is %v, want %v (channel %d)", x, y, got, c.want, i)
						}
					}
				}
			}
		})
	}
}

func encodeJPEG(w io.Writer, img image.Image) error { return jpeg.Encode(w, img, nil) }
func encodeGIF(w io.Writer, img image.Image) error  { return gif.Encode(w, img, nil) }
func encodeTIFF(w io.Writer, img image.Image) error { return tiff.Encode(w, img, nil) }

// TestCMYK checks the colours of JPEG files made for printing.
func TestCMYK(t *testing.T) {
	img := image.NewCMYK(image.Rect(0, 0, 2, 2))
	for i := range img.Pix {
		img.Pix[i] = []uint8{0, 255, 255, 0}[i%4]
	}
	if got := upright(img, img.Rect, 1).NRGBAAt(1, 1); got != (color.NRGBA{255, 0, 0, 255}) {
		t.Errorf("magenta and yellow make %v, want red", got)
	}
}

// TestFirstFrame checks that a GIF is its first frame on the canvas of its
// header, whatever follows.
func TestFirstFrame(t *testing.T) {
	palette := color.Palette{color.NRGBA{10, 20, 30, 255}, color.NRGBA{}}
	first := image.NewPaletted(image.Rect(2, 1, 4, 3), palette)
	second := image.NewPaletted(image.Rect(0, 0, 6, 5), palette)
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{first, second}, Delay: []int{1, 1}, Config: image.Config{Width: 6, Height: 5}}); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	for _, file := range [][]byte{whole, whole[:len(whole)-4]} { // the second frame may be broken
		p, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(file), nil)
		if err != nil {
			t.Fatal(err)
		}
		for y := range 5 {
			for x := range 6 {
				want := color.NRGBA{255, 255, 255, 255}
				if image.Pt(x, y).In(first.Rect) {
					want = color.NRGBA{10, 20, 30, 255}
				}
				if got := p.Pixels.NRGBAAt(x, y); got != want {
					t.Errorf("pixel %d, %d is %v, want %v", x, y, got, want)
				}
			}
		}
	}
}

// TestPanics checks that a panic of a decoder or of an image is a refusal.
func TestPanics(t *testing.T) {
	broken := image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.Black})
	broken.Pix[3] = 9
	for name, f := range map[string]*format{
		"decoder":       {title: "X", decode: func(io.Reader) (image.Image, error) { panic("decoder") }},
		"palette index": {title: "X", decode: func(io.Reader) (image.Image, error) { return broken, nil }},
		"other size":    {title: "X", decode: func(io.Reader) (image.Image, error) { return image.NewGray(image.Rect(0, 0, 3, 2)), nil }},
		"other origin":  {title: "X", decode: func(io.Reader) (image.Image, error) { return image.NewGray(image.Rect(1, 0, 3, 2)), nil }},
	} {
		if _, err := decode(f, nil, image.Pt(2, 2), nil); reasonOf(err) != Unreadable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFit(t *testing.T) {
	for in, want := range map[[2]int][2]int{
		{1, 1}: {1, 1}, {2560, 2560}: {2560, 2560}, {2561, 100}: {2560, 100}, {5120, 1000}: {2560, 500},
		{16384, 1}: {2560, 1}, {1, 16384}: {1, 2560}, {4000, 3000}: {2560, 1920}, {3000, 4000}: {1920, 2560},
	} {
		if w, h := fit(in[0], in[1], 2560); [2]int{w, h} != want {
			t.Errorf("%v becomes %d×%d, want %v", in, w, h, want)
		}
	}
}

// TestEncode checks size, content and the absence of metadata of the copies.
func TestEncode(t *testing.T) {
	wide := image.NewGray(image.Rect(0, 0, 3000, 30))
	var wideJPEG bytes.Buffer
	if err := encodeJPEG(&wideJPEG, wide); err != nil {
		t.Fatal(err)
	}
	for _, file := range []struct {
		bytes   []byte
		display int // long side
	}{{withEXIF(t, "jpeg", 6), displaySide}, {wideJPEG.Bytes(), displaySide}, {phototest.MustPNG(t, wide), fineDisplaySide}} {
		p, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(file.bytes), nil)
		if err != nil {
			t.Fatal(err)
		}
		size := p.Pixels.Rect.Size()
		for name, c := range map[string]struct {
			encode func(io.Writer) error
			side   int
		}{"display": {p.EncodeDisplay, file.display}, "thumbnail": {p.EncodeThumbnail, ThumbnailSide}} {
			var b bytes.Buffer
			if err := c.encode(&b); err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(b.Bytes(), exifMark) || jpegOrientation(b.Bytes()) != 0 {
				t.Errorf("%s has metadata", name)
			}
			img, err := jpeg.Decode(&b)
			if err != nil {
				t.Fatal(err)
			}
			w, h := fit(size.X, size.Y, c.side)
			if img.Bounds() != image.Rect(0, 0, w, h) {
				t.Errorf("%s of %v is %v, want %d×%d", name, size, img.Bounds(), w, h)
			}
			want := p.Pixels.NRGBAAt(size.X/4, size.Y/4)
			got := color.NRGBAModel.Convert(img.At(w/4, h/4)).(color.NRGBA)
			if d := int(want.R) - int(got.R); d < -6 || d > 6 {
				t.Errorf("%s: %v became %v", name, want, got)
			}
		}
		p.Close()
	}
}

// FuzzRead looks for panics, and for photos that break a promise.
func FuzzRead(f *testing.F) {
	for _, format := range []string{"jpeg", "png", "webp", "tiff"} {
		f.Add(withEXIF(f, format, 7))
	}
	for _, encode := range []func(io.Writer, image.Image) error{encodeGIF, bmp.Encode} {
		var b bytes.Buffer
		if err := encode(&b, stored()); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	for _, tile := range []int{0, 16} {
		f.Add(sampled(image.Pt(20, 3), tile, 32, floating, blackIsZero, 1, func(b []byte, x, y, _ int) []byte { return append(b, 0, 0, uint8(x), uint8(64+y)) }))
		f.Add(sampled(image.Pt(20, 3), tile, 8, unsigned, rgb, 3, func(b []byte, x, y, c int) []byte { return append(b, uint8(x+y+c)) }))
	}
	gate := NewGate(Limits{Pixels: 1 << 16})
	f.Fuzz(func(t *testing.T, file []byte) { readOne(t, gate, file) })
}

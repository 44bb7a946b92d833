package photo

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"collie/segment/photo/phototest"
)

// TestTIFFBlocks checks the bound on what is decompressed in one piece.
func TestTIFFBlocks(t *testing.T) {
	size := image.Pt(8000, 5000)
	for name, c := range map[string]struct {
		tags [][2]uint32
		ok   bool
	}{
		"one piece, plain":   {[][2]uint32{{compressionTag, 1}}, true},
		"one piece, deflate": {[][2]uint32{{compressionTag, 8}}, false},
		"strips":             {[][2]uint32{{compressionTag, 8}, {rowsPerStripTag, 2000}}, true},
		"large strips":       {[][2]uint32{{compressionTag, 8}, {rowsPerStripTag, 2001}}, false},
		"strip of all rows":  {[][2]uint32{{compressionTag, 5}, {rowsPerStripTag, 0xffffffff}}, false},
		"tiles":              {[][2]uint32{{compressionTag, 5}, {tileWidthTag, 4000}, {tileLengthTag, 4000}}, true},
		"large tiles":        {[][2]uint32{{compressionTag, 5}, {rowsPerStripTag, 1}, {tileWidthTag, 4001}, {tileLengthTag, 4000}}, false},
		"huge tiles":         {[][2]uint32{{compressionTag, 5}, {tileWidthTag, 0xffffffff}, {tileLengthTag, 0xffffffff}}, false},
	} {
		le := binary.LittleEndian
		file := le.AppendUint16([]byte("II*\x00\x08\x00\x00\x00"), uint16(len(c.tags)))
		for _, tag := range c.tags {
			file = le.AppendUint16(file, uint16(tag[0]))
			file = le.AppendUint16(file, 4)
			file = le.AppendUint32(le.AppendUint32(file, 1), tag[1])
		}
		if err := checkTIFF(file, size); (err == nil) != c.ok || err != nil && reasonOf(err) != Unsupported {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFax checks the pixels of two TIFF files that Pillow has compressed as Group
// 4: white with a black box, whether zeros stand for black or for white.
func TestFax(t *testing.T) {
	for name, file := range map[string]string{
		"black is zero": "49492a001200000026a0bcddf8c00400400009000001030001000000100000000101030001000000040000000201030001000000010000000301030001000000040000000601030001000000010000001101040001000000080000001601030001000000040000001701040001000000090000001c010300010000000100000000000000",
		"white is zero": "49492a000e000000982f1800800809000001030001000000100000000101030001000000040000000201030001000000010000000301030001000000040000000601030001000000000000001101040001000000080000001601030001000000040000001701040001000000060000001c010300010000000100000000000000",
	} {
		content, err := hex.DecodeString(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(content), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []uint8{255, 255, 255, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255} {
			if got := p.Pixels.NRGBAAt(i, 1).R; got != want {
				t.Errorf("%s: pixel %d is %d, want %d", name, i, got, want)
			}
		}
	}
}

// spotted returns a picture of 5×3 pixels whose numbers all differ, in 8 and 16 bits.
func spotted() (narrow *image.NRGBA, wide *image.NRGBA64) {
	size := image.Rect(0, 0, 5, 3)
	narrow, wide = image.NewNRGBA(size), image.NewNRGBA64(size)
	for i := range narrow.Pix {
		narrow.Pix[i] = uint8(37 * i)
		wide.Pix[2*i], wide.Pix[2*i+1] = uint8(37*i), uint8(i)
	}
	return narrow, wide
}

// TestBands reads aerial and satellite images: a fourth channel that is not alpha is
// left out, and three or four channels that are called grey are red, green and blue.
func TestBands(t *testing.T) {
	narrow, wide := spotted()
	for name, c := range map[string]struct {
		channels    int // that the file has
		photometric uint32
		extra       []uint16
		alpha       bool
	}{
		"infrared":                {4, rgb, []uint16{0}, false},
		"alpha":                   {4, rgb, []uint16{alpha}, true},
		"three greys":             {3, blackIsZero, []uint16{0, 0}, false},
		"four greys":              {4, blackIsZero, []uint16{0, 0, 0}, false},
		"three greys and alpha":   {4, blackIsZero, []uint16{0, 0, alpha}, true},
		"RGB with nothing stated": {3, rgb, nil, false},
	} {
		for _, img := range []image.Image{narrow, wide} {
			file := bands(img, c.channels, c.photometric, c.extra)
			p, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(file), nil)
			if err != nil {
				t.Errorf("%s, %T: %v", name, img, err)
				continue
			}
			seen := img
			if !c.alpha {
				seen = opaque(img)
			}
			if want := upright(seen, narrow.Rect, 1); !bytes.Equal(p.Pixels.Pix, want.Pix) {
				t.Errorf("%s, %T: pixels\n%v, want\n%v", name, img, p.Pixels.Pix, want.Pix)
			}
		}
	}
	for name, planar := range map[string]uint32{"together": 1, "by themselves": separate} {
		file := bands(narrow, 5, rgb, make([]uint16, 2), phototest.Entry{Tag: planarTag, Kind: 3, Count: 1, Value: planar})
		_, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(file), nil)
		if reasonOf(err) != Unsupported || !strings.Contains(err.Error(), "in grey or RGB") {
			t.Errorf("five channels, %s: %v", name, err)
		}
	}
}

// TestNoData: pixels that have the value that GDAL names for missing data are black, of
// 16 bits per channel in all channels, and don't count for the exposure.
func TestNoData(t *testing.T) {
	img := image.NewNRGBA64(image.Rect(0, 0, 10, 4))
	for i := range 40 {
		v := uint16(1000 + 10*i)
		img.SetNRGBA64(i%10, i/10, color.NRGBA64{v, v, v, 0xffff})
	}
	missing := color.NRGBA64{60000, 60000, 60000, 0xffff}
	for x := range 10 {
		img.SetNRGBA64(x, 0, missing)
	}
	img.SetNRGBA64(1, 1, color.NRGBA64{60000, 1100, 1100, 0xffff})
	file := bands(img, 3, rgb, nil)
	for text, want := range map[string]uint8{"": 234, "60000": 0, " 6e4 ": 0, "60001": 234, "0": 234, "-9999": 234, "nan": 234, "none": 234} {
		tagged := append(bytes.Clone(file), text+"\x00...."...)
		tagged = phototest.TIFFWith(tagged, phototest.Entry{Tag: noDataTag, Kind: 2, Count: uint32(len(text) + 5), Value: uint32(len(file))})
		p, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(tagged), nil)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got := p.Pixels.NRGBAAt(3, 0).R; got != want {
			t.Errorf("no data %q: a missing pixel is %d, want %d", text, got, want)
		}
		if got := p.Pixels.NRGBAAt(1, 1).R; got != 234 {
			t.Errorf("no data %q: a pixel with one such channel is %d", text, got)
		}
		p.Close()
	}
}

// TestOverlappingDirectories: a small file can hold many long directories, which would
// take minutes to read.
func TestOverlappingDirectories(t *testing.T) {
	const pages, entries, apart = 200, 65_535, 64
	le := binary.LittleEndian
	length := entrySize * entries
	file := make([]byte, 8+pages*apart+2+length+4)
	copy(file, "II*\x00\x08")
	for i := range pages {
		at := 8 + i*apart
		le.PutUint16(file[at:], entries)
		le.PutUint32(file[at+2+length:], uint32(at+apart))
	}
	if n := tiffPictures(file); n > maxEntries/entries+1 {
		t.Errorf("%d directories were read", n)
	}
}

// bands is an uncompressed TIFF file with some channels of an image of 8 or 16 bits;
// the fourth is its alpha, whatever extra says, and more are zeros.
func bands(img image.Image, channels int, photometric uint32, extra []uint16, more ...phototest.Entry) []byte {
	const short, long = 3, 4
	le := binary.LittleEndian
	size := img.Bounds().Size()
	bits := uint16(8)
	if _, wide := img.(*image.NRGBA64); wide {
		bits = 16
	}
	file := []byte("II*\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	shorts := func(tag uint16, values []uint16) {
		e := phototest.Entry{Tag: tag, Kind: short, Count: uint32(len(values)), Value: uint32(len(file))}
		for i, v := range values {
			file = le.AppendUint16(file, v)
			if len(values) <= 2 {
				e.Value = uint32(values[0]) | uint32(values[i])<<(16*i)
			}
		}
		more = append(more, e)
	}
	shorts(bitsPerSampleTag, slices.Repeat([]uint16{bits}, channels))
	if len(extra) > 0 {
		shorts(extraSamplesTag, extra)
	}
	pixels := len(file)
	for y := range size.Y {
		for x := range size.X {
			for c := range channels {
				switch img := img.(type) {
				case *image.NRGBA:
					v := img.NRGBAAt(x, y)
					file = append(file, []uint8{v.R, v.G, v.B, v.A, 0}[c])
				case *image.NRGBA64:
					v := img.NRGBA64At(x, y)
					file = le.AppendUint16(file, []uint16{v.R, v.G, v.B, v.A, 0}[c])
				}
			}
		}
	}
	entry := func(tag, kind uint16, value uint32) {
		more = append(more, phototest.Entry{Tag: tag, Kind: kind, Count: 1, Value: value})
	}
	entry(imageWidthTag, short, uint32(size.X))
	entry(imageLengthTag, short, uint32(size.Y))
	entry(compressionTag, short, uncompressed)
	entry(photometricTag, short, photometric)
	entry(0x0111, long, uint32(pixels)) // where the strip begins, and its length
	entry(0x0117, long, uint32(len(file)-pixels))
	entry(rowsPerStripTag, short, uint32(size.Y))
	entry(samplesPerPixelTag, short, uint32(channels))
	return phototest.TIFFWith(file, more...)
}

// opaque returns a copy of an image without its alpha.
func opaque(img image.Image) image.Image {
	switch img := img.(type) {
	case *image.NRGBA:
		out := *img
		out.Pix = slices.Clone(img.Pix)
		for i := 3; i < len(out.Pix); i += 4 {
			out.Pix[i] = 0xff
		}
		return &out
	case *image.NRGBA64:
		out := *img
		out.Pix = slices.Clone(img.Pix)
		for i := 6; i < len(out.Pix); i += 8 {
			out.Pix[i], out.Pix[i+1] = 0xff, 0xff
		}
		return &out
	}
	return img
}

// TestMarkedAsSmall checks that a picture marked as a small copy of another is refused
// only if there is another, as in raw files: in the next directory or in one below.
func TestMarkedAsSmall(t *testing.T) {
	file := phototest.TIFFWith(phototest.MustTIFF(t, image.NewGray(image.Rect(0, 0, 4, 3)), nil), phototest.Entry{Tag: newSubfileTypeTag, Kind: 4, Count: 1, Value: reduced})
	if reason := readOne(t, NewGate(Limits{}), file); reason != 0 {
		t.Errorf("alone: refused for reason %d", reason)
	}
	below := phototest.TIFFWith(file, phototest.Entry{Tag: subDirectoriesTag, Kind: 13, Count: 1, Value: 8})
	le := binary.LittleEndian
	first := le.Uint32(file[4:])
	le.PutUint32(file[first+2+entrySize*uint32(le.Uint16(file[first:])):], 8)
	for name, file := range map[string][]byte{"before another": file, "with one below": below} {
		if reason := readOne(t, NewGate(Limits{}), file); reason != Unsupported {
			t.Errorf("%s: reason %d, want %d", name, reason, Unsupported)
		}
	}
}

// TestPictures counts the layers of a stack, but no previews and masks of a picture.
func TestPictures(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 4, 3))
	single := bands(img, 3, rgb, nil)
	for name, c := range map[string]struct {
		kinds [][2]uint32 // newSubfileTypeTag and the width of each further picture
		loop  bool
		want  int
	}{
		"single":            {nil, false, 1},
		"stack":             {[][2]uint32{{0, 4}, {2, 4}}, false, 3},
		"preview, unmarked": {[][2]uint32{{0, 2}}, false, 1},
		"pyramid and mask":  {[][2]uint32{{reduced, 4}, {transparency, 4}}, false, 1},
		"loop":              {[][2]uint32{{0, 4}}, true, 2},
	} {
		le := binary.LittleEndian
		file := slices.Clone(single)
		first := le.Uint32(file[4:])
		end := func(at uint32) uint32 { return at + 2 + entrySize*uint32(le.Uint16(file[at:])) }
		last := first
		for _, kind := range c.kinds {
			le.PutUint32(file[4:], first)
			file = phototest.TIFFWith(file, phototest.Entry{Tag: newSubfileTypeTag, Kind: 4, Count: 1, Value: kind[0]})
			next := le.Uint32(file[4:])
			le.PutUint32(file[next+2+entrySize+8:], kind[1]) // the width comes second
			le.PutUint32(file[end(last):], next)
			last = next
		}
		le.PutUint32(file[4:], first)
		if c.loop {
			le.PutUint32(file[end(last):], first)
		}
		p, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(file), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.Pictures != c.want {
			t.Errorf("%s: %d pictures, want %d", name, p.Pictures, c.want)
		}
		p.Close()
	}
}

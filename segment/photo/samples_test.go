package photo

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"image"
	"math"
	"slices"
	"testing"

	"collie/segment/photo/phototest"
)

// TestFloats reads files that tifffile and Pillow have written: the numbers from -5 in steps
// of 1.5, in rows of four.
func TestFloats(t *testing.T) {
	for name, file := range map[string]string{
		"big-endian, deflate, two strips, with NaN at (2, 1)": "4d4d002a00000008000d0100000400000001000000040101000400000001000000030102000300000001002000000103000300000001000800000106000300000001000100000111000400000002000000aa011500030000000100010000011600040000000100000002011700030000000200240015011a000500000001000000b2011b000500000001000000ba01280003000000010001000001530003000000010003000000000000000000d0000000f4000000010000000100000001000000010000000000000000000000000000789c3bb08081e1400210333030ec0762fb060606070506867aa080c30606060087a4074e789c7378c0c0e0c801c40a406cc1c0000019280244",
		"LZW, predictor 3":          "49492a002c0000008030000007fb8580a081c26143f00c0c80a0300c0a10a849021a004f8a030186445207010b000001030001000000040000000101030001000000030000000201030001000000200000000301030001000000050000000601030001000000010000001101040001000000080000001601030001000000030000001701040001000000240000001c01030001000000010000003d010300010000000300000053010300010000000300000000000000",
		"deflate, predictor 2":      "49492a0034000000789c636058708081e1c07f06860540cc00c40df64036909900c40640fcc081814103484b80310028630925000b0000010300010000000400000001010300010000000300000002010300010000002000000003010300010000000800000006010300010000000100000011010400010000000800000016010300010000000300000017010400010000002b0000001c01030001000000010000003d010300010000000200000053010300010000000300000000000000",
		"uncompressed, predictor 3": "49492a00080000000b000001040001000000040000000101040001000000030000000201030001000000200000000301030001000000010000000601030001000000010000001101040001000000920000001601040001000000030000001701040001000000300000001c01030001000000010000003d0103000100000003000000530103000100000003000000000000000000a0c0000060c0000000c0000000bf0000803f00002040000080400000b0400000e040000008410000204100003841",
	} {
		content, err := hex.DecodeString(file)
		if err != nil {
			t.Fatal(err)
		}
		img, err := decodeTIFF(bytes.NewReader(content))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range 12 {
			want := 1 + uint16(math.Round(float64(i)/11*65534))
			if got := img.(*image.Gray16).Gray16At(i%4, i/4).Y; got != want && !(i == 6 && got == 0 && name[0] == 'b') {
				t.Errorf("%s: number %d is %d, want %d", name, i, got, want)
			}
		}
	}
}

// TestNumbers reads grey images of numbers that are not whole ones of 8 or 16 bits, in
// strips and in tiles larger than the image. Those without data are black.
func TestNumbers(t *testing.T) {
	le := binary.LittleEndian
	numbers := []float64{-3, -2, 0, 1, 5, 7}
	for name, c := range map[string]struct {
		bits, kind uint32
		append     func(b []byte, v float64) []byte
	}{
		"16 bits":           {16, signed, func(b []byte, v float64) []byte { return le.AppendUint16(b, uint16(int16(v))) }},
		"32 bits":           {32, signed, func(b []byte, v float64) []byte { return le.AppendUint32(b, uint32(int32(v))) }},
		"32 bits, unsigned": {32, unsigned, func(b []byte, v float64) []byte { return le.AppendUint32(b, uint32(v+3)) }},
		"floats of 32 bits": {32, floating, func(b []byte, v float64) []byte { return le.AppendUint32(b, math.Float32bits(float32(v))) }},
		"floats of 64 bits": {64, floating, func(b []byte, v float64) []byte { return le.AppendUint64(b, math.Float64bits(v)) }},
	} {
		for _, tile := range []int{0, 16} {
			for _, without := range []string{"", "0"} {
				if c.kind == unsigned && without != "" {
					without = "3"
				}
				file := sampled(image.Pt(3, 2), tile, c.bits, c.kind, blackIsZero, 1, func(b []byte, x, y, _ int) []byte { return c.append(b, numbers[3*y+x]) })
				if without != "" {
					file = phototest.TIFFWith(file, phototest.Entry{Tag: noDataTag, Kind: 2, Count: 2, Value: uint32(without[0])})
				}
				p, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(file), func(img image.Image) image.Image {
					for i, v := range numbers {
						want := 1 + uint16(math.Round((v+3)/10*65534))
						if v == 0 && without != "" {
							want = 0
						}
						if got := img.(*image.Gray16).Gray16At(i%3, i/3).Y; got != want {
							t.Errorf("%s, tiles of %d: %v is %d, want %d", name, tile, v, got, want)
						}
					}
					return img
				})
				if err != nil {
					t.Fatalf("%s, tiles of %d: %v", name, tile, err)
				}
				p.Close()
			}
		}
	}
}

// TestInfinite: the largest numbers of 32 bits mean that there are no data, and an image
// of nothing else is black.
func TestInfinite(t *testing.T) {
	for _, c := range []struct {
		numbers []float64
		want    []uint8
	}{
		{[]float64{math.Inf(1), math.Inf(-1), -math.MaxFloat32, math.NaN(), 1, 2}, []uint8{0, 0, 0, 0, 0, 255}},
		{[]float64{7, 7, 7, 7, 7, math.MaxFloat32}, []uint8{0, 0, 0, 0, 0, 0}},
		{slices.Repeat([]float64{math.NaN()}, 6), []uint8{0, 0, 0, 0, 0, 0}},
	} {
		file := sampled(image.Pt(3, 2), 0, 32, floating, blackIsZero, 1, func(b []byte, x, y, _ int) []byte {
			return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(c.numbers[3*y+x])))
		})
		p, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(file), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if got := p.Pixels.NRGBAAt(i%3, i/3).R; got != want {
				t.Errorf("%v: number %d is %d, want %d", c.numbers, i, got, want)
			}
		}
		p.Close()
	}
}

// TestUnnamed: a negative number far below all others means that there are no data, too.
func TestUnnamed(t *testing.T) {
	for _, c := range []struct {
		numbers []float64
		want    []uint16
	}{
		{[]float64{-9999, -9999, 0, 10, 5, -9999}, []uint16{0, 0, 1, 65535, 32768, 0}},
		{[]float64{-32768, -4, -32768, 16, 6, -4}, []uint16{0, 1, 0, 65535, 32768, 1}},
		{[]float64{-1, 0, 1, 0, 1, 1}, []uint16{1, 32768, 65535, 32768, 65535, 65535}},
		{[]float64{-1, 0, 0, 0, 0, 0}, []uint16{1, 65535, 65535, 65535, 65535, 65535}},
		{[]float64{0, 100, 101, 100, 100, 101}, []uint16{1, 64886, 65535, 64886, 64886, 65535}},
	} {
		file := sampled(image.Pt(3, 2), 0, 32, floating, blackIsZero, 1, func(b []byte, x, y, _ int) []byte {
			return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(c.numbers[3*y+x])))
		})
		img, err := decodeTIFF(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if got := img.(*image.Gray16).Gray16At(i%3, i/3).Y; got != want {
				t.Errorf("%v: number %d is %d, want %d", c.numbers, i, got, want)
			}
		}
	}
}

// TestPlanes reads images that store each channel by itself; they look like those of
// the same channels together.
func TestPlanes(t *testing.T) {
	narrow, wide := spotted()
	for name, c := range map[string]struct {
		channels    int
		photometric uint32
		extra       []uint16
	}{
		"RGB": {3, rgb, nil}, "three greys": {3, blackIsZero, []uint16{0, 0}}, "infrared": {4, rgb, []uint16{0}},
		"alpha": {4, rgb, []uint16{alpha}}, "associated alpha": {4, rgb, []uint16{associatedAlpha}},
	} {
		for _, img := range []image.Image{narrow, wide} {
			for _, tile := range []int{0, 16} {
				bits := uint32(8)
				if img == image.Image(wide) {
					bits = 16
				}
				file := sampled(narrow.Rect.Size(), tile, bits, unsigned, c.photometric, c.channels, func(b []byte, x, y, channel int) []byte {
					if bits == 8 {
						v := narrow.NRGBAAt(x, y)
						return append(b, []uint8{v.R, v.G, v.B, v.A}[channel])
					}
					v := wide.NRGBA64At(x, y)
					return binary.LittleEndian.AppendUint16(b, []uint16{v.R, v.G, v.B, v.A}[channel])
				})
				if len(c.extra) > 0 {
					e := phototest.Entry{Tag: extraSamplesTag, Kind: 3, Count: uint32(len(c.extra))}
					for i, v := range c.extra {
						e.Value |= uint32(v) << (16 * i)
					}
					file = phototest.TIFFWith(file, e)
				}
				want, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(bands(img, c.channels, c.photometric, c.extra)), nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(file), nil)
				if err != nil {
					t.Errorf("%s, %T, tiles of %d: %v", name, img, tile, err)
					continue
				}
				if !bytes.Equal(got.Pixels.Pix, want.Pixels.Pix) {
					t.Errorf("%s, %T, tiles of %d: pixels\n%v, want\n%v", name, img, tile, got.Pixels.Pix, want.Pixels.Pix)
				}
			}
		}
	}
}

// TestBadSamples: headers and blocks that can't be right are refused, whatever they say.
func TestBadSamples(t *testing.T) {
	good := sampled(image.Pt(40, 30), 16, 32, floating, blackIsZero, 1, func(b []byte, x, y, _ int) []byte {
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x*y)))
	})
	read := func(file []byte) error {
		p, err := NewGate(Limits{}).Read(t.Context(), bytes.NewReader(file), nil)
		if err == nil {
			p.Close()
		}
		return err
	}
	if err := read(good); err != nil {
		t.Fatal(err)
	}
	for tag, values := range map[uint16][]uint32{
		tileWidthTag: {1, 15, 2000, math.MaxUint32}, tileLengthTag: {0, 1, 2000, math.MaxUint32}, tileOffsetsTag: {1 << 20, math.MaxUint32},
		tileCountsTag: {0, 100}, compressionTag: {6, 7, 50000}, imageWidthTag: {100}, imageLengthTag: {100},
	} {
		for _, v := range values {
			file := bytes.Clone(good)
			d := firstDirectory(bytes.NewReader(file))
			n := d.find(tag)
			for i := range n.count {
				binary.LittleEndian.PutUint32(file[n.at+n.size*i:], v)
			}
			if reason := reasonOf(read(file)); reason != Unreadable && reason != Unsupported {
				t.Errorf("tag %#x of %d: reason %d", tag, v, reason)
			}
		}
	}
	if reason := reasonOf(read(good[:len(good)/2])); reason != Unreadable && reason != Unsupported {
		t.Errorf("half a file: reason %d", reason)
	}
}

// sampled is an uncompressed TIFF file of numbers that put appends, each channel by
// itself: a strip of each row, or tiles with some side. Around the image they are zeros.
// There can be one channel, or more than two.
func sampled(size image.Point, tile int, bits, kind, photometric uint32, channels int, put func(b []byte, x, y, channel int) []byte) []byte {
	const short, long = 3, 4
	le := binary.LittleEndian
	file := []byte("II*\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	block := image.Pt(size.X, 1)
	if tile > 0 {
		block = image.Pt(tile, tile)
	}
	var entries []phototest.Entry
	list := func(tag, kind uint16, values []uint32) {
		e := phototest.Entry{Tag: tag, Kind: kind, Count: uint32(len(values)), Value: values[0]}
		if len(values) > 1 {
			e.Value = uint32(len(file))
			for _, v := range values {
				if file = le.AppendUint16(file, uint16(v)); kind == long {
					file = le.AppendUint16(file, uint16(v>>16))
				}
			}
		}
		entries = append(entries, e)
	}
	var offsets, counts []uint32
	for c := range channels {
		for y := 0; y < size.Y; y += block.Y {
			for x := 0; x < size.X; x += block.X {
				offsets = append(offsets, uint32(len(file)))
				for i := range block.X * block.Y {
					at := image.Pt(x+i%block.X, y+i/block.X)
					if at.In(image.Rectangle{Max: size}) {
						file = put(file, at.X, at.Y, c)
					} else {
						file = append(file, make([]byte, bits/8)...)
					}
				}
				counts = append(counts, uint32(len(file))-offsets[len(offsets)-1])
			}
		}
	}
	one := func(tag uint16, v uint32) { list(tag, long, []uint32{v}) }
	one(imageWidthTag, uint32(size.X))
	one(imageLengthTag, uint32(size.Y))
	one(compressionTag, uncompressed)
	one(photometricTag, photometric)
	one(samplesPerPixelTag, uint32(channels))
	one(planarTag, separate)
	list(bitsPerSampleTag, short, slices.Repeat([]uint32{bits}, channels))
	list(sampleFormatTag, short, slices.Repeat([]uint32{kind}, channels))
	if tile > 0 {
		one(tileWidthTag, uint32(tile))
		one(tileLengthTag, uint32(tile))
		list(tileOffsetsTag, long, offsets)
		list(tileCountsTag, long, counts)
	} else {
		one(rowsPerStripTag, 1)
		list(stripOffsetsTag, long, offsets)
		list(stripCountsTag, long, counts)
	}
	return phototest.TIFFWith(file, entries...)
}

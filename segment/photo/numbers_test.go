package photo

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"collie/segment/photo/phototest"
)

// numbersIn are the numbers of a file, row by row.
func numbersIn(file []byte) ([]float64, error) {
	n, err := NumbersOf(file)
	if err != nil {
		return nil, err
	}
	width, height := n.Size()
	out := make([]float64, width*height)
	err = n.Each(func(x, y int, row []float64) error {
		copy(out[y*int(width)+x:], row)
		return nil
	})
	return out, err
}

// TestNumbersAsStored reads numbers of every kind in strips and tiles.
func TestNumbersAsStored(t *testing.T) {
	le := binary.LittleEndian
	for name, c := range map[string]struct {
		bits, kind, photometric uint32
		numbers                 []float64
		append                  func(b []byte, v float64) []byte
	}{
		"8 bits":            {8, unsigned, blackIsZero, []float64{0, 1, 254, 255, 3, 3}, func(b []byte, v float64) []byte { return append(b, uint8(v)) }},
		"8 bits, palette":   {8, unsigned, indexed, []float64{0, 1, 254, 255, 3, 3}, func(b []byte, v float64) []byte { return append(b, uint8(v)) }},
		"8 bits, signed":    {8, signed, blackIsZero, []float64{0, 1, -128, 127, 3, 3}, func(b []byte, v float64) []byte { return append(b, uint8(int8(v))) }},
		"16 bits":           {16, unsigned, blackIsZero, []float64{0, 65535, 256, 9, 3, 3}, func(b []byte, v float64) []byte { return le.AppendUint16(b, uint16(v)) }},
		"16 bits, signed":   {16, signed, blackIsZero, []float64{0, -1, 256, 9, 3, 3}, func(b []byte, v float64) []byte { return le.AppendUint16(b, uint16(int16(v))) }},
		"32 bits":           {32, unsigned, blackIsZero, []float64{0, 70_001, 16_777_217, math.MaxUint32, 3, 3}, func(b []byte, v float64) []byte { return le.AppendUint32(b, uint32(v)) }},
		"32 bits, signed":   {32, signed, blackIsZero, []float64{0, -16_777_217, 9, 9, 3, 3}, func(b []byte, v float64) []byte { return le.AppendUint32(b, uint32(int32(v))) }},
		"64 bits":           {64, unsigned, blackIsZero, []float64{0, 1 << 40, 9, 9, 3, 3}, func(b []byte, v float64) []byte { return le.AppendUint64(b, uint64(v)) }},
		"64 bits, signed":   {64, signed, blackIsZero, []float64{0, -1 << 40, 9, 9, 3, 3}, func(b []byte, v float64) []byte { return le.AppendUint64(b, uint64(int64(v))) }},
		"floats":            {32, floating, blackIsZero, []float64{0, 0.5, -2, 9, 3, 3}, func(b []byte, v float64) []byte { return le.AppendUint32(b, math.Float32bits(float32(v))) }},
		"floats of 64 bits": {64, floating, blackIsZero, []float64{0, 0.1, -2, 9, 3, 3}, func(b []byte, v float64) []byte { return le.AppendUint64(b, math.Float64bits(v)) }},
	} {
		for _, tile := range []int{0, 16} {
			file := sampled(image.Pt(3, 2), tile, c.bits, c.kind, c.photometric, 1, func(b []byte, x, y, _ int) []byte { return c.append(b, c.numbers[3*y+x]) })
			if got, err := numbersIn(file); err != nil || !slices.Equal(got, c.numbers) {
				t.Errorf("%s, tiles of %d: %v, %v, want %v", name, tile, got, err, c.numbers)
			}
		}
	}
}

// TestNumbersOfOthers reads masks that other programs have written: arrays of truth values,
// which take a bit each, and PackBits.
func TestNumbersOfOthers(t *testing.T) {
	const width, height = 19, 7
	for name, number := range map[string]func(x, y int, in bool) int{
		"bits-tifffile":        nil, // 2023.2.3, of a bool array
		"bits-pillow-packbits": nil, // 9.4.0
		"packbits-pillow": func(x, y int, in bool) int {
			n := 0
			if in {
				n = 7
			}
			if y == 3 {
				n += x
			}
			return n
		},
	} {
		file, err := os.ReadFile(filepath.Join("testdata", name+".tif"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := numbersIn(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, v := range got {
			x, y := i%width, i/width
			in, want := (x+y)%5 == 0 || x > 12 && y < 4, 0
			if in {
				want = 1
			}
			if number != nil {
				want = number(x, y, in)
			}
			if v != float64(want) {
				t.Fatalf("%s: the number at (%d, %d) is %v, want %d", name, x, y, v, want)
			}
		}
		if len(got) != width*height {
			t.Errorf("%s: %d numbers", name, len(got))
		}
		for n := range file {
			if _, err := numbersIn(file[:n]); err == nil && n < len(file)/2 {
				t.Errorf("%s: the first %d of %d bytes are read without an error", name, n, len(file))
			}
		}
	}
}

// TestUnpacked follows the specification's example (TIFF 6.0, section 9).
func TestUnpacked(t *testing.T) {
	packed := []byte{0xfe, 0xaa, 0x02, 0x80, 0x00, 0x2a, 0xfd, 0xaa, 0x03, 0x80, 0x00, 0x2a, 0x22, 0x80, 0xf7, 0xaa}
	want := []byte{0xaa, 0xaa, 0xaa, 0x80, 0x00, 0x2a, 0xaa, 0xaa, 0xaa, 0xaa, 0x80, 0x00, 0x2a, 0x22, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa}
	if err := iotest.TestReader(&unpacker{in: bufio.NewReader(bytes.NewReader(packed))}, want); err != nil {
		t.Error(err)
	}
	for _, n := range []int{1, 4} {
		if got, err := io.ReadAll(&unpacker{in: bufio.NewReader(bytes.NewReader(packed[:n]))}); err != nil || len(got) > 4 {
			t.Errorf("of %d bytes: % x, %v", n, got, err)
		}
	}
}

// TestNoNumbers: what is refused, and why.
func TestNoNumbers(t *testing.T) {
	grey := func(b []byte, x, y, _ int) []byte { return append(b, uint8(x)) }
	good := sampled(image.Pt(3, 2), 0, 8, unsigned, blackIsZero, 1, grey)
	changed := func(tag uint16, value uint32) []byte {
		file := bytes.Clone(good)
		d := firstDirectory(bytes.NewReader(file))
		binary.LittleEndian.PutUint32(file[d.find(tag).at:], value)
		return file
	}
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"another file":  {[]byte("\x89PNG\r\n\x1a\n"), "not a readable TIFF"},
		"nothing":       {nil, "not a readable TIFF"},
		"a header only": {[]byte("II*\x00\x08\x00\x00\x00"), "not a readable TIFF"},
		"BigTIFF":       {[]byte("II+\x00\x08\x00\x00\x00"), "BigTIFF"},
		"no width":      {changed(imageWidthTag, 0), "not a readable TIFF"},
		"colours":       {sampled(image.Pt(3, 2), 0, 8, unsigned, rgb, 3, grey), "with colours"},
		"half floats":   {sampled(image.Pt(3, 2), 0, 16, floating, blackIsZero, 1, func(b []byte, x, y, _ int) []byte { return append(b, 0, 0) }), "of a kind"},
		"4 bits":        {changed(bitsPerSampleTag, 4), "of a kind"},
		"JPEG":          {changed(compressionTag, 7), "compressed in a way"},
		"a stack":       {phototest.Stack(t, image.NewGray(image.Rect(0, 0, 3, 2))), "has 2 pictures"},
		"half of it":    {good[:9], "not a readable TIFF"},
		"wrong strips":  {changed(stripOffsetsTag, 1<<30), "damaged or incomplete"},
	} {
		_, err := numbersIn(c.file)
		if refused := new(Error); !errors.As(err, &refused) || !strings.Contains(refused.Detail, c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	stop := errors.New("stop")
	n, err := NumbersOf(good)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Each(func(int, int, []float64) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of put: %v", err)
	}
}

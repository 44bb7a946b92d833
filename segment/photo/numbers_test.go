package photo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

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
		"1 bit":         {changed(bitsPerSampleTag, 1), "of a kind"},
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

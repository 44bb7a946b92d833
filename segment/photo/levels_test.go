package photo

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment/photo/phototest"
)

// ramp16 is a greyscale image whose value is 1000 + 10·x, but for one black and
// one white pixel.
func ramp16() *image.Gray16 {
	img := image.NewGray16(image.Rect(0, 0, 100, 50))
	for y := range 50 {
		for x := range 100 {
			img.SetGray16(x, y, color.Gray16{Y: uint16(1000 + 10*x)})
		}
	}
	img.SetGray16(0, 0, color.Gray16{Y: 0})
	img.SetGray16(1, 0, color.Gray16{Y: 0xffff})
	return img
}

func TestLevels(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 2, 1))
	grey.Pix[1] = 10
	colour := image.NewNRGBA64(image.Rect(0, 0, 1, 1))
	colour.SetNRGBA64(0, 0, color.NRGBA64{R: 5, G: 700, B: 80, A: 0xffff})
	bordered, greyBordered := image.NewRGBA64(image.Rect(0, 0, 10, 10)), image.NewGray16(image.Rect(0, 0, 10, 10))
	for i := 10; i < 100; i++ { // the first line has no data
		bordered.SetRGBA64(i%10, i/10, color.RGBA64{uint16(3000 + i), uint16(3000 + i), 500, 0xffff})
		greyBordered.SetGray16(i%10, i/10, color.Gray16{uint16(3000 + i)})
	}
	for name, c := range map[string]struct {
		img  image.Image
		want Levels
	}{
		"black border":     {greyBordered, Levels{Bits: 16, Lowest: 0, Highest: 3099, Low: 3010, High: 3099}},
		"border in colour": {bordered, Levels{Bits: 16, Lowest: 0, Highest: 3099, Low: 500, High: 3099}},
		"16 bit":           {ramp16(), Levels{Bits: 16, Lowest: 0, Highest: 0xffff, Low: 1000, High: 1990}},
		"8 bit":            {grey, Levels{Bits: 8, Lowest: 0, Highest: 2570, Low: 0, High: 2570}},
		"colour of 16 bit": {colour, Levels{Bits: 16, Lowest: 5, Highest: 700, Low: 5, High: 700}},
		"nothing":          {image.NewGray16(image.Rectangle{}), Levels{Bits: 16}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, LevelsOf(c.img)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// TestWindow reads a file whose values lie in a 66th of the range: without a
// window it shows five greys, with one it shows a hundred.
func TestWindow(t *testing.T) {
	file := phototest.MustPNG(t, ramp16())
	greys := func(tone func(image.Image) image.Image) []uint8 {
		p, err := NewGate(Limits{}).Read(context.Background(), bytes.NewReader(file), tone)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		var row []uint8
		for x := range 100 {
			row = append(row, p.Pixels.NRGBAAt(x, 20).R)
		}
		return row
	}
	different := func(row []uint8) int {
		seen := map[uint8]bool{}
		for _, v := range row {
			seen[v] = true
		}
		return len(seen)
	}
	if n := different(greys(nil)); n != 5 {
		t.Errorf("without a window there are %d greys, want 5", n)
	}
	row := greys(Window(1000, 1990))
	if n := different(row); n != 100 || row[0] != 0 || row[99] != 255 {
		t.Errorf("with a window there are %d greys from %d to %d, want 100 from 0 to 255", n, row[0], row[99])
	}
	if row := greys(Window(1500, 1500)); row[49] != 0 || row[51] != 255 {
		t.Errorf("an empty window gives %d and %d on its sides, want 0 and 255", row[49], row[51])
	}
}

// TestExpose: what uses a small part of the range is spread, the rest is left. A border
// without data is no part of it.
func TestExpose(t *testing.T) {
	bordered := image.NewGray16(image.Rect(0, 0, 100, 50))
	copy(bordered.Pix, ramp16().Pix[:bordered.Stride*25])
	grey, ok := Expose(bordered).(*image.Gray)
	if !ok || grey.GrayAt(0, 10).Y != 0 || grey.GrayAt(99, 10).Y != 255 {
		t.Errorf("within a black border, values from 1000 to 1990 became %v", Expose(bordered).At(0, 10))
	}
	if _, ok := Expose(ramp16()).(*image.Gray); !ok {
		t.Error("values from 1000 to 1990 are not spread")
	}
	even := image.NewGray16(image.Rect(0, 0, 10, 10))
	wide := image.NewGray16(image.Rect(0, 0, 256, 1))
	for x := range 256 {
		wide.SetGray16(x, 0, color.Gray16{Y: uint16(x * 100)})
	}
	for name, img := range map[string]image.Image{
		"8 bit": image.NewGray(image.Rect(0, 0, 4, 4)), "one value": even, "a third of the range": wide,
	} {
		if Expose(img) != img {
			t.Errorf("%s: the image was changed", name)
		}
	}
}

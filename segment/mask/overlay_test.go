package mask

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"collie/segment"
)

func TestWriteOverlay(t *testing.T) {
	m := Mask{Width: 640, Height: 400, Pixels: bytes.Repeat([]byte{0}, 640*400)}
	for y := range 400 {
		for x := range 320 {
			m.Pixels[y*640+x] = 1 // the left half
		}
	}
	for x := range 640 {
		m.Pixels[399*640+x], m.Pixels[398*640+x] = segment.Void, segment.Void // the lowest row of the small picture
	}
	var b bytes.Buffer
	if err := WriteOverlay(&b, m, []segment.Class{{Color: "#102030"}, {Color: "#ff0000"}}, 0, 320); err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if size := got.Bounds().Size(); size.X != 320 || size.Y != 200 {
		t.Errorf("the overlay has %v pixels", size)
	}
	for _, c := range []struct {
		x, y int
		want color.NRGBA
	}{{10, 10, color.NRGBA{255, 0, 0, shown}}, {300, 10, color.NRGBA{0x10, 0x20, 0x30, faint}}, {10, 199, color.NRGBA{}}} {
		if at := color.NRGBAModel.Convert(got.At(c.x, c.y)); at != c.want {
			t.Errorf("at %d, %d: %v, want %v", c.x, c.y, at, c.want)
		}
	}
	narrow := Mask{Width: 2, Height: 640, Pixels: make([]byte, 2*640)}
	if err := WriteOverlay(&b, narrow, nil, 0, 160); err != nil {
		t.Fatal(err)
	}
	if size, err := png.DecodeConfig(&b); err != nil || size.Width != 1 || size.Height != 160 {
		t.Errorf("the overlay of a narrow mask has %d×%d pixels, %v", size.Width, size.Height, err)
	}
}

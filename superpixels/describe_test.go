package superpixels

import (
	"image"
	"image/color"
	"math"
	"testing"
)

// Sectors are where the angles are, and do not know the sign of a gradient.
func TestSector(t *testing.T) {
	for degrees := range 180 {
		angle := float64(degrees) * math.Pi / 180
		dx, dy := float32(math.Cos(angle)), float32(math.Sin(angle))
		want := int(float64(degrees)/22.5+0.5) % DirectionBins
		if got, back := sector(dx, dy), sector(-dx, -dy); got != want || back != want {
			t.Errorf("%d°: sector %d, and %d turned round, want %d", degrees, got, back, want)
		}
	}
}

func TestColourBins(t *testing.T) {
	for _, c := range []struct {
		bin, want int
	}{
		{lightnessBin(0), 0},
		{lightnessBin(6.2), 0},
		{lightnessBin(6.3), 1},
		{lightnessBin(99), 15},
		{lightnessBin(100), 15},
		{lightnessBin(-1), 0},
		{chromaBin(0), 8},
		{chromaBin(2.6), 9},
		{chromaBin(-0.1), 7},
		{chromaBin(-2.6), 6},
		{chromaBin(90), 15},
		{chromaBin(-90), 0},
	} {
		if c.bin != c.want {
			t.Errorf("bin %d, want %d", c.bin, c.want)
		}
	}
}

// Stripes have one direction, and two colours half of the pixels each.
func TestHistogramsOfStripes(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			v := uint8(40)
			if x/8%2 == 1 {
				v = 220
			}
			img.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
		}
	}
	r := Describe(img, &Map{Width: 64, Height: 64, N: 1, Labels: make([]int32, 64*64)}).Regions[0]
	dark, _, _ := labPixel(40, 40, 40)
	light, _, _ := labPixel(220, 220, 220)
	if a, b := r.Colours[0][lightnessBin(dark)], r.Colours[0][lightnessBin(light)]; a != 128 || b != 128 {
		t.Errorf("shares %d and %d of 255, want 128 each: %v", a, b, r.Colours[0])
	}
	for k, share := range r.Directions {
		if k == 0 && share < 60 || k > 0 && share > 0 {
			t.Errorf("share %d of 255 in sector %d: %v", share, k, r.Directions)
		}
	}
}

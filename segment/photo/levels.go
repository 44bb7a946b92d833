package photo

import (
	"image"
	"image/color"
)

// Levels is the range of values in an image's channels, from 0 to 65535
// whatever the bit depth: 8-bit values are multiplied by 257.
type Levels struct {
	Bits            int    // per channel: 8 or 16
	Lowest, Highest uint16 // values that occur
	Low, High       uint16 // half a per cent of the values are below Low, and above High, black pixels aside
}

// outside is the share of the values below Low, and above High.
const outside = 0.005

// LevelsOf counts the values of all colour channels. Pixels that are black in all of
// them don't count for Low and High: around aerial images they mean that there are no
// data. O(pixels).
func LevelsOf(img image.Image) Levels { return levelsOf(img, false) }

// levelsOf is LevelsOf, with black pixels or without.
func levelsOf(img image.Image, black bool) Levels {
	var count [1 << 16]int
	total, empty := 0, 0
	add := func(v uint16) { count[v]++; total++ }
	levels := Levels{Bits: 8}
	b := img.Bounds()
	switch img := img.(type) {
	case *image.Gray16:
		levels.Bits = 16
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				add(img.Gray16At(x, y).Y)
			}
		}
		empty = count[0]
	case image.RGBA64Image:
		if m := img.ColorModel(); m == color.RGBA64Model || m == color.NRGBA64Model {
			levels.Bits = 16
		}
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				c := img.RGBA64At(x, y)
				add(c.R)
				add(c.G)
				add(c.B)
				if c.R|c.G|c.B == 0 {
					empty += 3
				}
			}
		}
	}
	if total == 0 {
		return levels
	}
	levels.Lowest, levels.Highest, levels.Low, levels.High = 0xffff, 0, 0, 0
	if black || empty == total {
		empty = 0
	}
	below, total := -empty, total-empty
	for v, n := range count {
		if n == 0 {
			continue
		}
		value := uint16(v)
		levels.Lowest, levels.Highest = min(levels.Lowest, value), max(levels.Highest, value)
		if float64(below) <= outside*float64(total) {
			levels.Low = value
		}
		if float64(below) < (1-outside)*float64(total) {
			levels.High = value
		}
		below += n
	}
	if empty > 0 && levels.Low == levels.High { // nothing but black and one value
		return levelsOf(img, true)
	}
	return levels
}

// Window returns a function for ReadToned: in images with 16 bits per channel
// it stretches the values from low to high over the whole range; values beyond
// become black or white. Other images are not changed.
func Window(low, high uint16) func(image.Image) image.Image {
	span := max(1, int(high)-int(low))
	tone := func(v uint16) uint8 {
		return uint8((min(max(int(v)-int(low), 0), span)*255 + span/2) / span)
	}
	return func(img image.Image) image.Image {
		b := img.Bounds()
		switch img := img.(type) {
		case *image.Gray16:
			out := image.NewGray(b)
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for x := b.Min.X; x < b.Max.X; x++ {
					out.SetGray(x, y, color.Gray{Y: tone(img.Gray16At(x, y).Y)})
				}
			}
			return out
		case *image.RGBA64:
			out := image.NewRGBA(b)
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for x := b.Min.X; x < b.Max.X; x++ {
					c := img.RGBA64At(x, y)
					a := uint8(c.A >> 8)
					out.SetRGBA(x, y, color.RGBA{min(a, tone(c.R)), min(a, tone(c.G)), min(a, tone(c.B)), a})
				}
			}
			return out
		case *image.NRGBA64:
			out := image.NewNRGBA(b)
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for x := b.Min.X; x < b.Max.X; x++ {
					c := img.NRGBA64At(x, y)
					out.SetNRGBA(x, y, color.NRGBA{tone(c.R), tone(c.G), tone(c.B), uint8(c.A >> 8)})
				}
			}
			return out
		}
		return img
	}
}

// Deep reports whether an image has 16 bits per channel.
func Deep(img image.Image) bool {
	switch img.(type) {
	case *image.Gray16, *image.RGBA64, *image.NRGBA64:
		return true
	}
	return false
}

// narrow is the share of the 16-bit range that makes 64 greys of 256.
const narrow = 0.25

// Expose is a function for ReadToned: if an image with 16 bits per channel uses
// only a small part of the range, as from cameras with 10 or 12 bits, it
// stretches that part over the whole range. Other images are not changed.
func Expose(img image.Image) image.Image {
	if !Deep(img) {
		return img
	}
	levels := levelsOf(img, true)
	if levels.Low == levels.High || float64(levels.High-levels.Low) >= narrow*0xffff {
		return img
	}
	return Window(levels.Low, levels.High)(img)
}

package photo

import (
	"encoding/binary"
	"image"
)

// be is the order of bytes in images with 16 bits per channel. Those of decoders have
// no gaps between rows.
var be = binary.BigEndian

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
// data, and mendTIFF makes those black that a file names as such. O(pixels).
func LevelsOf(img image.Image) Levels {
	levels := Levels{Bits: 8}
	if Deep(img) {
		levels.Bits = 16
	}
	var count [1 << 16]int
	total, empty := 0, 0
	add := func(r, g, b uint16) {
		count[r]++
		count[g]++
		count[b]++
		total += 3
		if r|g|b == 0 {
			empty += 3
		}
	}
	wide := func(pix []uint8) { // of four channels
		for ; len(pix) > 0; pix = pix[8:] {
			if pix[6]|pix[7] == 0 { // transparent
				add(0, 0, 0)
			} else {
				add(be.Uint16(pix), be.Uint16(pix[2:]), be.Uint16(pix[4:]))
			}
		}
	}
	switch img := img.(type) {
	case *image.Gray16:
		for pix := img.Pix; len(pix) > 0; pix = pix[2:] {
			v := be.Uint16(pix)
			add(v, v, v)
		}
	case *image.RGBA64:
		wide(img.Pix)
	case *image.NRGBA64:
		wide(img.Pix)
	case image.RGBA64Image:
		b := img.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				c := img.RGBA64At(x, y)
				add(c.R, c.G, c.B)
			}
		}
	}
	if total == 0 {
		return levels
	}
	levels.Lowest, levels.Highest = 0xffff, 0
	for v, n := range count {
		if n > 0 {
			levels.Lowest, levels.Highest = min(levels.Lowest, uint16(v)), max(levels.Highest, uint16(v))
		}
	}
	levels.Low, levels.High = ends(&count, total)
	if empty > 0 {
		count[0] -= empty
		if low, high := ends(&count, total-empty); low < high { // more than black and one value
			levels.Low, levels.High = low, high
		}
	}
	return levels
}

// ends returns the values that have few others below and above them.
func ends(count *[1 << 16]int, total int) (low, high uint16) {
	below := 0
	for v, n := range count {
		if n > 0 && float64(below) <= outside*float64(total) {
			low = uint16(v)
		}
		if n > 0 && float64(below) < (1-outside)*float64(total) {
			high = uint16(v)
		}
		below += n
	}
	return low, high
}

// Window returns a function for Read: in images with 16 bits per channel
// it stretches the values from low to high over the whole range; values beyond
// become black or white. Other images are not changed.
func Window(low, high uint16) func(image.Image) image.Image {
	span := max(1, int(high)-int(low))
	tones := make([]uint8, 1<<16)
	for v := range tones {
		tones[v] = uint8((min(max(v-int(low), 0), span)*255 + span/2) / span)
	}
	return func(img image.Image) image.Image {
		switch img := img.(type) {
		case *image.Gray16:
			out := image.NewGray(img.Rect)
			for i := range out.Pix {
				out.Pix[i] = tones[be.Uint16(img.Pix[2*i:])]
			}
			return out
		case *image.RGBA64:
			out := image.NewRGBA(img.Rect)
			for i := 0; i < len(out.Pix); i += 4 {
				to, from := out.Pix[i:i+4], img.Pix[2*i:2*i+8]
				to[3] = from[6]
				for c := range 3 {
					to[c] = min(to[3], tones[be.Uint16(from[2*c:])])
				}
			}
			return out
		case *image.NRGBA64:
			out := image.NewNRGBA(img.Rect)
			for i := 0; i < len(out.Pix); i += 4 {
				to, from := out.Pix[i:i+4], img.Pix[2*i:2*i+8]
				to[3] = from[6]
				for c := range 3 {
					to[c] = tones[be.Uint16(from[2*c:])]
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

// Expose is a function for Read: if an image with 16 bits per channel uses
// only a small part of the range, as from cameras with 10 or 12 bits, it
// stretches that part over the whole range. Other images are not changed.
func Expose(img image.Image) image.Image {
	if !Deep(img) {
		return img
	}
	levels := LevelsOf(img)
	if levels.Low == levels.High || float64(levels.High-levels.Low) >= narrow*0xffff {
		return img
	}
	return Window(levels.Low, levels.High)(img)
}

// Package mask has masks, with a class or void per pixel, and writes masks and
// superpixel maps as PNG files.
package mask

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"image/color"
	"io"

	"collie/segment"
	"collie/superpixels"
)

// Mask is a class or [segment.Void] per pixel, row-major: Width·Height of them.
type Mask struct {
	Width, Height int
	Pixels        []uint8
}

// Of makes a mask of a class per region of a map.
func Of(m *superpixels.Runs, labels []uint8) Mask {
	return Mask{Width: m.Width, Height: m.Height, Pixels: m.Spread(labels)}
}

// Row returns the pixels of row y.
func (m Mask) Row(y int) []uint8 { return m.Pixels[y*m.Width : (y+1)*m.Width] }

// WriteIndex writes the mask as an 8-bit palette PNG: each pixel is a class
// index, 255 where undecided. The palette is that of PASCAL VOC ([VOCColor])
// with all 256 entries and no transparency.
func WriteIndex(w io.Writer, m Mask) error {
	return WritePNG(w, Index, m.Width, m.Height, func(y int, dst []byte) { copy(dst, m.Row(y)) })
}

// WriteColour writes the mask as an RGB PNG in the colours of the classes;
// undecided pixels have VOC's colour of void, (224, 224, 192).
func WriteColour(w io.Writer, m Mask, classes []segment.Class) error {
	var colors [256]color.RGBA
	for i, c := range classes {
		var err error
		if colors[i], err = ParseColor(c.Color); err != nil {
			return fmt.Errorf("class %d: %w", i, err)
		}
	}
	colors[segment.Void] = VOCColor(segment.Void)
	return WritePNG(w, RGB, m.Width, m.Height, func(y int, dst []byte) {
		for x, l := range m.Row(y) {
			dst[3*x], dst[3*x+1], dst[3*x+2] = colors[l].R, colors[l].G, colors[l].B
		}
	})
}

// WriteSuperpixels writes the map as a 16-bit grey PNG: each pixel is the id of
// its superpixel. A map of more than 65,536 superpixels is an error.
func WriteSuperpixels(w io.Writer, m *superpixels.Runs) error {
	if m.N > 1<<16 {
		return fmt.Errorf("%d superpixels do not fit 16 bits", m.N)
	}
	return WritePNG(w, Grey16, m.Width, m.Height, func(y int, dst []byte) {
		row := y * m.Width
		for run := range m.Between(row, row+m.Width) {
			for p := run.Start; p < run.End; p++ {
				binary.BigEndian.PutUint16(dst[2*(p-row):], uint16(run.Region))
			}
		}
	})
}

// VOCColor is the colour of index id in the PASCAL VOC colour map: the bits of
// id in threes, spread over the high bits of red, green and blue.
func VOCColor(id uint8) color.RGBA {
	c := color.RGBA{A: 255}
	for j := 7; id != 0; j-- {
		c.R |= (id & 1) << j
		c.G |= (id >> 1 & 1) << j
		c.B |= (id >> 2 & 1) << j
		id >>= 3
	}
	return c
}

// vocPalette is the colour map in the form of a PNG palette.
var vocPalette = func() (p [3 * 256]byte) {
	for i := range 256 {
		c := VOCColor(uint8(i))
		p[3*i], p[3*i+1], p[3*i+2] = c.R, c.G, c.B
	}
	return p
}()

// FormatColor writes a colour in the form #rrggbb.
func FormatColor(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// ParseColor reads a colour of the form #rrggbb.
func ParseColor(s string) (color.RGBA, error) {
	var rgb [3]byte
	if len(s) == 7 && s[0] == '#' {
		if _, err := hex.Decode(rgb[:], []byte(s[1:])); err == nil {
			return color.RGBA{R: rgb[0], G: rgb[1], B: rgb[2], A: 255}, nil
		}
	}
	return color.RGBA{}, fmt.Errorf("the colour %q is not of the form #rrggbb", s)
}

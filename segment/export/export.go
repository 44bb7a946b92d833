// Package export writes labellings in forms that other programs read. Every
// writer streams: beside the map and one entry per superpixel it holds a few
// rows of the picture, whatever its size. The same input gives the same bytes.
package export

import (
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"

	"collie/segment"
	"collie/superpixels"
)

// IndexMask writes the labelling as an 8-bit palette PNG of the map's size:
// each pixel is a class index, 255 where undecided. The palette is that of
// PASCAL VOC ([VOCColor]) with all 256 entries and no transparency. labels has
// one class per superpixel; another length panics.
func IndexMask(w io.Writer, m *superpixels.Map, labels []uint8) error {
	checkLength(m, labels)
	return png.Encode(w, indexMask{grid{m}, labels})
}

// ColourMask writes the labelling as an RGB PNG of the map's size in the
// colours of the classes; undecided pixels have VOC's colour of void,
// (224, 224, 192). labels has one class per superpixel; another length panics.
func ColourMask(w io.Writer, m *superpixels.Map, labels []uint8, classes []segment.Class) error {
	checkLength(m, labels)
	byClass := make([]color.Color, len(classes))
	for i, c := range classes {
		rgb, err := parseColor(c.Color)
		if err != nil {
			return fmt.Errorf("class %d: %w", i, err)
		}
		byClass[i] = rgb
	}
	colors := make([]color.Color, m.N)
	for i, l := range labels {
		switch {
		case l == segment.Void:
			colors[i] = VOCColor(segment.Void)
		case int(l) < len(classes):
			colors[i] = byClass[l]
		default:
			return fmt.Errorf("superpixel %d has class %d of %d classes", i, l, len(classes))
		}
	}
	return png.Encode(w, colourMask{grid{m}, colors})
}

// Superpixels writes the map as a 16-bit grey PNG: each pixel is the id of its
// superpixel. A map of more than 65,536 superpixels does not fit and is an error.
func Superpixels(w io.Writer, m *superpixels.Map) error {
	if m.N > 1<<16 {
		return fmt.Errorf("%d superpixels do not fit 16 bits", m.N)
	}
	greys := make([]color.Color, m.N)
	for i := range greys {
		greys[i] = color.Gray16{Y: uint16(i)}
	}
	return png.Encode(w, idPicture{grid{m}, greys})
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

var vocPalette = func() color.Palette {
	p := make(color.Palette, 256)
	for i := range p {
		p[i] = VOCColor(uint8(i))
	}
	return p
}()

// grid gives a map's bounds to the pictures below, which look up each pixel
// instead of holding it. The colours they return are boxed once per superpixel,
// because a conversion to color.Color per pixel would allocate.
type grid struct{ m *superpixels.Map }

func (g grid) Bounds() image.Rectangle { return image.Rect(0, 0, g.m.Width, g.m.Height) }

type indexMask struct {
	grid
	labels []uint8
}

func (p indexMask) ColorModel() color.Model     { return vocPalette }
func (p indexMask) ColorIndexAt(x, y int) uint8 { return p.labels[p.m.At(x, y)] }
func (p indexMask) At(x, y int) color.Color     { return vocPalette[p.ColorIndexAt(x, y)] }

type colourMask struct {
	grid
	colors []color.Color
}

func (p colourMask) ColorModel() color.Model { return color.RGBAModel }
func (p colourMask) At(x, y int) color.Color { return p.colors[p.m.At(x, y)] }

// Opaque makes the encoder write RGB without alpha and without looking.
func (p colourMask) Opaque() bool { return true }

type idPicture struct {
	grid
	greys []color.Color
}

func (p idPicture) ColorModel() color.Model { return color.Gray16Model }
func (p idPicture) At(x, y int) color.Color { return p.greys[p.m.At(x, y)] }

func parseColor(s string) (color.RGBA, error) {
	var rgb [3]byte
	if len(s) == 7 && s[0] == '#' {
		if _, err := hex.Decode(rgb[:], []byte(s[1:])); err == nil {
			return color.RGBA{R: rgb[0], G: rgb[1], B: rgb[2], A: 255}, nil
		}
	}
	return color.RGBA{}, fmt.Errorf("the colour %q is not of the form #rrggbb", s)
}

func checkLength(m *superpixels.Map, labels []uint8) {
	if len(labels) != m.N {
		panic(fmt.Sprintf("export: %d labels for %d superpixels", len(labels), m.N))
	}
}

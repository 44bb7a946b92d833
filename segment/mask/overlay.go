package mask

import (
	"image"
	"image/color"
	"image/png"
	"io"

	"collie/segment"
)

// Opacities of an overlay, out of 255.
const (
	shown = 150 // a class
	faint = 34  // the rest, so that the photograph stays visible
)

// WriteOverlay writes the mask as a palette PNG to lay over the photograph, with
// at most longest pixels on the long side: classes in their colours, the class
// with the index rest faint, undecided pixels transparent. O(pixels written).
func WriteOverlay(w io.Writer, m Mask, classes []segment.Class, rest int, longest int) error {
	palette := make(color.Palette, 256)
	for i := range palette {
		palette[i] = color.NRGBA{}
	}
	for i, c := range classes {
		rgb, err := ParseColor(c.Color)
		if err != nil {
			return err
		}
		alpha := uint8(shown)
		if i == rest {
			alpha = faint
		}
		palette[i] = color.NRGBA{rgb.R, rgb.G, rgb.B, alpha}
	}
	width, height := m.Width, m.Height
	if long := max(width, height); long > longest {
		width, height = max(1, width*longest/long), max(1, height*longest/long)
	}
	out := image.NewPaletted(image.Rect(0, 0, width, height), palette)
	for y := range height {
		from, to := m.Row((2*y+1)*m.Height/(2*height)), out.Pix[y*out.Stride:][:width]
		for x := range to {
			to[x] = from[(2*x+1)*m.Width/(2*width)]
		}
	}
	return png.Encode(w, out)
}

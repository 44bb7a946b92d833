package photo

import (
	"image"
	"image/jpeg"
	"io"

	"github.com/disintegration/imaging"
)

// Sizes and qualities of the copies that browsers show.
const (
	displaySide      = 2560 // pixels, long side
	displayQuality   = 92
	thumbnailSide    = 320
	thumbnailQuality = 80
)

// DisplaySize returns the size of the display copy of a w×h image: the same up
// to 2560 pixels on the long side, else reduced to that.
func DisplaySize(w, h int) (int, int) { return fit(w, h, displaySide) }

// fit scales w×h down, if need be, so that neither side is longer than side;
// no side becomes shorter than one pixel.
func fit(w, h, side int) (int, int) {
	long := max(w, h)
	if long <= side {
		return w, h
	}
	return max(1, (w*side+long/2)/long), max(1, (h*side+long/2)/long)
}

// EncodeDisplay writes the copy that is shown in the browser: a JPEG of
// DisplaySize without metadata.
func (p *Photo) EncodeDisplay(w io.Writer) error {
	return p.encode(w, displaySide, displayQuality, imaging.Lanczos)
}

// EncodeThumbnail writes a JPEG of up to 320 pixels on the long side without
// metadata.
func (p *Photo) EncodeThumbnail(w io.Writer) error {
	return p.encode(w, thumbnailSide, thumbnailQuality, imaging.Box)
}

func (p *Photo) encode(w io.Writer, side, quality int, filter imaging.ResampleFilter) error {
	img := p.Pixels
	size := img.Rect.Size()
	if width, height := fit(size.X, size.Y, side); width != size.X || height != size.Y {
		img = imaging.Resize(img, width, height, filter)
	}
	// Opaque pixels are the same with and without alpha multiplied in, and the
	// JPEG encoder is several times faster on RGBA.
	return jpeg.Encode(w, &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}, &jpeg.Options{Quality: quality})
}

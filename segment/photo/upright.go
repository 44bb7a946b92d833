package photo

import (
	"bytes"
	"image"
	"image/draw"
)

// upright draws img over white on the canvas and rotates the result by the EXIF
// orientation (1..8). 16-bit channels keep their upper 8 bits, so that 0..65535
// becomes 0..255. Besides the result it takes memory for two rows.
func upright(img image.Image, canvas image.Rectangle, orientation int) *image.NRGBA {
	w, h := canvas.Dx(), canvas.Dy()
	size := image.Pt(w, h)
	if orientation >= 5 {
		size = image.Pt(h, w)
	}
	out := image.NewNRGBA(image.Rectangle{Max: size})
	first, right, down := turn(orientation, w, h)

	white := bytes.Repeat([]byte{0xff}, 4*w)
	row := image.NewRGBA(image.Rect(0, 0, w, 1))
	for y := range h {
		at := first + y*down
		if right == 1 {
			row.Pix = out.Pix[4*at:][:4*w] // where it belongs
		}
		copy(row.Pix, white)
		draw.Draw(row, row.Rect, img, canvas.Min.Add(image.Pt(0, y)), draw.Over)
		if right == 1 {
			continue
		}
		for x := 0; x < len(row.Pix); x += 4 {
			copy(out.Pix[4*at:4*at+4], row.Pix[x:x+4])
			at += right
		}
	}
	return out
}

// turn maps the pixels of a w×h image to the upright one, counted in pixels row
// by row: the position of the first one, and the strides of a step to the right
// and a step down. EXIF 2.3, tag 0x0112.
func turn(orientation, w, h int) (first, right, down int) {
	switch orientation {
	case 2: // mirrored left to right
		return w - 1, -1, w
	case 3: // upside down
		return w*h - 1, -1, -w
	case 4: // mirrored top to bottom
		return w * (h - 1), 1, -w
	case 5: // mirrored at the falling diagonal
		return 0, h, 1
	case 6: // to be turned clockwise
		return h - 1, h, -1
	case 7: // mirrored at the rising diagonal
		return w*h - 1, -h, -1
	case 8: // to be turned counter-clockwise
		return h * (w - 1), -h, 1
	}
	return 0, 1, w
}

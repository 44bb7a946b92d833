package dataset

import (
	"bufio"
	"image"
	"image/color"
	"image/png"
	"io"

	"collie/segment"
)

const (
	pngHeader = 29 // bytes of a PNG that say everything about its pixels
	pngBits   = 24 // which of them is the number of bits of a value
)

// measurePNG returns the size of a PNG that can be a mask, of classes or of objects,
// and the bytes that a pixel of it takes when it is decoded.
func measurePNG(open func() (io.ReadCloser, error), objects bool) (size image.Point, pixel int, err error) {
	file, err := open()
	if err != nil {
		return size, 0, err
	}
	defer file.Close()
	in := bufio.NewReader(file)
	head, _ := in.Peek(pngHeader) // what is too short is no PNG below
	interlaced := len(head) == pngHeader && head[pngHeader-1] != 0
	c, err := png.DecodeConfig(in)
	if err != nil {
		return size, 0, segment.Errorf(segment.Unreadable, "The mask is not a readable PNG.").Because(err)
	}
	switch model := c.ColorModel; {
	case objects && model == color.Gray16Model: // as programs write more than 255 objects
		pixel = 2
		if interlaced {
			pixel = 4
		}
	case model == color.Gray16Model:
		return size, 0, segment.Errorf(segment.Unsupported, "The mask has 16 bits per pixel. Save it with 8, which is enough for every class. If each number is an object, choose that numbers are objects.")
	case model == color.RGBA64Model || model == color.NRGBA64Model:
		return size, 0, segment.Errorf(segment.Unsupported, "The mask has colours of 16 bits per channel. Save it in grey, or with a palette.")
	case model == color.RGBAModel || model == color.NRGBAModel:
		if interlaced {
			return size, 0, segment.Errorf(segment.Unsupported, "The mask is an interlaced RGB image. Save it without interlacing, or with a palette.")
		}
		pixel = 4
	default: // a palette or grey
		pixel = 1
		if interlaced {
			pixel = 2
		}
	}
	return image.Pt(c.Width, c.Height), pixel, nil
}

// valueOf returns what gives the value of a pixel of a decoded PNG; nil for colours
// without a palette.
func valueOf(img image.Image) func(x, y int) int32 {
	switch img := img.(type) {
	case *image.Paletted:
		return func(x, y int) int32 { return int32(img.ColorIndexAt(x, y)) }
	case *image.Gray:
		return func(x, y int) int32 { return int32(img.GrayAt(x, y).Y) }
	case *image.Gray16:
		return func(x, y int) int32 { return int32(img.Gray16At(x, y).Y) }
	}
	return nil
}

// decodePNG decodes a PNG that has been measured. Values of grey ones are those in the
// file, also of 1, 2 or 4 bits, which the decoder stretches to 255.
func decodePNG(open func() (io.ReadCloser, error)) (image.Image, error) {
	file, err := open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in := bufio.NewReader(file)
	bits := uint8(8)
	if head, _ := in.Peek(pngHeader); len(head) == pngHeader {
		bits = head[pngBits] // now, since reading on overwrites the head
	}
	img, err := png.Decode(in)
	if err != nil {
		return nil, segment.Errorf(segment.Unreadable, "The mask is a damaged PNG.").Because(err)
	}
	if grey, ok := img.(*image.Gray); ok && bits < 8 {
		stretched := uint8(255) / (1<<bits - 1)
		for i := range grey.Pix {
			grey.Pix[i] /= stretched
		}
	}
	return img, nil
}

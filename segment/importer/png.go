package importer

import (
	"bufio"
	"image"
	"image/color"
	"image/png"
	"io"

	"collie/segment"
)

// pngHeader is how many bytes of a PNG say everything about its pixels.
const pngHeader = 29

// measurePNG returns the size of a PNG that can be a mask, and the bytes that a
// pixel of it takes when it is decoded.
func measurePNG(open func() (io.ReadCloser, error)) (size image.Point, pixel int, err error) {
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
	switch c.ColorModel {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		return size, 0, segment.Errorf(segment.Unsupported, "The mask has 16 bits per channel. Save it with 8, which is enough for every class.")
	case color.RGBAModel, color.NRGBAModel:
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

// decodePNG decodes a PNG that has been measured.
func decodePNG(open func() (io.ReadCloser, error)) (image.Image, error) {
	file, err := open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		return nil, segment.Errorf(segment.Unreadable, "The mask is a damaged PNG.").Because(err)
	}
	return img, nil
}

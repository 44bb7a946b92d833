package dataset

import (
	"image"
	"io"
	"math"
	"path"
	"strings"

	"collie/segment"
	"collie/segment/photo"
)

// maxTIFF is how many bytes of a TIFF can be in memory.
const maxTIFF = 256 << 20

// isTIFF tells by its name whether a file is a TIFF.
func isTIFF(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".tif" || ext == ".tiff"
}

// opener opens a file again and again.
func (f Files) opener(name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return f.Open(name) }
}

// measure returns the size of a picture that can be a mask, of classes or of objects,
// and the bytes that a pixel of it takes when it is read again.
func measure(files Files, name string, objects bool, o Options) (size image.Point, pixel int, err error) {
	if !isTIFF(name) {
		return measurePNG(files.opener(name), objects)
	}
	give, err := o.lend(o.context, files.Sizes[name]) // a TIFF says at any place how large it is
	if err != nil {
		return size, 0, err
	}
	defer give()
	numbers, bytes, err := readTIFF(files, name)
	if err != nil {
		return size, 0, err
	}
	width, height := numbers.Size()
	if err := checkSize(width, height, o); err != nil {
		return size, 0, err
	}
	return image.Pt(int(width), int(height)), 1 + bytes/int(width*height), nil
}

// readTIFF reads a TIFF, of some bytes, into memory.
func readTIFF(files Files, name string) (numbers *photo.Numbers, bytes int, err error) {
	content, err := files.Read(name, maxTIFF)
	if err != nil {
		return nil, 0, err
	}
	numbers, err = photo.NumbersOf(content)
	return numbers, len(content), photo.Refusal(err)
}

// eachNumber calls put with the number of each pixel of a picture that has been
// measured, until it returns an error.
func eachNumber(files Files, name string, width int, put func(pixel int, v float64) error) error {
	if isTIFF(name) {
		numbers, _, err := readTIFF(files, name)
		if err != nil {
			return err
		}
		return photo.Refusal(numbers.Each(func(x, y int, row []float64) error {
			for i, v := range row {
				if err := put(y*width+x+i, v); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	img, err := decodePNG(files.opener(name))
	if err != nil {
		return err
	}
	at := valueOf(img)
	if at == nil {
		return segment.Errorf(segment.Unsupported, "The file is a picture with colours, not a label image. %s", acceptedLabels)
	}
	size := img.Bounds().Size()
	for i := range size.X * size.Y {
		if err := put(i, float64(at(i%size.X, i/size.X))); err != nil {
			return err
		}
	}
	return nil
}

// takeNumbers sets the pixels to the numbers of a TIFF of the same size, which are
// classes.
func (m *Mask) takeNumbers(files Files, name string) error {
	return eachNumber(files, name, m.Width, func(pixel int, v float64) error {
		if !(v >= 0 && v <= segment.Void && v == math.Trunc(v)) {
			return segment.Errorf(segment.Invalid, "The pixel at (%d, %d) has the number %.15g. Classes are whole numbers from 0 to %d, and %d is undecided. If each number is an object, choose that numbers are objects.",
				pixel%m.Width, pixel/m.Width, v, segment.MaxClasses-1, segment.Void)
		}
		m.Pixels[pixel] = uint8(v)
		return nil
	})
}

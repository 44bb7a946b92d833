package photo

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"
	"math"

	"golang.org/x/image/tiff"
)

// maxBlock is how many pixels a strip or tile of a compressed TIFF can have.
// The decoder holds one in memory at up to 8 bytes per pixel, and three times
// as much while its buffer grows.
const maxBlock = 16_000_000

// checkTIFF refuses a TIFF whose blocks would take too much memory. Without compression
// they can't be larger than the file.
func checkTIFF(file []byte, size image.Point) error {
	d := firstDirectory(bytes.NewReader(file))
	if c, _ := d.value(compressionTag, 0); c == 0 || c == uncompressed {
		return nil
	}
	block := float64(size.X) * float64(size.Y)
	if width, _ := d.value(tileWidthTag, 0); width > 0 {
		length, _ := d.value(tileLengthTag, 0)
		block = float64(width) * float64(length)
	} else if rows, _ := d.value(rowsPerStripTag, 0); rows > 0 {
		block = float64(size.X) * min(float64(rows), float64(size.Y))
	}
	if block > maxBlock {
		return refusef(Unsupported, "The TIFF image is compressed in pieces of %.1f megapixels; the limit is %d megapixels. Save it without compression, in smaller strips, or as PNG. %s",
			block/1e6, maxBlock/1_000_000, accepted)
	}
	return nil
}

// How much of a TIFF is looked at to count its pictures: more entries are in no file
// of as many pages, but directories that overlap can have any number of them.
const (
	maxPages   = 65_536
	maxEntries = 20 * maxPages
)

// tiffPictures counts the pictures of a file that are as large as the first, such as the
// layers of a stack, without what is a smaller copy or a mask of another.
func tiffPictures(file []byte) int {
	n, entries, seen := 0, 0, map[int64]bool{}
	d := firstDirectory(bytes.NewReader(file))
	width, _ := d.value(imageWidthTag, 0)
	height, _ := d.value(imageLengthTag, 0)
	for len(d.entries) > 0 && !seen[d.start] && len(seen) < maxPages && entries < maxEntries {
		seen[d.start] = true
		entries += len(d.entries) / entrySize
		w, _ := d.value(imageWidthTag, 0)
		h, _ := d.value(imageLengthTag, 0)
		if kind, _ := d.value(newSubfileTypeTag, 0); w == width && h == height && kind&(reduced|transparency) == 0 {
			n++
		}
		if d.after == 0 {
			break
		}
		d = d.at(d.after)
	}
	return max(n, 1)
}

// tiffConfig reads the size. The gate's readers know places in the file. It refuses
// raw files of cameras, whose first picture is a small copy of another.
func tiffConfig(r io.Reader) (image.Config, error) {
	file := r.(io.ReaderAt)
	d := firstDirectory(file)
	if d.preview() {
		return image.Config{}, refusef(Unsupported, "The file's first picture is a small copy of another, as in a camera's raw files, which Collie can't read. %s%s", developed, accepted)
	}
	if s, ok := samplesOf(d); ok {
		return image.Config{Width: s.size.X, Height: s.size.Y}, nil
	}
	return tiff.DecodeConfig(asRGB(file))
}

// preview reports whether the picture is a small copy of another in the file. Programs
// that save one picture of several leave the mark on it, where it means nothing.
func (d *directory) preview() bool {
	kind, _ := d.value(newSubfileTypeTag, 0)
	return kind&reduced != 0 && (d.after != 0 || d.find(subDirectoriesTag).count > 0)
}

func decodeTIFF(r io.Reader) (image.Image, error) {
	file := r.(io.ReaderAt)
	if s, ok := samplesOf(firstDirectory(file)); ok {
		return s.decode()
	}
	return tiff.Decode(asRGB(file))
}

// asRGB returns a TIFF file as the decoder accepts it. Aerial and satellite images
// have a fourth channel of no stated meaning, infrared as a rule, or call three or
// four channels grey; the decoder knows only RGB, and only alpha as a fourth. So a
// fourth channel is read as alpha, see mendTIFF.
func asRGB(file io.ReaderAt) io.Reader {
	d := firstDirectory(file)
	samples, _ := d.value(samplesPerPixelTag, 0)
	photometric, _ := d.value(photometricTag, 0)
	if samples != 3 && samples != 4 || photometric != blackIsZero && photometric != rgb {
		return io.NewSectionReader(file, 0, math.MaxInt64)
	}
	e := edited{file, map[int64]byte{}}
	e.set(&d, photometricTag, rgb)
	if fourth := d.fourth(); fourth == associatedAlpha {
		e.set(&d, extraSamplesTag, associatedAlpha)
	} else {
		e.set(&d, extraSamplesTag, alpha)
	}
	return io.NewSectionReader(e, 0, math.MaxInt64)
}

// fourth is what the fourth channel is, a value of extraSamplesTag. Where the header
// calls the first channel grey, all others are extra; the fourth is always the last.
func (d *directory) fourth() uint32 {
	kind, _ := d.value(extraSamplesTag, d.find(extraSamplesTag).count-1)
	return kind
}

// edited is a file in which some bytes are others.
type edited struct {
	io.ReaderAt
	bytes map[int64]byte
}

// set changes the first value of a tag, if it has one.
func (e *edited) set(d *directory, tag uint16, value uint32) {
	n := d.find(tag)
	if n.count == 0 {
		return
	}
	b := make([]byte, 4)
	switch n.size {
	case 1:
		b[0] = uint8(value)
	case 2:
		d.order.PutUint16(b, uint16(value))
	case 4:
		d.order.PutUint32(b, value)
	}
	for i, v := range b[:n.size] {
		e.bytes[n.at+int64(i)] = v
	}
}

// ReadAt reads the file with its changed bytes.
func (e edited) ReadAt(p []byte, off int64) (n int, err error) {
	n, err = e.ReaderAt.ReadAt(p, off)
	for at, b := range e.bytes {
		if i := at - off; i >= 0 && i < int64(n) {
			p[i] = b
		}
	}
	return n, err
}

// mendTIFF corrects what the decoder makes of a file: it takes what is white in a fax
// for white, but in a TIFF it is zeros, whatever they stand for; and a fourth channel
// that is not alpha hides nothing. Of 16 bits per channel it makes those pixels black
// that have no data, see [LevelsOf].
func mendTIFF(file []byte, img image.Image) {
	d := firstDirectory(bytes.NewReader(file))
	switch img := img.(type) {
	case *image.Gray:
		c, _ := d.value(compressionTag, 0)
		if p, _ := d.value(photometricTag, 0); p == blackIsZero && (c == group3 || c == group4) {
			for i := range img.Pix {
				img.Pix[i] = ^img.Pix[i]
			}
		}
	case *image.NRGBA:
		if d.fourth() != alpha {
			for i := 3; i < len(img.Pix); i += 4 {
				img.Pix[i] = 0xff
			}
		}
	case *image.Gray16:
		if _, other := samplesOf(d); !other { // whose values are not those of the file
			d.blacken(img.Pix, 2, 2)
		}
	case *image.RGBA64:
		d.blacken(img.Pix, 6, 8)
	case *image.NRGBA64:
		d.blacken(img.Pix, 6, 8)
		if d.fourth() != alpha {
			for i := 6; i < len(img.Pix); i += 8 {
				img.Pix[i], img.Pix[i+1] = 0xff, 0xff
			}
		}
	}
}

// blacken makes pixels black in whose channels, of 16 bits, nothing but the value for
// missing data is. Of each pixel's bytes the first ones are of colours.
func (d *directory) blacken(pix []byte, colours, bytesPerPixel int) {
	missing, ok := d.number(noDataTag)
	if !ok || missing != float64(uint16(missing)) {
		return
	}
	none := bytes.Repeat(binary.BigEndian.AppendUint16(nil, uint16(missing)), colours/2)
	for i := 0; i < len(pix); i += bytesPerPixel {
		if pixel := pix[i : i+colours]; bytes.Equal(pixel, none) {
			clear(pixel)
		}
	}
}

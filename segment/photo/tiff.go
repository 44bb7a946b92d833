package photo

import "image"

const compression = 0x0103 // tag

// maxBlock is how many pixels a strip or tile of a compressed TIFF can have.
// The decoder holds one in memory at up to 8 bytes per pixel, and three times
// as much while its buffer grows.
const maxBlock = 16_000_000

// checkTIFF refuses a TIFF whose blocks would take too much memory. Without
// compression they can't be larger than the file.
func checkTIFF(file []byte, size image.Point) error {
	const (
		rowsPerStrip = 0x0116
		tileWidth    = 0x0142
		tileLength   = 0x0143
		none         = 1
	)
	if c, _ := tiffTag(file, compression); c == 0 || c == none {
		return nil
	}
	block := float64(size.X) * float64(size.Y)
	if width, _ := tiffTag(file, tileWidth); width > 0 {
		length, _ := tiffTag(file, tileLength)
		block = float64(width) * float64(length)
	} else if rows, _ := tiffTag(file, rowsPerStrip); rows > 0 {
		block = float64(size.X) * min(float64(rows), float64(size.Y))
	}
	if block > maxBlock {
		return refusef(Unsupported, "The TIFF image is compressed in pieces of %.1f megapixels; the limit is %d megapixels. Save it without compression, in smaller strips, or as PNG. %s",
			block/1e6, maxBlock/1_000_000, accepted)
	}
	return nil
}

// invertFax inverts an image compressed like a fax whose zeros are black. The
// decoder takes what is white in a fax for white, but in a TIFF it is zeros,
// whatever they stand for.
func invertFax(file []byte, img image.Image) {
	const (
		photometric = 0x0106
		blackIsZero = 1
		group3      = 3
		group4      = 4
	)
	grey, ok := img.(*image.Gray)
	c, _ := tiffTag(file, compression)
	if p, _ := tiffTag(file, photometric); ok && p == blackIsZero && (c == group3 || c == group4) {
		for i := range grey.Pix {
			grey.Pix[i] = ^grey.Pix[i]
		}
	}
}

package superpixels

import (
	"image"
	"math"
)

// workPixels is the size up to which an image is segmented and measured as it
// is; of larger ones a reduced copy of about this size is used.
const workPixels = 600_000

// reducedSize returns the size at which an image of width×height is worked on:
// its own up to limit pixels, else one of the same shape near limit.
func reducedSize(width, height, limit int) (int, int) {
	if width*height <= limit {
		return width, height
	}
	scale := math.Sqrt(float64(limit) / (float64(width) * float64(height)))
	w, h := max(int(float64(width)*scale), 1), max(int(float64(height)*scale), 1)
	// A very thin image reaches one pixel across; its length makes up for it.
	return min(w, limit/h), min(h, limit/w)
}

// blockStart returns where block i of reduced blocks starts among size.
func blockStart(i, size, reduced int) int { return int(int64(i) * int64(size) / int64(reduced)) }

// reduce returns the image at a smaller size, each pixel the mean of its
// block; at the same size the image itself.
func reduce(img *image.NRGBA, width, height int) *image.NRGBA {
	fullWidth, fullHeight := img.Rect.Dx(), img.Rect.Dy()
	if width == fullWidth && height == fullHeight {
		return img
	}
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	starts := make([]int, width+1)
	for x := range starts {
		starts[x] = blockStart(x, fullWidth, width)
	}
	sums := make([][3]uint32, width)
	for y := range height {
		clear(sums)
		top, bottom := blockStart(y, fullHeight, height), blockStart(y+1, fullHeight, height)
		for sy := top; sy < bottom; sy++ {
			line := img.Pix[sy*img.Stride : sy*img.Stride+4*fullWidth]
			for x := range sums {
				var r, g, b uint32
				for block := line[4*starts[x] : 4*starts[x+1]]; len(block) >= 4; block = block[4:] {
					r += uint32(block[0])
					g += uint32(block[1])
					b += uint32(block[2])
				}
				sums[x][0] += r
				sums[x][1] += g
				sums[x][2] += b
			}
		}
		dst := out.Pix[y*out.Stride:]
		for x, s := range sums {
			n := uint32((bottom - top) * (starts[x+1] - starts[x]))
			for c, v := range s {
				dst[4*x+c] = uint8((v + n/2) / n)
			}
			dst[4*x+3] = 255
		}
	}
	return out
}

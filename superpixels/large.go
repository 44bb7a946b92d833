package superpixels

import (
	"encoding/binary"
	"image"
	"math"
	"slices"
)

// workPixels is the size up to which an image is segmented and measured at full
// size; larger images are reduced to about this size.
const workPixels = 600_000

// pixelsPerRegion is the least size of the finest regions in a reduced copy.
const pixelsPerRegion = 64

// reducedSize returns the working size of an image of width×height: its own up
// to limit pixels, otherwise one of the same shape near limit.
func reducedSize(width, height, limit int) (int, int) {
	if width*height <= limit {
		return width, height
	}
	scale := math.Sqrt(float64(limit) / (float64(width) * float64(height)))
	w, h := max(int(float64(width)*scale), 1), max(int(float64(height)*scale), 1)
	// A very thin image becomes one pixel wide and longer in return.
	w = max(min(w, limit/h), 1)
	return w, max(min(h, limit/w), 1)
}

// blockStart returns where block i of reduced blocks starts among size.
func blockStart(i, size, reduced int) int { return int(int64(i) * int64(size) / int64(reduced)) }

// scene is an image at its working size, with its measurements.
type scene struct {
	img       *image.NRGBA
	lab       *planes // blurred
	gradients *gradients
	room      *room
}

// newScene returns the scene of an image at the given size, to be released.
func newScene(img *image.NRGBA, width, height int) *scene {
	s := &scene{img: reduce(img, width, height), room: newRoom()}
	s.lab = planesIn(s.room.floats.take(3*width*height), width, height)
	s.lab.blur(s.img)
	s.gradients = newGradients(s.lab, s.room)
	return s
}

// release leaves the scene's memory to another one. s must not be used afterwards.
func (s *scene) release() { rooms.Put(s.room) }

// reduce returns the image at a smaller size, each pixel the mean of its block;
// the image itself if the size is the same.
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

// enlarge transfers the tree over the map of a reduced copy to the image
// itself: it enlarges the map by repeating pixels, then moves the borders to
// where the full-size image has them.
func (t *tree) enlarge(small *Runs, img *image.NRGBA) (*Runs, *tree) {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	m := &Map{Width: width, Height: height, N: small.N, Labels: make([]int32, width*height)}
	reduced := small.Map().Labels
	column, row := nearest(width, small.Width), nearest(height, small.Height)
	for y := range height {
		line, from := m.Labels[y*width:(y+1)*width], reduced[int(row[y])*small.Width:]
		if y > 0 && row[y] == row[y-1] {
			copy(line, m.Labels[(y-1)*width:])
			continue
		}
		for x := range line {
			line[x] = from[column[x]]
		}
	}
	b := &borderPass{partition: partition{width: width, height: height, regions: m.Labels}, mean: meanColours(img, m), parent: t.parents()}
	b.colour = patches(img)
	scale := max(float64(width)/float64(small.Width), float64(height)/float64(small.Height))
	b.run(int(math.Ceil(scale)))
	return t.trim(m, small.N)
}

// meanColours returns the CIELAB colour of the mean RGB of every region, from
// every second pixel of every second row, or from all pixels of a region
// without such.
func meanColours(img *image.NRGBA, m *Map) [][3]float32 {
	sums := make([][4]uint64, m.N)
	add := func(x, y int) {
		px := img.Pix[y*img.Stride+4*x:][:3]
		s := &sums[m.Labels[y*m.Width+x]]
		s[0] += uint64(px[0])
		s[1] += uint64(px[1])
		s[2] += uint64(px[2])
		s[3]++
	}
	for y := 0; y < m.Height; y += 2 {
		for x := 0; x < m.Width; x += 2 {
			add(x, y)
		}
	}
	if slices.ContainsFunc(sums, func(s [4]uint64) bool { return s[3] == 0 }) {
		for p, l := range m.Labels {
			if sums[l][3] == 0 {
				add(p%m.Width, p/m.Width)
			}
		}
	}
	out := make([][3]float32, m.N)
	for i, s := range sums {
		n := s[3]
		l, a, b := labPixel(uint8((s[0]+n/2)/n), uint8((s[1]+n/2)/n), uint8((s[2]+n/2)/n))
		out[i] = [3]float32{l, a, b}
	}
	return out
}

// patches returns a function for the CIELAB colour of the mean RGB of the 3×3
// pixels around (x, y); at the frame the pixels there count twice.
func patches(img *image.NRGBA) func(x, y int) [3]float32 {
	const even = 0x00ff00ff // two channels at once: nine times 255 needs 12 of 16 bits
	right, bottom := 4*(img.Rect.Dx()-1), img.Rect.Dy()-1
	return func(x, y int) [3]float32 {
		before, here, after := max(4*x-4, 0), 4*x, min(4*x+4, right)
		var rb, ga uint32
		for _, row := range [3]int{max(y-1, 0), y, min(y+1, bottom)} {
			line := img.Pix[row*img.Stride:]
			p, q, s := binary.LittleEndian.Uint32(line[before:]), binary.LittleEndian.Uint32(line[here:]), binary.LittleEndian.Uint32(line[after:])
			rb += p&even + q&even + s&even
			ga += p>>8&even + q>>8&even + s>>8&even
		}
		l, a, b := labPixel(uint8((rb&0xffff+4)/9), uint8((ga&0xffff+4)/9), uint8((rb>>16+4)/9))
		return [3]float32{l, a, b}
	}
}

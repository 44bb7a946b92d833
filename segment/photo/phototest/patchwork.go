package phototest

import (
	"image"
	"math/rand/v2"
)

// Patchwork returns a picture of blocks of any lightness in tiles of two classes, 0 and
// 1, which only their tint shows, and the class of each pixel. Affinities learned from
// photographs take the blocks for what belongs together.
func Patchwork(seed uint64, width, height int) (img *image.NRGBA, class []uint8) {
	const block, tile = 12, 24
	rng := rand.New(rand.NewPCG(seed, 9))
	grid := func(side, values int) func(x, y int) int {
		across := (width + side - 1) / side
		cells := make([]int, across*((height+side-1)/side))
		for i := range cells {
			cells[i] = rng.IntN(values)
		}
		return func(x, y int) int { return cells[y/side*across+x/side] }
	}
	classes, light := grid(tile, 2), grid(block, 150)
	img, class = image.NewNRGBA(image.Rect(0, 0, width, height)), make([]uint8, width*height)
	for p := range class {
		x, y := p%width, p/width
		class[p] = uint8(classes(x, y))
		v := uint8(40 + light(x, y) + rng.IntN(8))
		copy(img.Pix[4*p:], []uint8{v, v, v, 255})
		img.Pix[4*p+2*int(class[p])] += 30
	}
	return img, class
}

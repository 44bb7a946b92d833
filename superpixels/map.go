package superpixels

import "math"

// Map partitions a Width×Height image into N 4-connected regions.
// Labels[y*Width+x] is the region of pixel (x, y), in 0..N-1; every id occurs,
// and ids are numbered in the raster order of each region's first pixel. The
// Map owns Labels; callers can read it but must not write to it.
type Map struct {
	Width, Height, N int
	Labels           []int32
}

// At returns the region of pixel (x, y), 0 ≤ x < Width and 0 ≤ y < Height.
func (m *Map) At(x, y int) int { return int(m.Labels[y*m.Width+x]) }

// DefaultRegions returns the number of regions to start with: min(A/256,
// 600·(A/153600)^¼) and at least 1, with A = width·height pixels. That gives
// 600 for 481×321, 630 for 500×375, about 1,780 for 12 megapixels. Below
// 480×320 a region keeps 256 pixels so that a person can still aim at it;
// above, the number grows with the fourth root, because a larger photograph
// usually shows the same things in more pixels.
func DefaultRegions(width, height int) int {
	area := float64(width) * float64(height)
	n := int(area / 256)
	if area > 153600 {
		// Two square roots instead of a power: exact on every machine.
		n = int(600 * math.Sqrt(math.Sqrt(area/153600)))
	}
	return max(n, 1)
}

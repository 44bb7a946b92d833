package superpixels

import "testing"

// TestLarge checks the levels of an image that is segmented on a reduced copy.
func TestLarge(t *testing.T) {
	for _, c := range []struct{ width, height, finest int }{{1000, 700, 500}, {700_000, 1, 100}, {1, 700_000, 100}, {20_000, 40, 50}, {900, 800, 9000}} {
		img := picture(c.width, c.height, 37, 8, 3)
		h := NewHierarchy(img, c.finest)
		fine := h.At(c.finest)
		checkMap(t, fine, c.width, c.height, c.finest)
		for n := c.finest; n > 1; n /= 4 {
			m := h.At(n)
			checkMap(t, m, c.width, c.height, n)
			checkNested(t, m, fine)
			fine = m
		}
	}
}

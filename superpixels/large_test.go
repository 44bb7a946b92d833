package superpixels

import (
	"testing"

	"collie/sharedtest"
)

// TestLarge checks the levels of an image that is segmented on a reduced copy.
func TestLarge(t *testing.T) {
	step := 4
	if sharedtest.Race {
		step = 40
	}
	for _, c := range []struct{ width, height, finest int }{{1000, 700, 500}, {700_000, 1, 100}, {1, 700_000, 100}, {20_000, 40, 50}, {900, 800, 9000}} {
		img := picture(c.width, c.height, 37, 8, 3)
		h := NewHierarchy(img, c.finest)
		fine := h.At(c.finest)
		checkMap(t, fine, c.width, c.height, c.finest)
		for n := c.finest; n > 1; n /= step {
			m := h.At(n)
			checkMap(t, m, c.width, c.height, n)
			checkNested(t, m, fine)
			fine = m
		}
	}
}

// TestFortyMegapixels segments the largest image that people bring: the number
// of regions is exact, and those of a sample are connected.
func TestFortyMegapixels(t *testing.T) {
	if testing.Short() || sharedtest.Race {
		t.Skip("40 megapixels take seconds")
	}
	const width, height = 8000, 5000
	img := picture(width, height, 230, 12, 6)
	n := DefaultRegions(width, height)
	h := NewHierarchy(img, 4*n)
	m := h.At(n)
	if h.Finest() != 4*n || m.N != n || m.Width != width || m.Height != height {
		t.Fatalf("%d regions at the finest level, %d of %d×%d at the default one; want %d and %d", h.Finest(), m.N, m.Width, m.Height, 4*n, n)
	}
	first, area := make([]int, n), make([]int, n)
	next := 0
	for p, l := range m.Labels {
		if int(l) == next {
			first[next] = p
			next++
		}
		area[l]++ // panics at an id that is too high
	}
	if next != n {
		t.Fatalf("%d regions appear in the order of their ids, want %d", next, n)
	}
	for id := 0; id < n; id += n / 40 {
		if got := floodedArea(m, first[id]); got != area[id] {
			t.Errorf("region %d has %d pixels, but only %d are connected with the first", id, area[id], got)
		}
	}
}

// floodedArea returns how many pixels hang together with pixel p in its region.
func floodedArea(m *Map, p int) int {
	seen := map[int]bool{p: true}
	for stack := []int{p}; len(stack) > 0; {
		q := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		x, y := q%m.Width, q/m.Width
		for _, to := range [4][2]int{{x, y - 1}, {x - 1, y}, {x + 1, y}, {x, y + 1}} {
			r := to[1]*m.Width + to[0]
			if to[0] < 0 || to[1] < 0 || to[0] >= m.Width || to[1] >= m.Height || seen[r] || m.Labels[r] != m.Labels[p] {
				continue
			}
			seen[r] = true
			stack = append(stack, r)
		}
	}
	return len(seen)
}

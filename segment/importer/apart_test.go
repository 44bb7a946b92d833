package importer

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/importer/dataset"
	"collie/superpixels"
)

// Objects are told apart if they touch others of their class or have several parts.
func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &dataset.Mask{Width: rapid.IntRange(1, 7).Draw(t, "width"), Height: rapid.IntRange(1, 7).Draw(t, "height")}
		n := m.Width * m.Height
		m.Objects = rapid.SliceOfN(rapid.Int32Range(-1, 4), n, n).Draw(t, "objects")
		m.Pixels = rapid.SliceOfN(rapid.SampledFrom([]uint8{0, 0, 0, 1, segment.Void}), n, n).Draw(t, "classes")
		var order []int32
		want := map[int32]bool{}
		reached := make([]bool, n)
		for i, o := range m.Objects {
			if o < 0 || m.Pixels[i] == segment.Void || reached[i] {
				continue
			}
			if slices.Contains(order, o) {
				want[o] = true // another part
			} else {
				order = append(order, o)
			}
			for next := []int{i}; len(next) > 0; next = next[1:] {
				at := next[0]
				reached[at] = true
				for _, beside := range []int{at - m.Width, at + m.Width, at - 1, at + 1} {
					switch {
					case beside < 0 || beside >= n || beside/m.Width != at/m.Width && beside%m.Width != at%m.Width:
					case m.Pixels[beside] != m.Pixels[at] || m.Objects[beside] < 0:
					case m.Objects[beside] != o:
						want[o] = true
					case !reached[beside]:
						reached[beside] = true
						next = append(next, beside)
					}
				}
			}
		}
		if objects, told := apart(m); !slices.Equal(objects, order) || !maps.Equal(told, want) {
			t.Fatalf("objects %v, told apart %v, want %v, %v", objects, told, order, want)
		}
	})
}

// Objects that superpixels cut into very many pieces are refused.
func TestNoiseIsRefused(t *testing.T) {
	const width, height = 1024, 1025
	m := &dataset.Mask{Width: width, Height: height, Pixels: make([]uint8, width*height), Objects: make([]int32, width*height)}
	cells := superpixels.Map{Width: width, Height: height, N: height, Labels: make([]int32, width*height)}
	place := map[int32]int32{}
	for i := range cells.Labels {
		cells.Labels[i], m.Objects[i] = int32(i/width), int32(i%width)
		place[int32(i%width)] = int32(i % width)
	}
	_, err := shares(m, cells.Runs(), make([]uint8, height), place)
	if segment.KindOf(err) != segment.TooLarge {
		t.Errorf("%v", err)
	}
}

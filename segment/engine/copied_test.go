package engine

import (
	"image"
	"testing"

	"collie/superpixels"
)

// Of superpixels that look alike the nearest ones count, relative to the sizes of the
// images, and what nothing resembles gets no class.
func TestCopiedByPlace(t *testing.T) {
	graph := func(width int, lightness ...float32) *superpixels.Graph {
		g := &superpixels.Graph{Regions: make([]superpixels.Region, len(lightness))}
		for i, l := range lightness {
			r := image.Rect(i*width, 0, (i+1)*width, 100)
			g.Regions[i] = superpixels.Region{
				Area: int32(100 * width), Bounds: superpixels.BoxOf(r), Mean: [3]float32{l},
				Centroid: [2]float32{(float32(i) + 0.5) * float32(width), 50},
			}
		}
		return g
	}
	from := graph(10, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50)
	classes, shares := Copied(from, []uint8{4, 4, 4, 4, 4, 7, 7, 7, 7, 7}, graph(30, 50, 50, 50, 50, 50, 50, 50, 50, 50, 99))
	if len(classes) != 2 || classes[0] != 4 || classes[1] != 7 {
		t.Fatalf("classes %v", classes)
	}
	for i, want := range []int{0, 0, 0, 0, 0, 1, 1, 1, 1, -1} {
		row := shares[2*i : 2*i+2]
		switch {
		case want < 0 && row[0]+row[1] > 0.01:
			t.Errorf("superpixel %d of another colour gets %v", i, row)
		case want >= 0 && (row[want] < 0.7 || row[0]+row[1] > 1):
			t.Errorf("superpixel %d gets %v, want class %d", i, row, classes[want])
		}
	}
}

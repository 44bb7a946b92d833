package gestures

import (
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"testing"

	"collie/cmd/evaluate/internal/evaluatetest"
	"collie/segment/simulate"
)

// Figures of extents are means over the objects, of each kind of first gestures.
func TestExtents(t *testing.T) {
	dir := evaluatetest.Folder(t, 4)
	empty := evaluatetest.Grey(func(int, int) uint8 { return 0 })
	object := evaluatetest.Grey(func(x, y int) uint8 {
		if x > 20 && y > 15 {
			return 1
		}
		return 0
	})
	for i, mask := range []image.Image{object, object, object, empty} {
		evaluatetest.Save(t, filepath.Join(dir, fmt.Sprintf("masks/im%d.png", i)), mask)
	}
	out := filepath.Join(t.TempDir(), "weights.go")
	args := []string{"--data", dir, "--regions", "30", "--folds", "2", "--passes", "30"}
	got := evaluatetest.Figures[struct {
		Results map[string]qualities
	}](t, new(Extents), append(args, "--out", out)...)
	if len(got.Results) != len(beginnings) {
		t.Errorf("kinds of gestures: %v", got.Results)
	}
	for kind, q := range got.Results {
		if q.First <= 0 || q.First > q.Best3 || q.Best3 > q.Best20 || q.Best20 > 1 {
			t.Errorf("%s: %+v", kind, q)
		}
	}
	checkSource(t, out, "Extents")
	for i := range 3 {
		evaluatetest.Save(t, filepath.Join(dir, fmt.Sprintf("masks/im%d.png", i)), empty)
	}
	if out, err := evaluatetest.Run(t, new(Extents), args...); err == nil || !strings.Contains(err.Error(), "too few objects") {
		t.Errorf("without objects: %q, %v", out, err)
	}
}

// Hands draw boxes around an object, a little too large, and inside the image.
func TestDrawn(t *testing.T) {
	o := &simulate.Object{Width: 100, Height: 80, Mask: make([]uint8, 8000)}
	for y := 20; y < 60; y++ {
		for x := 50; x < 100; x++ {
			o.Mask[100*y+x] = simulate.Thing
		}
	}
	tight, loose := image.Rect(50, 20, 100, 60), image.Rect(45, 16, 100, 64)
	boxes := map[image.Rectangle]bool{}
	for i := range 20 {
		box := drawn(o, fmt.Sprint(i))
		boxes[box] = true
		if !tight.In(box) || !box.In(loose) {
			t.Errorf("box %v, want from %v to %v", box, tight, loose)
		}
	}
	if len(boxes) < 10 {
		t.Errorf("%d different boxes of 20", len(boxes))
	}
}

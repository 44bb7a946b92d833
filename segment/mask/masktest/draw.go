// Package masktest makes masks for tests.
package masktest

import (
	"image"
	"slices"

	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/mask"
	"collie/superpixels"
)

// Draw makes masks with few and many regions, holes, single pixels and
// undecided parts.
func Draw(t *rapid.T) mask.Mask {
	m := mask.Mask{Width: rapid.IntRange(1, 32).Draw(t, "width"), Height: rapid.IntRange(1, 32).Draw(t, "height")}
	classes := []uint8{0, 1, 2, segment.Void}[:rapid.IntRange(1, 4).Draw(t, "classes")]
	m.Pixels = slices.Repeat([]uint8{rapid.SampledFrom(classes).Draw(t, "ground")}, m.Width*m.Height)
	for range rapid.IntRange(0, 12).Draw(t, "boxes") {
		class := rapid.SampledFrom(classes).Draw(t, "class")
		box := image.Rect(rapid.IntRange(0, m.Width).Draw(t, "x"), rapid.IntRange(0, m.Height).Draw(t, "y"),
			rapid.IntRange(0, m.Width).Draw(t, "x2"), rapid.IntRange(0, m.Height).Draw(t, "y2"))
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				m.Pixels[y*m.Width+x] = class
			}
		}
	}
	for range rapid.IntRange(0, m.Width*m.Height/2).Draw(t, "specks") {
		m.Pixels[rapid.IntRange(0, len(m.Pixels)-1).Draw(t, "speck")] = rapid.SampledFrom(classes).Draw(t, "of")
	}
	return m
}

// Objects returns the objects of an image's pixels, each a number or -1; nil of none.
func Objects(width, height int, of []int32) *superpixels.Runs {
	if of == nil {
		return nil
	}
	return superpixels.NewRuns(width, height, len(of), func(yield func(superpixels.Run) bool) {
		for p, object := range of {
			if !yield(superpixels.Run{Start: p, End: p + 1, Region: int(object)}) {
				return
			}
		}
	})
}

package workspacetest

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/workspace"
)

// Halves returns a picture of 120×80 pixels whose left half is red and whose right
// half is blue.
func Halves(tb testing.TB) *bytes.Buffer {
	tb.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 120, 80))
	for y := range 80 {
		for x := range 120 {
			c := color.NRGBA{R: 200, G: uint8(x + y), A: 255}
			if x >= 60 {
				c = color.NRGBA{B: 200, G: uint8(x - y + 80), A: 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		tb.Fatal(err)
	}
	return &b
}

// MustAnnotate adds Halves to a new project and opens it until the test ends.
func MustAnnotate(tb testing.TB, w *workspace.Workspace) *annotation.Annotation {
	tb.Helper()
	p, err := w.CreateProject(tb.Context(), "Halves", nil, &segment.Rest{}) // both halves are clicked
	if err != nil {
		tb.Fatal(err)
	}
	im, err := w.AddImage(tb.Context(), p.ID, "halves.png", Halves(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return MustOpenImage(tb, w, im.ID)
}

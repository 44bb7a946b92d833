package main

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"testing"

	"collie/segment/photo/phototest"
)

// folder writes a data folder of n images: a disc of class 1 on class 0, and a
// void frame, with scribbles.
func folder(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		img := image.NewNRGBA(image.Rect(0, 0, testWidth, testHeight))
		mask := grey(func(x, y int) uint8 {
			c := color.NRGBA{uint8(40 + x), 90, 60, 255}
			v := uint8(0)
			if math.Hypot(float64(x-20-4*i), float64(y-24)) < 12 {
				c, v = color.NRGBA{220, 200, uint8(4 * y), 255}, 1
			}
			img.SetNRGBA(x, y, c)
			if x == 0 {
				return 255
			}
			return v
		})
		id := fmt.Sprintf("im%d.png", i)
		save(t, filepath.Join(dir, "images", id), img)
		save(t, filepath.Join(dir, "masks", id), mask)
		save(t, filepath.Join(dir, "scribbles", id), grey(func(x, y int) uint8 {
			switch {
			case y == 24 && x > 18+4*i && x < 24+4*i:
				return 1
			case y == 2 && x > 5:
				return 2
			}
			return 0
		}))
	}
	return dir
}

func grey(f func(x, y int) uint8) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, testWidth, testHeight))
	for y := range testHeight {
		for x := range testWidth {
			m.SetGray(x, y, color.Gray{Y: f(x, y)})
		}
	}
	return m
}

func save(t *testing.T, path string, img image.Image) {
	t.Helper()
	write(t, path, string(phototest.MustPNG(t, img)))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

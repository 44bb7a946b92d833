package sharedtest

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Names returns the names of a data folder's images, the second column of its
// index.tsv.
func Names(tb testing.TB, dir string) []string {
	tb.Helper()
	index, err := os.ReadFile(filepath.Join(dir, "index.tsv"))
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(string(index)), "\n")[1:] {
		out = append(out, strings.Split(line, "\t")[1])
	}
	return out
}

// JPEG decodes a JPEG file.
func JPEG(tb testing.TB, path string) *image.NRGBA {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	src, err := jpeg.Decode(f)
	if err != nil {
		tb.Fatal(path, ": ", err)
	}
	img := image.NewNRGBA(image.Rect(0, 0, src.Bounds().Dx(), src.Bounds().Dy()))
	draw.Draw(img, img.Rect, src, src.Bounds().Min, draw.Src)
	return img
}

// Coast returns a PNG of three grainy areas: sky on the left and sea from x = 56 on,
// both above sand, which begins at y = 56.
func Coast(width, height int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	noise := uint32(1)
	for y := range height {
		for x := range width {
			noise = noise*1664525 + 1013904223
			grain := uint8(noise >> 27)
			c := color.NRGBA{200 + grain, 60, 60, 255}
			switch {
			case y > 55:
				c = color.NRGBA{200, 190 + grain, 90, 255}
			case x > 55:
				c = color.NRGBA{30, 60, 150 + grain, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

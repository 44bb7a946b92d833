package sharedtest

import (
	"image"
	"image/draw"
	"image/jpeg"
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

package superpixels

import (
	"image"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/sharedtest"
)

// TestPhotographs checks the maps of real images, whatever their finest level is.
func TestPhotographs(t *testing.T) {
	dir := sharedtest.Path(t, "data/bsds")
	for _, name := range names(t, dir)[:3] {
		img := readJPEG(t, filepath.Join(dir, "images", name+".jpg"))
		for _, finest := range []int{600, 2400} {
			checkMap(t, NewHierarchy(img, finest).At(600), img.Rect.Dx(), img.Rect.Dy(), 600)
		}
	}
}

// BenchmarkPhotographs is the time per photograph of 481×321 and of 500×375.
func BenchmarkPhotographs(b *testing.B) {
	for _, set := range []string{"bsds", "voc"} {
		dir := sharedtest.Path(b, "data/"+set)
		var run []func()
		for _, name := range names(b, dir)[:40] {
			img := readJPEG(b, filepath.Join(dir, "images", name+".jpg"))
			run = append(run, func() { NewHierarchy(img, 2400).At(600) })
		}
		b.Run(set, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				run[i%len(run)]()
			}
		})
	}
}

// names returns the image ids of an index.tsv in the order of their ranks.
func names(tb testing.TB, dir string) []string {
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

func readJPEG(tb testing.TB, path string) *image.NRGBA {
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

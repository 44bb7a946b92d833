package superpixels

import (
	"path/filepath"
	"testing"

	"collie/sharedtest"
)

// TestPhotographs checks the maps of real images, whatever their finest level is.
func TestPhotographs(t *testing.T) {
	dir := sharedtest.Path(t, "data/bsds")
	for _, name := range sharedtest.Names(t, dir)[:3] {
		img := sharedtest.JPEG(t, filepath.Join(dir, "images", name+".jpg"))
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
		for _, name := range sharedtest.Names(b, dir)[:40] {
			img := sharedtest.JPEG(b, filepath.Join(dir, "images", name+".jpg"))
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

package superpixels

import (
	"path/filepath"
	"testing"

	"collie/sharedtest"
)

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

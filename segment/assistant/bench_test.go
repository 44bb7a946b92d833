package assistant

import (
	"image"
	"image/draw"
	_ "image/jpeg"
	"os"
	"path/filepath"
	"testing"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/timeline"
	"collie/sharedtest"
	"collie/superpixels"
)

// BenchmarkFirstHypothesis is what the server computes between a click and the
// first hypothesis, at 600 superpixels of a VOC image: the model of the divided
// superpixels, the walker and the masks of different extent or the correction.
func BenchmarkFirstHypothesis(b *testing.B) {
	names, err := filepath.Glob(filepath.Join(sharedtest.Path(b, "data/voc-train/images"), "*.jpg"))
	if err != nil || len(names) == 0 {
		b.Fatal(names, err)
	}
	f, err := os.Open(names[0])
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	decoded, _, err := image.Decode(f)
	if err != nil {
		b.Fatal(err)
	}
	img := image.NewNRGBA(decoded.Bounds())
	draw.Draw(img, img.Rect, decoded, img.Rect.Min, draw.Src)
	h, g := superpixels.Divide(img, 2400)
	a := &Assistant{Hierarchy: h, Cells: g, Parameters: engine.DefaultParameters}
	size := img.Rect.Size()
	first := func(t *timeline.Timeline) engine.Hypothesis {
		s := a.Sequence(t, a.Model(t.Cut()), project.Resolve(), segment.Rest{Mode: segment.RestClass})
		x, err := s.At(b.Context(), 0)
		if err != nil {
			b.Fatal(err)
		}
		return x
	}
	one := a.Timeline(h.Runs(), 600)
	one.Apply(click(1, size.X/2, size.Y/2))
	two := a.Timeline(h.Runs(), 600)
	two.Apply(click(1, size.X/2, size.Y/2))
	next := click(0, size.X/4, size.Y/4)
	next.Pick = pick(first(one))
	two.Apply(next)
	for name, t := range map[string]*timeline.Timeline{"click=1": one, "click=2": two} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				first(t)
			}
		})
		b.Run(name+"/model", func(b *testing.B) {
			for b.Loop() {
				a.Model(t.Cut())
			}
		})
		// What is asked for once the first hypothesis is there.
		sequence := func(b *testing.B) *engine.Sequence {
			s := a.Sequence(t, a.Model(t.Cut()), project.Resolve(), segment.Rest{Mode: segment.RestClass})
			if _, err := s.At(b.Context(), 0); err != nil {
				b.Fatal(err)
			}
			return s
		}
		b.Run(name+"/ladder", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := sequence(b)
				b.StartTimer()
				if _, err := s.Ladder(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/alternatives", func(b *testing.B) {
			s := sequence(b)
			for b.Loop() {
				if _, err := s.Alternatives(b.Context(), []int32{100}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

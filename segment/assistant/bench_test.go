package assistant

import (
	"fmt"
	"image"
	"image/draw"
	_ "image/jpeg"
	"math"
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
// first hypothesis, at 600 superpixels of a VOC image, after the clicks before it
// were answered: the model of the divided superpixels, the walker and the masks of
// different extent or the correction.
func BenchmarkFirstHypothesis(b *testing.B) {
	img := photographOf(b)
	h, g := superpixels.Divide(img, 2400)
	size := img.Rect.Size()
	first := func(a *Assistant, t *timeline.Timeline) engine.Hypothesis {
		s := a.Sequence(t, a.Model(t.Cut(), Known{}), project.Resolve(), segment.Rest{Mode: segment.RestClass})
		x, err := s.At(b.Context(), 0)
		if err != nil {
			b.Fatal(err)
		}
		return x
	}
	open := func() *Assistant { return &Assistant{Hierarchy: h, Cells: g, Parameters: engine.DefaultParameters} }
	// The object is in the middle, clicks of it and the rest alternate. Later ones
	// are all over the image.
	var log []segment.Event
	played := func(clicks int) *timeline.Timeline {
		t := open().Timeline(h.Runs(), 600)
		for _, e := range log[:clicks] {
			t.Apply(e)
		}
		return t
	}
	author := open()
	written := played(0)
	for i := range 300 {
		at := [2]float64{0.5, 0.5}
		switch _, frac := math.Modf(0.7549 * float64(i)); {
		case i >= 10:
			at = [2]float64{math.Mod(0.5698*float64(i), 1), frac}
		case i > 0:
			at = [2]float64{0.5 + 0.06*float64(i)*float64(1-2*(i/2%2)), 0.5 - 0.04*float64(i)}
		}
		e := click(1-i%2, int(at[0]*float64(size.X)), int(at[1]*float64(size.Y)))
		if e.ID = fmt.Sprint(i); i > 0 {
			e.Pick = pick(first(author, written))
		}
		written.Apply(e)
		log = append(log, e)
	}
	for _, n := range []int{1, 2, 5, 10, 100, 300} {
		before, after := played(n-1), played(n)
		b.Run(fmt.Sprintf("click=%d", n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				a := open()
				if n == 1 {
					a.Model(before.Cut(), Known{}).Prepare()
				} else {
					first(a, before)
				}
				b.StartTimer()
				first(a, after)
			}
		})
		// The page asks for these once it has the first hypothesis.
		a := open()
		sequence := func() *engine.Sequence {
			s := a.Sequence(after, a.Model(after.Cut(), Known{}), project.Resolve(), segment.Rest{Mode: segment.RestClass})
			if _, err := s.At(b.Context(), 0); err != nil {
				b.Fatal(err)
			}
			return s
		}
		b.Run(fmt.Sprintf("click=%d/ladder", n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := sequence()
				b.StartTimer()
				if _, err := s.Ladder(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("click=%d/alternatives", n), func(b *testing.B) {
			s := sequence()
			for b.Loop() {
				if _, err := s.Alternatives(b.Context(), []int32{100}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// photographOf returns a photograph of the training data.
func photographOf(b *testing.B) *image.NRGBA {
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
	return img
}

// BenchmarkManyClasses is what scripts ask for on an image with thousands of
// superpixels and a click of each of 254 classes.
func BenchmarkManyClasses(b *testing.B) {
	img := photographOf(b)
	h, g := superpixels.Divide(img, 4000)
	a := &Assistant{Hierarchy: h, Cells: g, Parameters: engine.DefaultParameters}
	t := a.Timeline(h.Runs(), 1000) // and more around each click
	many, size := new(segment.Project), img.Rect.Size()
	for i := range segment.Void - 1 {
		many.Classes = append(many.Classes, segment.Class{ID: uint8(i)})
		_, frac := math.Modf(0.7549 * float64(i))
		e := click(i, int(math.Mod(0.5698*float64(i), 1)*float64(size.X)), int(frac*float64(size.Y)))
		e.ID = fmt.Sprint(i)
		t.Apply(e)
	}
	s := a.Sequence(t, a.Model(t.Cut(), Known{}), many.Resolve(), segment.Rest{Mode: segment.RestClass})
	if _, err := s.At(b.Context(), 0); err != nil {
		b.Fatal(err)
	}
	b.Run("suggest", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Suggest(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("alternatives", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Alternatives(b.Context(), []int32{2000}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

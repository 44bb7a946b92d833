package main

import (
	"bytes"
	"image"
	"math"
	"runtime"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"collie/segment/sample"
)

var (
	rendered = sync.OnceValue(render)
	truth    = sync.OnceValue(groundTruth)
)

func TestRenderIsTheSameForAnyNumberOfProcessors(t *testing.T) {
	img, classes := rendered(), truth()
	before := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(before)
	if again := render(); !bytes.Equal(img.Pix, again.Pix) {
		t.Errorf("render differs between %d and 3 processors", before)
	}
	if again := groundTruth(); !bytes.Equal(classes, again) {
		t.Errorf("the ground truth differs between %d and 3 processors", before)
	}
}

func TestRenderIsAnUprightOpaqueImageOfFullSize(t *testing.T) {
	img := rendered()
	if want := image.Rect(0, 0, width, height); img.Rect != want {
		t.Fatalf("bounds %v, want %v", img.Rect, want)
	}
	if img.Stride != 4*width {
		t.Errorf("stride %d, want %d", img.Stride, 4*width)
	}
	if !img.Opaque() {
		t.Error("some pixels are transparent")
	}
}

// A photograph uses the whole range of tones, clips next to nothing, and has no
// flat areas: grain and texture leave hardly two equal neighbours in a row.
func TestRenderHasTheTonesOfAPhotograph(t *testing.T) {
	img := rendered()
	var histogram [256]int
	equal, clipped := 0, 0
	for y := range height {
		for x := range width {
			i := img.PixOffset(x, y)
			p := img.Pix[i : i+3]
			histogram[(54*int(p[0])+183*int(p[1])+19*int(p[2]))>>8]++
			if p[0] == 255 && p[1] == 255 && p[2] == 255 {
				clipped++
			}
			if x > 0 && bytes.Equal(p, img.Pix[i-4:i-1]) {
				equal++
			}
		}
	}
	const n = width * height
	quantile := func(share float64) int {
		sum := 0
		for v, c := range histogram {
			if sum += c; float64(sum) >= share*n {
				return v
			}
		}
		return 255
	}
	if dark, light := quantile(0.02), quantile(0.98); dark > 50 || light < 170 {
		t.Errorf("2 %% and 98 %% of the tones are %d and %d, want at most 50 and at least 170", dark, light)
	}
	if clipped > n/200 {
		t.Errorf("%d pixels are pure white, want at most %d", clipped, n/200)
	}
	if equal > n/20 {
		t.Errorf("%d pixels equal their left neighbour, want at most %d", equal, n/20)
	}
}

func TestTruthCoversEveryClass(t *testing.T) {
	truth := truth()
	if len(truth) != width*height {
		t.Fatalf("%d pixels, want %d", len(truth), width*height)
	}
	count := make([]int, 256)
	for _, c := range truth {
		count[c]++
	}
	for c, n := range count {
		switch {
		case c >= len(sample.Classes) && n > 0:
			t.Errorf("%d pixels of class %d, which has no name", n, c)
		case c < len(sample.Classes) && n*100 < width*height:
			t.Errorf("%s covers %d pixels, want at least 1 %%", sample.Classes[c].Name, n)
		}
	}
}

// The truth must belong to the picture: colours differ between classes far more
// than one pixel inside a class differs from the next.
func TestTruthFollowsThePicture(t *testing.T) {
	img, truth := rendered(), truth()
	var inside, across, nInside, nAcross float64
	for y := range height {
		for x := 2; x < width-2; x++ {
			i := y*width + x
			d := 0.0
			for k := range 3 {
				e := float64(img.Pix[4*(i+2)+k]) - float64(img.Pix[4*(i-2)+k])
				d += e * e
			}
			if truth[i-2] == truth[i+2] {
				inside, nInside = inside+d, nInside+1
			} else {
				across, nAcross = across+d, nAcross+1
			}
		}
	}
	if ratio := (across / nAcross) / (inside / nInside); ratio < 10 {
		t.Errorf("squared steps across borders are %.1f times those inside, want at least 10", ratio)
	}
}

// A solid that sticks out of its ball would be cut off in the picture.
func TestShapesLieWithinTheirReach(t *testing.T) {
	for s := orangeShape; s <= bowlShape; s++ {
		rapid.Check(t, func(t *rapid.T) {
			angle := rapid.Float64Range(0, 2*math.Pi).Draw(t, "angle")
			height := rapid.Float64Range(-1, 1).Draw(t, "height")
			q := math.Sqrt(1 - height*height)
			p := vec{q * math.Cos(angle), height, q * math.Sin(angle)}.mul(s.reach())
			if d := s.distance(p); d <= 0 {
				t.Fatalf("shape %d reaches %v: distance %g, want it outside", s, p, d)
			}
		})
	}
}

// Sphere tracing steps over a surface unless distances outside it change at
// most as fast as one moves.
func TestDistancesDoNotOvershoot(t *testing.T) {
	coordinate := rapid.Float64Range(-2, 2)
	for s := orangeShape; s <= bowlShape; s++ {
		rapid.Check(t, func(t *rapid.T) {
			point := func(name string) vec {
				return vec{coordinate.Draw(t, name+".x"), coordinate.Draw(t, name+".y"), coordinate.Draw(t, name+".z")}
			}
			p := point("p")
			p = p.mul(1 / max(p.length(), 1e-3)).mul(s.reach() * rapid.Float64Range(0.3, 1).Draw(t, "radius"))
			e := point("e")
			e = e.mul(0.02 / max(e.length(), 0.02))
			from, to := s.distance(p), s.distance(p.add(e))
			if rise := math.Abs(to - from); min(from, to) >= 0 && rise > 1.02*e.length()+1e-9 {
				t.Fatalf("shape %d: the distance changes by %g over %g at %v", s, rise, e.length(), p)
			}
		})
	}
}

func BenchmarkRender(b *testing.B) {
	for b.Loop() {
		render()
	}
}

func BenchmarkTruth(b *testing.B) {
	for b.Loop() {
		groundTruth()
	}
}

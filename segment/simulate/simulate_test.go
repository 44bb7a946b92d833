package simulate

import (
	"context"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/crf"
	"collie/segment"
	"collie/superpixels"
)

const void = segment.Void

func TestOverlapByHand(t *testing.T) {
	// Three regions: 10 pixels of class 0, 6 of class 1 and 2 of class 2, all void.
	truth := Truth{Labels: 3, Area: []float64{10, 0, 0, 0, 6, 2, 0, 0, 0}}
	if got := Majority(truth); !slices.Equal(got, []uint8{0, 1, void}) {
		t.Errorf("majority %v", got)
	}
	o := NewOverlap(3)
	o.Add(truth, []uint8{0, 1, 1})
	want := &Overlap{Both: []float64{10, 6, 0}, Union: []float64{10, 8, 2}}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Error(diff)
	}
	if got, want := o.Mean(), (1+0.75+0)/3; math.Abs(got-want) > 1e-12 {
		t.Errorf("mean %v, want %v", got, want)
	}
	// Figures of a set add up pixels; they are not means over images.
	o.Add(truth, []uint8{1, 1, 0})
	if got, _ := o.IoU(0); got != 0.5 {
		t.Errorf("class 0 over two images %v, want 10/20", got)
	}
	undecided := NewOverlap(3)
	undecided.Add(truth, []uint8{void, void, void})
	if diff := cmp.Diff([]float64{10, 6, 2}, undecided.Union); diff != "" || undecided.Mean() != 0 {
		t.Errorf("undecided labelling: %v %v", diff, undecided.Mean())
	}
}

func TestCover(t *testing.T) {
	m := &superpixels.Map{Width: 2, Height: 2, N: 2, Labels: []int32{0, 0, 1, 1}}
	truth, err := Cover(m, []uint8{0, 1, 1, void}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{1, 1, 0, 1}, truth.Area); diff != "" {
		t.Error(diff)
	}
	if _, err := Cover(m, []uint8{0, 1, 2, 0}, 2); err == nil || !strings.Contains(err.Error(), "(0, 1) has class 2") {
		t.Errorf("class out of range: %v", err)
	}
	if _, err := Cover(m, []uint8{0}, 2); err == nil {
		t.Error("a short mask is accepted")
	}
}

func TestMeanIoU(t *testing.T) {
	// Class 0: regions 0 and 1 (area 4), class 1: region 2 (area 3), region 3 is void.
	truth := Truth{Labels: 3, Area: []float64{1, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0}}
	for _, c := range []struct {
		x    []uint8
		want float64
	}{
		{[]uint8{0, 0, 1, 2}, 1},
		{[]uint8{0, 1, 1, 0}, (1.0/4 + 3.0/6) / 2},
		{[]uint8{2, 0, 1, 0}, (3.0/4 + 1 + 0) / 3},
	} {
		if got := MeanIoU(truth, c.x); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.x, got, c.want)
		}
	}
	if v := MeanIoU(Truth{Labels: 2, Area: []float64{0, 0}}, []uint8{0}); v != 1 {
		t.Errorf("all void: %v", v)
	}
}

// The mean IoU is that of pixels, one by one.
func TestMeanIoUOfPixels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 4).Draw(t, "classes")
		n := rapid.IntRange(1, 6).Draw(t, "regions")
		area := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 5), func(v int) float64 { return float64(v) }), n*k, n*k).Draw(t, "area")
		x := rapid.SliceOfN(rapid.Uint8Range(0, uint8(k-1)), n, n).Draw(t, "labels")
		sum, classes := 0.0, 0
		for class := range k {
			both, either := 0, 0
			for i, a := range area {
				for range int(a) { // a pixel whose class is i%k and whose label is x[i/k]
					is, said := i%k == class, int(x[i/k]) == class
					if is && said {
						both++
					}
					if is || said {
						either++
					}
				}
			}
			if either > 0 {
				sum += float64(both) / float64(either)
				classes++
			}
		}
		want := 1.0
		if classes > 0 {
			want = sum / float64(classes)
		}
		if got := MeanIoU(Truth{Labels: k, Area: area}, x); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v, pixel by pixel %v", got, want)
		}
	})
}

func TestSeeds(t *testing.T) {
	majority := make([]uint8, 600)
	for i := range majority {
		majority[i] = uint8(i % 3)
		if i%10 == 0 {
			majority[i] = void
		}
	}
	few, many := Seeds(majority, 0.02, "a", 1), Seeds(majority, 0.1, "a", 1)
	count := 0
	for i, c := range few {
		if c == void {
			continue
		}
		count++
		if c != majority[i] || many[i] != c {
			t.Errorf("superpixel %d of class %d is clicked %d, and %d among more", i, majority[i], c, many[i])
		}
	}
	if count != 12 {
		t.Errorf("%d clicks, want 12", count)
	}
	if !slices.Equal(few, Seeds(majority, 0.02, "a", 1)) {
		t.Error("the same draw differs")
	}
	for name, other := range map[string][]uint8{"draw": Seeds(majority, 0.02, "a", 2), "image": Seeds(majority, 0.02, "b", 1)} {
		if slices.Equal(few, other) {
			t.Errorf("another %s has the same clicks", name)
		}
	}
	if all := Seeds(majority, 1, "a", 1); !slices.Equal(all, majority) {
		t.Error("with everything observed something is missing")
	}
}

func TestInPlay(t *testing.T) {
	clicks := InPlay([]uint8{7, void, 2, 7}, 0)
	if diff := cmp.Diff(Clicks{Fixed: []int16{1, -1, 0, 1}, Classes: []uint8{2, 7}}, clicks); diff != "" {
		t.Error(diff)
	}
	if got := clicks.Name([]uint8{0, 1, 1, 0}); !slices.Equal(got, []uint8{2, 7, 7, 2}) {
		t.Errorf("names %v", got)
	}
	if all := InPlay([]uint8{1, void}, 3); len(all.Classes) != 3 || all.Fixed[0] != 1 {
		t.Errorf("all classes: %v", all)
	}
}

// stripes is a scene of three vertical stripes of one class each.
func stripes() (*Scene, Truth) {
	const width, height = 120, 80
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	mask := make([]uint8, 0, width*height)
	for y := range height {
		for x := range width {
			class := x * 3 / width
			img.SetNRGBA(x, y, color.NRGBA{uint8(60 + 70*class), uint8(200 - 60*class), uint8(x + y), 255})
			mask = append(mask, uint8(class))
		}
	}
	m := superpixels.NewHierarchy(img, 60).At(60)
	truth, err := Cover(m, mask, 3)
	if err != nil {
		panic(err)
	}
	rgb := make([][3]float64, m.N)
	for p, r := range m.Labels {
		c := img.NRGBAAt(p%width, p/width)
		rgb[r] = [3]float64{float64(c.R) / 255, float64(c.G) / 255, float64(c.B) / 255}
	}
	return &Scene{Graph: superpixels.Describe(img, m), RGB: rgb}, truth
}

func TestMethods(t *testing.T) {
	scene, truth := stripes()
	clicks := InPlay(Seeds(Majority(truth), 0.5, "stripes", 1), 0)
	if len(clicks.Classes) != 3 {
		t.Fatalf("%d classes are clicked", len(clicks.Classes))
	}
	for _, name := range Methods {
		for _, solver := range []crf.Method{crf.TRWS, crf.LBP} {
			got, err := Method{Name: name, Solver: solver}.Hypotheses(t.Context(), scene, clicks, 4)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want := 4
			if (Method{Name: name}).Single() {
				want = 1
			}
			if len(got) != want {
				t.Errorf("%s gives %d hypotheses, want %d", name, len(got), want)
			}
			for m, x := range got {
				for i, f := range clicks.Fixed {
					if f >= 0 && x[i] != clicks.Classes[f] {
						t.Errorf("%s: hypothesis %d contradicts the click at %d", name, m, i)
					}
				}
			}
		}
	}
	paper := func(rate float64) [][]uint8 {
		got, err := Method{Name: "herding-paper", Rate: rate}.Hypotheses(t.Context(), scene, clicks, 20)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if d := cmp.Diff(paper(0.25), paper(0)); d != "" || cmp.Equal(paper(5), paper(0)) {
		t.Errorf("the rate is not 0.25 by default, or has no effect: %s", d)
	}
	one := clicks
	one.Fixed, one.Classes = slices.Repeat([]int16{-1}, len(clicks.Fixed)), []uint8{0}
	one.Fixed[0] = 0
	withRest := Method{Name: "herding-harmonic", Rest: segment.Rest{Mode: segment.RestClass, Class: 9}}
	if got, err := withRest.Hypotheses(t.Context(), scene, one, 4); err != nil || len(got) != 4 || got[0][0] != 0 || !slices.Contains(got[0], 9) {
		t.Errorf("one click above the rest: %v, %v", got, err)
	}
	if _, err := (Method{Name: "magic"}).Hypotheses(t.Context(), scene, clicks, 1); err == nil || !strings.Contains(err.Error(), "magic") {
		t.Errorf("unknown method: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Method{Name: "herding-harmonic"}).Hypotheses(ctx, scene, clicks, 1); err == nil {
		t.Error("a cancelled context is ignored")
	}
}

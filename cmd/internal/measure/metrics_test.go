package measure

import (
	"image"
	"image/color"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A 4×2 image whose truth splits it in the middle and whose superpixels split
// it after one column.
var (
	truth  = []int32{0, 0, 1, 1, 0, 0, 1, 1}
	labels = []int32{0, 1, 1, 1, 0, 1, 1, 1}
)

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s = %v, want %v", name, got, want)
	}
}

func TestByHand(t *testing.T) {
	// Superpixel 1 has 2 pixels of segment 0 and 4 of segment 1.
	near(t, "Undersegmentation", Undersegmentation(labels, truth, 4), 4.0/8)
	near(t, "ASA", ASA(labels, truth, 4), 6.0/8)
	// Boundary pixels of the truth: columns 1 and 2; of the labels: 0 and 1.
	near(t, "BoundaryRecall, no tolerance", BoundaryRecall(labels, truth, 4, 0), 0.5)
	near(t, "BoundaryRecall, 1 pixel", BoundaryRecall(labels, truth, 4, 1/math.Sqrt(20)), 1)
	near(t, "BoundaryRecall, no boundary", BoundaryRecall(labels, make([]int32, 8), 4, 0), 1)
	// Areas 2 and 6, perimeters 6 and 10.
	near(t, "Compactness", Compactness(labels, 4), (2*4*math.Pi*2/36+6*4*math.Pi*6/100)/8)

	img := image.NewNRGBA(image.Rect(0, 0, 4, 2))
	for y := range 2 {
		for x, v := range []uint8{0, 0, 100, 100} {
			img.SetNRGBA(x, y, color.NRGBA{v, 0, 0, 255})
		}
	}
	// Means 0 and 200/3 against values 0 and 100 with mean 50.
	near(t, "ExplainedVariation", ExplainedVariation(labels, img), (2*2500+6*math.Pow(200.0/3-50, 2))/(8*2500))
	near(t, "ExplainedVariation, exact", ExplainedVariation(truth, img), 1)
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 12).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "height")
		draw := func(name string) []int32 {
			return rapid.SliceOfN(rapid.Int32Range(0, 5), width*height, width*height).Draw(t, name)
		}
		s, g := draw("labels"), draw("truth")
		ue, asa := Undersegmentation(s, g, width), ASA(s, g, width)
		if asa <= 0 || asa > 1 || ue < 0 || ue < 1-asa-1e-12 {
			t.Fatalf("UE %v, ASA %v: every pixel lost to ASA counts in UE", ue, asa)
		}
		if ue := Undersegmentation(g, g, width); ue != 0 {
			t.Fatalf("UE of the truth itself is %v", ue)
		}
		if br := BoundaryRecall(g, g, width, 0.0025); br != 1 {
			t.Fatalf("boundary recall of the truth itself is %v", br)
		}
		if c := Compactness(s, width); c <= 0 || c > math.Pi/4*2 {
			t.Fatalf("compactness %v", c)
		}
	})
}

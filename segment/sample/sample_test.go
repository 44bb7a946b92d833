package sample_test

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/sample"
)

// decoded returns the photograph and the mask.
func decoded(t *testing.T) (image.Image, *image.Paletted) {
	t.Helper()
	photograph, err := png.Decode(bytes.NewReader(sample.Photograph))
	if err != nil {
		t.Fatal(err)
	}
	mask, err := png.Decode(bytes.NewReader(sample.Mask))
	if err != nil {
		t.Fatal(err)
	}
	return photograph, mask.(*image.Paletted)
}

func TestFilesBelongTogether(t *testing.T) {
	photograph, mask := decoded(t)
	if diff := cmp.Diff(photograph.Bounds(), mask.Rect); diff != "" {
		t.Errorf("the photograph and the mask differ in size:\n%s", diff)
	}
	var pixels [256]int
	for _, class := range mask.Pix {
		pixels[class]++
	}
	for class, n := range pixels {
		if (n > 0) != (class < len(sample.Classes)) {
			t.Errorf("%d pixels of class %d; there are %d classes", n, class, len(sample.Classes))
		}
	}
	classes, err := segment.NormalizeClasses(sample.Classes)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample.Classes, classes); diff != "" {
		t.Errorf("the classes are not stored as they are:\n%s", diff)
	}
}

// Where an object has a hue, the colour of its class has the same, give or take
// an eighth of the colour circle.
func TestColoursFitTheObjects(t *testing.T) {
	photograph, mask := decoded(t)
	var sum [256][3]float64
	for y := range mask.Rect.Dy() {
		for x := range mask.Rect.Dx() {
			r, g, b, _ := photograph.At(x, y).RGBA()
			mean := &sum[mask.ColorIndexAt(x, y)]
			mean[0], mean[1], mean[2] = mean[0]+float64(r), mean[1]+float64(g), mean[2]+float64(b)
		}
	}
	compared := 0
	for i, c := range sample.Classes {
		have, saturation := hue(sum[i])
		if saturation < 0.3 {
			continue
		}
		compared++
		v, err := strconv.ParseUint(c.Color[1:], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := hue([3]float64{float64(v >> 16), float64(v >> 8 & 255), float64(v & 255)})
		if d := math.Abs(math.Remainder(have-want, 360)); d > 22.5 {
			t.Errorf("%s has the hue %.0f°, the colour of its class %.0f°", c.Name, have, want)
		}
	}
	if compared < 4 {
		t.Errorf("only %d classes have a hue, want apple, orange, pear and table", compared)
	}
}

// hue returns hue, in degrees, and saturation of a colour, as HSV defines them.
func hue(c [3]float64) (degrees, saturation float64) {
	high, low := max(c[0], c[1], c[2]), min(c[0], c[1], c[2])
	chroma := high - low
	switch high {
	case c[0]:
		degrees = 60 * (c[1] - c[2]) / chroma
	case c[1]:
		degrees = 120 + 60*(c[2]-c[0])/chroma
	default:
		degrees = 240 + 60*(c[0]-c[1])/chroma
	}
	return degrees, chroma / high
}

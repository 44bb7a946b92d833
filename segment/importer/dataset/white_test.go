package dataset

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"collie/segment/photo/phototest"
)

// disc is a white disc on black whose border fades over some pixels.
func disc(side int, fading float64) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, side, side))
	for i := range img.Pix {
		from := math.Hypot(float64(i%side)+.5-float64(side)/2, float64(i/side)+.5-float64(side)/2)
		img.Pix[i] = uint8(255 * min(1, max(0, (float64(side)/3-from)/fading+.5)))
	}
	return img
}

// steps has as many rows of a grey as columns, the darkest first.
func steps(levels int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, levels, levels))
	for i := range img.Pix {
		img.Pix[i] = uint8(255 * (i / levels) / (levels - 1))
	}
	return img
}

// A mask of one object whose border is smooth is one of black and white, and its shades
// are no classes, unless something names one of them.
func TestFadingBorders(t *testing.T) {
	inColour := image.NewRGBA(image.Rect(0, 0, 90, 90))
	for i, p := range disc(90, 2).Pix {
		inColour.Set(i%90, i/90, color.Gray{p})
	}
	const cut = "a the borders fade over N levels of grey; values under 128 were taken for 0, the others for 255"
	for name, c := range map[string]struct {
		files   fstest.MapFS
		options Options
		want    string
	}{
		"PNG":         {fstest.MapFS{"a.png": file(phototest.MustPNG(t, disc(90, 2)))}, Options{}, cut + " " + whiteIsUndecided},
		"in colour":   {fstest.MapFS{"a.png": file(phototest.MustPNG(t, inColour))}, Options{}, cut + " " + whiteIsUndecided},
		"TIFF":        {fstest.MapFS{"masks/a.tif": file(phototest.Numbers(90, disc(90, 2).Pix))}, Options{}, cut + " " + whiteIsUndecided},
		"white said":  {fstest.MapFS{"a.png": file(phototest.MustPNG(t, disc(90, 2)))}, Options{Mapping: map[string]string{"0": "rest", "255": "cat"}}, cut},
		"a grey said": {fstest.MapFS{"a.png": file(phototest.MustPNG(t, disc(90, 2)))}, Options{Mapping: map[string]string{"0": "rest", "7": "cat"}}, "a"},
		"named":       {fstest.MapFS{"SegmentationClass/a.png": file(phototest.MustPNG(t, disc(90, 2))), "class_names.txt": file([]byte("rest\ncat\n"))}, Options{}, "a"},
		"far":         {fstest.MapFS{"a.png": file(phototest.MustPNG(t, disc(90, 60)))}, Options{}, "a"},
		"classes":     {fstest.MapFS{"a.png": file(phototest.MustPNG(t, steps(52)))}, Options{}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := open(t, c.files, c.options)
			if err != nil {
				t.Fatal(err)
			}
			for m, err := range d.Masks {
				if err != nil {
					t.Fatal(err)
				}
				give, err := m.Draw()
				defer give()
				if err != nil {
					t.Fatal(err)
				}
				levels := map[uint8]bool{}
				for _, p := range disc(90, 2).Pix {
					levels[p] = true
				}
				want := strings.Replace(c.want, "N", fmt.Sprint(len(levels)-2), 1)
				if got := strings.TrimSpace(m.Image + " " + strings.Join(m.Lossy, " ")); got != want {
					t.Errorf("%s; want %s", got, want)
				}
				if !strings.HasPrefix(c.want, cut) {
					continue
				}
				for i, p := range disc(90, 2).Pix {
					if (m.Pixels[i] == 255) != (p >= 128) || (m.Pixels[i] == 0) != (p < 128) {
						t.Fatalf("pixel %d was %d and became %d", i, p, m.Pixels[i])
					}
				}
			}
		})
	}
}

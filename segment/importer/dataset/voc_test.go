package dataset

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/mask"
	"collie/segment/photo/phototest"
)

func TestVOC(t *testing.T) {
	vocColor := func(class uint8) color.Color { return mask.VOCColor(class) }
	var palette color.Palette
	for i := range 256 {
		palette = append(palette, mask.VOCColor(uint8(i)))
	}
	box := image.Rect(0, 0, 3, 2)
	rows := "012/.50"
	classes, masks := readAll(t, fstest.MapFS{
		"VOC/SegmentationClass/a.png":  file(phototest.MustPNG(t, picture(image.NewPaletted(box, palette), rows, vocColor))),
		"VOC/SegmentationClass/b.png":  file(phototest.MustPNG(t, picture(image.NewNRGBA(box), rows, vocColor))),
		"VOC/SegmentationClass/c.png":  file(phototest.MustPNG(t, picture(image.NewGray(box), rows, func(c uint8) color.Color { return color.Gray{c} }))),
		"VOC/SegmentationClass/d.png":  file(phototest.MustPNG(t, picture(image.NewNRGBA(box), rows, func(c uint8) color.Color { return color.NRGBA{c, c, c / 2, 255} }))),
		"VOC/SegmentationClass/e.png":  file([]byte("\x89PNG\r\n\x1a\n")),
		"VOC/SegmentationClass/._f":    file(nil),
		"VOC/SegmentationClass/f.png":  file(phototest.MustPNG(t, picture(image.NewGray(box), rows, func(c uint8) color.Color { return color.Gray{c} }))),
		"VOC/SegmentationClass/g.png":  file(phototest.MustPNG(t, picture(image.NewGray(box), rows, func(c uint8) color.Color { return color.Gray{c} }))),
		"VOC/SegmentationObject/f.png": file([]byte("GIF")),
		"VOC/SegmentationObject/g.png": file(phototest.MustPNG(t, image.NewGray(image.Rect(0, 0, 2, 3)))),
		"SegmentationObject/a.png":     file([]byte("not read: in no folder beside one of classes")),
		"VOC/SegmentationClass/h.png":  file(phototest.MustPNG(t, picture(image.NewNRGBA(box), "011/011", func(c uint8) color.Color { return color.NRGBA{A: 255 * (1 - c)} }))),
		"VOC/JPEGImages/a.jpg":         file([]byte("not read")),
	}, Options{})
	want := []string{
		"a " + rows, "b " + rows, "c " + rows,
		"d.png: The pixel at (1, 0) has the colour 1,1,0, which belongs to no class; the nearest colour of one is 0,0,0. Use a palette PNG, or an RGB PNG in exactly the colours that are in a labelmap.txt.",
		"e.png: The mask is not a readable PNG. (unexpected EOF)",
		"f.png: VOC/SegmentationObject/f.png: The mask is not a readable PNG. (unexpected EOF)",
		"g.png: VOC/SegmentationObject/g.png has 2×3 pixels, but the mask of the classes has 3×2.",
		"h.png: The pixel at (1, 0) is transparent, so it has the colour of no class. Save the mask without transparency.",
	}
	if classes != "" {
		t.Errorf("classes %q without a labelmap", classes)
	}
	if d := cmp.Diff(want, masks); d != "" {
		t.Error(d)
	}

	own := map[uint8]color.Color{0: color.NRGBA{1, 2, 3, 255}, 1: color.NRGBA{200, 0, 0, 255}, segment.Void: vocColor(segment.Void)}
	classes, masks = readAll(t, fstest.MapFS{
		"labelmap.txt": file([]byte("# label:color_rgb:parts:actions\nground:1,2,3::\ncat:200,0,0::\n")),
		"x.png":        file(phototest.MustPNG(t, picture(image.NewNRGBA(box), "011/.10", func(c uint8) color.Color { return own[c] }))),
	}, Options{})
	if d := cmp.Diff([]string{"x 011/.10"}, masks); d != "" || classes != "ground cat" {
		t.Errorf("classes %q, %s", classes, d)
	}
}

// The objects of VOC come from palettes, grey and colours alike.
func TestVOCObjects(t *testing.T) {
	var values color.Palette
	for i := range 256 {
		values = append(values, mask.VOCColor(uint8(i)))
	}
	box := image.Rect(0, 0, 4, 2)
	rows := "012./2011"
	for name, img := range map[string]image.Image{
		"palette": picture(image.NewPaletted(box, values), rows, func(c uint8) color.Color { return mask.VOCColor(c) }),
		"grey":    picture(image.NewGray(box), rows, func(c uint8) color.Color { return color.Gray{c} }),
		"colours": picture(image.NewNRGBA(box), rows, func(c uint8) color.Color { return mask.VOCColor(c) }),
	} {
		d, err := open(t, fstest.MapFS{
			"SegmentationClass/a.png":  file(phototest.MustPNG(t, picture(image.NewGray(box), "0111/1011", func(c uint8) color.Color { return color.Gray{c} }))),
			"SegmentationObject/a.png": file(phototest.MustPNG(t, img)),
		}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for m, err := range d.Masks {
			if err != nil {
				t.Fatal(err)
			}
			if text := drawn(m); text != "a 0111/1011" {
				t.Errorf("%s: %s", name, text)
			}
			var objects strings.Builder // numbered by their first pixels
			number := map[int32]int{-1: 0}
			for _, o := range m.Objects {
				if _, known := number[o]; !known {
					number[o] = len(number)
				}
				fmt.Fprint(&objects, number[o])
			}
			if objects.String() != "01202011" || m.Regions != 2 {
				t.Errorf("%s: objects %s, %d of them", name, objects.String(), m.Regions)
			}
		}
	}
}

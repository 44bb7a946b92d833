package dataset

import (
	"image"
	"image/color"
	"image/color/palette"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/tiff"

	"collie/segment/photo/phototest"
)

// Masks of classes can be TIFFs where they can be PNGs.
func TestClassesInTIFF(t *testing.T) {
	box, rows := image.Rect(0, 0, 3, 2), "012/.50"
	grey := picture(image.NewGray(box), rows, func(c uint8) color.Color { return color.Gray{c} })
	deep := picture(image.NewGray16(box), rows, func(c uint8) color.Color { return color.Gray16{uint16(c)} })
	colours := image.NewPaletted(box, palette.Plan9)
	copy(colours.Pix, grey.(*image.Gray).Pix)
	_, masks := readAll(t, fstest.MapFS{
		"masks/a.tif":  file(phototest.MustTIFF(t, grey, nil)),
		"masks/b.TIFF": file(phototest.MustTIFF(t, deep, &tiff.Options{Compression: tiff.Deflate, Predictor: true})),
		"masks/c.tif":  file(phototest.MustTIFF(t, colours, &tiff.Options{Compression: tiff.Deflate})),
		"masks/d.png":  file(phototest.MustPNG(t, grey)),
		"masks/e.tif":  file(phototest.Numbers(3, []float32{0, 1, 2, 255, 5, 0})),
		"masks/f.tif":  file(phototest.Numbers(3, []uint16{0, 1, 2, 256, 5, 0})),
		"masks/g.tif":  file(phototest.Numbers(3, []float32{0, 1, 2.5, 0, 5, 0})),
		"masks/h.tif":  file(phototest.Numbers(3, []int32{0, -1, 2, 0, 5, 0})),
		"masks/i.tif":  file(phototest.MustTIFF(t, image.NewRGBA(box), nil)),
		"masks/j.tif":  file([]byte("II*\x00")),
		"masks/k.tif":  file(phototest.Numbers(3, []uint8{0, 255, 255})),
		"images/a.tif": file([]byte("not read")),
	}, Options{})
	const classes = "Classes are whole numbers from 0 to 254, and 255 is undecided. If each number is an object, choose that numbers are objects."
	want := []string{
		"a " + rows, "b " + rows, "c " + rows, "d " + rows, "e " + rows,
		"f.tif: The pixel at (0, 1) has the number 256. " + classes,
		"g.tif: The pixel at (2, 0) has the number 2.5. " + classes,
		"h.tif: The pixel at (1, 0) has the number -1. " + classes,
		"i.tif: The TIFF is a picture with colours, not with one number per pixel. Save one number per pixel, of 1, 8, 16 or 32 bits, without compression or with LZW, deflate or PackBits.",
		"j.tif: The file is not a readable TIFF.",
		"k 0.. all values are 0 or 255, and 255 is undecided unless it is given a class",
	}
	if d := cmp.Diff(want, masks); d != "" {
		t.Error(d)
	}
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  []string
	}{
		"alone":       {fstest.MapFS{"a.tif": file(phototest.MustTIFF(t, grey, nil))}, []string{"a " + rows}},
		"beside PNGs": {fstest.MapFS{"a.tif": file(nil), "a.png": file(phototest.MustPNG(t, grey))}, []string{"a " + rows}},
		"PASCAL VOC":  {fstest.MapFS{"SegmentationClass/a.tif": file(phototest.MustTIFF(t, grey, nil)), "SegmentationObject/a.tif": file(phototest.Numbers(3, []uint32{0, 70000, 2, 2, 2, 0}))}, []string{"a " + rows}},
		"of any case": {fstest.MapFS{"segmentationclass/a.tif": file(phototest.MustTIFF(t, grey, nil)), "SegmentationOBJECT/a.tif": file(phototest.Numbers(3, []uint32{0, 70000, 2, 2, 2, 0}))}, []string{"a " + rows}},
		"bad objects": {
			fstest.MapFS{"SegmentationClass/a.tif": file(phototest.MustTIFF(t, grey, nil)), "SegmentationObject/a.tif": file(phototest.Numbers(3, []int32{0, -7, 2, 2, 2, 0}))},
			[]string{"a.tif: SegmentationObject/a.tif: The pixel at (1, 0) has the number -7. " + acceptedLabels},
		},
	} {
		if _, masks := readAll(t, c.files, Options{}); !cmp.Equal(masks, c.want) {
			t.Errorf("%s: %q, want %q", name, masks, c.want)
		}
	}
}

// Label images are read as they are, whatever the numbers.
func TestLabels(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 3, 2))
	copy(grey.Pix, []uint8{0, 7, 7, 255, 9, 0})
	deep := image.NewGray16(grey.Rect)
	colours := image.NewPaletted(grey.Rect, palette.Plan9)
	for i, v := range grey.Pix {
		deep.SetGray16(i%3, i/3, color.Gray16{uint16(v) << 8})
		colours.Pix[i] = v
	}
	classes, masks := readAll(t, fstest.MapFS{
		"a.png":          file(phototest.MustPNG(t, grey)),
		"b.png":          file(phototest.MustPNG(t, deep)),
		"c.png":          file(phototest.MustPNG(t, colours)),
		"d.tif":          file(phototest.MustTIFF(t, deep, &tiff.Options{Compression: tiff.Deflate, Predictor: true})),
		"._hidden.png":   file(nil),
		"instances.json": file([]byte("not read")),
	}, Options{Objects: true})
	if want := []string{"a 011/110", "b 011/110", "c 011/110"}; classes != " objects" || !cmp.Equal(masks, want) {
		t.Errorf("classes %q, PNGs %q", classes, masks)
	}
	const no = ". " + acceptedLabels
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"uint32.tif":   {phototest.Numbers(3, []uint32{0, 70_000, 70_000, 1<<31 - 1, 9, 0}), "uint32 .11/11."},
		"floats.tif":   {phototest.Numbers(3, []float32{0, 7, 7, 3, 9, 0}), "floats .11/11."},
		"deep.tif":     {phototest.MustTIFF(t, deep, &tiff.Options{Compression: tiff.Deflate, Predictor: true}), "deep .11/11."},
		"nothing.tif":  {phototest.Numbers(3, []uint8{0, 0, 0}), "nothing ..."},
		"binary.tif":   {phototest.Numbers(3, []uint8{0, 255, 255}), "binary .11 all objects have the number 255, so they are one object"},
		"negative.tif": {phototest.Numbers(3, []int32{0, 7, -1}), "negative.tif: The pixel at (2, 0) has the number -1" + no},
		"part.tif":     {phototest.Numbers(3, []float32{0, 7, 1.5}), "part.tif: The pixel at (2, 0) has the number 1.5" + no},
		"large.tif":    {phototest.Numbers(3, []uint32{0, 7, 1 << 31}), "large.tif: The pixel at (2, 0) has the number 2147483648" + no},
		"colours.png":  {phototest.MustPNG(t, image.NewNRGBA(grey.Rect)), "colours.png: The file is a picture with colours, not a label image" + no},
		"colours.tif":  {phototest.MustTIFF(t, image.NewRGBA(grey.Rect), nil), "colours.tif: The TIFF is a picture with colours, not with one number per pixel. Save one number per pixel, of 1, 8, 16 or 32 bits, without compression or with LZW, deflate or PackBits."},
		"broken.png":   {phototest.MustPNG(t, grey)[:50], "broken.png: The mask is a damaged PNG. (png: invalid format: not enough pixel data)"},
		"broken.tif":   {phototest.MustTIFF(t, grey, &tiff.Options{Compression: tiff.Deflate})[:9], "broken.tif: The file is not a readable TIFF."},
	} {
		if _, masks := readAll(t, fstest.MapFS{name: file(c.file)}, Options{Objects: true, Undecided: true}); len(masks) != 1 || masks[0] != c.want {
			t.Errorf("%s: %q, want %q", name, masks, c.want)
		}
	}
}

// A hostile file can't name more objects than an image can have, nor be larger than an
// image.
func TestLabelsAreBounded(t *testing.T) {
	const width = 300
	numbers := make([]uint32, width*width)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	colours := image.NewNRGBA(image.Rect(0, 0, width, width))
	for i := range numbers {
		colours.Set(i%width, i/width, color.NRGBA{uint8(i), uint8(i >> 8), uint8(i >> 16), 255})
	}
	_, masks := readAll(t, fstest.MapFS{"SegmentationClass/a.png": file(phototest.MustPNG(t, image.NewGray(colours.Rect))), "SegmentationObject/a.png": file(phototest.MustPNG(t, colours))}, Options{})
	if len(masks) != 1 || !strings.Contains(masks[0], "more than 65535 objects") {
		t.Errorf("objects of PASCAL VOC: %q", masks)
	}
	for name, c := range map[string]struct {
		o    Options
		says string
	}{
		"objects": {Options{}, "more than 65535 objects"},
		"pixels":  {Options{MaxPixels: width*width - 1}, "the limit is 0.089999 million in total"},
	} {
		c.o.Objects = true
		_, masks := readAll(t, fstest.MapFS{"a.tif": file(phototest.Numbers(width, numbers))}, c.o)
		if len(masks) != 1 || !strings.Contains(masks[0], c.says) {
			t.Errorf("%s: %q", name, masks)
		}
	}
}

// Of several pictures those are label images that are called so.
func TestWhichAreLabels(t *testing.T) {
	label := file(phototest.Numbers(1, []uint8{1}))
	for want, names := range map[string][]string{
		"a":                            {"masks/a.tif", "images/a.tif", "b_masks.tif"},
		"x/a":                          {"data/masks/x/a.tif", "data/images/x/a.tif"},
		"a_cp_masks b_masks":           {"a_cp_masks.tif", "a.tif", "b.tif", "b_masks.tif", "a_cp_output.tif"},
		"a_Object Identities b-labels": {"a_Object Identities.tif", "b-labels.tiff", "b.tiff"},
		"a b":                          {"a.tif", "b.tif"},
	} {
		folder := fstest.MapFS{}
		for _, name := range names {
			folder[name] = label
		}
		d, err := open(t, folder, Options{Objects: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(d.Images, " "); d.format != formatLabels || got != want {
			t.Errorf("of %q: %q, want %q", names, got, want)
		}
	}
	d, err := open(t, fstest.MapFS{"SegmentationClass/a.tif": label, "SegmentationObject/a.tif": label}, Options{Objects: true})
	if err != nil || d.format != formatVOC {
		t.Errorf("PASCAL VOC: %+v, %v", d, err)
	}
}

package dataset

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/mask"
	"collie/segment/photo/phototest"
)

// show writes a mask's pixels in rows, a digit each, '.' for void.
func show(m *Mask) string {
	var b strings.Builder
	for i, p := range m.Pixels {
		if i > 0 && i%m.Width == 0 {
			b.WriteByte('/')
		}
		if p == segment.Void {
			b.WriteByte('.')
		} else {
			fmt.Fprint(&b, p)
		}
	}
	return b.String()
}

// lend has memory for every mask.
func lend(context.Context, int64) (give func(), err error) { return func() {}, nil }

func open(t *testing.T, folder fstest.MapFS, o Options) (*Set, error) {
	t.Helper()
	files, err := FromFS(folder)
	if err != nil {
		t.Fatal(err)
	}
	return Open(t.Context(), files, o, o.classes, lend)
}

// readAll lists what is in a data set: class names, and per mask "name pixels", or
// the problem.
func readAll(t *testing.T, files fstest.MapFS, o Options) (classes string, masks []string) {
	t.Helper()
	d, err := open(t, files, o)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range d.Classes {
		names = append(names, c.Name)
	}
	for m, err := range d.Masks {
		switch {
		case err != nil:
			if problem := new(MaskError); !errors.As(err, &problem) {
				t.Errorf("%v is no MaskError", err)
			}
			masks = append(masks, err.Error())
		default:
			masks = append(masks, drawn(m))
		}
	}
	return strings.Join(names, " "), masks
}

// drawn is a mask as "name pixels", or its problem. Its image has 3×2 pixels if the data set
// doesn't say how many.
func drawn(m *Mask) string {
	m.SizeOf = func() (image.Point, error) { return image.Pt(3, 2), nil }
	give, err := m.Draw()
	defer give()
	if err != nil {
		return (&MaskError{m.File, err}).Error()
	}
	return strings.Join(append([]string{m.Image, show(m)}, m.Lossy...), " ")
}

// picture draws rows of digits with the colours that at gives.
func picture(img interface {
	image.Image
	Set(x, y int, c color.Color)
}, rows string, at func(class uint8) color.Color,
) image.Image {
	for y, row := range strings.Split(rows, "/") {
		for x, c := range row {
			class := uint8(c - '0')
			if c == '.' {
				class = segment.Void
			}
			img.Set(x, y, at(class))
		}
	}
	return img
}

func file(content []byte) *fstest.MapFile { return &fstest.MapFile{Data: content} }

// Where the project's first class is no background, a report says that pixels outside
// every shape became it.
func TestUncovered(t *testing.T) {
	files := fstest.MapFS{
		"coco.json": file([]byte(`{"categories": [{"id": 1, "name": "car"}, {"id": 2, "name": "sky"}],
			"images": [{"id": 1, "file_name": "a.jpg", "width": 3, "height": 1}, {"id": 2, "file_name": "empty.jpg", "width": 2, "height": 1}, {"id": 3, "file_name": "full.jpg", "width": 1, "height": 1}],
			"annotations": [{"id": 1, "image_id": 1, "category_id": 1, "segmentation": {"size": [1, 3], "counts": [0, 1, 2]}},
				{"id": 2, "image_id": 3, "category_id": 2, "segmentation": {"size": [1, 1], "counts": [0, 1]}}]}`)),
	}
	labelme := fstest.MapFS{"b.json": file([]byte(`{"imagePath": "b.jpg", "imageWidth": 3, "imageHeight": 1, "shapes": [{"label": "car", "shape_type": "rectangle", "points": [[0, 0], [0, 0]]}]}`))}
	said := func(pixels int) string {
		return fmt.Sprintf(` pixels outside every shape, which became the project's first class, "sky": %d`, pixels)
	}
	sky, background := []segment.Class{{Name: "sky"}}, []segment.Class{{Name: "Background"}}
	for name, c := range map[string]struct {
		files   fstest.MapFS
		options Options
		want    []string
	}{
		"coco":                  {files, Options{classes: sky}, []string{"a.jpg 100" + said(2), "empty.jpg 00" + said(2), "full.jpg 2"}},
		"coco, undecided":       {files, Options{classes: sky, Undecided: true}, []string{"a.jpg 1..", "empty.jpg ..", "full.jpg 2"}},
		"coco, a background":    {files, Options{classes: background}, []string{"a.jpg 100", "empty.jpg 00", "full.jpg 2"}},
		"labelme":               {labelme, Options{classes: sky}, []string{"b.jpg 100" + said(2)}},
		"labelme, undecided":    {labelme, Options{classes: sky, Undecided: true}, []string{"b.jpg 1.."}},
		"labelme, a background": {labelme, Options{classes: background}, []string{"b.jpg 100"}},
	} {
		if _, masks := readAll(t, c.files, c.options); !slices.Equal(masks, c.want) {
			t.Errorf("%s: %q, want %q", name, masks, c.want)
		}
	}
}

// A mask that is black and white says that white is undecided, because its author
// has hardly meant that.
func TestBlackAndWhite(t *testing.T) {
	grey := func(class uint8) color.Color { return color.Gray{class} }
	for rows, want := range map[string]string{
		"0./00": "all values are 0 or 255, and 255 is undecided unless it is given a class",
		"0./01": "",
		"00/00": "",
		"../..": "",
	} {
		_, masks := readAll(t, fstest.MapFS{"a.png": file(phototest.MustPNG(t, picture(image.NewGray(image.Rect(0, 0, 2, 2)), rows, grey)))}, Options{})
		if d := cmp.Diff([]string{strings.TrimSpace("a " + rows + " " + want)}, masks); d != "" {
			t.Error(d)
		}
	}
}

// What is transparent in a picture of objects is one object, whatever colours hide there.
func TestHiddenColoursOfObjects(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 3, 1))
	img.Set(0, 0, color.NRGBA{R: 10})
	img.Set(1, 0, color.NRGBA{G: 20})
	img.Set(2, 0, color.NRGBA{R: 10, A: 255})
	m := &Mask{Width: 3, Height: 1, Pixels: make([]uint8, 3)}
	if err := m.takeObjects(img, 0); err != nil || m.Regions != 2 || m.Objects[0] != m.Objects[1] {
		t.Errorf("%v, %d objects: %v", err, m.Regions, m.Objects)
	}
}

// A grey picture that was saved in colour has its values.
func TestGreyInColour(t *testing.T) {
	img := picture(image.NewNRGBA(image.Rect(0, 0, 2, 2)), "02/.1", func(c uint8) color.Color { return color.Gray{c} }).(*image.NRGBA)
	check := func(want string) {
		t.Helper()
		if _, masks := readAll(t, fstest.MapFS{"a.png": file(phototest.MustPNG(t, img))}, Options{}); !slices.Equal(masks, []string{want}) {
			t.Errorf("%q, want %q", masks, want)
		}
	}
	check("a 02/.1")
	img.Set(1, 1, mask.VOCColor(1))
	check("a.png: The pixel at (1, 0) has the colour 2,2,2, which belongs to no class; the nearest colour of one is 0,0,0. Use a palette PNG, or an RGB PNG in exactly the colours that are in a labelmap.txt.")
}

// White in a mask of other colours is a colour of no class, but not where a labelmap has it.
func TestWhiteAmongColours(t *testing.T) {
	at := func(class uint8) color.Color {
		if class == 9 {
			return color.White
		}
		return mask.VOCColor(class)
	}
	colours := file(phototest.MustPNG(t, picture(image.NewRGBA(image.Rect(0, 0, 2, 2)), "09/10", at)))
	labelmap := &fstest.MapFile{Data: []byte("ground:0,0,0::\nsky:128,0,0::\nsnow:255,255,255::\n")}
	for want, files := range map[string]fstest.MapFS{
		"a.png: The pixel at (1, 0) has the colour 255,255,255, which belongs to no class; the nearest colour of one is 224,224,192. Use a palette PNG, or an RGB PNG in exactly the colours that are in a labelmap.txt.": {"a.png": colours},
		"a 02/10": {"SegmentationClass/a.png": colours, "labelmap.txt": labelmap},
	} {
		if _, masks := readAll(t, files, Options{}); !slices.Equal(masks, []string{want}) {
			t.Errorf("%q, want %q", masks, want)
		}
	}
}

// Grey PNGs of few bits have small numbers, which decoders stretch to 255.
func TestFewBits(t *testing.T) {
	for rows, colours := range map[string]int{"01/10": 2, "03/12": 4, "07/f1": 16} {
		img := picture(image.NewPaletted(image.Rect(0, 0, 2, 2), palette.Plan9[:colours]), strings.ReplaceAll(rows, "f", "9"), func(class uint8) color.Color { return palette.Plan9[class] })
		_, masks := readAll(t, fstest.MapFS{"a.png": file(phototest.FewBits(t, img.(*image.Paletted)))}, Options{})
		if d := cmp.Diff([]string{"a " + strings.ReplaceAll(rows, "f", "9")}, masks); d != "" {
			t.Errorf("%d values: %s", colours, d)
		}
	}
}

func TestLabelme(t *testing.T) {
	crop := base64.StdEncoding.EncodeToString(phototest.MustPNG(t, picture(image.NewGray(image.Rect(0, 0, 2, 2)), "10/11", func(c uint8) color.Color { return color.Gray{c * 255} })))
	classes, masks := readAll(t, fstest.MapFS{
		"a.json": file([]byte(`{"version": "5.4.1", "imagePath": "..\\photos\\a.jpg", "imageData": null, "imageWidth": 5, "imageHeight": 4, "shapes": [
			{"label": "cat", "shape_type": "polygon", "points": [[0, 0], [3, 0], [3, 2], [0, 2]]},
			{"label": "dog", "shape_type": "mask", "points": [[1, 1], [2, 2]], "mask": "` + crop + `"},
			{"label": "__ignore__", "shape_type": "rectangle", "points": [[4, 3], [5, 4]]},
			{"label": "cat", "shape_type": "line", "points": [[0, 0], [3, 0]]}, {"label": "cat", "shape_type": "polygon", "points": [[0, 0], [3, 0]]}]}`)),
		"b.json": file([]byte(`{"imagePath": "b.jpg", "imageWidth": 7, "imageHeight": 3, "shapes": [
			{"label": "bird", "shape_type": "circle", "points": [[3.5, 1.5], [3.5, 3]]}, {"label": "_background_", "points": [[3, 1], [4, 1], [4, 2], [3, 2]]}]}`)),
		"c.json": file([]byte(`{"imagePath": "c.jpg", "imageWidth": 7, "imageHeight": 3, "shapes": [{"label": "dog", "shape_type": "mask", "points": [[6, 1], [7, 2]], "mask": "` + crop + `"}]}`)),
		"d.json": file([]byte(`{"imagePath": `)),
		"e.json": file([]byte(`{"imagePath": "e.jpg", "imageWidth": null, "shapes": [{"label": "cat", "points": [[0, 0], [1, 0], [1, 1], [0, 1]]}]}`)),
		"f.json": file([]byte(`{"imagePath": "f.jpg", "imageWidth": 7, "imageHeight": 3, "shapes": {}}`)),
		"h.json": file([]byte(`{"imagePath": "h.jpg", "imageWidth": 7, "imageHeight": 3, "shapes": [{"label": "dog", "shape_type": "cuboid", "points": [[0, 0], [2, 0], [2, 2], [0, 2]]}]}`)),
		"g.json": file([]byte(`{"imagePath": "g.jpg", "shapes": [{"label": 1.5, "points": []}], "imageWidth": 7, "imageHeight": 3}`)),
		"i.json": file([]byte(`{"imagePath": "i.jpg", "imageWidth": 3, "imageHeight": 3, "shapes": [
			{"label": "cat", "group_id": "left", "shape_type": "mask", "points": [[1, 1], [2, 2]], "mask": "` + crop + `"}, {"label": 7, "group_id": 3.0, "shape_type": "rectangle", "points": [[0, 0], [0, 0]]},
			{"label": "dog", "shape_type": "cuboid", "points": [[0, 0], [2, 0], [2, 2], [0, 2]]}]}`)),
		"j.json": file([]byte(`{"imagePath": "j.jpg", "imageWidth": 3, "imageHeight": 3, "shapes": [{"label": "cat", "points": [[2], [1], [0]]}]}`)),
		"k.json": file([]byte(`{"imagePath": "k.jpg", "imageWidth": 3, "imageHeight": 3, "shapes": [{"label": "cat", "points": [[2, 0], [1, 0, 0], [0, 0]]}]}`)),
		"l.json": file([]byte(`{"imagePath": "l.jpg", "imageWidth": 3, "imageHeight": 3, "shapes": [{"label": "cat", "points": [[2, 0], [1, null], [0, 0]]}]}`)),
		"m.json": file([]byte(`{"imagePath": "m.jpg", "imageWidth": 3, "imageHeight": 3, "shapes": []} and more`)),
	}, Options{})
	want := []string{
		`photos/a.jpg 11110/12110/12210/0000. objects called __ignore__, which is no class in labelme and became undecided: 1 shapes without area, such as lines and points, skipped: 2`,
		"b.jpg 0003300/0030030/0030030 objects called _background_, which is no class in labelme and became the project's first class: 1",
		"c.jpg 0000000/0000002/0000002",
		"e.jpg 110/110 the file doesn't say how large its image is; it was taken to have the size of the image here",
		`f.json: f.json is not JSON in the expected form: "shapes" holds an object, not a list.`,
		`g.json: g.json is not JSON in the expected form: a field "label" holds a value 1.5.`,
		`h.json: It has only shapes that can't be read, such as "cuboid"; use polygons, rectangles, circles or masks.`,
		`i.jpg 400/010/011 shapes of kinds that can't be read, such as "cuboid", skipped: 1`,
		"j.json: A shape has a point that is not two numbers, x and y.",
		"k.json: A shape has a point that is not two numbers, x and y.",
		"l.json: A shape has a point that is not two numbers, x and y.",
		"m.json: m.json is not JSON in the expected form: more text follows its end.",
	}
	if classes != " cat dog bird 7" {
		t.Errorf("classes %q", classes)
	}
	if len(masks) != 13 || !strings.HasPrefix(masks[0], "d.json: d.json is not JSON in the expected form: it ends too early") {
		t.Errorf("broken file: %q", masks)
	}
	if d := cmp.Diff(want, masks[1:]); d != "" {
		t.Error(d)
	}
}

// Names with damaged text could become one class, so the file is refused.
func TestDamagedText(t *testing.T) {
	const coco = `{"images": [{"id": 1, "file_name": "a.jpg", "width": 2, "height": 1}], "categories": [{"id": 1, "name": "NAME"}], "annotations": []}`
	const labelme = `{"shapes": [{"label": "NAME", "points": [[0, 0], [1, 0], [1, 1]]}], "imagePath": "a.jpg", "imageWidth": 2, "imageHeight": 1}`
	for _, name := range []string{"f\xe4", `\ud800`, `\ud801x, and more`} {
		const want = "x.json contains text that is not valid UTF-8, or half of a surrogate pair."
		if _, err := open(t, fstest.MapFS{"x.json": file([]byte(strings.ReplaceAll(coco, "NAME", name)))}, Options{}); segment.KindOf(err) != segment.Unreadable || !strings.Contains(err.Error(), want) {
			t.Errorf("COCO with %q: %v", name, err)
		}
		_, masks := readAll(t, fstest.MapFS{"x.json": file([]byte(strings.ReplaceAll(labelme, "NAME", name)))}, Options{})
		if len(masks) != 1 || !strings.HasPrefix(masks[0], "x.json: "+want) {
			t.Errorf("labelme with %q: %q", name, masks)
		}
	}
}

// All of a data set's files are read, or named among the problems.
func TestNothingIsLeftOut(t *testing.T) {
	coco := func(image string) []byte {
		return []byte(`{"images": [{"id": 1, "file_name": "` + image + `", "width": 2, "height": 1}], "categories": [{"id": 1, "name": "cat"}],
			"annotations": [{"id": 1, "image_id": 1, "category_id": 1, "segmentation": {"size": [1, 2], "counts": [0, 1, 1]}}]}`)
	}
	labelme := []byte(`{"imagePath": "l.jpg", "imageWidth": 2, "imageHeight": 1, "shapes": []}`)
	captions := []byte(`{"images": [{"id": 1, "file_name": "a.jpg"}], "annotations": [{"id": 1, "image_id": 1, "caption": "a cat"}]}`)
	indices := phototest.MustPNG(t, picture(image.NewGray(image.Rect(0, 0, 2, 1)), "01", func(c uint8) color.Color { return color.Gray{c} }))
	const other = ": It was not read, because the data set has masks in another format, too. Import it by itself."
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  []string
	}{
		"two COCO files":  {fstest.MapFS{"train.json": file(coco("a.jpg")), "val.json": file(coco("b.jpg"))}, []string{"a.jpg 10", "b.jpg 10"}},
		"COCO's captions": {fstest.MapFS{"captions.json": file(captions), "instances.json": file(coco("a.jpg"))}, []string{"captions.json: The annotations in captions.json have no segmentation, so it has no masks.", "a.jpg 10"}},
		"COCO, labelme":   {fstest.MapFS{"a.json": file(labelme), "b.json": file(coco("b.jpg"))}, []string{"a.json" + other, "b.jpg 10"}},
		"VOC, both": {
			fstest.MapFS{"SegmentationClass/v.png": file(indices), "a.json": file(labelme), "b.json": file(coco("b.jpg"))},
			[]string{"b.json" + other, "a.json" + other, "v 01"},
		},
		"COCO, CVAT and YOLO": {
			fstest.MapFS{"a.json": file(coco("a.jpg")), "b.xml": file([]byte("<annotations></annotations>")), "labels/c.txt": file(nil), "masks/a.png": file(indices)},
			[]string{"b.xml" + other, "labels/c.txt" + other, "a.jpg 10"},
		},
		"a folder of masks": {fstest.MapFS{"masks/v.png": file(indices), "images/v.png": file([]byte("no mask"))}, []string{"v 01"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, masks := readAll(t, c.files, Options{})
			if d := cmp.Diff(c.want, masks); d != "" {
				t.Error(d)
			}
		})
	}
	for want, files := range map[string]fstest.MapFS{
		"no segmentation":                 {"captions.json": file(captions)},
		"YOLO":                            {"data.yaml": file(nil), "images/train/a.png": file(nil), "labels/train/a.txt": file(nil)},
		"CVAT for video":                  {"annotations.xml": file([]byte(`<annotations><version>1.1</version><track id="0" label="cat"></track></annotations>`)), "images/a.png": file(nil)},
		"a backup of CVAT":                {"task.json": file([]byte(`{"name": "cats"}`)), "annotations.json": file([]byte(`[{"version": 0, "shapes": []}]`)), "data/manifest.jsonl": file(nil), "data/a.png": file(nil)},
		"the labelling in another format": {"a/hypotheses.json": file([]byte("{}")), "a/labelling.png": file(nil)},
		"Import a backup":                 {"backup.json": file([]byte(`{"kind": "collie-backup", "version": 1, "images": []}`)), "originals/a.png": file(indices), "manifest.json": file([]byte("{}"))},
		"Datumaro":                        {"annotations/default.json": file([]byte(`{"info": {}, "categories": {"label": {}}, "items": [{"id": "a"}]}`)), "images/a.png": file(nil)},
		"No task in x.json":               {"x.json": file([]byte(`[{"id": 1, "annotations": [], "data": {"image": "a.jpg"}}, {"id": 2}]`))},
		"No masks found":                  {"x.json": file([]byte(`[{"image": "a.jpg", "annotations": [{"label": "cat", "coordinates": {"x": 1, "y": 1, "width": 2, "height": 2}}]}]`))}, // CreateML's
		"Studio in x.json have no":        {"x.json": file([]byte(`[{"id": 1, "predictions": [{"result": []}], "data": {"image": "a.jpg"}}]`))},
		"via.json is VIA's own JSON":      {"via.json": file([]byte(`{"_via_settings": {"ui": {}}, "_via_img_metadata": {"a.jpg45": {"filename": "a.jpg", "size": 45, "regions": []}}}`))},
		"x.json is VIA's own JSON":        {"x.json": file([]byte(`{"a.jpg45": {"fileref": "", "filename": "a.jpg", "size": 45, "regions": {"0": {}}}}`))},
		"is Label Studio's JSON-MIN":      {"x.json": file([]byte(`[{"image": "a.jpg", "id": 1, "label": [], "annotator": 1}]`))},
	} {
		if d, err := open(t, files, Options{}); segment.KindOf(err) != segment.Unsupported || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", want, d, err)
		}
	}
}

func TestOpenRefusesOtherFiles(t *testing.T) {
	for _, files := range []fstest.MapFS{
		{}, {"a.jpg": file(nil)}, {"a.json": file([]byte(`{"labels": []}`))},
	} {
		if d, err := open(t, files, Options{}); segment.KindOf(err) != segment.Unsupported {
			t.Errorf("%v, %v", d, err)
		}
	}
}

// Windows names photographs from the web .jfif, and cameras name them .JPG.
func TestPhotosByEnding(t *testing.T) {
	f := Files{Names: []string{"a.JPG", "b.jfif", "c.txt", "masks/d.png"}}
	if got, want := f.photos("masks"), []string{"a.JPG", "b.jfif"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

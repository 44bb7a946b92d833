package dataset

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"collie/segment/photo/phototest"
)

// segmentsPNG is an RGB PNG of one row with the ids of segments.
func segmentsPNG(tb testing.TB, ids ...int) *fstest.MapFile {
	img := image.NewNRGBA(image.Rect(0, 0, len(ids), 1))
	for x, id := range ids {
		img.Set(x, 0, color.NRGBA{uint8(id), uint8(id >> 8), uint8(id >> 16), 255})
	}
	return file(phototest.MustPNG(tb, img))
}

func TestPanoptic(t *testing.T) {
	document := `{
		"annotations": [
			{"image_id": 1, "file_name": "a.png", "segments_info": [{"id": 1, "category_id": 3, "area": 9}, {"id": 70000, "category_id": 7}, {"id": 300, "category_id": 7},
				{"id": 5, "category_id": 7, "iscrowd": 1}]},
			{"image_id": 2, "file_name": "b.png", "segments_info": [{"id": 1, "category_id": 3}]},
			{"image_id": 3, "file_name": "c.png", "segments_info": [{"id": 1, "category_id": 4}]},
			{"image_id": 4, "file_name": "d.png", "segments_info": [{"id": 1, "category_id": 7}, {"id": 1, "category_id": 3}]},
			{"image_id": 5, "file_name": "gone.png", "segments_info": []},
			{"image_id": 6, "file_name": "damaged.png", "segments_info": []},
			{"image_id": 7, "file_name": "grey.png", "segments_info": [{"id": 9.0, "category_id": 7}]},
			{"image_id": 99, "file_name": "stray.png", "segments_info": []}],
		"categories": [{"id": 3, "name": "sky", "isthing": 0}, {"id": 7, "name": "cat", "isthing": 1}],
		"images": [{"id": 1, "file_name": "a.jpg", "width": 6, "height": 1}, {"id": 2, "file_name": "b.jpg"}, {"id": 3, "file_name": "c.jpg"},
			{"id": 4, "file_name": "d.jpg"}, {"id": 5, "file_name": "e.jpg"}, {"id": 6, "file_name": "f.jpg"}, {"id": 7, "file_name": "g.png"}, {"id": 8, "file_name": "not annotated.jpg"}]}`
	grey := image.NewGray(image.Rect(0, 0, 2, 1))
	grey.SetGray(1, 0, color.Gray{9})
	one := segmentsPNG(t, 1)
	files := fstest.MapFS{
		"x/panoptic_val.json": file([]byte(document)), "x/panoptic_val/a.png": segmentsPNG(t, 1, 70000, 0, 300, 5, 1), "images/a.png": segmentsPNG(t, 8),
		"x/b.png": segmentsPNG(t, 1, 2), "x/panoptic_val/c.png": one, "x/panoptic_val/d.png": one, "x/panoptic_val/damaged.png": file([]byte("no PNG")), "far/grey.png": file(phototest.MustPNG(t, grey)),
		"images/g.png": one,
	}
	classes, masks := readAll(t, files, Options{})
	want := []string{
		"a.jpg 12.221",
		"b.png: The pixel at (1, 0) is of segment 2, which its annotation doesn't list.",
		"c.png: Its segment 1 is of category 4, which is not in the file.",
		"d.png: Its segment number 2 has the id 1. Ids are from 1, and each segment has its own.",
		"gone.png: Its PNG gone.png is not among the files, or is there more than once. Put the JSON file and the folder with the PNGs into one zip archive.",
		"damaged.png: The mask is not a readable PNG. (unexpected EOF)",
		"g.png .2",
		"the annotation of stray.png: It refers to image 99, which is not in the file, or has no file_name there.",
	}
	if classes != " sky cat" {
		t.Errorf("classes %q", classes)
	}
	if d := cmp.Diff(want, masks); d != "" {
		t.Error(d)
	}
	d, err := open(t, files, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Photos, " "); got != "images/a.png images/g.png" {
		t.Errorf("photographs %s", got)
	}
	for m := range d.Masks { // several hundred of one class are told apart, stuff and crowds are no objects
		give, err := m.Draw()
		if want := []int32{-1, 1, -1, 2, -1, -1}; err != nil || !cmp.Equal(m.Objects, want) {
			t.Errorf("objects %v, %v, want %v", m.Objects, err, want)
		}
		give()
		break
	}
}

func TestPanopticRefuses(t *testing.T) {
	const rest = `"categories": [{"id": 7, "name": "cat"}], "images": [{"id": 1, "file_name": "a.jpg"}]`
	for annotations, want := range map[string]string{
		`[{"image_id": 1, "file_name": "a.png", "segments_info": [{"id": "x"}]}]`:                                           "x.json",
		`[{"image_id": 1, "file_name": "a.png", "segments_info": 7}]`:                                                       "x.json",
		`[{"image_id": 1, "file_name": "a.png", "segments_info": [{"id": 1, "category_id": 7}]`:                             "x.json",
		`[{"image_id": 1, "file_name": "a.png", "segments_info": [{"id": 99999999999, "category_id": 7}]}]`:                 "x.json",
		fmt.Sprintf(`[{"image_id": 1, "file_name": "a.png", "segments_info": [%s{}]}]`, strings.Repeat(`{}, `, maxValue/4)): "x.json",
	} {
		d, err := open(t, fstest.MapFS{"x.json": file([]byte(`{"annotations": ` + annotations + `, ` + rest + `}`)), "a.png": segmentsPNG(t, 1)}, Options{})
		if err == nil || !Faulty(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: %+v, %v", annotations, d, err)
		}
	}
	_, masks := readAll(t, fstest.MapFS{
		"instances.json": file([]byte(`{"annotations": [{"image_id": 1, "category_id": 7, "segmentation": {"size": [1, 1], "counts": [0, 1]}}], ` + strings.Replace(rest, `"file_name"`, `"width": 1, "height": 1, "file_name"`, 1) + `}`)),
		"panoptic.json":  file([]byte(`{"annotations": [{"image_id": 1, "file_name": "a.png", "segments_info": [{"id": 1, "category_id": 7}]}], ` + rest + `}`)),
	}, Options{})
	if len(masks) != 2 || !strings.HasPrefix(masks[0], "panoptic.json: It was not read") || masks[1] != "a.jpg 1" {
		t.Errorf("beside instances: %q", masks)
	}
}

package dataset

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestCOCO(t *testing.T) {
	content := `{
		"info": {}, "categories": [{"id": 7, "name": "cat"}, {"id": 3, "name": "dog"}],
		"images": [{"id": 1, "file_name": "in/a.jpg", "width": 5, "height": 4}, {"id": 2, "file_name": "b.jpg", "width": 2, "height": 2},
			{"id": 3, "file_name": "c.jpg", "width": 2, "height": 2}, {"id": 4, "file_name": "d.jpg", "width": 100000, "height": 100000},
			{"id": 5, "file_name": "empty.jpg", "width": 2, "height": 1}, {"id": 6, "file_name": "e.jpg", "width": 2, "height": 1},
			{"id": 7, "file_name": "f.jpg", "width": 2, "height": 1}, {"id": 8, "file_name": null, "width": 2, "height": 1}],
		"annotations": [
			{"id": 1, "image_id": 1, "category_id": 3, "area": 2, "segmentation": {"size": [4, 5], "counts": [0, 1, 18, 1]}},
			{"id": 2, "image_id": 1, "category_id": 7, "area": 5, "segmentation": {"size": [4, 5], "counts": "52202O0"}, "iscrowd": 1},
			{"id": 3, "image_id": 1, "category_id": 7, "area": 4, "segmentation": [[0, 0, 2, 0, 2, 2, 0, 2]]},
			{"id": 4, "image_id": 2, "category_id": 7, "segmentation": {"size": [2, 2], "counts": "013"}},
			{"id": 5, "image_id": 3, "category_id": 7, "segmentation": {"size": [2, 2], "counts": "9"}},
			{"id": 6, "image_id": 9, "category_id": 7, "segmentation": []},
			{"id": 7, "image_id": 6, "category_id": 7, "segmentation": {"size": [1, 2], "counts": [0, 1, 1]}},
			{"id": 8, "image_id": 6, "category_id": 4, "segmentation": {"size": [1, 2], "counts": [1, 1]}},
			{"id": 9, "image_id": 7, "category_id": null, "segmentation": {"size": [1, 2], "counts": [1, 1]}},
			{"id": 10, "image_id": 8, "category_id": 7, "segmentation": {"size": [1, 2], "counts": [1, 1]}}]}`
	classes, masks := readAll(t, fstest.MapFS{"annotations/instances.json": file([]byte(content)), "other.json": file([]byte("[]"))}, Options{})
	want := []string{
		"annotation 6: It refers to image 9, which is not in the file.",
		"in/a.jpg 21000/11100/01100/00012 annotations overlap on 2 pixels; the smaller one was used there",
		"b.jpg 10/00",
		"c.jpg: annotation 5: Its RLE mask can't be read: the run lengths are damaged: run 0 has length 9, and 4 pixels are left.",
		"d.jpg: The mask has 100000×100000 pixels; the limit is 40 million in total and 16384 per side.",
		"empty.jpg 00",
		"e.jpg: Its annotation 8 is of category 4, which is not in the file.",
		"f.jpg: Its annotation 9 has no category_id.",
		"image 8: It has no file_name.",
	}
	if classes != " cat dog" {
		t.Errorf("classes %q", classes)
	}
	if d := cmp.Diff(want, masks); d != "" {
		t.Error(d)
	}
	_, masks = readAll(t, fstest.MapFS{"x.json": file([]byte(content))}, Options{Undecided: true})
	if masks[2] != "b.jpg 1./.." {
		t.Errorf("uncovered pixels as undecided: %s", masks[2])
	}
}

// Without areas in the file the smaller annotation wins just the same, and boxes
// make no mask.
func TestCOCOBoxes(t *testing.T) {
	const images = `"categories": [{"id": 7, "name": "cat"}, {"id": 3, "name": "dog"}], "images": [{"id": 1, "file_name": "a.jpg", "width": 5, "height": 2}]`
	for annotations, want := range map[string]string{
		`{"category_id": 7, "segmentation": [[0, 0, 1, 0, 1, 1, 0, 1]]}, {"category_id": 3, "segmentation": [[0, 0, 4, 0, 4, 2, 0, 2]]}`:                     "a.jpg 12220/22220 annotations overlap on 1 pixels; the smaller one was used there",
		`{"category_id": 7, "segmentation": {"size": [2, 5], "counts": [0, 1, 9]}}, {"category_id": 3, "segmentation": {"size": [2, 5], "counts": [0, 10]}}`: "a.jpg 12222/22222 annotations overlap on 1 pixels; the smaller one was used there",
		`{"category_id": 7, "segmentation": [ ], "area": 4}`: "a.jpg: Its annotations have no segmentation, so it has no mask.",
		`{"category_id": 7, "segmentation": null}`:           "a.jpg: Its annotations have no segmentation, so it has no mask.",
		`{"category_id": 7, "segmentation": []}, {"category_id": 3, "segmentation": {"size": [2, 5], "counts": [0, 1, 9]}}, {"category_id": 7}`: "a.jpg 20000/00000 annotations without pixels, such as boxes without a segmentation, skipped: 2",
		`{"category_id": 7, "segmentation": [[1, 1, 1.1, 1, 1.1, 1.1]]}`:                                                                        "a.jpg 00000/00000 annotations without pixels, such as boxes without a segmentation, skipped: 1",
	} {
		annotations = strings.ReplaceAll(annotations, `{"category_id"`, `{"image_id": 1, "category_id"`)
		_, masks := readAll(t, fstest.MapFS{"x.json": file([]byte("{" + images + `, "annotations": [` + annotations + "]}"))}, Options{})
		if d := cmp.Diff([]string{want}, masks); d != "" {
			t.Errorf("%s: %s", annotations, d)
		}
	}
}

// Two images or categories with one id could not be told apart.
func TestCOCOIdsTwice(t *testing.T) {
	const image, category = `{"id": 1, "file_name": "a.jpg"}`, `{"id": 1, "name": "cat"}`
	for want, content := range map[string]string{
		"x.json has two images with the id 1.":     `{"images": [` + image + "," + image + `], "categories": [` + category + `], "annotations": []}`,
		"x.json has two categories with the id 1.": `{"images": [` + image + `], "categories": [` + category + `, {"id": 1.0, "name": "dog"}], "annotations": []}`,
	} {
		if d, err := open(t, fstest.MapFS{"x.json": file([]byte(content))}, Options{}); err == nil || err.Error() != want {
			t.Errorf("%v, %v, want %s", d, err, want)
		}
	}
}

// A file without the lists of COCO would make every mask background.
func TestCOCOWithoutLists(t *testing.T) {
	lists := map[string]string{"images": `[{"id": 1, "file_name": "a.jpg", "width": 2, "height": 1}]`, "categories": `[{"id": 1, "name": "cat"}]`, "annotations": "[]"}
	for value, kind := range map[string]string{`{"1": {"id": 1}}`: "an object", `"x"`: "text", "null": "null", "3": "a number"} {
		for _, member := range []string{"images", "categories", "annotations"} {
			with := maps.Clone(lists)
			with[member] = value
			content := fmt.Sprintf(`{"images": %s, "categories": %s, "annotations": %s}`, with["images"], with["categories"], with["annotations"])
			want := fmt.Sprintf("x.json is not JSON in the expected form: %q holds %s, not a list.", member, kind)
			if d, err := open(t, fstest.MapFS{"x.json": file([]byte(content))}, Options{}); err == nil || err.Error() != want {
				t.Errorf("%s: %v, %v", content, d, err)
			}
		}
	}
}

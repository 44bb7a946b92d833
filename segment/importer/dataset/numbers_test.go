package dataset

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// COCO as programs write it: ids that are text or come from NumPy, outlines without
// area, and a byte order mark.
func TestCOCOAsProgramsWriteIt(t *testing.T) {
	const square = "[0, 0, 2, 0, 2, 2, 0, 2]"
	coco := func(image, annotation string) string {
		return `{"images": [{"file_name": "a.jpg", ` + image + `}], "categories": [{"id": 1, "name": "cat"}], "annotations": [{"category_id": 1, ` + annotation + `}]}`
	}
	const size, done = `"width": 3, "height": 2`, "a.jpg 110/110"
	for name, c := range map[string]struct{ json, want string }{
		"numbers":          {coco(`"id": 0, `+size, `"image_id": 0, "segmentation": [`+square+`]`), done},
		"floats":           {coco(`"id": 7.0, "width": 3.0, "height": 2.0`, `"image_id": 7, "segmentation": [`+square+`], "area": null`), done},
		"text":             {coco(`"id": "a.jpg", `+size, `"id": "x", "image_id": "a.jpg", "segmentation": [`+square+`]`), done},
		"text of a number": {coco(`"id": 1, `+size, `"image_id": "1", "segmentation": [`+square+`]`), done},
		"large":            {coco(`"id": 9007199254740993, `+size, `"image_id": 9007199254740993, "segmentation": [`+square+`]`), done},
		"another":          {coco(`"id": 9007199254740993, `+size, `"id": 5, "image_id": 9007199254740992, "segmentation": [`+square+`]`), "annotation 5: It refers to image 9007199254740992, which is not in the file."},
		"byte order mark":  {"\ufeff" + coco(`"id": 1, `+size, `"image_id": 1, "segmentation": [`+square+`]`), done},
		"RLE of floats":    {coco(`"id": 1, `+size, `"image_id": 1, "segmentation": {"size": [2.0, 3.0], "counts": [0.0, 4.0, 2.0]}`), done},
		"RLE of fractions": {coco(`"id": 1, `+size, `"image_id": 1, "segmentation": {"size": [2, 3], "counts": [0.5, 4, 2]}`), "a.jpg: annotation number 1: Its RLE mask can't be read: the run lengths are damaged."},
		"more text":        {coco(`"id": 1, `+size, `"image_id": 1, "segmentation": [`+square+`]`) + "\n x", "x.json is not JSON in the expected form: more text follows its end."},
		"more objects":     {coco(`"id": 1, `+size, `"image_id": 1, "segmentation": [`+square+`]`) + "\n {}", "x.json is not JSON in the expected form: more text follows its end."},
		"space":            {coco(`"id": 1, `+size, `"image_id": 1, "segmentation": [`+square+`]`) + "\r\n ", done},
		"VIA":              {strings.Replace(coco(`"id": 0, `+size, `"image_id": "0", "segmentation": `+square), `{"id": 1, "name": "cat"}`, `{"id": 1, "name": "cat"}, {"id": 1, "name": "cat"}`, 1), done},
		"a broken list":    {coco(`"id": 0, `+size, `"image_id": "0", "segmentation": [0, 0, 2, 0, 2, 2, [0, 2]]`), "a.jpg: annotation number 1: Its segmentation is neither a list of polygons nor an RLE mask."},
		"a line":           {coco(`"id": 1, `+size, `"image_id": 1, "segmentation": [`+square+`, [0, 0, 2, 2], []]`), done + " outlines of fewer than 3 corners, which have no area, skipped: 2"},
		"odd":              {coco(`"id": 1, `+size, `"image_id": 1, "segmentation": [[0, 0, 2]]`), "a.jpg: annotation number 1: An outline has 3 numbers; it needs an x and a y for each of 3 to 1000000 corners."},
		"no size":          {coco(`"id": 1`, `"image_id": 1, "segmentation": [`+square+`]`), done + " the file doesn't say how large its image is; it was taken to have the size of the image here"},
		"fraction":         {coco(`"id": 1, "width": 3.5, "height": 2`, ``), `x.json is not JSON in the expected form: a field "width" holds a value 3.5.`},
		"list":             {coco(`"id": [1], `+size, ``), `x.json is not JSON in the expected form: a field "id" holds a value [1].`},
		"area":             {coco(`"id": 1, `+size, `"image_id": 1, "area": "4", "segmentation": [`+square+`]`), done},
		"no area":          {coco(`"id": 1, `+size, `"image_id": 1, "area": {"of": "NaN"}, "segmentation": [`+square+`]`), done},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(c.json, `"category_id": 1, }`, `"category_id": 1, "segmentation": []}`, 1)
			d, err := open(t, fstest.MapFS{"x.json": file([]byte(text))}, Options{})
			var got []string
			if err != nil {
				got = append(got, err.Error())
			} else {
				for m, err := range d.Masks {
					switch {
					case err != nil:
						got = append(got, err.Error())
					case len(got) == 0:
						got = append(got, drawn(m))
					}
				}
			}
			if diff := cmp.Diff([]string{c.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

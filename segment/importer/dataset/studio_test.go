package dataset

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
)

// Brushes of 6×4 pixels, as Label Studio's page packs them: a box of 3×2 pixels, and the dark
// squares of a chessboard. Alpha is 255 where the brush has been, but 3 in column 1 of the chessboard.
const (
	boxBrush   = `[0,0,0,96,57,27,254,31,0,54,20,40,61,254,20,40,61,254,20,40,61,255,108,0,216,80,160,247,248,80,160,247,248,80,160,247,254,27,0]`
	chessBrush = `[0,0,0,96,57,27,252,96,1,133,10,15,1,198,0,24,80,160,247,252,96,3,133,10,15,127,133,10,15,127,198,0,24,80,160,247,252,96,1,133,10,15,127,206,0,24,80,160,240,28,96,1,133,10,15,127,198,0,56,80,160,247,248,80,160,247,252,96,1,133,10,15,127,198,0,24,80,160,247,252,96,0]`
)

// region is an entry of a result, of an image of 6×4 pixels.
func region(kind, value string) string {
	return `{"id": "x", "type": "` + kind + `", "from_name": "tag", "to_name": "image", "image_rotation": 0, "original_width": 6, "original_height": 4, "value": {` + value + `}}`
}

// submitted is an annotation that somebody has submitted.
func submitted(regions ...string) string {
	return `{"id": 5, "completed_by": 1, "result": [` + strings.Join(regions, ", ") + `], "was_cancelled": false, "ground_truth": false}`
}

// task is a task about an image.
func task(image string, annotations ...string) string {
	return `{"id": 1, "annotations": [` + strings.Join(annotations, ", ") + `], "file_upload": null, "drafts": [], "predictions": [{"result": [` + region("brushlabels", `"rle": [], "brushlabels": ["never"]`) + `]}], "data": {"image": "` + image + `"}}`
}

// Regions of Label Studio's JSON are drawn, later ones over earlier ones.
func TestStudio(t *testing.T) {
	square := `"points": [[16.7, 25], [66.6, 25], [66.6, 75], [16.7, 75]], "closed": true, "polygonlabels": ["cat"]`
	var tasks []string
	for i, regions := range [][]string{
		{region("polygonlabels", square)},
		{region("brushlabels", `"format": "rle", "rle": `+boxBrush+`, "brushlabels": ["dog"]`)},
		{region("brushlabels", `"format": "rle", "rle": `+chessBrush+`, "brushlabels": ["cat", "dog"]`)},
		{region("rectanglelabels", `"x": 0, "y": 0, "width": 50, "height": 50, "rotation": 0, "rectanglelabels": ["dog"]`), region("polygonlabels", square)},
		{region("rectanglelabels", `"x": 66.6667, "y": 0, "width": 50, "height": 50, "rotation": 90, "rectanglelabels": [" cat "]`)},
		{region("ellipselabels", `"x": 50, "y": 50, "radiusX": 33.333, "radiusY": 30, "rotation": 0, "ellipselabels": ["cat"]`)},
		{region("polygon", square[:strings.LastIndex(square, ",")]), region("labels", strings.Replace(square, "polygonlabels", "labels", 1))},
		{region("keypointlabels", `"x": 9, "y": 9, "width": 0.5, "keypointlabels": ["cat"]`), region("brushlabels", `"rle": [], "brushlabels": ["dog"]`), region("vectorlabels", `"vertices": [], "vectorlabels": ["cat"]`), region("textarea", `"text": ["a cat"]`), `{"type": "relation", "from_id": "x", "to_id": "y"}`},
		{region("polygonlabels", square[:strings.LastIndex(square, ",")]+`, "polygonlabels": []`), region("textarea", `"x": 1, "y": 1, "width": 9, "height": 9, "text": ["a cat"]`)},
		{region("polygonlabels", square), strings.Replace(region("polygonlabels", square), `"image"`, `"after"`, 1)},
		{},
		{region("brushlabels", `"rle": `+strings.Replace(boxBrush, ",96,", ",92,", 1)+`, "brushlabels": ["cat"]`)},
		{region("brushlabels", `"rle": `+strings.Replace(boxBrush, ",27,0]", "]", 1)+`, "brushlabels": ["cat"]`)},
		{strings.Replace(region("polygonlabels", square), `"image_rotation": 0`, `"image_rotation": 90`, 1)},
	} {
		tasks = append(tasks, task("/data/upload/3/"+string(rune('a'+i))+".jpg", submitted(regions...)))
	}
	classes, masks := readAll(t, fstest.MapFS{"project-1.json": file([]byte("[" + strings.Join(tasks, ",\n") + "]"))}, Options{})
	const path = "data/upload/3/"
	want := []string{
		path + "a.jpg 000000/011100/011100/000000",
		path + "b.jpg 000000/002220/002220/000000",
		path + "c.jpg 010101/101010/010101/101010",
		path + "d.jpg 222000/211100/011100/000000",
		path + "e.jpg 001100/001100/001100/000000",
		path + "f.jpg 000000/011110/011110/000000",
		path + "g.jpg 000000/011100/011100/000000",
		path + `h.jpg 000000/000000/000000/000000 shapes without area, such as lines and points, skipped: 2 shapes of kinds that can't be read, such as "vectorlabels", skipped: 1`,
		path + "i.jpg 000000/000000/000000/000000 regions without a label, skipped: 1",
		path + `j.jpg: It has regions on several pictures, "image" and "after", which can't be told apart. Make a task of each picture.`,
		path + "k.jpg 000/000 the file doesn't say how large its image is; it was taken to have the size of the image here",
		path + `l.jpg: region 1 ("cat"): Its brush has 92 values, not 4 for each of the image's 6×4 pixels.`,
		path + `m.jpg: region 1 ("cat"): Its brush breaks off or is damaged.`,
		path + `n.jpg: It was annotated when it was turned by 90°, which can't be read. Turn it back in Label Studio.`,
	}
	if d := cmp.Diff(want, masks); d != "" || classes != " cat dog" {
		t.Errorf("classes %q, %s", classes, d)
	}
}

// Of several annotations the ground truth counts, or else the last one with which nobody has
// skipped the task, and the report counts the others. Tasks without one are no masks.
func TestStudioAnnotations(t *testing.T) {
	dog := submitted(region("brushlabels", `"rle": `+boxBrush+`, "brushlabels": ["dog"]`))
	cat := strings.Replace(dog, "dog", "cat", 1)
	skipped := strings.Replace(submitted(), `"was_cancelled": false`, `"was_cancelled": true`, 1)
	truth := strings.Replace(cat, `"ground_truth": false`, `"ground_truth": true`, 1)
	_, masks := readAll(t, fstest.MapFS{"a.json": file([]byte(`[` + strings.Join([]string{
		task("a.jpg", cat, dog), task("b.jpg", truth, dog), task("c.jpg", dog, skipped), task("d.jpg", skipped), task("e.jpg"), task("f.jpg", `{"result": null}`), task("g.jpg", "7"), task("h.jpg", dog, "7"), task("", cat),
	}, ",") + `]`))}, Options{})
	const dogs, cats, left = "000000/001110/001110/000000", "000000/002220/002220/000000", " other annotations of the task, left out: 1"
	if d := cmp.Diff([]string{"a.jpg " + dogs + left, "b.jpg " + cats + left, "c.jpg " + dogs, "f.jpg 000/000 the file doesn't say how large its image is; it was taken to have the size of the image here", "h.jpg " + dogs, "task 9: It names no image."}, masks); d != "" {
		t.Error(d)
	}
}

// The image of a task is named by an address of any kind.
func TestStudioImages(t *testing.T) {
	for data, want := range map[string]string{
		`{"image": "/data/upload/3/1a2b3c4d-my%20a.jpg"}`:                      "data/upload/3/1a2b3c4d-my a.jpg",
		`{"image": "/data/local-files/?d=set%5Cday%201/a.jpg"}`:                "set/day 1/a.jpg",
		`{"image": "s3://bucket/day 1/a.png"}`:                                 "day 1/a.png",
		`{"image": "gs://bucket/50% of #1/what?.png"}`:                         "50% of #1/what?.png",
		`{"n": 3, "text": "a cat", "pic": "https://x.example/p/a.tif?s=.mp3"}`: "p/a.tif",
		`{"image": "C:\\pictures\\50%.jpg"}`:                                   "C:/pictures/50%.jpg",
		`{"image": "/image2"}`:                                                 "1a2b3c4d-a.jpg", // what was uploaded
	} {
		text := strings.Replace(task("", submitted()), `{"image": ""}`, data, 1)
		text = strings.Replace(text, `"file_upload": null`, `"file_upload": "1a2b3c4d-a.jpg"`, 1)
		d, err := open(t, fstest.MapFS{"a.json": file([]byte("[" + text + "]"))}, Options{})
		if err != nil || d.Images[0] != want {
			t.Errorf("%s: %v, %v; want %s", data, d, err, want)
		}
	}
}

// A file that breaks off, or has an entry that is too large, changes nothing.
func TestStudioRefused(t *testing.T) {
	whole := "[" + task("a.jpg", submitted(region("polygonlabels", triangle+`, "polygonlabels": ["cat"]`))) + "]"
	for text, kind := range map[string]segment.Kind{
		whole[:len(whole)-1]: segment.Unreadable,
		whole + "[]":         segment.Unreadable,
		strings.Replace(whole, `"result": [`, `"result": @[`, 1):                           segment.Unreadable,
		strings.Replace(whole, `[0, 0]`, "[0, 0]"+strings.Repeat(" ", 2*maxValue), 1):      segment.TooLarge,
		strings.Replace(whole, `"result": [`, `"result": `+strings.Repeat("[", 20_000), 1): segment.Unreadable,
	} {
		if _, err := open(t, fstest.MapFS{"a.json": file([]byte(text))}, Options{}); segment.KindOf(err) != kind {
			t.Errorf("%.300s: %v", text, err)
		}
	}
}

const triangle = `"points": [[0, 0], [100, 0], [100, 100]]`

// A task whose annotation has a bad value is reported with its image, the others are read. The
// class of the bad annotation doesn't come along.
func TestStudioBadValues(t *testing.T) {
	const odd = "a.json is not JSON in the expected form"
	cow := submitted(region("polygonlabels", triangle+`, "polygonlabels": ["cow"]`))
	dog := submitted(region("polygonlabels", triangle+`, "polygonlabels": ["dog"]`))
	for _, c := range []struct{ old, new, want string }{
		{triangle, `"points": [[1], [2, 2], [3, 3]]`, `region 1: "points": A shape has a point that is not two numbers, x and y`},
		{triangle, `"rle": [0, 300]`, `region 1: "rle": ` + odd},
		{triangle, `"rle": 7`, `region 1: "rle": ` + odd + `: "rle" holds a number, not a list.`},
		{triangle, `"width": "wide"`, `region 1: "width": ` + odd},
		{`["cow"]`, `"cow"`, `region 1: "polygonlabels": ` + odd},
		{`"original_width": 6`, `"original_width": "six"`, `region 1: "original_width": ` + odd},
		{`"result": [`, `"result": "none", "old": [`, odd + `: "result" holds text, not a list.`},
	} {
		bad := strings.Replace(cow, c.old, c.new, 1)
		classes, masks := readAll(t, fstest.MapFS{"a.json": file([]byte("[" + strings.Join([]string{
			task("a.jpg", dog), task("b.jpg", dog, bad), task("c.jpg", bad, dog), task("d.jpg", dog),
		}, ",") + "]"))}, Options{})
		const fine = " 011111/001111/000011/000001"
		want := []string{"a.jpg" + fine, "b.jpg: " + strings.TrimSuffix(c.want, ".") + ".", "c.jpg" + fine + " other annotations of the task, left out: 1", "d.jpg" + fine}
		if strings.Join(masks, "\n") != strings.Join(want, "\n") || classes != " dog" {
			t.Errorf("%s: classes %q, %s", c.new, classes, cmp.Diff(want, masks))
		}
	}
}

package dataset

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// Text files of YOLO are drawn in the size of their image, here 3×2 pixels, whether their folders
// are those of Ultralytics or of Roboflow; the class names have the spellings of both and of
// Label Studio.
func TestYOLO(t *testing.T) {
	const left = "0 0 0 0.3333333 0 0.3333333 1 0 1\n"
	for name, list := range map[string][2]string{
		"list":    {"data.yaml", "train: ../train/images\nval: ../valid/images\n\nnc: 2\nnames: ['cat', 'a dog']\n\nroboflow:\n  license: CC BY 4.0\n"},
		"lines":   {"data.yaml", "names:\n- cat\n- a dog\nnc: 2\n"},
		"numbers": {"coco8-seg.yaml", "path: ../datasets/coco8-seg # root\ntrain: images/train\n\n# Classes\nnames:\n  1: a dog\n  0: cat # first\n\ndownload: https://example.org/x.zip\n"},
		"text":    {"Classes.TXT", "cat\r\na dog\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			classes, masks := readAll(t, fstest.MapFS{
				list[0]:                       file([]byte(list[1])),
				"train/images/a_jpg.rf.1.jpg": file(nil),
				"train/labels/a_jpg.rf.1.txt": file([]byte(left + "\n1.0 0.3333333 0 1 0 1 1 0.3333333 1 \n")),
				"labels/train/b.txt":          file([]byte(left + "1 0.5 0.5 0.1 0.1\n")),
				"Labels/train/c.txt":          file(nil),
				"labels/train/d.txt":          file([]byte("0 0.5 0.5 0.1 0.1\n1 0.5 0.5 0.1 0.1 0.97\n")),
				"labels/train/e.txt":          file([]byte(left + "2 0 0 1 0 1 1\n")),
				"labels/train/f.txt":          file([]byte("0 0 0 1 0 1 1 0.5\n")),
				"labels/train/g.txt":          file([]byte("0 0 0 640 0 640 480\n")),
				"labels/train/h.txt":          file([]byte("cat 0 0 1 0 1 1\n")),
				"train.txt":                   file([]byte("./images/train/b.jpg\n")),
			}, Options{})
			want := []string{
				"Labels/train/c.txt 000/000",
				"labels/train/b.txt 100/100 annotations without pixels, such as boxes without a segmentation, skipped: 1",
				"labels/train/d.txt: Its annotations have no segmentation, so it has no mask.",
				"labels/train/e.txt: Line 2 is of class 2, which " + list[0] + " doesn't name.",
				"labels/train/f.txt: Line 1: It has 7 numbers behind the class; an outline has an x and a y for each of 3 or more corners.",
				`labels/train/g.txt: Line 1: "640" is no coordinate; those of YOLO are parts of the width and the height, from 0 to 1.`,
				`labels/train/h.txt: Line 1: It begins with "cat", not with the number of a class.`,
				"train/images/a_jpg.rf.1.jpg 122/122",
			}
			if d := cmp.Diff(want, masks); d != "" || classes != " cat a dog" {
				t.Errorf("classes %q, %s", classes, d)
			}
		})
	}
}

// Nothing is imported where the numbers of classes have no names, or are of poses.
func TestYOLOWithoutNames(t *testing.T) {
	for list, want := range map[string]string{
		"":                                "nothing says which class a number is",
		"train: images\n":                 "nothing says which class a number is",
		"names: 7\n":                      "names in data.yaml is neither a list of names",
		"names: [[a]]\n":                  "names in data.yaml is neither a list of names",
		"names: {1: a}\n":                 "names in data.yaml is neither a list of names",
		"names: [a\n":                     "data.yaml is not YAML in the expected form.",
		"kpt_shape: [3, 3]\nnames: [a]\n": "data.yaml describes points of poses",
	} {
		folder := fstest.MapFS{"labels/a.txt": file([]byte("0 0 0 1 0 1 1\n"))}
		if list != "" {
			folder["data.yaml"] = file([]byte(list))
		}
		if _, err := open(t, folder, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", list, err)
		}
	}
}

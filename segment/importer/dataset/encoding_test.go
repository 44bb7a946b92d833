package dataset

import (
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// Programs on Windows write text as UTF-16, or as UTF-8 with a byte order mark.
func TestTextOfWindows(t *testing.T) {
	const (
		coco    = `{"images": [{"id": 1, "file_name": "ä.jpg", "width": 3, "height": 2}], "categories": [{"id": 1, "name": "cät"}], "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "segmentation": {"size": [2, 3], "counts": [2, 4]}}]}`
		labelme = `{"shapes": [{"label": "cät", "points": [[1, 0], [2, 0], [2, 1], [1, 1]]}], "imagePath": "ä.jpg", "imageData": "ä", "imageWidth": 3, "imageHeight": 2}`
		cvat    = `<?xml version="1.0" encoding="utf-NN"?><annotations><image name="ä.jpg" width="3" height="2"><box label="cät" xtl="1" ytl="0" xbr="3" ybr="2"/></image></annotations>`
	)
	for name, set := range map[string]map[string]string{
		"COCO":    {"x.json": coco},
		"labelme": {"x.json": labelme},
		"CVAT":    {"x.xml": cvat},
		"YOLO":    {"labels/ä.txt": "0 0.3333333 0 1 0 1 1 0.3333333 1", "data.yaml": "names: [cät]"},
		"classes": {"labels/ä.txt": "0 0.3333333 0 1 0 1 1 0.3333333 1", "classes.txt": "cät"},
	} {
		for encoding, of := range map[string]encoding.Encoding{
			"utf-8": unicode.UTF8BOM, "utf-16": unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "UTF-16": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		} {
			t.Run(name+" "+encoding, func(t *testing.T) {
				files := fstest.MapFS{}
				for path, text := range set {
					encoded, err := of.NewEncoder().String(strings.Replace(text, "utf-NN", encoding, 1))
					if err != nil {
						t.Fatal(err)
					}
					files[path] = file([]byte(encoded))
				}
				classes, masks := readAll(t, files, Options{})
				if classes != " cät" || len(masks) != 1 || !strings.HasSuffix(masks[0], " 011/011") {
					t.Errorf("classes %q, %q", classes, masks)
				}
			})
		}
	}
}

// A list of classes in UTF-16 says which colours are which.
func TestLabelmapOfWindows(t *testing.T) {
	const list = "background:0,0,0::\ncat:10,20,30::\n"
	encoded, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(list)
	if err != nil {
		t.Fatal(err)
	}
	classes, _ := readAll(t, fstest.MapFS{"labelmap.txt": file([]byte(encoded)), "SegmentationClass/a.png": file(nil)}, Options{})
	if classes != "background cat" {
		t.Errorf("classes %q", classes)
	}
}

package dataset

import (
	"encoding/base64"
	"image"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"collie/segment/photo/phototest"
)

// Shapes that cover an image over and over again would keep memory from others for
// hours; a file of 2 MB can hold that many.
func TestShapesCoverTheirImageTooOften(t *testing.T) {
	const outline = "[0, 0, 1000, 0, 1000, 1000, 0, 1000]"
	list := func(what string, n int) string { return strings.Join(slices.Repeat([]string{what}, n), ",") }
	labelme := func(shape string, n int) string {
		return `{"imagePath": "a.jpg", "imageWidth": 1000, "imageHeight": 1000, "shapes": [` + list(shape, n) + `]}`
	}
	coco := func(segmentation string, n int) string {
		return `{"images": [{"id": 1, "file_name": "a.jpg", "width": 1000, "height": 1000}], "categories": [{"id": 1, "name": "cat"}], "annotations": [` +
			list(`{"image_id": 1, "category_id": 1, "area": 1, "segmentation": `+segmentation+`}`, n) + `]}`
	}
	crop := base64.StdEncoding.EncodeToString(phototest.MustPNG(t, image.NewGray(image.Rect(0, 0, 1000, 1000))))
	for name, with := range map[string]func(n int) string{
		"polygons": func(n int) string {
			return labelme(`{"label": "cat", "points": [[0, 0], [999, 0], [999, 999], [0, 999]]}`, n)
		},
		"crops": func(n int) string {
			return labelme(`{"label": "cat", "shape_type": "mask", "points": [[0, 0], [999, 999]], "mask": "`+crop+`"}`, n)
		},
		"outlines": func(n int) string { return coco("["+list(outline, n)+"]", 1) },
		"runs":     func(n int) string { return coco(`{"size": [1000, 1000], "counts": [0, 1000000]}`, n) },
		"long": func(n int) string {
			return coco("["+list("[0, 0"+strings.Repeat(", 1000, 0, 0, 0", 500)+"]", n)+"]", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for n, want := range map[int]bool{3: false, 400: true} {
				_, masks := readAll(t, fstest.MapFS{"a.json": file([]byte(with(n)))}, Options{})
				if refused := strings.Contains(masks[0], "the limit for one image"); len(masks) != 1 || refused != want {
					t.Errorf("%d shapes: %.200s", n, masks)
				}
			}
		})
	}
}

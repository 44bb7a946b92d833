package dataset

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"collie/segment"
)

// Few bytes of an archive can name images in very many: the end of a path counts, and all
// together have a limit, as labels do.
func TestVeryLongNames(t *testing.T) {
	list := func(n int, head, format, between, foot string) []byte {
		var b strings.Builder
		b.WriteString(head)
		for i := range n {
			if i > 0 {
				b.WriteString(between)
			}
			fmt.Fprintf(&b, format, i, strings.Repeat("ä", 600))
		}
		return []byte(b.String() + foot)
	}
	coco := func(n int) []byte {
		return list(n, `{"images": [`, `{"id": %[1]d, "file_name": "x%[2]s/%[1]d.jpg", "width": 1, "height": 1}`, ",", `], "categories": [], "annotations": []}`)
	}
	ids := list(20_000, `{"images": [`, `{"id": "%[1]d%.440[2]s", "file_name": "%[1]d.jpg", "width": 1, "height": 1}`, ",", `], "categories": [], "annotations": []}`)
	cvat := func(n int) []byte {
		return list(n, `<annotations>`, `<image name="x%[2]s/%[1]d.jpg" width="1" height="1"/>`, "", `</annotations>`)
	}
	studio := func(n int) []byte {
		return list(n, `[`, `{"data": {"image": "x%[2]s/%[1]d.jpg"}, "annotations": [{"result": []}]}`, ",", `]`)
	}
	for name, file := range map[string]func(n int) *fstest.MapFile{
		"x.json":     func(n int) *fstest.MapFile { return file(coco(n)) },
		"x.xml":      func(n int) *fstest.MapFile { return file(cvat(n)) },
		"tasks.json": func(n int) *fstest.MapFile { return file(studio(n)) },
	} {
		d, err := open(t, fstest.MapFS{name: file(2)}, Options{})
		if err != nil || len(d.Images) != 2 || len(d.Images[1]) > maxOneName || !strings.HasSuffix(d.Images[1], "ä/1.jpg") || !strings.HasPrefix(d.Images[1], "ä") {
			t.Errorf("%s: %.300v, %v", name, d, err)
		}
		if _, err := open(t, fstest.MapFS{name: file(20_000)}, Options{}); segment.KindOf(err) != segment.TooLarge || !strings.Contains(err.Error(), "8 MiB") {
			t.Errorf("%s with 20,000 long names: %v", name, err)
		}
	}
	if _, err := open(t, fstest.MapFS{"x.json": file(ids)}, Options{}); segment.KindOf(err) != segment.TooLarge || !strings.Contains(err.Error(), "8 MiB") {
		t.Errorf("long ids: %v", err)
	}
	long := strings.Repeat("y", maxOneName+1)
	for want, of := range map[string]string{
		"An id or a label":        `{"images": [{"id": "` + long + `", "file_name": "a.jpg"}], "annotations": []}`,
		"A class of the data set": `{"images": [{"id": 1, "file_name": "a.jpg"}], "categories": [{"id": 1, "name": "` + long + `"}], "annotations": []}`,
	} {
		if _, err := open(t, fstest.MapFS{"x.json": file([]byte(of))}, Options{}); segment.KindOf(err) != segment.TooLarge || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
			t.Errorf("%s: %v", want, err)
		}
	}
}

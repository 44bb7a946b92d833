package importer_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/export"
	"collie/segment/importer/dataset"
	"collie/segment/photo/phototest"
	"collie/segment/timeline"
	"collie/storage/workspacetest"
)

// Objects that touch, and one in two parts, are the same after an export and an
// import: areas, borders, and the files of a second export. Where regions say it
// all, the import marks nothing.
func TestObjectsRoundTrip(t *testing.T) {
	there := workspacetest.MustOpen(t)
	p := worked(t, there)
	a := mustOpenFirst(t, there, p.ID)
	pixels := make([]uint8, 120*80)
	for i := range pixels {
		if x, y := i%120, i/120; y >= 20 && y < 60 && (x >= 10 && x < 60 || x >= 70 && x < 90) || x >= 100 && y < 10 {
			pixels[i] = 1
		}
	}
	if _, err := a.ImportMask(t.Context(), segment.NewID(), pixels, nil); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, a, segment.Event{Kind: segment.Instance, Class: 1, Points: [][2]float64{{12, 40}, {80, 40}}, Instances: []int32{7}})
	mustAppend(t, a, segment.Event{Kind: segment.Instance, Class: 1, Points: [][2]float64{{57, 40}}, Instances: []int32{3}})
	list, before := a.Objects(a.State(), a.Pixels())
	if len(list) != 2 {
		t.Fatalf("objects %v", list)
	}
	yes := true
	options := export.Options{Images: []string{a.Image().ID}, Pictures: &yes, Undecided: "background"}
	for _, format := range []string{"coco", "labelme", "voc", "cityscapes"} {
		t.Run(format, func(t *testing.T) {
			first := mustExport(t, there, p.ID, format, options)
			here := workspacetest.MustOpen(t)
			q, err := here.CreateProject(t.Context(), p.Name, p.Classes, nil)
			if err != nil {
				t.Fatal(err)
			}
			if format == "voc" || format == "cityscapes" { // the photographs are JPEGs, which have other superpixels, or have other names
				if _, err := here.AddImage(t.Context(), q.ID, "scene.png", bytes.NewReader(scene())); err != nil {
					t.Fatal(err)
				}
			}
			report := mustImport(t, here, q.ID, first, dataset.Options{})
			if len(report.Images) != 1 || report.Images[0].Problem != "" || len(report.Images[0].Lossy) > 0 {
				t.Fatalf("report %+v", report)
			}
			b := workspacetest.MustOpenImage(t, here, report.Images[0].Image)
			now, after := b.Objects(b.State(), b.Pixels())
			if len(now) != 2 {
				t.Fatalf("objects %v", now)
			}
			to := map[int32]int32{}
			is := after.Map().Labels
			for i, o := range before.Map().Labels {
				if was, known := to[o]; known && was != is[i] {
					t.Fatalf("pixel %d belongs to another object", i)
				}
				to[o] = is[i]
			}
			if len(to) != 3 || to[-1] != -1 {
				t.Errorf("objects became %v", to)
			}
			again := members(t, mustExport(t, here, q.ID, format, export.Options{Pictures: &yes, Undecided: "background"}))
			for name, content := range members(t, first) {
				if name != "manifest.json" && unnumbered(t, name, again[name]) != unnumbered(t, name, content) {
					t.Errorf("%s is another file after the round trip", name)
				}
			}
			mustAppend(t, b, segment.Event{Kind: segment.Undo})
			if left, _ := b.Objects(b.State(), b.Pixels()); left != nil {
				t.Errorf("undo left %v", left)
			}
		})
	}
	t.Run("regions", func(t *testing.T) {
		mustAppend(t, a, segment.Event{Kind: segment.Undo})
		mustAppend(t, a, segment.Event{Kind: segment.Undo})
		here := workspacetest.MustOpen(t)
		q, err := here.CreateProject(t.Context(), p.Name, p.Classes, nil)
		if err != nil {
			t.Fatal(err)
		}
		report := mustImport(t, here, q.ID, mustExport(t, there, p.ID, "coco", options), dataset.Options{})
		b := workspacetest.MustOpenImage(t, here, report.Images[0].Image)
		if marks := b.State().Constraints.Objects; len(marks) > 0 {
			t.Errorf("%d marks", len(marks))
		}
	})
	if d := cmp.Diff([]timeline.Object{{Class: 1, Number: 3}, {Class: 1, Number: 7}}, list); d != "" || !slices.Contains(before.Map().Labels, 1) {
		t.Error(d)
	}
}

// Objects that don't touch stay apart, too, where a superpixel reaches across the
// gap to one that has to be told from others.
func TestObjectsBesideTouchingOnes(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, im := mustPicture(t, w, []segment.Class{{Name: "background"}, {Name: "cell"}}, "scene.png")
	classes, objects := image.NewGray(image.Rect(0, 0, 120, 80)), image.NewGray(image.Rect(0, 0, 120, 80))
	for y := 10; y < 70; y++ {
		for x := 5; x < 115; x++ {
			if object := min(1+x/20, 5); x != 80 { // the fourth ends with a gap
				classes.SetGray(x, y, color.Gray{1})
				objects.SetGray(x, y, color.Gray{uint8(object)})
			}
		}
	}
	report := mustImport(t, w, p.ID, zipped(t, map[string][]byte{
		"SegmentationClass/scene.png":  phototest.MustPNG(t, classes),
		"SegmentationObject/scene.png": phototest.MustPNG(t, objects),
	}), dataset.Options{})
	if len(report.Images) != 1 || report.Images[0].Problem != "" || len(report.Images[0].Lossy) > 0 {
		t.Fatalf("report %+v", report)
	}
	a := workspacetest.MustOpenImage(t, w, im.ID)
	_, of := a.Objects(a.State(), a.Pixels())
	labels := of.Map().Labels
	for object, x := range []int{12, 30, 50, 70, 100} {
		for other, beside := range []int{12, 30, 50, 70, 100}[:object] {
			if labels[40*120+x] == labels[40*120+beside] {
				t.Errorf("objects %d and %d have become one", other+1, object+1)
			}
		}
	}
}

// Borders between objects follow the pixels of the mask, not superpixels, also of objects
// that are smaller than these, until somebody marks an object there.
func TestBordersOfObjectsAreExact(t *testing.T) {
	there := workspacetest.MustOpen(t)
	p, _ := mustPicture(t, there, []segment.Class{{Name: "background"}, {Name: "cell"}, {Name: "other"}}, "scene.png")
	classes, objects := image.NewGray(image.Rect(0, 0, 120, 80)), image.NewGray16(image.Rect(0, 0, 120, 80))
	for y := range 80 {
		for x := range 120 {
			if object := 1 + (x+y/3)/13 + 20*((y+x/5)/11); x < 117 && y > 3 {
				classes.SetGray(x, y, color.Gray{uint8(1 + object%7/6)})
				objects.SetGray16(x, y, color.Gray16{uint16(object)})
			}
		}
	}
	objects.SetGray16(60, 40, color.Gray16{999})
	files := map[string][]byte{"SegmentationClass/scene.png": phototest.MustPNG(t, classes), "SegmentationObject/scene.png": phototest.MustPNG(t, objects)}
	report := mustImport(t, there, p.ID, zipped(t, files), dataset.Options{})
	if len(report.Images) != 1 || report.Images[0].Problem != "" || len(report.Images[0].Lossy) > 0 {
		t.Fatalf("report %+v", report)
	}
	// differing counts the pixels whose object isn't that of the mask.
	differing := func(a *annotation.Annotation) (n int) {
		_, of := a.Objects(a.State(), a.Pixels())
		to, from := map[uint16]int32{}, map[int32]uint16{}
		for i, o := range of.Map().Labels {
			object := objects.Gray16At(i%120, i/120).Y
			if _, known := to[object]; !known {
				to[object] = o
			}
			if _, known := from[o]; !known {
				from[o] = object
			}
			if to[object] != o || o >= 0 && from[o] != object { // a region alone needs no number
				n++
			}
		}
		return n
	}
	a := mustOpenFirst(t, there, p.ID)
	if n := differing(a); n > 0 {
		t.Errorf("%d pixels belong to another object than in the mask", n)
	}
	for _, format := range []string{"coco", "labelme", "voc", "backup"} {
		t.Run(format, func(t *testing.T) {
			exported := mustExport(t, there, p.ID, format, export.Options{Pictures: new(false)})
			here := workspacetest.MustOpen(t)
			var project string
			if format == "backup" {
				q, err := takeBackup(t, here, exported)
				if err != nil {
					t.Fatal(err)
				}
				project = q.ID
			} else {
				q, _ := mustPicture(t, here, p.Classes, "scene.png")
				if again := mustImport(t, here, q.ID, exported, dataset.Options{}); len(again.Images) != 1 || again.Images[0].Problem != "" {
					t.Fatalf("report %+v", again)
				}
				project = q.ID
			}
			if n := differing(mustOpenFirst(t, here, project)); n > 0 {
				t.Errorf("%d pixels belong to another object", n)
			}
		})
	}
	// A mark counts for its whole superpixel.
	marked := [2]float64{60, 40}
	mustAppend(t, a, segment.Event{Kind: segment.Instance, Class: int(classes.GrayAt(60, 40).Y), Points: [][2]float64{marked}, Instances: []int32{500}})
	list, of := a.Objects(a.State(), a.Pixels())
	if at := of.Map().At(60, 40); at < 0 || list[at].Number != 500 {
		t.Errorf("the marked pixel has object %d of %v", at, list)
	}
	mustAppend(t, a, segment.Event{Kind: segment.Undo})
	if n := differing(a); n > 0 {
		t.Errorf("%d pixels belong to another object after an undo", n)
	}
}

// Programs number more than 254 objects in 16 bits, where 255 is a number like any
// other.
func TestObjectsOf16Bits(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, im := mustPicture(t, w, []segment.Class{{Name: "background"}, {Name: "cell"}}, "scene.png")
	classes, objects := image.NewGray(image.Rect(0, 0, 120, 80)), image.NewGray16(image.Rect(0, 0, 120, 80))
	for i := range 120 * 80 {
		classes.Pix[i] = 1
		objects.SetGray16(i%120, i/120, color.Gray16{[]uint16{255, 511, 767}[i%120/40]})
	}
	files := map[string][]byte{"SegmentationClass/scene.png": phototest.MustPNG(t, classes), "SegmentationObject/scene.png": phototest.MustPNG(t, objects)}
	report := mustImport(t, w, p.ID, zipped(t, files), dataset.Options{})
	if len(report.Images) != 1 || report.Images[0].Problem != "" || report.Images[0].Regions != 3 {
		t.Fatalf("report %+v", report)
	}
	a := workspacetest.MustOpenImage(t, w, im.ID)
	if list, _ := a.Objects(a.State(), a.Pixels()); len(list) != 3 {
		t.Errorf("objects %v", list)
	}
}

// A label image becomes objects, pixel by pixel, whatever their numbers; their class is the
// second of two, or the one that the mapping says.
func TestLabelImages(t *testing.T) {
	numbers := make([]uint32, 120*80)
	for i := range numbers {
		if x, y := i%120, i/120; x < 117 && y > 3 {
			numbers[i] = uint32(70_000 + 3*((x+y/3)/13+20*((y+x/5)/11)))
		}
	}
	numbers[0] = numbers[60*120+60] // in two parts
	label := phototest.Numbers(120, numbers)
	two := []segment.Class{{Name: "background"}, {Name: "cell"}}
	three := append(two, segment.Class{Name: "nucleus"})
	for name, c := range map[string]struct {
		classes []segment.Class
		file    string
		o       dataset.Options
		class   uint8
		problem string
	}{
		"two classes":     {two, "scene_cp_masks.tif", dataset.Options{}, 1, ""},
		"the same name":   {two, "scene.tif", dataset.Options{Undecided: true}, 1, ""},
		"mapped":          {three, "scene_masks.tif", dataset.Options{Mapping: map[string]string{"objects": "nucleus"}}, 2, ""},
		"a new class":     {two, "scene.tif", dataset.Options{Mapping: map[string]string{"objects": "vessel"}}, 2, ""},
		"not said":        {three, "scene.tif", dataset.Options{}, 0, `Nothing says which class the objects of the label image have. Only in a project of two classes it is the second; otherwise map "objects" to a class.`},
		"another mapping": {three, "scene.tif", dataset.Options{Mapping: map[string]string{"1": "nucleus"}}, 0, `Nothing says which class the objects of the label image have. Only in a project of two classes it is the second; otherwise map "objects" to a class.`},
		"no image":        {two, "stage_masks.tif", dataset.Options{}, 0, "No image in the project has this name, and no photograph of this name came with it. Add the photograph first."},
	} {
		w := workspacetest.MustOpen(t)
		p, im := mustPicture(t, w, c.classes, "scene.png")
		c.o.Objects = true
		report := mustImport(t, w, p.ID, zipped(t, map[string][]byte{c.file: label}), c.o)
		if len(report.Images) != 1 || report.Images[0].Problem != c.problem || len(report.Images[0].Lossy) > 0 {
			t.Errorf("%s: report %+v", name, report)
			continue
		}
		a, err := w.Open(t.Context(), im.ID)
		if err != nil {
			t.Fatal(err)
		}
		if c.problem != "" {
			if n := len(a.State().Constraints.Objects); n > 0 || a.Image().Seq > 0 {
				t.Errorf("%s: something was stored", name)
			}
			a.Close()
			continue
		}
		pixels := a.Pixels()
		_, objects := a.Objects(a.State(), pixels)
		to, from := map[uint32]int32{}, map[int32]uint32{}
		for i, o := range objects.Map().Labels {
			class := c.class
			if numbers[i] == 0 {
				class = 0
				if c.o.Undecided {
					class = segment.Void
				}
			}
			if pixels[i] != class {
				t.Fatalf("%s: pixel %d has class %d, not %d", name, i, pixels[i], class)
			}
			if was, known := to[numbers[i]]; known && was != o {
				t.Fatalf("%s: pixel %d has another object", name, i)
			}
			if was, known := from[o]; known && was != numbers[i] {
				t.Fatalf("%s: pixel %d has the object of others", name, i)
			}
			to[numbers[i]], from[o] = o, numbers[i]
		}
		if report.Images[0].Regions != len(to)-1 {
			t.Errorf("%s: %d objects of %d", name, report.Images[0].Regions, len(to)-1)
		}
		a.Close()
	}
}

// What is exported as label images comes back the same, also with its photographs to a
// project that has none, and is exported again as the same files.
func TestLabelImagesRoundTrip(t *testing.T) {
	numbers := make([]uint16, 120*80)
	for i := range numbers {
		if x, y := i%120, i/120; x < 117 && y > 3 {
			numbers[i] = uint16(1 + (x+y/3)/13 + 20*((y+x/5)/11))
		}
	}
	there := workspacetest.MustOpen(t)
	p, _ := mustPicture(t, there, []segment.Class{{Name: "background"}, {Name: "cell"}}, "scene.png")
	mustImport(t, there, p.ID, zipped(t, map[string][]byte{"scene.tif": phototest.Numbers(120, numbers)}), dataset.Options{Objects: true})
	first := mustExport(t, there, p.ID, "label-images", export.Options{Pictures: new(true)})
	here := workspacetest.MustOpen(t)
	q, err := here.CreateProject(t.Context(), p.Name, p.Classes, nil)
	if err != nil {
		t.Fatal(err)
	}
	report := mustImport(t, here, q.ID, first, dataset.Options{Objects: true})
	if len(report.Images) != 1 || report.Images[0].Problem != "" || !report.Images[0].Added || len(report.Images[0].Lossy) > 0 {
		t.Fatalf("report %+v", report)
	}
	again := members(t, mustExport(t, here, q.ID, "label-images", export.Options{Pictures: new(true)}))
	for name, content := range members(t, first) {
		if name != "manifest.json" && again[name] != content {
			t.Errorf("%s is another file after the round trip", name)
		}
	}
	written, err := png.Decode(strings.NewReader(again["default/scene_masks.png"]))
	if err != nil {
		t.Fatal(err)
	}
	to, from := map[uint16]uint16{0: 0}, map[uint16]uint16{0: 0}
	for i, before := range numbers {
		after := written.(*image.Gray16).Gray16At(i%120, i/120).Y
		if _, known := to[before]; !known {
			to[before] = after
		}
		if _, known := from[after]; !known {
			from[after] = before
		}
		if to[before] != after || from[after] != before {
			t.Fatalf("the object of pixel %d is %d, formerly %d", i, after, before)
		}
	}
}

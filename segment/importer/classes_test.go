package importer_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/export"
	"collie/segment/importer"
	"collie/segment/importer/dataset"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// A name that no class can have is named itself, with a way out.
func TestNamesThatNoClassCanHave(t *testing.T) {
	for label, says := range map[string]string{
		`line\nbreak`:              `The class name "line\nbreak" contains invisible`,
		strings.Repeat("long", 30): `longlong" is longer than 100 characters`,
	} {
		w := workspacetest.MustOpen(t)
		p, _ := mustPicture(t, w, []segment.Class{{Name: "ground"}}, "scene.png")
		shapes := []byte(`{"imagePath": "scene.png", "imageWidth": 120, "imageHeight": 80, "shapes": [{"label": "` + label + `", "points": [[1, 1], [9, 1], [9, 9]], "shape_type": "polygon"}]}`)
		report := mustImport(t, w, p.ID, zipped(t, map[string][]byte{"scene.json": shapes}), dataset.Options{})
		if problem := report.Images[0].Problem; !strings.Contains(problem, says) || !strings.Contains(problem, "Give it another name with a mapping") {
			t.Errorf("%s: %s", label, problem)
		}
	}
}

// A project gets the classes of the masks that are imported, in the data set's
// order, and none of those that are refused.
func TestClassesOfRefusedMasks(t *testing.T) {
	shapes := func(picture string, width int, labels ...string) []byte {
		var out []string
		for i, label := range labels {
			out = append(out, fmt.Sprintf(`{"label": %q, "points": [[%d, 1], [%d, 1], [%d, 40]], "shape_type": "polygon"}`, label, 10*i, 10*i+8, 10*i+8))
		}
		return fmt.Appendf(nil, `{"imagePath": %q, "imageWidth": %d, "imageHeight": 80, "shapes": [%s]}`, picture, width, strings.Join(out, ","))
	}
	w := workspacetest.MustOpen(t)
	p, _ := mustPicture(t, w, []segment.Class{{Name: "ground"}}, "scene.png")
	if _, err := w.AddImage(t.Context(), p.ID, "other.png", bytes.NewReader(scene())); err != nil {
		t.Fatal(err)
	}
	report := mustImport(t, w, p.ID, zipped(t, map[string][]byte{
		"1.json": shapes("nobody.png", 120, "unknown"),
		"2.json": shapes("scene.png", 99, "cat", "narrow"),
		"3.json": append(shapes("scene.png", 120, "broken"), '?'),
		"4.json": shapes("scene.png", 120, "dog", "sky"),
		"5.json": shapes("other.png", 120, "cat", "sky"),
	}), dataset.Options{})
	if report.Imported() != 2 {
		t.Errorf("%+v", report.Images)
	}
	if d := cmp.Diff([]string{"dog", "sky", "cat"}, report.Classes); d != "" {
		t.Errorf("classes said to be added (-want +got):\n%s", d)
	}
	p, err := w.Project(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range p.Classes {
		names = append(names, c.Name)
	}
	if d := cmp.Diff([]string{"ground", "cat", "dog", "sky"}, names); d != "" {
		t.Errorf("classes of the project (-want +got):\n%s", d)
	}
}

// The classes that a data set lists come together, with the first mask that needs one of
// them: a part of the masks makes the same project as all.
func TestListedClasses(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := mustPicture(t, w, []segment.Class{{Name: "ground"}}, "scene.png")
	labelmap := []byte("ground:0,0,0::\ncat:1,0,0::\ndog:2,0,0::\nsky:3,0,0::\n")
	for _, c := range []struct {
		mask []byte
		want []string
	}{
		{grey("02"), nil}, // of another size
		{grey(slices.Repeat([]string{strings.Repeat("0", 120)}, 80)...), nil},
		{grey(slices.Repeat([]string{strings.Repeat("02", 60)}, 80)...), []string{"cat", "dog", "sky"}},
	} {
		report := mustImport(t, w, p.ID, zipped(t, map[string][]byte{"labelmap.txt": labelmap, "SegmentationClass/scene.png": c.mask}), dataset.Options{})
		if d := cmp.Diff(c.want, report.Classes); d != "" {
			t.Errorf("added (-want +got):\n%s", d)
		}
	}
}

// Of an annotator's masks those are refused that need classes that the project lacks.
func TestClassesNeedAnOwner(t *testing.T) {
	w, p, _, files := beach(t)
	annotator := access.With(t.Context(), access.Principal{Role: access.Annotator})
	for class, want := range map[string]string{"car": "The mask needs classes that the project lacks: car. Ask an owner of the project to add them first.", "Sky": ""} {
		report, err := importer.Import(annotator, w, p.ID, files, dataset.Options{Mapping: map[string]string{"1": class, "7": "ground", "0": "unused"}}, nil)
		if err != nil || report.Images[0].Problem != want || len(report.Classes) > 0 {
			t.Errorf("%s: %+v, %v", class, report, err)
		}
	}
}

// Names that labelme gives a meaning are classes where the project has them; where
// it doesn't, the report says what became of them.
func TestClassesWithLabelmesNames(t *testing.T) {
	for _, names := range [][]string{{"background", "__ignore__", "cat"}, {"background", "_background_", "cat"}, {"_background_", "cat", "background"}} {
		w := workspacetest.MustOpen(t)
		project := func(names ...string) (segment.Project, segment.Image) {
			var classes []segment.Class
			for _, name := range names {
				classes = append(classes, segment.Class{Name: name})
			}
			return mustPicture(t, w, classes, "scene.png")
		}
		p, im := project(names...)
		rows := slices.Repeat([]string{strings.Repeat("0", 40) + strings.Repeat("1", 40) + strings.Repeat("2", 40)}, 80)
		mustImport(t, w, p.ID, zipped(t, map[string][]byte{"scene.png": grey(rows...)}), dataset.Options{})
		labels := func(p segment.Project, im segment.Image) (out []string) {
			a := workspacetest.MustOpenImage(t, w, im.ID)
			project := a.Project()
			for _, x := range []int{10, 60, 110} {
				c, _ := project.Class(int(a.Pixels()[40*120+x]))
				out = append(out, c.Name)
			}
			return out
		}
		if d := cmp.Diff(names, labels(p, im)); d != "" {
			t.Fatal(d)
		}
		for _, format := range []string{"voc", "index-png", "colour-png", "coco", "labelme"} {
			content := mustExport(t, w, p.ID, format, export.Options{Background: new(true)})
			for _, there := range [][]string{names, names[:1]} {
				q, im := project(there...)
				report := mustImport(t, w, q.ID, content, dataset.Options{Undecided: true})
				if len(report.Images) != 1 || report.Images[0].Problem != "" {
					t.Fatalf("%q in %q as %s: %+v", names, there, format, report)
				}
				got := labels(q, im)
				said := strings.Contains(strings.Join(report.Images[0].Lossy, ""), "objects called "+names[1])
				if special := strings.HasPrefix(names[1], "_") && len(there) == 1 && (format == "coco" || format == "labelme"); special != said || special == slices.Equal(names, got) {
					t.Errorf("%q in %q as %s: %q, %q", names, there, format, got, report.Images[0].Lossy)
				}
			}
		}
	}
}

// A data set can name as many classes as a project has, besides the pixels outside
// every shape, which are of the project's first class.
func TestAsManyClassesAsAProjectHas(t *testing.T) {
	var classes []segment.Class
	for i := range segment.MaxClasses {
		classes = append(classes, segment.Class{Name: fmt.Sprint("class ", i)})
	}
	square := func(x int) string { return fmt.Sprintf("%d,0,%d,0,%d,9,%d,9", x, x+9, x+9, x) }
	coco := func(names []string) string {
		var categories, annotations []string
		for i, name := range names {
			categories = append(categories, fmt.Sprintf(`{"id":%d,"name":%q}`, i, name))
		}
		for i, category := range []int{0, 1, 254} {
			annotations = append(annotations, fmt.Sprintf(`{"id":%d,"image_id":1,"category_id":%d,"segmentation":[[%s]]}`, i, category, square(20*i)))
		}
		return fmt.Sprintf(`{"images":[{"id":1,"file_name":"beach.png","width":120,"height":80}],"categories":[%s],"annotations":[%s]}`,
			strings.Join(categories, ","), strings.Join(annotations, ","))
	}
	labelme := func(names []string) string {
		var shapes []string
		for i, name := range names {
			at := map[int]int{0: 0, 1: 20, 254: 40}[i]
			if i > 1 && i < 254 {
				at = 100
			}
			shapes = append(shapes, fmt.Sprintf(`{"label":%q,"points":[[%d,0],[%d,0],[%d,9],[%d,9]]}`, name, at, at+9, at+9, at))
		}
		return fmt.Sprintf(`{"imagePath":"beach.png","imageWidth":120,"imageHeight":80,"shapes":[%s]}`, strings.Join(shapes, ","))
	}
	const first, last = "class 0", "class 254"
	for name, c := range map[string]struct {
		write   func(names []string) string
		names   []string // of classes 0, 1 to 253, and 254
		more    string
		mapping map[string]string
		want    []int // classes of the three squares, and of what is outside
	}{
		"coco":              {write: coco, names: []string{first, last}, want: []int{0, 1, 254, 0}},
		"coco, first last":  {write: coco, names: []string{last, "CLASS 0"}, want: []int{254, 1, 0, 0}},
		"labelme":           {write: labelme, names: []string{first, last}, want: []int{0, 1, 254, 0}},
		"mapped to itself":  {write: coco, names: []string{first, last}, mapping: map[string]string{first: first}, want: []int{0, 1, 254, 0}},
		"mapped elsewhere":  {write: coco, names: []string{first, last}, mapping: map[string]string{first: last}},
		"one more":          {write: coco, names: []string{first, last}, more: "extra"},
		"labelme, one more": {write: labelme, names: []string{first, last}, more: "extra"},
	} {
		t.Run(name, func(t *testing.T) {
			w := workspacetest.MustOpen(t)
			p, im := mustPicture(t, w, classes, "beach.png")
			names := []string{c.names[0]}
			for _, of := range classes[1:254] {
				names = append(names, of.Name)
			}
			names = append(names, c.names[1])
			if c.more != "" {
				names = append(names, c.more)
			}
			files, err := dataset.FromFS(fstest.MapFS{"a.json": {Data: []byte(c.write(names))}})
			if err != nil {
				t.Fatal(err)
			}
			report, err := importer.Import(t.Context(), w, p.ID, files, dataset.Options{Mapping: c.mapping}, nil)
			if c.want == nil {
				if segment.KindOf(err) != segment.TooLarge || !strings.Contains(err.Error(), "more than 254 classes") {
					t.Fatalf("imported %+v, %v", report.Images, err)
				}
				return
			}
			if err != nil || len(report.Images) != 1 || report.Images[0].Problem != "" {
				t.Fatalf("%+v, %v", report, err)
			}
			a := workspacetest.MustOpenImage(t, w, im.ID)
			var got, want []uint8
			for i, x := range []int{5, 25, 45, 70} {
				got, want = append(got, a.Pixels()[5*120+x]), append(want, p.Classes[c.want[i]].ID)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("classes of the squares and outside (-want +got):\n%s", d)
			}
		})
	}
}

// mustPicture returns a new project with an image of the given name.
func mustPicture(t *testing.T, w *workspace.Workspace, classes []segment.Class, name string) (segment.Project, segment.Image) {
	t.Helper()
	p, err := w.CreateProject(t.Context(), "Test", classes, nil)
	if err != nil {
		t.Fatal(err)
	}
	im, err := w.AddImage(t.Context(), p.ID, name, bytes.NewReader(scene()))
	if err != nil {
		t.Fatal(err)
	}
	return p, im.Image
}

// A class is found however its accents are written, also one that the same file adds.
func TestAccentsOfClasses(t *testing.T) {
	const composed, apart = "W\u00fcste", "wu\u0308ste" // macOS writes the second one
	for name, c := range map[string]struct {
		project, labels, want []string // the classes at the end
	}{
		"found": {[]string{"ground", composed}, []string{apart}, []string{"ground", composed}},
		"added": {[]string{"ground"}, []string{apart, composed}, []string{"ground", apart}},
	} {
		t.Run(name, func(t *testing.T) {
			w := workspacetest.MustOpen(t)
			var classes []segment.Class
			for _, name := range c.project {
				classes = append(classes, segment.Class{Name: name})
			}
			p, im := mustPicture(t, w, classes, "scene.png")
			var shapes []string
			for i, label := range c.labels {
				shapes = append(shapes, fmt.Sprintf(`{"label": %q, "points": [[%d, 0], [%d, 79]], "shape_type": "rectangle"}`, label, 20*i, 20*i+19))
			}
			mustImport(t, w, p.ID, zipped(t, map[string][]byte{
				"scene.json": fmt.Appendf(nil, `{"imagePath": "scene.png", "imageWidth": 120, "imageHeight": 80, "shapes": [%s]}`, strings.Join(shapes, ",")),
			}), dataset.Options{})
			p, err := w.Project(t.Context(), p.ID)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, class := range p.Classes {
				got = append(got, class.Name)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("classes (-want +got):\n%s", d)
			}
			pixels := workspacetest.MustOpenImage(t, w, im.ID).Pixels()
			for i, label := range c.labels {
				if at := p.Index(pixels[20*i+5]); at != 1 {
					t.Errorf("%q became %q", label, p.Classes[at].Name)
				}
			}
		})
	}
}

package importer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/archive"
	"collie/segment/export"
	"collie/segment/importer"
	"collie/segment/importer/dataset"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

func mustImport(tb testing.TB, w *workspace.Workspace, project string, content []byte, o dataset.Options) importer.Report {
	tb.Helper()
	files, err := dataset.FromFile("data.zip", bytes.NewReader(content), int64(len(content)), archive.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	report, err := importer.Import(tb.Context(), w, project, files, o, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

// unnumbered is a file of an export whose categories have names instead of the numbers
// that classes have in each project.
func unnumbered(tb testing.TB, name, content string) string {
	tb.Helper()
	if path.Dir(name) != "annotations" {
		return content
	}
	var document struct {
		Categories []struct {
			ID   int
			Name string
		}
	}
	if err := json.Unmarshal([]byte(content), &document); err != nil {
		tb.Fatal(err)
	}
	for _, c := range document.Categories {
		content = strings.ReplaceAll(content, fmt.Sprintf(`{"id":%d,"name":%q`, c.ID, c.Name), fmt.Sprintf(`{"name":%q`, c.Name))
		content = strings.ReplaceAll(content, fmt.Sprintf(`"category_id":%d,`, c.ID), fmt.Sprintf(`"category_id":%q,`, c.Name))
	}
	return content
}

// Masks with holes, single pixels and corners that touch come back pixel by
// pixel, and what is exported again is the same.
func TestRoundTrips(t *testing.T) {
	yes := true
	there := workspacetest.MustOpen(t)
	p := worked(t, there)
	a := mustOpenFirst(t, there, p.ID)
	pixels := make([]uint8, 120*80)
	for i := range pixels {
		x, y := i%120, i/120
		switch {
		case x > 20 && x < 60 && y > 10 && y < 50 && !(x > 30 && x < 40 && y > 20 && y < 40):
			pixels[i] = 2 // a ring
		case x == 35 && y == 30, x == 36 && y == 31, x == 0 && y == 79:
			pixels[i] = 1 // single pixels, two of them at a corner
		case x > 80 && (x/3+y/2)%2 == 0:
			pixels[i] = 1 // many small regions
		}
	}
	if _, err := a.ImportMask(t.Context(), segment.NewID(), pixels, nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(pixels, a.Pixels()); d != "" {
		t.Fatal(d)
	}
	options := export.Options{Images: []string{a.Image().ID}, Pictures: &yes, Undecided: "background"}
	for _, way := range []string{"index-png", "colour-png", "voc", "coco", "coco-panoptic", "labelme", "labelme polygon", "cvat", "yolo"} {
		t.Run(way, func(t *testing.T) {
			format, shapes, _ := strings.Cut(way, " ")
			options := options
			options.Shapes = shapes
			first := mustExport(t, there, p.ID, format, options)
			here := workspacetest.MustOpen(t)
			q, err := here.CreateProject(t.Context(), p.Name, p.Classes, nil)
			named := slices.Contains([]string{"index-png", "colour-png", "voc", "yolo"}, format) // has all classes with it
			if named {
				q, err = here.CreateProject(t.Context(), p.Name, p.Classes[:1], nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			report := mustImport(t, here, q.ID, first, dataset.Options{})
			if len(report.Images) != 1 || report.Images[0].Problem != "" || !report.Images[0].Added || len(report.Images[0].Lossy) > 0 {
				t.Fatalf("report %+v", report)
			}
			slices.Sort(report.Classes)
			if d := cmp.Diff([]string{"ground", "sky"}, report.Classes); d != "" && named || len(report.Classes) > 0 && !named {
				t.Errorf("classes added: %v", report.Classes)
			}
			if q, err = here.Project(t.Context(), q.ID); err != nil {
				t.Fatal(err)
			}
			b := workspacetest.MustOpenImage(t, here, report.Images[0].Image)
			for i, got := range b.Pixels() {
				want := p.Classes[p.Index(pixels[i])].Name
				if at := q.Index(got); at < 0 || q.Classes[at].Name != want {
					t.Fatalf("pixel %d has class %d of %v, want %s", i, got, q.Classes, want)
				}
			}
			options.Images = nil
			again := members(t, mustExport(t, here, q.ID, format, options))
			for name, content := range members(t, first) {
				if name != "manifest.json" && unnumbered(t, name, again[name]) != unnumbered(t, name, content) {
					t.Errorf("%s is another file after the round trip", name)
				}
			}
			// Work can go on from there, and one undo takes the import back.
			mustAppend(t, b, segment.Event{Kind: segment.Undo})
			if got := b.Pixels(); bytes.ContainsFunc(got, func(r rune) bool { return r == 1 }) {
				t.Error("undo left a part of the import")
			}
		})
	}
}

func grey(rows ...string) []byte {
	img := image.NewPaletted(image.Rect(0, 0, len(rows[0]), len(rows)), color.Palette{color.Black, color.White, color.Gray{2}, color.Gray{3}, color.Gray{4}, color.Gray{5}, color.Gray{6}, color.Gray{7}})
	for y, row := range rows {
		for x, c := range row {
			img.SetColorIndex(x, y, uint8(c-'0'))
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Masks that can't be imported are reported, and nothing of them is stored.
func TestImportProblems(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p := worked(t, w) // two images called scene.png
	im, err := w.AddImage(t.Context(), p.ID, "Other.PNG", bytes.NewReader(scene()))
	if err != nil {
		t.Fatal(err)
	}
	row := strings.Repeat("0", 60) + strings.Repeat("1", 60)
	whole := slices.Repeat([]string{row}, 80)
	high := append([]string{strings.Repeat("2", 120)}, whole[1:]...)
	turned := slices.Repeat([]string{row[:80]}, 120)
	for name, c := range map[string]struct {
		file    string
		content []byte
		want    string
	}{
		"ambiguous": {"scene.png", grey(whole...), "More than one image"},
		"unknown":   {"nobody.png", grey(whole...), "No image in the project has this name"},
		"size":      {"other.png", grey("01"), "2×1 pixels, but the image has 120×80"},
		"turned":    {"other.png", grey(turned...), "80×120 pixels, but the image has 120×80 as it is displayed: turn the mask too"},
		"no class":  {"other.png", grey(high...), ""},
		"broken":    {"other.png", grey(whole...)[:60], "not a readable PNG"},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := dataset.FromFS(fstest.MapFS{"SegmentationClass/" + c.file: {Data: c.content}})
			if err != nil {
				t.Fatal(err)
			}
			report, err := importer.Import(t.Context(), w, p.ID, files, dataset.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := report.Images[0].Problem; c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("problem %q, want %q", got, c.want)
			}
		})
	}
	a := workspacetest.MustOpenImage(t, w, im.ID)
	if seq := a.State().Seq; seq != 1 { // "no class" has classes 0 to 2, which the project has
		t.Errorf("%d events", seq)
	}
}

// After simultaneous imports with new classes, all classes exist.
func TestClassesOfImportsAtOnce(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Shared", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	const imports = 10
	for i := range imports {
		if _, err := w.AddImage(t.Context(), p.ID, fmt.Sprintf("%d.png", i), bytes.NewReader(scene())); err != nil {
			t.Fatal(err)
		}
	}
	mask := grey(slices.Repeat([]string{strings.Repeat("012", 40)}, 80)...)
	var work sync.WaitGroup
	for i := range imports {
		work.Go(func() {
			labelmap := fmt.Sprintf("background:0,0,0::\n common :0,0,9::\nown %d:9,9,9::\n", i)
			files, err := dataset.FromFS(fstest.MapFS{"labelmap.txt": {Data: []byte(labelmap)}, fmt.Sprintf("SegmentationClass/%d.png", i): {Data: mask}})
			if err != nil {
				t.Error(err)
				return
			}
			report, err := importer.Import(t.Context(), w, p.ID, files, dataset.Options{}, nil)
			if own := fmt.Sprintf("own %d", i); err != nil || !slices.Contains(report.Classes, own) {
				t.Errorf("%s: added %q, %v", own, report.Classes, err)
			}
		})
	}
	work.Wait()
	if p, err = w.Project(t.Context(), p.ID); err != nil || len(p.Classes) != imports+3 || len(p.Deleted) > 0 {
		t.Errorf("classes %v, deleted %v, %v", p.Classes, p.Deleted, err)
	}
}

// Problems are in plain words: what the decoders say is for the log.
func TestProblemsInPlainWords(t *testing.T) {
	w, p, _, _ := beach(t)
	const labelme = `{"shapes": [{"label": "f` + "\xe4" + `"}], "imagePath": "beach.png", "imageWidth": 120, "imageHeight": 80}`
	const coco = `{"images": [{"id": 1, "file_name": "beach.png", "width": 120, "height": 80}], "categories": [{"id": 1, "name": "cat"}],
		"annotations": [{"id": 1, "image_id": 1, "category_id": 1, "segmentation": {"size": [0.5, 120]}}]}`
	for want, file := range map[string][2]string{
		"beach.json contains text that is not valid UTF-8, or half of a surrogate pair.": {"beach.json", labelme},
		"annotation 1: Its segmentation is neither a list of polygons nor an RLE mask.":  {"beach.json", coco},
		"The mask is not a readable PNG.":                                                {"beach.png", "\x89PNG\r\n\x1a\n"},
	} {
		report := mustImport(t, w, p.ID, zipped(t, map[string][]byte{file[0]: []byte(file[1])}), dataset.Options{})
		if len(report.Images) != 1 || report.Images[0].Problem != want {
			t.Errorf("%+v, want %s", report.Images, want)
		}
	}
}

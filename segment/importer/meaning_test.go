package importer_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/importer"
	"collie/segment/importer/dataset"
	"collie/segment/photo/phototest"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// beach has a project with one image of 120×80 pixels, beach.png, and files with
// a mask for it: three quarters are 1, the rest 7.
func beach(t *testing.T) (w *workspace.Workspace, p segment.Project, im segment.Image, files dataset.Files) {
	t.Helper()
	w = workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Beach", []segment.Class{{Name: "ground"}, {Name: "Sky"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	added, err := w.AddImage(t.Context(), p.ID, "beach.png", bytes.NewReader(scene()))
	if err != nil {
		t.Fatal(err)
	}
	row := strings.Repeat("1", 90) + strings.Repeat("7", 30)
	rows := slices.Repeat([]string{row}, 80)
	files, err = dataset.FromFS(fstest.MapFS{"beach.png": {Data: grey(rows...)}, "nobody.png": {Data: grey("0")}})
	if err != nil {
		t.Fatal(err)
	}
	return w, p, added.Image, files
}

// A mapping decides what values become, creates the classes that it names for the
// masks that are imported, and lets masks with other values fail; the report says what each became.
func TestMapping(t *testing.T) {
	for name, tt := range map[string]struct {
		options      dataset.Options
		left, right  string
		added        []string
		problem      string
		leftUnknown  bool
		rightUnknown bool
	}{
		"classes that exist": {options: dataset.Options{Mapping: map[string]string{"1": "sky", "7": "ground"}}, left: "Sky", right: "ground"},
		"a new class":        {options: dataset.Options{Mapping: map[string]string{"1": "car", "7": "CAR "}}, left: "car", right: "car", added: []string{"car"}},
		"two small sigmas":   {options: dataset.Options{Mapping: map[string]string{"1": "σ", "7": "ς"}}, left: "σ", right: "ς", added: []string{"σ", "ς"}},
		"undecided":          {options: dataset.Options{Mapping: map[string]string{"1": "", "7": "ground", "8": "never", "cup": "cup"}}, left: "", right: "ground"},
		"a value is missing": {options: dataset.Options{Mapping: map[string]string{"1": "ground"}}, left: "ground", rightUnknown: true, problem: "uses class 7, which the mapping lacks. Map it to a class, or to nothing (null in JSON, --map 7= on the command line)"},
		"one is missing":     {options: dataset.Options{Mapping: map[string]string{"1": "car"}}, left: "car", rightUnknown: true, problem: "uses class 7, which the mapping lacks"},
		"nothing is said":    {left: "Sky", rightUnknown: true, problem: "uses class 7, but the project has classes 0 to 1. Say what it means with a mapping, choose the names of PASCAL VOC (--names voc"},
		"PASCAL VOC":         {options: dataset.Options{PASCAL: true, Mapping: map[string]string{"aeroplane": "Sky", "car": "car"}}, left: "Sky", right: "car", added: []string{"car"}},
		"a name is missing":  {options: dataset.Options{PASCAL: true, Mapping: map[string]string{"aeroplane": "Sky"}}, left: "Sky", right: "car", problem: `uses "car", which is neither in the mapping nor a class of the project. Map it to a class, or to nothing (null in JSON, --map 'car=' on the command line)`},
	} {
		t.Run(name, func(t *testing.T) {
			w, p, im, files := beach(t)
			report, err := importer.Import(t.Context(), w, p.ID, files, tt.options, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(report.Classes, tt.added) {
				t.Errorf("added %q, want %q", report.Classes, tt.added)
			}
			var left, right importer.Value
			for _, v := range report.Values {
				switch v.Pixels {
				case 90 * 80:
					left = v
				case 30 * 80:
					right = v
				}
			}
			if left.Class != tt.left || left.Unknown || right.Class != tt.right || right.Unknown != tt.rightUnknown {
				t.Errorf("left %+v, right %+v", left, right)
			}
			if got := report.Images[0].Problem; tt.problem == "" && got != "" || !strings.Contains(got, tt.problem) {
				t.Errorf("problem %q, want %q", got, tt.problem)
			}
			a := workspacetest.MustOpenImage(t, w, im.ID)
			if tt.problem != "" {
				if seq := a.State().Seq; seq != 0 {
					t.Errorf("%d events after a refusal", seq)
				}
				return
			}
			project := a.Project()
			for at, want := range map[int]string{0: tt.left, 119: tt.right} {
				got := ""
				if c, ok := project.Class(int(a.Pixels()[at])); ok {
					got = c.Name
				}
				if got != want {
					t.Errorf("pixel %d is %q, want %q", at, got, want)
				}
			}
		})
	}
}

// White is undecided unless the mapping says what it is, and is counted where it may be a
// class: in masks of black and white, grey or in colours, or where the mapping has one.
func TestWhite(t *testing.T) {
	gray, rgb := image.NewGray(image.Rect(0, 0, 120, 80)), image.NewRGBA(image.Rect(0, 0, 120, 80))
	paletted, more := image.NewPaletted(gray.Rect, color.Palette{}), image.NewGray(gray.Rect)
	for i := range 256 {
		paletted.Palette = append(paletted.Palette, color.Gray{uint8(i)})
	}
	for at := range 120 * 80 {
		v := color.Gray{uint8(at % 2 * 255)}
		for _, img := range []draw.Image{gray, rgb, paletted, more} {
			img.Set(at%120, at/120, v)
		}
	}
	more.Pix[0] = 1
	numbers := phototest.Numbers(120, gray.Pix)
	undecided := []string{"all values are 0 or 255, and 255 is undecided unless it is given a class"}
	said := map[string]string{"0": "ground", "1": "ground", "255": "horse"}
	unsaid := map[string]string{"0": "ground", "1": "ground", "255": ""}
	for name, tt := range map[string]struct {
		file    string
		mask    []byte
		mapping map[string]string
		class   string
		listed  bool
		lossy   []string
	}{
		"grey":                 {file: "beach.png", mask: phototest.MustPNG(t, gray), listed: true, lossy: undecided},
		"grey, said":           {file: "beach.png", mask: phototest.MustPNG(t, gray), mapping: said, class: "horse", listed: true},
		"grey, to be nothing":  {file: "beach.png", mask: phototest.MustPNG(t, gray), mapping: unsaid, listed: true},
		"colours":              {file: "beach.png", mask: phototest.MustPNG(t, rgb), listed: true, lossy: undecided},
		"colours, said":        {file: "beach.png", mask: phototest.MustPNG(t, rgb), mapping: said, class: "horse", listed: true},
		"TIFF, said":           {file: "beach.tif", mask: numbers, mapping: said, class: "horse", listed: true},
		"a palette":            {file: "beach.png", mask: phototest.MustPNG(t, paletted)},
		"a palette, said":      {file: "beach.png", mask: phototest.MustPNG(t, paletted), mapping: said, class: "horse", listed: true},
		"other numbers":        {file: "beach.png", mask: phototest.MustPNG(t, more)},
		"other numbers, said":  {file: "beach.png", mask: phototest.MustPNG(t, more), mapping: said, class: "horse", listed: true},
		"other numbers, no":    {file: "beach.png", mask: phototest.MustPNG(t, more), mapping: unsaid},
		"a class that is here": {file: "beach.png", mask: phototest.MustPNG(t, gray), mapping: map[string]string{"0": "ground", "255": "sky"}, class: "Sky", listed: true},
	} {
		t.Run(name, func(t *testing.T) {
			w, p, im, _ := beach(t)
			files, err := dataset.FromFS(fstest.MapFS{tt.file: {Data: tt.mask}})
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range []func() (importer.Report, error){
				func() (importer.Report, error) {
					return importer.Review(t.Context(), w, p.ID, files, dataset.Options{Mapping: tt.mapping})
				},
				func() (importer.Report, error) {
					return importer.Import(t.Context(), w, p.ID, files, dataset.Options{Mapping: tt.mapping}, nil)
				},
			} {
				report, err := run()
				if err != nil || report.Images[0].Problem != "" {
					t.Fatal(err, report.Images)
				}
				at := slices.IndexFunc(report.Values, func(v importer.Value) bool { return v.Value == "255" })
				if (at >= 0) != tt.listed || at >= 0 && (report.Values[at].Class != tt.class || report.Values[at].Pixels != 120*80/2 || report.Values[at].Color != "#ffffff") {
					t.Errorf("values %+v", report.Values)
				}
				if d := cmp.Diff(tt.lossy, report.Images[0].Lossy); d != "" {
					t.Errorf("lossy (-want +got):\n%s", d)
				}
			}
			a := workspacetest.MustOpenImage(t, w, im.ID)
			got := ""
			project := a.Project()
			if c, ok := project.Class(int(a.Pixels()[1])); ok {
				got = c.Name
			}
			if got != tt.class {
				t.Errorf("white became %q, want %q", got, tt.class)
			}
		})
	}
}

// A review reports what an import would do and leaves everything as it was.
func TestReview(t *testing.T) {
	w, p, im, files := beach(t)
	for range 2 {
		report, err := importer.Review(t.Context(), w, p.ID, files, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := []importer.Value{
			{Value: "1", VOC: "aeroplane", Color: "#800000", Class: "Sky", Masks: 1, Pixels: 90 * 80},
			{Value: "7", VOC: "car", Color: "#808080", Unknown: true, Masks: 1, Pixels: 30 * 80},
		}
		if d := cmp.Diff(want, report.Values); d != "" {
			t.Errorf("values (-want +got):\n%s", d)
		}
		thumbnail, err := png.Decode(bytes.NewReader(report.Images[0].Thumbnail))
		if err != nil {
			t.Fatal(err)
		}
		if r, g, b, a := thumbnail.At(119, 40).RGBA(); thumbnail.Bounds().Dx() != 120 || r>>8 != 128 || g>>8 != 128 || b>>8 != 128 || a>>8 != 255 {
			t.Errorf("the thumbnail is %v wide and has %d %d %d %d on the right", thumbnail.Bounds(), r>>8, g>>8, b>>8, a>>8)
		}
		if got := report.Images[1]; got.Problem == "" || got.Thumbnail != nil {
			t.Errorf("a mask without an image: %+v", got)
		}
	}
	after, err := w.Project(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	images, err := w.ImagesAfter(t.Context(), p.ID, "", 1e6)
	if d := cmp.Diff(p, after); d != "" || err != nil || len(images) != 1 || images[0].ID != im.ID || images[0].Seq != 0 {
		t.Errorf("the project changed: %s, %v, %+v", d, err, images)
	}
}

// A review of a data set that brings class names and its photograph knows both
// before they are stored.
func TestReviewOfNewImages(t *testing.T) {
	w, p, _, _ := beach(t)
	rows := slices.Repeat([]string{strings.Repeat("1", 120)}, 80)
	files, err := dataset.FromFS(fstest.MapFS{
		"labelmap.txt": {Data: []byte("ground:0,0,0::\ncar:1,2,3::\n")}, "SegmentationClass/new.png": {Data: grey(rows...)}, "JPEGImages/new.png": {Data: scene()},
	})
	if err != nil {
		t.Fatal(err)
	}
	report, err := importer.Review(t.Context(), w, p.ID, files, dataset.Options{})
	if err != nil || len(report.Images) != 1 || !report.Images[0].Added || report.Images[0].Image != "" || report.Images[0].Problem != "" {
		t.Fatalf("%+v, %v", report, err)
	}
	if d := cmp.Diff([]importer.Value{{Value: "car", Name: "car", Color: "#010203", Class: "car", New: true, Masks: 1, Pixels: 120 * 80}}, report.Values); d != "" {
		t.Error(d)
	}
}

// Values of a mask that doesn't fit its image need no class: it isn't imported whatever
// they become.
func TestValuesOfMisfits(t *testing.T) {
	w, p, _, _ := beach(t)
	files, err := dataset.FromFS(fstest.MapFS{"beach.png": {Data: grey("17")}})
	if err != nil {
		t.Fatal(err)
	}
	report, err := importer.Review(t.Context(), w, p.ID, files, dataset.Options{})
	if err != nil || len(report.Values) > 0 || !strings.Contains(report.Images[0].Problem, "2×1 pixels") {
		t.Errorf("%+v, %v", report, err)
	}
}

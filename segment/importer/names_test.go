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
	"collie/segment/export"
	"collie/segment/importer"
	"collie/segment/importer/dataset"
	"collie/segment/mask"
	"collie/storage/workspacetest"
)

// Images of one name in two folders are told apart: no mask goes to the other one.
func TestImagesOfTwoFolders(t *testing.T) {
	coco := func(names ...string) fstest.MapFS {
		var images, annotations []string
		for i, name := range names {
			images = append(images, fmt.Sprintf(`{"id": %d, "file_name": %q, "width": 120, "height": 80}`, i, name))
			annotations = append(annotations, fmt.Sprintf(`{"id": %d, "image_id": %d, "category_id": %d, "segmentation": [[0, 0, 120, 0, 120, 80, 0, 80]]}`, i, i, i+1))
		}
		return fstest.MapFS{"x.json": {Data: fmt.Appendf(nil, `{"categories": [{"id": 1, "name": "one"}, {"id": 2, "name": "two"}], "images": [%s], "annotations": [%s]}`,
			strings.Join(images, ","), strings.Join(annotations, ","))}}
	}
	masks := func(names ...string) fstest.MapFS {
		files := fstest.MapFS{}
		for i, name := range names {
			var b bytes.Buffer
			if err := mask.WriteIndex(&b, mask.Mask{Width: 120, Height: 80, Pixels: bytes.Repeat([]byte{byte(i + 1)}, 120*80)}); err != nil {
				t.Fatal(err)
			}
			files[name] = &fstest.MapFile{Data: b.Bytes()}
			files[strings.Replace(name, "SegmentationClass", "SegmentationObject", 1)] = files[name]
		}
		return files
	}
	photo := &fstest.MapFile{Data: scene()}
	with := func(files fstest.MapFS, photos ...string) fstest.MapFS {
		for _, name := range photos {
			files[name] = photo
		}
		return files
	}
	beside := func(images ...string) fstest.MapFS { // a file in each of the folders s1 and s2
		files := fstest.MapFS{}
		for i, name := range images {
			files[fmt.Sprintf("s%d/a.json", i+1)] = &fstest.MapFile{Data: fmt.Appendf(nil, `{"imagePath": %q, "imageWidth": 120, "imageHeight": 80, "shapes": [{"label": %q, "shape_type": "rectangle", "points": [[0, 0], [120, 80]]}]}`,
				name, []string{"one", "two"}[i])}
		}
		return files
	}
	broken := coco("a.png", "a.png")
	broken["x.json"].Data = bytes.Replace(broken["x.json"].Data, []byte(`"category_id": 1`), []byte(`"category_id": 9`), 1)
	long := strings.Repeat("é", 120) // longer than names of images can be
	kept := func(ending string) string { return strings.Repeat("é", 100-len(ending)) + ending }
	for name, c := range map[string]struct {
		images []string
		files  fstest.MapFS
		want   []string // of each mask the image and its class, or the problem
	}{
		"both":             {[]string{"s2/a.png", "s1/a.png"}, coco("s1/a.png", "S2/a.PNG"), []string{"s1/a.png one", "s2/a.png two"}},
		"one":              {[]string{"s1/a.png"}, coco("s2/a.png", "s1/a.png"), []string{"The data set has more than one image called a", "s1/a.png two"}},
		"no folders":       {[]string{"a.png"}, coco("s2/a.png", "s1/a.png"), []string{"The data set has more than one image called a", "The data set has more than one image called a"}},
		"another form":     {[]string{"Übung e\u0301.png", "Ö.png"}, coco("\u00fcbung \u00e9.jpg", "O\u0308.png"), []string{"Übung e\u0301.png one", "Ö.png two"}},
		"form of a mask":   {[]string{"cafe\u0301.png"}, masks("SegmentationClass/caf\u00e9.png"), []string{"cafe\u0301.png one"}},
		"another folder":   {[]string{"photos/a.png"}, coco("s1/a.jpg"), []string{"photos/a.png one"}},
		"two endings":      {[]string{"a.png"}, coco("a.jpg", "a.png"), []string{"The data set has more than one image called a", "a.png two"}},
		"twice":            {[]string{"a.png"}, coco("a.png", "a.png"), []string{"a.png one", "The data set has more than one mask for this image; a.png was taken."}},
		"one is broken":    {[]string{"a.png"}, broken, []string{"Its annotation 0 is of category 9", "a.png two"}},
		"photos":           {nil, with(coco("s1/a.png", "s2/a.png"), "images/s1/a.png", "images/s2/a.png"), []string{"s1/a.png one", "s2/a.png two"}},
		"a folder within":  {nil, with(coco("a.png", "s1/a.png"), "images/a.png", "images/s1/a.png"), []string{"a.png one", "s1/a.png two"}},
		"around images":    {[]string{"My set/s1/a.png", "My set/s2/a.png"}, coco("s1/a.png", "s2/a.png"), []string{"My set/s1/a.png one", "My set/s2/a.png two"}},
		"around the masks": {[]string{"s2/a.png", "s1/a.png"}, masks("masks/My set/s1/a.png", "masks/My set/s2/a.png"), []string{"s1/a.png one", "s2/a.png two"}},
		"around both":      {[]string{"x/s1/a.png", "x/s2/a.png"}, coco("y/s1/a.jpg", "y/s2/a.jpg"), []string{"x/s1/a.png one", "x/s2/a.png two"}},
		"around, of one":   {[]string{"x/s1/a.png", "x/s2/a.png"}, coco("s2/a.png"), []string{"x/s2/a.png one"}},
		"around, in two":   {[]string{"x/s1/a.png", "y/s1/a.png"}, coco("s1/a.png"), []string{"More than one image in the project has this name."}},
		"around, two here": {[]string{"s1/a.png"}, coco("x/s1/a.png", "y/s1/a.png"), []string{"The data set has more than one image called a", "The data set has more than one image called a"}},
		"around, one here": {[]string{"x/s1/a.png"}, coco("s1/a.png", "x/s1/a.png"), []string{"The data set has more than one image called a", "x/s1/a.png two"}},
		"beside":           {[]string{"s2/a.png", "s1/a.png"}, beside("a.png", `..\s2\a.png`), []string{"s1/a.png one", "s2/a.png two"}},
		"beside, of one":   {[]string{"x/a.png", "y/b.png"}, beside("a.png", "b.png"), []string{"x/a.png one", "y/b.png two"}},
		"photos beside":    {nil, with(beside("a.png", "a.png"), "s1/a.png", "s2/a.png"), []string{"s1/a.png one", "s2/a.png two"}},
		"masks":            {[]string{"s1/a.png", "s2/a.png"}, masks("masks/s1/a.png", "masks/s2/a.png"), []string{"s1/a.png one", "s2/a.png two"}},
		"bare masks":       {[]string{"s1/a.png", "s2/a.png"}, masks("s1/a.png", "s2/a.png"), []string{"s1/a.png one", "s2/a.png two"}},
		"VOC":              {[]string{"a.png", "s2/b.png"}, masks("x/SegmentationClass/a.png", "x/SegmentationClass/s2/b.png"), []string{"a.png one", "s2/b.png two"}},
		"VOC, flat":        {[]string{"a.png", "b.png"}, masks("SegmentationClass/s1/a.png", "SegmentationClass/s2/b.png"), []string{"a.png one", "b.png two"}},
		"VOC, photos":      {nil, with(masks("SegmentationClass/s1/a.1.png", "SegmentationClass/s2/a.1.png"), "JPEGImages/s1/a.1.png", "JPEGImages/s2/a.1.png"), []string{"s1/a.1.png one", "s2/a.1.png two"}},
		"a dot":            {nil, with(masks("SegmentationClass/a.1.png", "SegmentationClass/a.2.png"), "JPEGImages/a.1.png", "JPEGImages/a.2.png"), []string{"a.1.png one", "a.2.png two"}},
		"Label Studio":     {[]string{"a.png", "b.jpg"}, coco("images/1a2b3c4d-a.png", "images/5e6f7a8b-b.jpg"), []string{"a.png one", "b.jpg two"}},
		"with photos":      {[]string{"a.png"}, with(coco("images/1a2b3c4d-a.png", "images/5e6f7a8b-b.png"), "images/1a2b3c4d-a.png", "images/5e6f7a8b-b.png"), []string{"a.png one", "5e6f7a8b-b.png two"}},
		"its characters":   {[]string{"My photo (1), ä.png", "d'écran.png"}, coco("images/1a2b3c4d-My_photo_1_ä.png", "5e6f7a8b-d%C3%A9cran.png"), []string{"My photo (1), ä.png one", "d'écran.png two"}},
		"alike there":      {[]string{"a (b).png", "a [b].png"}, coco("images/1a2b3c4d-a_b.png"), []string{"No image in the project has this name"}},
		"uploaded twice":   {[]string{"a.png"}, coco("images/1a2b3c4d-a.png", "images/5e6f7a8b-a.png"), []string{"No image in the project has this name", "No image in the project has this name"}},
		"also without":     {[]string{"a.png"}, coco("images/1a2b3c4d-a.png", "a.png"), []string{"No image in the project has this name", "a.png two"}},
		"a date":           {[]string{"a.png"}, coco("20240131-a.png"), []string{"No image in the project has this name"}},
		"its PNGs":         {[]string{"a.png"}, masks("task-1-annotation-5-by-1-tag-car-0.png"), []string{"Label Studio names its PNGs after tasks"}},
		"long":             {[]string{long + ".png"}, coco("s1/" + long + ".png"), []string{kept(".png") + " one"}},
		"long, mask":       {[]string{long + ".jpeg"}, masks("SegmentationClass/" + long + ".png"), []string{kept(".jpeg") + " one"}},
		"one too long":     {[]string{strings.Repeat("a", 97) + ".png"}, masks("SegmentationClass/" + strings.Repeat("a", 97) + ".png"), []string{strings.Repeat("a", 96) + ".png one"}},
		"cut at a space":   {[]string{"b " + strings.Repeat("a", 95) + ".png"}, coco("b " + strings.Repeat("a", 95) + ".png"), []string{strings.Repeat("a", 95) + ".png one"}},
		"not cut":          {[]string{strings.Repeat("a", 90) + ".png"}, coco("b" + strings.Repeat("a", 90) + ".png"), []string{"No image in the project"}},
		"long, apart":      {[]string{strings.Repeat("e\u0301", 60) + "1.png"}, coco(strings.Repeat("\u00e9", 60) + "1.jpg"), []string{"\u0301" + strings.Repeat("e\u0301", 47) + "1.png one"}},
		"long and shorter": {[]string{kept(".png")}, coco(kept(".png"), long+".png"), []string{kept(".png") + " one", "Names of more than 100"}},
		"alike at the end": {[]string{"a" + long + ".png"}, coco("a"+long+".png", "b"+long+".png"), []string{"Names of more than 100", "Names of more than 100"}},
		"two alike":        {[]string{"a" + long + ".png", "b" + long + ".png"}, coco("a" + long + ".png"), []string{"Names of more than 100"}},
		"another start":    {[]string{strings.Repeat("a", 96) + ".png"}, coco("b"+strings.Repeat("a", 90)+strings.Repeat("c", 30)+".png", strings.Repeat("b", 20)+strings.Repeat("a", 90)+".png"), []string{"No image in the project", "No image in the project"}},
		"long photos":      {nil, with(coco("a"+long+".png", "b"+long+".png"), "images/a"+long+".png", "images/b"+long+".png"), []string{kept(".png") + " one", kept(".png") + " two"}},
		"marked":           {[]string{"a.png", "b.png"}, masks("a_masks.png", "b_cp_masks.png"), []string{"a.png one", "b.png two"}},
		"marked, dots":     {[]string{"a.ome.png"}, masks("masks/a.ome-Label.png"), []string{"a.ome.png one"}},
		"marked, both":     {[]string{"a_img.png"}, masks("a_masks.png"), []string{"a_img.png one"}},
		"Cityscapes":       {[]string{"bonn/b_leftImg8bit.png", "a.png"}, masks("gtFine/val/a_gtFine_labelIds.png", "gtFine/val/bonn/b_gtFine_labelIds.png"), []string{"a.png ego vehicle", "bonn/b_leftImg8bit.png rectification border"}},
		"its photo":        {nil, with(masks("gtFine/val/bonn/b_gtFine_labelIds.png"), "leftImg8bit/val/bonn/b_leftImg8bit.png"), []string{"b_leftImg8bit.png ego vehicle"}},
		"so called":        {[]string{"a_masks.png", "a.png"}, masks("a_masks.png"), []string{"a_masks.png one"}},
		"marked, folders":  {[]string{"s1/a.png", "s2/a.png"}, masks("s1/a_masks.png", "s2/a_masks.png"), []string{"s1/a.png one", "s2/a.png two"}},
		"marked, one":      {[]string{"a.png"}, masks("s1/a_masks.png", "s2/a_masks.png"), []string{"The data set has more than one image called a_masks", "The data set has more than one image called a_masks"}},
		"marked, photo":    {nil, with(masks("masks/a_masks.png"), "images/a.png"), []string{"a.png one"}},
		"marked, long":     {[]string{long + ".jpeg"}, masks("masks/" + long + "_masks.png"), []string{kept(".jpeg") + " one"}},
		"a photo for both": {nil, with(coco("s1/a.png", "s2/a.png"), "images/a.png"), []string{"The data set has more than one image called a", "The data set has more than one image called a"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := workspacetest.MustOpen(t)
			p, err := w.CreateProject(t.Context(), "Folders", []segment.Class{{Name: "ground"}, {Name: "one"}, {Name: "two"}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, image := range c.images {
				if _, err := w.AddImage(t.Context(), p.ID, image, bytes.NewReader(scene())); err != nil {
					t.Fatal(err)
				}
			}
			files, err := dataset.FromFS(c.files)
			if err != nil {
				t.Fatal(err)
			}
			report, err := importer.Import(t.Context(), w, p.ID, files, dataset.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if p, err = w.Project(t.Context(), p.ID); err != nil { // it can have got classes
				t.Fatal(err)
			}
			var got []string
			seen := map[string]bool{}
			if len(report.Images) != len(c.want) {
				t.Fatalf("%+v", report.Images)
			}
			for i, r := range report.Images {
				if r.Problem != "" {
					got = append(got, r.Problem[:min(len(r.Problem), len(c.want[i]))])
					continue
				}
				a := workspacetest.MustOpenImage(t, w, r.Image)
				if seen[r.Image] {
					t.Errorf("image %s got two masks", r.Image)
				}
				seen[r.Image] = true
				got = append(got, a.Image().Name+" "+p.Classes[a.Pixels()[0]].Name)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// Exports name images of two folders with these, as the programs that have the pictures do.
func TestExportsOfTwoFolders(t *testing.T) {
	there := workspacetest.MustOpen(t)
	p, err := there.CreateProject(t.Context(), "Folders", []segment.Class{{Name: "ground"}, {Name: "one"}, {Name: "two"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"s1/a.png", "s2/a.png"} {
		im, err := there.AddImage(t.Context(), p.ID, name, bytes.NewReader(scene()))
		if err != nil {
			t.Fatal(err)
		}
		a := workspacetest.MustOpenImage(t, there, im.ID)
		mustAppend(t, a, segment.Event{Kind: segment.Label, Class: i + 1, Points: [][2]float64{{10, 40}}})
	}
	for _, format := range []string{"coco", "labelme", "cvat"} {
		report := mustImport(t, there, p.ID, mustExport(t, there, p.ID, format, export.Options{}), dataset.Options{})
		for i, r := range report.Images {
			if r.Problem != "" || r.Mask != fmt.Sprintf("s%d/a.png", i+1) {
				t.Errorf("%s: %+v", format, r)
			}
		}
	}
}

// Masks of an export come back to the images that they were made of, however alike the
// names of these are, and no two images have one name in a document.
func TestExportsFindTheirOwnImages(t *testing.T) {
	for _, names := range [][]string{
		{"x.bmp", "x.png"},
		{"a b.png", "a_b.png"},
		{"a b.png", "a_b.png", "A_B.png"},
		{"x.png", "X.png"},
		{"\u00e9.png", "e\u0301.png"},
		{"x.png", "x.png", "x-2.png"},
		{"a.png.jpg", "a.png"},
	} {
		for _, format := range []string{"voc", "coco", "labelme"} {
			for _, pictures := range []bool{false, true} {
				if format == "voc" && !pictures {
					continue // named as with pictures
				}
				t.Run(fmt.Sprintf("%q/%s/pictures=%t", names, format, pictures), func(t *testing.T) {
					w := workspacetest.MustOpen(t)
					p, err := w.CreateProject(t.Context(), "Alike", nil, nil)
					if err != nil {
						t.Fatal(err)
					}
					want := map[string][]uint8{} // by image
					for i, name := range names {
						im, err := w.AddImage(t.Context(), p.ID, name, bytes.NewReader(scene()))
						if err != nil {
							t.Fatal(err)
						}
						a := workspacetest.MustOpenImage(t, w, im.ID)
						pixels := make([]uint8, im.Width*im.Height)
						for at := range pixels[:im.Width*(i+1)] {
							pixels[at] = 1
						}
						if _, err := a.ImportMask(t.Context(), segment.NewID(), pixels, nil); err != nil {
							t.Fatal(err)
						}
						want[im.ID] = slices.Clone(pixels)
					}
					content := mustExport(t, w, p.ID, format, export.Options{Pictures: &pictures})
					for id := range want {
						mustAppend(t, workspacetest.MustOpenImage(t, w, id), segment.Event{Kind: segment.Undo})
					}
					for _, im := range mustImport(t, w, p.ID, content, dataset.Options{}).Images {
						if im.Problem != "" {
							t.Errorf("%s: %s", im.Mask, im.Problem)
						}
					}
					for id, pixels := range want {
						if a := workspacetest.MustOpenImage(t, w, id); !bytes.Equal(a.Pixels(), pixels) {
							t.Errorf("%s has not its own mask", a.Image().Name)
						}
					}
				})
			}
		}
	}
}

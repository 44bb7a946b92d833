package export_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/export"
	"collie/segment/photo/phototest"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// halves is a picture whose left half is red and whose right half is blue.
func halves(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{R: 200, G: uint8(x%16 + y%16), A: 255}
			if x >= width/2 {
				c = color.NRGBA{B: 200, G: uint8(x%16 - y%16 + 16), A: 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// at is a click: a class, and where.
type at struct {
	class int
	x, y  float64
}

// add adds an image and clicks in it; the first hypothesis is accepted when
// there are clicks.
func add(tb testing.TB, w *workspace.Workspace, project, name string, file []byte, clicks ...at) segment.Image {
	tb.Helper()
	im, err := w.AddImage(tb.Context(), project, name, bytes.NewReader(file))
	if err != nil {
		tb.Fatal(err)
	}
	a, err := w.Open(tb.Context(), im.ID)
	if err != nil {
		tb.Fatal(err)
	}
	defer a.Close()
	var events []segment.Event
	for _, c := range clicks {
		events = append(events, segment.Event{Kind: segment.Label, Class: c.class, Points: [][2]float64{{c.x, c.y}}})
	}
	if len(clicks) > 0 {
		events = append(events, segment.Event{Kind: segment.Accept, Pick: &segment.Pick{}})
	}
	for i, e := range events {
		e.ID = fmt.Sprintf("event-%d", i)
		if _, err := a.Append(tb.Context(), i, e); err != nil {
			tb.Fatal(err)
		}
	}
	return im.Image
}

// twoImages is a project with a finished image, an untouched one and one in
// which a part is decided.
func twoImages(tb testing.TB, w *workspace.Workspace) (segment.Project, []segment.Image) {
	tb.Helper()
	p, err := w.CreateProject(tb.Context(), "Halves", nil, nil)
	if err != nil {
		tb.Fatal(err)
	}
	file := phototest.MustPNG(tb, halves(120, 80))
	images := []segment.Image{
		add(tb, w, p.ID, "a b.png", file, at{0, 10, 40}, at{1, 110, 40}),
		add(tb, w, p.ID, "../A_B.png", file),
		add(tb, w, p.ID, "con.png", file, at{1, 110, 40}),
	}
	a, err := w.Open(tb.Context(), images[2].ID)
	if err != nil {
		tb.Fatal(err)
	}
	defer a.Close()
	workspacetest.MustAppend(tb, a, segment.Event{ID: "c", Kind: segment.Clear, Points: [][2]float64{{10, 40}}})
	return p, images
}

// mustWrite exports and returns the files by name, in order.
func mustWrite(tb testing.TB, w *workspace.Workspace, project, format string, o export.Options) (map[string][]byte, *export.Report) {
	tb.Helper()
	var b bytes.Buffer
	report, err := export.Write(tb.Context(), &b, w, project, format, o, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return unzip(tb, b.Bytes()), report
}

func unzip(tb testing.TB, content []byte) map[string][]byte {
	tb.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		tb.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		if files[f.Name] != nil || !filepath.IsLocal(f.Name) || strings.ContainsAny(f.Name, `\: `) {
			tb.Errorf("the archive has the name %q", f.Name)
		}
		if date := f.Modified.Format(time.DateOnly); date != "1980-01-01" {
			tb.Errorf("%s is of %s, want the first day that a zip can hold", f.Name, date)
		}
		r, err := f.Open()
		if err != nil {
			tb.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			tb.Fatal(err)
		}
	}
	return files
}

// Every format holds what its manifest says, which is what Write reports, and
// comes out the same each time.
func TestEveryFormat(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, images := twoImages(t, w)
	for _, f := range export.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			var first, second bytes.Buffer
			steps := []int{}
			report, err := export.Write(t.Context(), &first, w, p.ID, f.Name, export.Options{Hypotheses: new(3)}, func(done, total int) {
				steps = append(steps, done, total)
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]int{0, 3, 1, 3, 2, 3, 3, 3}, steps); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
			if _, err := export.Write(t.Context(), &second, w, p.ID, f.Name, export.Options{Hypotheses: new(3)}, nil); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Error("the second export differs from the first")
			}
			files := unzip(t, first.Bytes())
			var manifest export.Report
			if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil {
				t.Fatal(err)
			}
			if again, err := json.MarshalIndent(manifest, "", " "); err != nil || string(again)+"\n" != string(files["manifest.json"]) {
				t.Errorf("the manifest is not as it would be in one piece (%v):\n%s", err, cmp.Diff(string(again)+"\n", string(files["manifest.json"])))
			}
			listed := manifest.Files
			if manifest.Files = nil; !cmp.Equal(report, &manifest) {
				t.Errorf("report (-) and manifest (+):\n%s", cmp.Diff(report, &manifest))
			}
			if len(listed) != len(files)-1 {
				t.Errorf("%d files are reported, %d are there", len(listed), len(files)-1)
			}
			for _, file := range listed {
				sum := sha256.Sum256(files[file.Name])
				if hex.EncodeToString(sum[:]) != file.SHA256 || int64(len(files[file.Name])) != file.Bytes {
					t.Errorf("%s is not the file that is reported", file.Name)
				}
			}
			for i, im := range report.Images {
				if im.ID != images[i].ID || im.Stem != []string{"a_b", "A_B-2", "image-con"}[i] || im.RegionsOut > im.RegionsIn || im.RegionsOut < im.RegionsIn && im.Lossy == "" && im.Note == "" {
					t.Errorf("image %d is reported as %+v", i, im)
				}
			}
			if im := report.Images[0]; im.Status != "done" || im.Undecided != 0 || im.RegionsIn < 2 {
				t.Errorf("the finished image is reported as %+v", im)
			}
			if im := report.Images[1]; im.Status != "untouched" || im.Undecided != 120*80 || im.RegionsIn != 0 {
				t.Errorf("the untouched image is reported as %+v", im)
			}
		})
	}
}

// The mask in the archive is the labelling.
func TestMaskIsTheLabelling(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, images := twoImages(t, w)
	files, _ := mustWrite(t, w, p.ID, "index-png", export.Options{})
	for i, stem := range []string{"a_b", "A_B-2", "image-con"} {
		a := workspacetest.MustOpenImage(t, w, images[i].ID)
		img, err := png.Decode(bytes.NewReader(files["masks/"+stem+".png"]))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a.Pixels(), img.(*image.Paletted).Pix); diff != "" {
			t.Errorf("%s: labelling (-) and mask (+) differ:\n%s", stem, diff)
		}
	}
}

func TestApproved(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, images := twoImages(t, w)
	if _, err := w.SetReview(t.Context(), p.ID, []string{images[0].ID, images[1].ID}, nil, segment.Review{Status: segment.Approved}); err != nil {
		t.Fatal(err)
	}
	a := workspacetest.MustOpenImage(t, w, images[1].ID)
	workspacetest.MustAppend(t, a, segment.Event{ID: "late", Kind: segment.Label, Points: [][2]float64{{10, 40}}, Class: 1})
	_, report := mustWrite(t, w, p.ID, "index-png", export.Options{Approved: true})
	if len(report.Images) != 1 || report.Images[0].ID != images[0].ID || len(report.Skipped) != 2 ||
		!strings.Contains(report.Skipped[0].Why, "changed since") || !strings.Contains(report.Skipped[1].Why, "not approved") {
		t.Errorf("exported %+v, skipped %+v", report.Images, report.Skipped)
	}
}

// SegmentationObject has no numbers for objects of class 0 that somebody told apart, and
// masks of classes for none at all; the report says so.
func TestObjectsLeftOut(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, images := twoImages(t, w)
	a := workspacetest.MustOpenImage(t, w, images[0].ID)
	inside := slices.Index(a.Pixels(), 0)
	at := [][2]float64{{float64(inside%images[0].Width) + 0.5, float64(inside/images[0].Width) + 0.5}}
	workspacetest.MustAppend(t, a, segment.Event{ID: "told", Kind: segment.Instance, Class: 0, Points: at, Instances: []int32{1}})
	const classes = "Masks of classes don't tell objects"
	for format, says := range map[string]string{"voc": "no numbers for 1 object of it", "coco": "", "index-png": classes, "colour-png": classes, "numpy": classes} {
		_, report := mustWrite(t, w, p.ID, format, export.Options{Images: []string{images[0].ID}})
		if lossy := report.Images[0].Lossy; !strings.Contains(lossy, says) || says == "" && lossy != "" {
			t.Errorf("%s: %q", format, lossy)
		}
	}
}

func TestOptions(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, images := twoImages(t, w)
	no, yes := false, true
	t.Run("drafts", func(t *testing.T) {
		_, report := mustWrite(t, w, p.ID, "voc", export.Options{Drafts: &no})
		if len(report.Images) != 1 || len(report.Skipped) != 2 || report.Skipped[0].ID != images[1].ID || report.Skipped[0].Why == "" {
			t.Errorf("exported %+v, skipped %+v", report.Images, report.Skipped)
		}
	})
	t.Run("selection", func(t *testing.T) {
		files, report := mustWrite(t, w, p.ID, "index-png", export.Options{Images: []string{images[2].ID, images[1].ID}})
		if len(report.Images) != 2 || report.Images[0].ID != images[1].ID || files["masks/A_B-2.png"] == nil || files["masks/image-con.png"] == nil {
			t.Errorf("exported %+v", report.Images)
		}
		unknown := []string{"nobody"}
		for i := range 3000 {
			unknown = append(unknown, fmt.Sprint("other", i))
		}
		for n, want := range map[int]string{1: `no image "nobody".`, 5: `"other3".`, 6: "and 1 more.", len(unknown): `"nobody", "other0", "other1", "other10", "other100" and 2996 more.`} {
			_, err := export.Write(t.Context(), io.Discard, w, p.ID, "voc", export.Options{Images: unknown[:n]}, nil)
			if segment.KindOf(err) != segment.NotFound || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%d unknown images: %v", n, err)
			}
		}
	})
	t.Run("undecided as background", func(t *testing.T) {
		files, report := mustWrite(t, w, p.ID, "index-png", export.Options{Undecided: "background"})
		img, err := png.Decode(bytes.NewReader(files["masks/A_B-2.png"]))
		if err != nil {
			t.Fatal(err)
		}
		if slices.Max(img.(*image.Paletted).Pix) != 0 || report.Images[1].Undecided != 120*80 || report.Images[1].RegionsIn != 1 {
			t.Errorf("the untouched image is not all background: %+v", report.Images[1])
		}
	})
	t.Run("pictures", func(t *testing.T) {
		for _, f := range export.Formats() {
			o := export.Options{Images: []string{images[0].ID}, Hypotheses: new(2), Pictures: &no}
			without, _ := mustWrite(t, w, p.ID, f.Name, o)
			o.Pictures = &yes
			with, _ := mustWrite(t, w, p.ID, f.Name, o)
			if f.Name == "backup" { // has the originals in any case
				continue
			}
			if len(with) != len(without)+1 {
				t.Errorf("%s has %d files without the picture and %d with it: %v", f.Name, len(without), len(with), slices.Sorted(maps.Keys(with)))
			}
		}
	})
	t.Run("background", func(t *testing.T) {
		for _, format := range []string{"coco", "labelme", "cvat", "datumaro"} {
			_, report := mustWrite(t, w, p.ID, format, export.Options{Background: &no})
			if im := report.Images[0]; im.RegionsOut >= im.RegionsIn || im.Lossy != "" || !strings.HasPrefix(im.Note, `"background" has no objects of its own`) {
				t.Errorf("%s without undecided pixels: %+v", format, im)
			}
		}
	})
	t.Run("split", func(t *testing.T) {
		places := map[string]string{
			"voc": "ImageSets/Segmentation/val.txt", "coco": "annotations/instances_val.json", "coco-panoptic": "annotations/panoptic_val.json",
			"datumaro": "annotations/val.json", "yolo": "images/val/a_b.png", "cityscapes": "gtFine/val/a_b_gtFine_labelIds.png", "cvat": "annotations_val.xml",
			"label-images": "val/a_b_masks.png",
		}
		for _, f := range export.Formats() {
			files, report := mustWrite(t, w, p.ID, f.Name, export.Options{Hypotheses: new(1), Split: &export.Split{Val: new(100)}})
			place, ok := places[f.Name]
			if !ok {
				place = "splits/val.txt"
			}
			if f.Name == "backup" {
				if report.Parameters.Split != nil {
					t.Error("a backup is divided")
				}
				continue
			}
			if files[place] == nil || report.Images[0].Split != "val" {
				t.Errorf("%s has no %s, where its set called val should be (places lists those of formats that know of sets): %v", f.Name, place, slices.Sorted(maps.Keys(files)))
			}
			for name := range files {
				if strings.Contains(name, "default/") || strings.Contains(name, "train.txt") {
					t.Errorf("%s has %s, too", f.Name, name)
				}
			}
		}
	})
	t.Run("refused", func(t *testing.T) {
		for name, c := range map[string]struct {
			format string
			o      export.Options
		}{
			"format": {"gif", export.Options{}}, "undecided": {"voc", export.Options{Undecided: "red"}}, "objects": {"coco", export.Options{Objects: "all"}},
			"shapes": {"coco", export.Options{Shapes: "circle"}}, "hypotheses": {"numpy", export.Options{Hypotheses: new(1000)}}, "no hypotheses": {"numpy", export.Options{Hypotheses: new(0)}},
		} {
			if _, err := export.Write(t.Context(), io.Discard, w, p.ID, c.format, c.o, nil); segment.KindOf(err) != segment.Invalid {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// Readers treat pixels outside every object as background, so background needs no
// objects; another first class does.
func TestBackgroundDefault(t *testing.T) {
	for first, want := range map[string]bool{"background": false, "BG": false, "sky": true} {
		for _, f := range export.Formats() {
			o, err := f.Resolve(export.Options{}, []segment.Class{{ID: 0, Name: first}, {ID: 1, Name: "cat"}})
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(f.Uses, "background") && *o.Background != want {
				t.Errorf("%s with class 0 %s: background is %t", f.Name, first, *o.Background)
			}
		}
	}
}

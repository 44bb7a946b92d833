package export_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/backup"
	"collie/segment/export"
	"collie/segment/photo"
	"collie/storage/blob"
	"collie/storage/sqlite"
)

// mustOpenWorkspace opens a workspace over a real database and real files.
func mustOpenWorkspace(tb testing.TB) *segment.Workspace {
	tb.Helper()
	dir := tb.TempDir()
	store, err := sqlite.Open(tb.Context(), filepath.Join(dir, "collie.db"))
	if err != nil {
		tb.Fatal(err)
	}
	blobs, err := blob.Open(filepath.Join(dir, "blobs"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := errors.Join(store.Close(), blobs.Close()); err != nil {
			tb.Error(err)
		}
	})
	return segment.NewWorkspace(store, blobs, photo.NewGate(photo.Limits{}))
}

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

func mustPNG(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// turnedJPEG is a JPEG with EXIF data that tell how it is to be turned.
func turnedJPEG(tb testing.TB, img image.Image, orientation uint16) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		tb.Fatal(err)
	}
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	exif = binary.BigEndian.AppendUint16(exif, orientation)
	exif = append(exif, 0, 0, 0, 0, 0, 0)
	app1 := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return slices.Concat(b.Bytes()[:2], app1, exif, b.Bytes()[2:])
}

// at is a click: a class, and where.
type at struct {
	class int
	x, y  float64
}

// add adds an image and clicks in it; the first hypothesis is accepted when
// there are clicks.
func add(tb testing.TB, w *segment.Workspace, project, name string, file []byte, clicks ...at) segment.Image {
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
	return im
}

// twoImages is a project with a finished image, an untouched one and one in
// which a part is decided.
func twoImages(tb testing.TB, w *segment.Workspace) (segment.Project, []segment.Image) {
	tb.Helper()
	p, err := w.CreateProject(tb.Context(), "Halves", nil)
	if err != nil {
		tb.Fatal(err)
	}
	file := mustPNG(tb, halves(120, 80))
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
	if _, err := a.Append(tb.Context(), 2, segment.Event{ID: "c", Kind: segment.Clear, Points: [][2]float64{{10, 40}}}); err != nil {
		tb.Fatal(err)
	}
	return p, images
}

// mustWrite exports and returns the files by name, in order.
func mustWrite(tb testing.TB, w *segment.Workspace, project, format string, o export.Options) (map[string][]byte, *export.Report) {
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
	w := mustOpenWorkspace(t)
	p, images := twoImages(t, w)
	for _, f := range export.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			var first, second bytes.Buffer
			steps := []int{}
			report, err := export.Write(t.Context(), &first, w, p.ID, f.Name, export.Options{Hypotheses: 3}, func(done, total int) {
				steps = append(steps, done, total)
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]int{0, 3, 1, 3, 2, 3, 3, 3}, steps); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
			if _, err := export.Write(t.Context(), &second, w, p.ID, f.Name, export.Options{Hypotheses: 3}, nil); err != nil {
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
			if diff := cmp.Diff(report, &manifest); diff != "" {
				t.Errorf("report (-) and manifest (+):\n%s", diff)
			}
			if len(report.Files) != len(files)-1 {
				t.Errorf("%d files are reported, %d are there", len(report.Files), len(files)-1)
			}
			for _, file := range report.Files {
				sum := sha256.Sum256(files[file.Name])
				if hex.EncodeToString(sum[:]) != file.SHA256 || int64(len(files[file.Name])) != file.Bytes {
					t.Errorf("%s is not the file that is reported", file.Name)
				}
			}
			for i, im := range report.Images {
				if im.ID != images[i].ID || im.Stem != []string{"a_b", "A_B-2", "image-con"}[i] || im.RegionsOut > im.RegionsIn || im.RegionsOut < im.RegionsIn && im.Lossy == "" {
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
	w := mustOpenWorkspace(t)
	p, images := twoImages(t, w)
	files, _ := mustWrite(t, w, p.ID, "index-png", export.Options{})
	for i, stem := range []string{"a_b", "A_B-2", "image-con"} {
		a, err := w.Open(t.Context(), images[i].ID)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		img, err := png.Decode(bytes.NewReader(files["masks/"+stem+".png"]))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a.Pixels(), img.(*image.Paletted).Pix); diff != "" {
			t.Errorf("%s: labelling (-) and mask (+) differ:\n%s", stem, diff)
		}
	}
}

func TestOptions(t *testing.T) {
	w := mustOpenWorkspace(t)
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
		_, err := export.Write(t.Context(), io.Discard, w, p.ID, "voc", export.Options{Images: []string{"nobody"}}, nil)
		if segment.KindOf(err) != segment.NotFound {
			t.Errorf("an unknown image: %v", err)
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
			o := export.Options{Images: []string{images[0].ID}, Hypotheses: 2, Pictures: &no}
			without, _ := mustWrite(t, w, p.ID, f.Name, o)
			o.Pictures = &yes
			with, report := mustWrite(t, w, p.ID, f.Name, o)
			if f.Name == "backup" { // has the originals in any case
				continue
			}
			if len(with) != len(without)+1 {
				t.Errorf("%s has %d files without the picture and %d with it: %v", f.Name, len(without), len(with), report.Files)
			}
		}
	})
	t.Run("background", func(t *testing.T) {
		for _, format := range []string{"coco", "labelme", "cvat", "datumaro"} {
			_, report := mustWrite(t, w, p.ID, format, export.Options{Background: &no})
			if im := report.Images[0]; im.RegionsOut >= im.RegionsIn || !strings.Contains(im.Lossy, "class 0") {
				t.Errorf("%s: %+v", format, im)
			}
		}
	})
	t.Run("refused", func(t *testing.T) {
		for name, c := range map[string]struct {
			format string
			o      export.Options
		}{
			"format": {"gif", export.Options{}}, "undecided": {"voc", export.Options{Undecided: "red"}}, "objects": {"coco", export.Options{Objects: "all"}},
			"shapes": {"coco", export.Options{Shapes: "circle"}}, "hypotheses": {"numpy", export.Options{Hypotheses: 1000}},
		} {
			if _, err := export.Write(t.Context(), io.Discard, w, p.ID, c.format, c.o, nil); segment.KindOf(err) != segment.Invalid {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A mask lies in the frame in which the image is displayed: where the right half
// was clicked, however the file stores it, the mask has that class.
func TestFrames(t *testing.T) {
	t.Parallel()
	grey := image.NewGray16(image.Rect(0, 0, 120, 80))
	for y := range 80 {
		for x := range 120 {
			grey.SetGray16(x, y, color.Gray16{Y: uint16(9000 + x + y + 40000*(x/60))})
		}
	}
	wide := image.NewNRGBA64(image.Rect(0, 0, 120, 80))
	for y := range 80 {
		for x := range 120 {
			wide.SetNRGBA64(x, y, color.NRGBA64{R: uint16(60000 * (x / 60)), B: uint16(500 * y), A: 0xffff})
		}
	}
	// Turned by a quarter, the left half of what is stored is the upper one.
	files := []struct {
		name          string
		content       []byte
		width, height int
		a, b          at
	}{
		{"grey-16-bit.png", mustPNG(t, grey), 120, 80, at{0, 5, 70}, at{1, 115, 5}},
		{"colour-16-bit.png", mustPNG(t, wide), 120, 80, at{0, 5, 70}, at{1, 115, 5}},
		{"turned-6.jpg", turnedJPEG(t, halves(120, 80), 6), 80, 120, at{0, 5, 5}, at{1, 5, 115}},
		{"turned-8.jpg", turnedJPEG(t, halves(120, 80), 8), 80, 120, at{0, 5, 115}, at{1, 5, 5}},
		{"mirrored-2.jpg", turnedJPEG(t, halves(120, 80), 2), 120, 80, at{0, 115, 5}, at{1, 5, 5}},
	}
	if !testing.Short() {
		files = append(files, struct {
			name          string
			content       []byte
			width, height int
			a, b          at
		}{"12-megapixels.jpg", turnedJPEG(t, halves(4000, 3000), 6), 3000, 4000, at{0, 2900, 100}, at{1, 2900, 3900}})
	}
	w := mustOpenWorkspace(t)
	p, err := w.CreateProject(t.Context(), "Frames", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		add(t, w, p.ID, f.name, f.content, f.a, f.b)
	}
	out, report := mustWrite(t, w, p.ID, "voc", export.Options{})
	for i, f := range files {
		stem := strings.TrimSuffix(f.name, path.Ext(f.name))
		img, err := png.Decode(bytes.NewReader(out["SegmentationClass/"+stem+".png"]))
		if err != nil {
			t.Fatal(err)
		}
		mask := img.(*image.Paletted)
		if size := mask.Bounds().Size(); size != image.Pt(f.width, f.height) || report.Images[i].Width != f.width {
			t.Errorf("%s: the mask is %v, want %d×%d", f.name, size, f.width, f.height)
			continue
		}
		picture, err := jpeg.Decode(bytes.NewReader(out["JPEGImages/"+stem+".jpg"]))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(out["JPEGImages/"+stem+".jpg"], []byte("Exif")) || picture.Bounds() != mask.Bounds() {
			t.Errorf("%s: the picture is %v, or has EXIF data", f.name, picture.Bounds())
		}
		wrong := 0
		for y := range f.height {
			for x := range f.width {
				want := uint8(1)
				if f.a.in(x, y, f.width, f.height) {
					want = 0
				}
				if mask.ColorIndexAt(x, y) != want {
					wrong++
				}
			}
		}
		if share := float64(wrong) / float64(f.width*f.height); share > 0.02 {
			t.Errorf("%s: %.1f %% of the mask are not the half that was clicked", f.name, 100*share)
		}
	}
}

// in reports whether a pixel is in the half of the image that was clicked: the
// halves lie side by side, or in upright images one above the other.
func (a at) in(x, y, width, height int) bool {
	if width < height {
		return (y < height/2) == (int(a.y) < height/2)
	}
	return (x < width/2) == (int(a.x) < width/2)
}

// A backup holds all that it takes to play the evidence again.
func TestBackup(t *testing.T) {
	w := mustOpenWorkspace(t)
	p, images := twoImages(t, w)
	files, _ := mustWrite(t, w, p.ID, "backup", export.Options{})
	var doc backup.Document
	if err := json.Unmarshal(files[backup.File], &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Kind != backup.Kind || doc.Version != backup.Version || doc.Project.Name != p.Name || len(doc.Project.Classes) != 2 || len(doc.Images) != len(images) {
		t.Fatalf("document %+v", doc)
	}
	for i, im := range doc.Images {
		a, err := w.Open(t.Context(), images[i].ID)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		var events []segment.Event
		for e, err := range backup.ReadEvents(bytes.NewReader(files[im.Evidence])) {
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
		}
		if diff := cmp.Diff(a.Events(0), events); diff != "" {
			t.Errorf("evidence of image %d (-there +read):\n%s", i, diff)
		}
		sum := sha256.Sum256(a.Pixels())
		if im.Labelling != hex.EncodeToString(sum[:]) || im.Seq != len(events) {
			t.Errorf("image %d: %+v", i, im)
		}
		for name, key := range map[string]string{im.Original: images[i].OriginalKey(), im.Hierarchy: images[i].HierarchyKey(), im.Graph: images[i].GraphKey()} {
			r, err := w.Blob(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			want, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(want, files[name]) {
				t.Errorf("%s is not the file %s: %v", name, key, err)
			}
		}
	}
}

package export

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/annotation"
	"collie/segment/export/zipfile"
	"collie/segment/mask"
	"collie/segment/mask/masktest"
)

// records is a Source of records alone: the labellings are put in by the tests.
type records struct {
	project segment.Project
	images  []segment.Image
}

func (r *records) Project(context.Context, string) (segment.Project, error) { return r.project, nil }

func (r *records) ImagesAfter(context.Context, string, string, int) ([]segment.Image, error) {
	return r.images, nil
}

func (r *records) Image(_ context.Context, id string) (segment.Image, error) {
	i := slices.IndexFunc(r.images, func(im segment.Image) bool { return im.ID == id })
	return r.images[i], nil
}

func (r *records) Visit(context.Context, string) (*annotation.Annotation, error) {
	return nil, segment.Errorf(segment.NotFound, "There is no evidence here.")
}

func (r *records) Blob(context.Context, segment.Image, string) (io.ReadSeekCloser, error) {
	return nil, segment.Errorf(segment.NotFound, "There are no files here.")
}

func (r *records) MayIn(context.Context, string, access.Action) error { return nil }

func (r *records) Pictures(context.Context, int64) (func(), error) { return func() {}, nil }

// classesFor are n classes with names that are hard to write.
func classesFor(n int) []segment.Class {
	names := []string{"background", `a "quoted" <name> & more`, "ü – 森", "colon: here"}
	for len(names) < n {
		names = append(names, fmt.Sprintf("class %d", len(names)))
	}
	classes := make([]segment.Class, n)
	for i := range classes {
		classes[i] = segment.Class{ID: uint8(i), Name: names[i], Color: segment.PaletteColor(i)}
	}
	return classes
}

type failer interface {
	Helper()
	Fatal(...any)
}

// write exports masks as if they were the labellings of images.
func write(tb failer, format string, o Options, classes int, masks []mask.Mask) ([]byte, *Report) {
	tb.Helper()
	return writeObjects(tb, format, o, classes, masks, make([][]int32, len(masks)))
}

// writeObjects is write with the object of each pixel, or nil, for each mask.
func writeObjects(tb failer, format string, o Options, classes int, masks []mask.Mask, objects [][]int32) ([]byte, *Report) {
	tb.Helper()
	source := &records{project: segment.Project{ID: "p", Name: "Masks & more", Classes: classesFor(classes)}}
	for i, m := range masks {
		source.images = append(source.images, segment.Image{
			ID: fmt.Sprintf("id%d", i), Name: fmt.Sprintf("mask %d.png", i), Format: "png",
			Width: m.Width, Height: m.Height, Seq: 1, Progress: segment.Progress{Decided: 1},
		})
	}
	no := false
	o.Pictures = &no
	j, m, err := newJob(context.Background(), source, "p", format, o)
	defer m.Close()
	if err != nil {
		tb.Fatal(err)
	}
	if j.encoder, err = j.format.encoder(j); err != nil {
		tb.Fatal(err)
	}
	var b bytes.Buffer
	out := zipfile.NewWriter(&b, m.file)
	err = j.write(context.Background(), out, m, func(int, int) {}, func(ctx context.Context, number int) (*piece, error) {
		s := j.subject(number)
		s.image.Seq = 0 // there is no evidence
		s.take(slices.Clone(masks[number].Pixels))
		s.objects = masktest.Objects(masks[number].Width, masks[number].Height, objects[number])
		return s.encode(ctx)
	})
	if err == nil {
		err = m.end(out)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b.Bytes(), m.report
}

// exampleMasks are masks of every kind, the same in each run.
func exampleMasks(classes int) []mask.Mask {
	random := rand.New(rand.NewPCG(7, 11))
	blank := func(w, h int, l uint8) mask.Mask {
		return mask.Mask{Width: w, Height: h, Pixels: slices.Repeat([]uint8{l}, w*h)}
	}
	label := func() uint8 {
		if l := random.IntN(classes + 1); l < classes {
			return uint8(l)
		}
		return segment.Void
	}
	masks := []mask.Mask{
		blank(5, 4, segment.Void), blank(4, 5, 0), blank(6, 3, 1), blank(1, 1, 2), blank(1, 7, 1), blank(7, 1, 1),
	}
	rings := blank(41, 37, 0) // one in the other
	for y := range rings.Height {
		for x := range rings.Width {
			rings.Pixels[y*rings.Width+x] = uint8(min(x, y, rings.Width-1-x, rings.Height-1-y) % classes)
		}
	}
	dots := blank(60, 40, 0) // single pixels: more than 300 regions
	for y := 1; y < dots.Height; y += 2 {
		for x := 1; x < dots.Width; x += 3 {
			dots.Pixels[y*dots.Width+x] = uint8(1 + (x+y)%(classes-1))
		}
	}
	board := blank(16, 16, 0) // regions that touch at corners only
	for i := range board.Pixels {
		board.Pixels[i] = uint8((i%16 + i/16) % 2)
	}
	masks = append(masks, rings, dots, board)
	for range 40 {
		m := blank(1+random.IntN(60), 1+random.IntN(60), label())
		for range random.IntN(12) {
			l, x, y := label(), random.IntN(m.Width), random.IntN(m.Height)
			w, h := 1+random.IntN(m.Width-x), 1+random.IntN(m.Height-y)
			round := random.IntN(2) == 0
			for dy := range h {
				for dx := range w {
					fx, fy := (float64(2*dx+1)/float64(w))-1, (float64(2*dy+1)/float64(h))-1
					if !round || fx*fx+fy*fy <= 1 {
						m.Pixels[(y+dy)*m.Width+x+dx] = l
					}
				}
			}
		}
		for range random.IntN(30) * random.IntN(2) {
			m.Pixels[random.IntN(len(m.Pixels))] = label()
		}
		masks = append(masks, m)
	}
	return masks
}

// exampleObjects separates objects in every second mask: those of odd classes left
// and right of the middle.
func exampleObjects(masks []mask.Mask) [][]int32 {
	all := make([][]int32, len(masks))
	for i, m := range masks {
		if i%2 == 0 {
			continue
		}
		all[i] = make([]int32, len(m.Pixels))
		for at, l := range m.Pixels {
			all[i][at] = -1
			if l != segment.Void && l%2 == 1 {
				all[i][at] = int32(l) + int32(2*(at%m.Width)/m.Width)
			}
		}
	}
	return all
}

// unpack writes the files of a zip to a new folder.
func unpack(t *testing.T, content []byte) string {
	t.Helper()
	dir := t.TempDir()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	return dir
}

// python returns an interpreter that has the libraries which readers.py uses, or
// skips the test.
func python(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped with -short: starts other programs")
	}
	var why []string
	for _, p := range []string{"/usr/bin/python3", "python3"} {
		out, err := exec.Command(p, "-c", "import cv2, numpy, PIL, skimage").CombinedOutput()
		if err == nil {
			return p
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		why = append(why, fmt.Sprintf("%s: %v, %s", p, err, lines[len(lines)-1]))
	}
	t.Skipf("needs python3 with numpy, pil, opencv and skimage: %s", strings.Join(why, "; "))
	return ""
}

// Other programs read the labelling from an export, pixel by pixel, and notice
// when it differs.
func TestReaders(t *testing.T) {
	t.Parallel()
	const classes = 6
	yes := true
	interpreter := python(t)
	masks := exampleMasks(classes)
	objects := exampleObjects(masks)
	arguments := []string{"testdata/readers.py", ""}
	var report *Report
	for _, c := range []struct {
		format string
		o      Options
	}{
		{"index-png", Options{}},
		{"colour-png", Options{}},
		{"voc", Options{}},
		{"coco", Options{Background: &yes}},
		{"coco", Options{Background: &yes, Shapes: "mask"}},
		{"coco-panoptic", Options{}},
		{"labelme", Options{Background: &yes}},
		{"labelme", Options{Background: &yes, Shapes: "polygon"}},
		{"cvat", Options{Background: &yes}},
		{"datumaro", Options{Background: &yes}},
		{"cityscapes", Options{}},
		{"label-images", Options{Background: &yes}},
		{"numpy", Options{}},
		{"yolo", Options{}},
	} {
		var content []byte
		content, report = writeObjects(t, c.format, c.o, classes, masks, objects)
		arguments = append(arguments, c.format+"="+unpack(t, content))
	}
	for _, format := range maskFormats() {
		if !slices.ContainsFunc(arguments, func(a string) bool { return strings.HasPrefix(a, format+"=") }) {
			t.Errorf("nothing reads %s: add it to this test and to readers.py", format)
		}
	}
	read := func(masks []mask.Mask) []string {
		arguments[1] = writeTruth(t, report, masks, objects)
		out, err := exec.Command(interpreter, arguments...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	for _, line := range read(masks) {
		if !strings.HasSuffix(line, ": same") {
			t.Error(line)
		}
	}
	altered := slices.Clone(masks)
	last := &altered[len(masks)-1]
	last.Pixels = slices.Clone(last.Pixels)
	last.Pixels[len(last.Pixels)/2] ^= 1
	if lines := read(altered); slices.ContainsFunc(lines, func(line string) bool { return strings.HasSuffix(line, ": same") }) {
		t.Errorf("a pixel was changed, and some readers did not see it:\n%s", strings.Join(lines, "\n"))
	}
}

// writeTruth writes what readers.py compares with.
func writeTruth(t *testing.T, report *Report, masks []mask.Mask, objects [][]int32) (file string) {
	t.Helper()
	type image struct {
		Stem    string  `json:"stem"`
		Width   int     `json:"width"`
		Height  int     `json:"height"`
		Pixels  []byte  `json:"pixels"`
		Objects []int32 `json:"objects"`
	}
	var truth struct {
		Classes []ClassReport `json:"classes"`
		Images  []image       `json:"images"`
	}
	truth.Classes = report.Project.Classes
	for i, m := range masks {
		truth.Images = append(truth.Images, image{report.Images[i].Stem, m.Width, m.Height, m.Pixels, objects[i]})
	}
	b, err := json.Marshal(truth)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "truth.json")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

package export

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/mask"
	"collie/segment/mask/masktest"
)

// Whatever the masks, every format can be written, accounts for every region and
// comes out the same again.
func TestAnyMasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var masks []mask.Mask
		for range rapid.IntRange(0, 3).Draw(t, "images") {
			masks = append(masks, masktest.Draw(t))
		}
		f := rapid.SampledFrom(maskFormats()).Draw(t, "format")
		o := Options{
			Undecided: rapid.SampledFrom([]string{"void", "background"}).Draw(t, "undecided"),
			Objects:   rapid.SampledFrom([]string{"region", "class"}).Draw(t, "objects"),
			Shapes:    rapid.SampledFrom([]string{"polygon", "mask"}).Draw(t, "shapes"),
		}
		first, report := write(t, f, o, 3, masks)
		second, _ := write(t, f, o, 3, masks)
		if !bytes.Equal(first, second) {
			t.Fatal("the second export differs")
		}
		if len(report.Images) != len(masks) {
			t.Fatalf("%d images are reported", len(report.Images))
		}
		for _, im := range report.Images {
			if im.RegionsOut > im.RegionsIn || im.RegionsOut < im.RegionsIn && im.Lossy == "" && im.Note == "" {
				t.Fatalf("image %+v", im)
			}
		}
	})
}

// maskFormats are the formats made from the labelling alone.
func maskFormats() []string {
	return slices.DeleteFunc(FormatNames(), func(name string) bool { return name == "hypotheses" || name == "backup" })
}

// docs/formats.md has a row about every format.
func TestFormatsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range FormatNames() {
		if !strings.Contains(string(page), "\n| `"+name+"` |") {
			t.Errorf("no row is about %s", name)
		}
	}
}

// 300 objects do not fit a byte, and the report says so.
func TestTooManyObjects(t *testing.T) {
	m := mask.Mask{Width: 60, Height: 40, Pixels: make([]uint8, 60*40)}
	for y := 1; y < m.Height; y += 2 {
		for x := 1; x < m.Width; x += 4 {
			m.Pixels[y*m.Width+x] = 1
		}
	}
	content, report := write(t, "voc", Options{}, 2, []mask.Mask{m})
	if im := report.Images[0]; im.RegionsIn != 301 || im.RegionsOut != 255 || im.Lossy == "" && im.Note == "" || report.Lossy != 1 {
		t.Errorf("report %+v", im)
	}
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("SegmentationClass/mask_0.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.Pixels, img.(*image.Paletted).Pix); diff != "" {
		t.Errorf("SegmentationClass (-want +got):\n%s", diff)
	}
	many := mask.Mask{Width: 600, Height: 600, Pixels: make([]uint8, 600*600)}
	for i := range many.Pixels {
		if i%2 == 0 && i/many.Width%2 == 0 {
			many.Pixels[i] = uint8(1 + i/many.Width%4/2)
		}
	}
	_, report = write(t, "label-images", Options{}, 3, []mask.Mask{many})
	if im, want := report.Images[0], "A label image of 16 bits can number only 65535 objects; the other 24465 have the value 0 there. Label images say nothing of classes, and the objects have 2 of them."; im.RegionsOut != 65535 || im.Lossy != want {
		t.Errorf("label images: %+v", im)
	}
	_, report = write(t, "cityscapes", Options{}, 100, []mask.Mask{{Width: 3, Height: 1, Pixels: []uint8{64, 66, 99}}})
	if im := report.Images[0]; im.RegionsIn != 3 || im.RegionsOut != 1 || im.Lossy == "" && im.Note == "" {
		t.Errorf("Cityscapes: %+v", im)
	}
}

// CVAT and Datumaro read the lines of label_colors.txt word by word.
func TestCityscapesNames(t *testing.T) {
	c := cityscapes{job: &job{project: segment.Project{Classes: []segment.Class{{Name: "road", Color: "#804080"}, {Name: "traffic  light", Color: "#faaa1e"}}}}}
	files, err := c.finish()
	if err != nil {
		t.Fatal(err)
	}
	if want := "128 64 128 road\n250 170 30 traffic_light\n"; files[0].Report.Name != "label_colors.txt" || string(files[0].Packed) != want {
		t.Errorf("%s: %q, want %q", files[0].Report.Name, files[0].Packed, want)
	}
}

// Colours that don't tell classes apart are reported where they are used.
func TestColoursAlike(t *testing.T) {
	p := colourPNG{job: &job{project: segment.Project{Classes: []segment.Class{{Name: "ground", Color: "#000000"}, {Name: "cat", Color: "#ff0000"}, {Name: "dog", Color: "#ff0000"}, {Name: "sand", Color: "#e0e0c0"}}}}}
	for _, c := range []struct{ pixels, want string }{{"\x00\xff", ""}, {"\x00\x02", "dog"}, {"\x01\x03\x02", "cat, dog, sand"}} {
		if got := strings.Join(p.alike([]byte(c.pixels)), ", "); got != c.want {
			t.Errorf("%q: %q, want %q", c.pixels, got, c.want)
		}
	}
}

func TestFloat16(t *testing.T) {
	for v, want := range map[float64]uint16{
		0: 0, 1: 0x3c00, 0.5: 0x3800, 1.0 / 3: 0x3555, 0.05: 0x2a66, 0.99999: 0x3c00, 6.103515625e-05: 0x0400,
		5.960464477539063e-08: 1, 2e-8: 0, 6.1e-05: 0x03ff, 0.95: 0x3b9a,
	} {
		if got := float16(v); got != want {
			t.Errorf("float16(%v) = %#04x, want %#04x", v, got, want)
		}
	}
}

func TestStems(t *testing.T) {
	var stems Stems
	var got []string
	for _, name := range []string{
		"a.jpg", "A.png", "../../etc/passwd", "nul.txt", "", "日本.jpg", "a-2.jpg", ".hidden", "x y?.tif", "Manifest.json.png",
		"ФАЙЛ 1.png", "файл_1.png", "か\u3099.png", "が.png", "صورة ١.png", "🐈\ufe0f.png", "猫\u3164.png", "\xff.png", "_DSC0042.JPG", "-rf.png", "scan_.png", "photo (1).png", strings.Repeat("猫", 99) + ".png", "İ.png",
	} {
		got = append(got, stems.Next(name))
	}
	want := []string{
		"a", "A-2", "etc_passwd", "image-nul", "image", "日本", "a-2-2", "image-2", "x_y", "image-Manifest.json",
		"ФАЙЛ_1", "файл_1-2", "が", "が-2", "صورة_١", "image-3", "猫", "image-4", "_DSC0042", "rf", "scan_", "photo__1", strings.Repeat("猫", 53), "İ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stems (-want +got):\n%s", diff)
	}
}

// Names are found without a search through all images of the same name.
func TestStemsOfOneName(t *testing.T) {
	const images = 1000
	last := ""
	allocated := testing.AllocsPerRun(1, func() {
		var stems Stems
		for range images {
			last = stems.Next("日本.jpg")
		}
	})
	if want := fmt.Sprintf("日本-%d", images); last != want {
		t.Errorf("the last of %d: %q, want %q", images, last, want)
	}
	if allocated > 20*images {
		t.Errorf("%v allocations for %d images", allocated, images)
	}
}

// An image in which nothing is decided has no file where an empty one would claim that it
// contains nothing.
func TestNothingLabelled(t *testing.T) {
	void := mask.Mask{Width: 2, Height: 1, Pixels: []uint8{segment.Void, segment.Void}}
	for _, format := range []string{"label-images", "yolo"} {
		content, report := write(t, format, Options{}, 2, []mask.Mask{void, {Width: 2, Height: 1, Pixels: []uint8{0, 0}}})
		z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		var with []string
		for _, f := range z.File {
			if strings.Contains(f.Name, "mask_") {
				with = append(with, f.Name)
			}
		}
		if len(with) != 1 || !strings.Contains(with[0], "mask_1") || !strings.Contains(report.Images[0].Note, "Nothing is labelled") {
			t.Errorf("%s: files %q, note %q", format, with, report.Images[0].Note)
		}
	}
}

package simulate

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"collie/segment/photo/phototest"
)

// Spreadsheets and editors write a byte order mark and empty lines.
func TestIndex(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "images"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Pictures(dir, 0); err == nil || !strings.Contains(err.Error(), "has no images") {
		t.Errorf("an empty folder: %v", err)
	}
	for _, name := range []string{"images/a.jpg", "images/._a.jpg", "images/b.png"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := Pictures(dir, 0); err != nil || len(list) != 2 {
		t.Errorf("%v, %v; want a and b without the hidden file", list, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.tsv"), []byte("\ufeffid\trank\r\nb\t1\r\na\t2\r\n\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	list, err := Pictures(dir, 0)
	if err != nil || len(list) != 2 || list[0].ID != "b" || list[1].ID != "a" {
		t.Errorf("%v, %v; want b and a", list, err)
	}
	if _, _, err := list[0].LoadLabelled(); err == nil || !strings.Contains(err.Error(), "b.png") {
		t.Errorf("an empty image: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.tsv"), []byte("id\nb\na\nb\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if list, err := Pictures(dir, 0); err == nil || !strings.Contains(err.Error(), `index.tsv names image "b" twice`) {
		t.Errorf("%v, %v; want an error about b", list, err)
	}
}

// A file that can't be opened is an error, whatever the reason.
func TestDecodeWithoutFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{file + ".png": " is missing", filepath.Join(file, "a.png"): "a.png"} {
		if _, err := Decode(path, png.Decode); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// What is wrong with the last mask is found when the folder is listed.
func TestLabelled(t *testing.T) {
	dir := t.TempDir()
	save := func(name string, img image.Image) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
	}
	box := image.Rect(0, 0, 3, 2)
	for _, name := range []string{"a", "b"} {
		save("images/"+name+".png", image.NewNRGBA(box))
		save("masks/"+name+".png", image.NewGray(box))
	}
	if list, err := Labelled(dir, 0); err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	for says, img := range map[string]image.Image{"b.png is 2×3 pixels, its image 3×2, perhaps after EXIF data has turned it upright": image.NewGray(image.Rect(0, 0, 2, 3)), "b.png is not a mask": image.NewNRGBA(box)} {
		save("masks/b.png", img)
		if _, err := Labelled(dir, 0); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one with %q", err, says)
		}
		if list, err := Labelled(dir, 1); err != nil || len(list) != 1 {
			t.Errorf("a alone: %v, %v", list, err)
		}
	}
	// A decoder stretches grey of few bits to 255, so class 1 would become void.
	const grey1 = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x03\x00\x00\x00\x02\x01\x00\x00\x00\x00\xb5\x0f[\xb7" +
		"\x00\x00\x00\fIDATx\x9ccH`X\x00\x00\x01\xc4\x01\x01d\xba3\xbf\x00\x00\x00\x00IEND\xaeB`\x82"
	mask := filepath.Join(dir, "masks", "b.png")
	if err := os.WriteFile(mask, []byte(grey1), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Labelled(dir, 0)
	_, other := ReadMask(mask, box.Size())
	for _, err := range []error{err, other} {
		if err == nil || !strings.Contains(err.Error(), "b.png can't be read: a grey mask needs 8 bits a pixel, this one has 1") {
			t.Errorf("a mask of one bit: %v", err)
		}
	}
	if err := os.Remove(mask); err != nil {
		t.Fatal(err)
	}
	if _, err := Labelled(dir, 0); err == nil || !strings.Contains(err.Error(), "b.png is missing") {
		t.Errorf("without a mask: %v", err)
	}
}

// Images are upright by their EXIF data, as on the server, and so are their masks.
func TestUprightImages(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"images", "masks"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	stored := image.NewNRGBA(image.Rect(0, 0, 16, 8))
	for at := range stored.Pix {
		stored.Pix[at] = 255
	}
	stored.SetNRGBA(15, 0, color.NRGBA{0, 0, 0, 255}) // in the lower right corner when turned clockwise
	files := phototest.Located(t, stored)
	upright := image.NewGray16(image.Rect(0, 0, 8, 16)) // of a microscope with 12 bits
	for at := range 8*16 - 1 {
		upright.SetGray16(at%8, at/8, color.Gray16{4095})
	}
	var slide bytes.Buffer
	if err := tiff.Encode(&slide, upright, nil); err != nil {
		t.Fatal(err)
	}
	files["slide.tif"] = slide.Bytes()
	for _, name := range []string{"photo.jpg", "drawing.png", "slide.tif"} {
		mask, err := os.Create(filepath.Join(dir, "masks", strings.TrimSuffix(name, filepath.Ext(name))+".png"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(png.Encode(mask, image.NewGray(image.Rect(0, 0, 8, 16))), mask.Close(), os.WriteFile(filepath.Join(dir, "images", name), files[name], 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Labelled(dir, 0)
	if err != nil || len(list) != 3 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, p := range list {
		img, mask, err := p.LoadLabelled()
		if err != nil || img.Rect != image.Rect(0, 0, 8, 16) || len(mask) != 8*16 {
			t.Fatalf("%s: %v with %d pixels of its mask, %v", p.ID, img.Rect, len(mask), err)
		}
		if dark, light := img.NRGBAAt(7, 15).R, img.NRGBAAt(0, 0).R; dark > 128 || light < 128 {
			t.Errorf("%s: %d in the lower right corner, %d in the upper left one", p.ID, dark, light)
		}
	}
}

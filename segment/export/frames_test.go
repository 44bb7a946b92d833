package export_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"path"
	"slices"
	"strings"
	"testing"

	"collie/segment"
	"collie/segment/export"
	"collie/segment/photo"
	"collie/segment/photo/phototest"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// turnedJPEG is a JPEG whose EXIF data say how to turn it.
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

// A mask is in the frame of the displayed image: where the right half was clicked,
// the mask has that class, however the file stores the image.
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
	// After a quarter turn the left half of the stored image is the upper one.
	files := []struct {
		name          string
		content       []byte
		width, height int
		a, b          at
	}{
		{"grey-16-bit.png", phototest.MustPNG(t, grey), 120, 80, at{0, 5, 70}, at{1, 115, 5}},
		{"colour-16-bit.png", phototest.MustPNG(t, wide), 120, 80, at{0, 5, 70}, at{1, 115, 5}},
		{"turned-6.jpg", turnedJPEG(t, halves(120, 80), 6), 80, 120, at{0, 5, 5}, at{1, 5, 115}},
		{"turned-8.jpg", turnedJPEG(t, halves(120, 80), 8), 80, 120, at{0, 5, 115}, at{1, 5, 5}},
		{"mirrored-2.jpg", turnedJPEG(t, halves(120, 80), 2), 120, 80, at{0, 115, 5}, at{1, 5, 5}},
	}
	w := workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Frames", nil, &segment.Rest{}) // both halves are clicked
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
		if share := float64(wrong) / float64(f.width*f.height); share > 0.025 {
			t.Errorf("%s: %.1f %% of the mask are not the half that was clicked", f.name, 100*share)
		}
	}
}

// A camera's image with 12 bits in channels of 16 is exported as people see it: the upper
// 8 bits alone would be 16 greys, nearly black.
func TestDeepPictures(t *testing.T) {
	t.Parallel()
	grey := image.NewGray16(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			grey.SetGray16(x, y, color.Gray16{Y: uint16(64*y + x)})
		}
	}
	w := workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Deep", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	add(t, w, p.ID, "camera.png", phototest.MustPNG(t, grey), at{0, 5, 5}, at{1, 60, 60})
	yes := true
	for format, name := range map[string]string{"index-png": "images/camera.png", "voc": "JPEGImages/camera.jpg"} {
		out, report := mustWrite(t, w, p.ID, format, export.Options{Pictures: &yes})
		picture, _, err := image.Decode(bytes.NewReader(out[name]))
		if err != nil {
			t.Fatal(err)
		}
		brightest, _, _, _ := picture.At(63, 63).RGBA()
		if brightest>>8 < 250 {
			t.Errorf("%s: the brightest pixel is %d of 255", format, brightest>>8)
		}
		if lossy := report.Images[0].Lossy; !strings.Contains(lossy, "The picture has 8 bits per channel, the uploaded file has more.") {
			t.Errorf("%s: the report says %q", format, lossy)
		}
	}
}

// An image of the largest size that is accepted is exported in all formats with its
// picture, though that takes more memory than to read it.
func TestLargestImage(t *testing.T) {
	t.Parallel()
	const width, height = 120, 80
	file := phototest.MustPNG(t, halves(width, height))
	f := workspacetest.MustOpenFolder(t, t.TempDir())
	w := workspace.New(f.Store, f.Blobs, photo.NewGate(photo.Limits{Pixels: width * height, Bytes: int64(len(file))}))
	p, err := w.CreateProject(t.Context(), "Large", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	add(t, w, p.ID, "large.png", file, at{0, 5, 5}, at{1, 115, 5})
	yes := true
	for _, format := range export.Formats() {
		if _, report := mustWrite(t, w, p.ID, format.Name, export.Options{Pictures: &yes}); report.Exported != 1 {
			t.Errorf("%s: %+v", format.Name, report)
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

// An image too wide for a JPEG is exported without its picture where that is to be one,
// and with it in formats that take a PNG.
func TestTooWideForJPEG(t *testing.T) {
	t.Parallel()
	f := workspacetest.MustOpenFolder(t, t.TempDir())
	w := workspace.New(f.Store, f.Blobs, photo.NewGate(photo.Limits{Side: workspace.MaxSide}))
	p, err := w.CreateProject(t.Context(), "Wide", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, workspace.MaxSide, 1))); err != nil {
		t.Fatal(err)
	}
	if _, err := w.AddImage(t.Context(), p.ID, "wide.png", &b); err != nil {
		t.Fatal(err)
	}
	files, report := mustWrite(t, w, p.ID, "voc", export.Options{Pictures: new(true)})
	if files["JPEGImages/wide.jpg"] != nil || files["SegmentationClass/wide.png"] == nil || !strings.Contains(report.Images[0].Lossy, "65,535") || report.Damaged != 0 {
		t.Errorf("%+v", report)
	}
	files, report = mustWrite(t, w, p.ID, "coco", export.Options{Pictures: new(true)})
	if files["images/default/wide.png"] == nil || report.Lossy != 0 {
		t.Errorf("%+v", report)
	}
}

package e2e

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// turned12MP is a JPEG of 4000×3000 pixels, red to the left and blue to the
// right, that its EXIF data says to turn clockwise: displayed, it is 3000×4000
// with red at the top.
func turned12MP(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 4000, 3000))
	for y := range 3000 {
		for x := range 4000 {
			c := color.RGBA{R: 200, G: uint8(x/8%16 + y/8%16), A: 255}
			if x >= 2000 {
				c.R, c.B = 0, 200
			}
			img.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00")
	app1 := []byte{0xff, 0xe1, 0, byte(len(exif) + 2)}
	return slices.Concat(b.Bytes()[:2], app1, exif, b.Bytes()[2:])
}

// The mask of a photograph of 12 megapixels has the orientation of the displayed
// image, at its original size.
func TestFrameOfLargePhotograph(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: works on a photograph of 12 megapixels")
	}
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, data)
	post := func(path, body string) {
		t.Helper()
		resp, err := http.Post(p.url+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode >= 300 {
			t.Fatalf("%s: %d", path, resp.StatusCode)
		}
	}
	post("/api/v1/projects", `{"name":"Large"}`)
	var projects, images []struct {
		ID string `json:"id"`
	}
	p.call("GET", "/api/v1/projects", http.StatusOK, &projects)
	status, answer, err := upload(p.url+"/api/v1/projects/"+projects[0].ID+"/images", "large.jpg", turned12MP(t))
	if err != nil || status != http.StatusCreated {
		t.Fatalf("%d, %v %s", status, err, answer)
	}
	p.call("GET", "/api/v1/projects/"+projects[0].ID+"/images", http.StatusOK, &images)
	for i, event := range []string{
		`"kind":"label","class":0,"points":[[2900,100]]`, `"kind":"label","class":1,"points":[[100,3900]]`, `"kind":"accept","hypothesis":{"rank":0}`,
	} {
		post("/api/v1/images/"+images[0].ID+"/evidence", fmt.Sprintf(`{"id":"e%d","expected_seq":%d,%s}`, i, i, event))
	}
	out := filepath.Join(t.TempDir(), "out.zip")
	mustExport(t, "--data", data, "--project", "Large", "--format", "index-png", "--out", out)
	z, err := zip.OpenReader(out)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open("masks/large.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	mask := img.(*image.Paletted)
	if size := mask.Bounds().Size(); size != image.Pt(3000, 4000) {
		t.Fatalf("the mask is %v", size)
	}
	wrong := 0
	for i, class := range mask.Pix {
		if int(class) != i/3000/2000 {
			wrong++
		}
	}
	if share := float64(wrong) / float64(len(mask.Pix)); share > 0.02 {
		t.Errorf("%.2f %% of the mask are not the half that was clicked", 100*share)
	}
}

package web

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"net/http"
	"testing"

	"collie/segment/photo/phototest"
	"collie/web/wire"
)

// Nothing derived from an image reveals where it was taken, and all of it is
// upright; only the original stays as it was.
func TestMetadataStayInTheOriginal(t *testing.T) {
	t.Parallel()
	s := MustServe(t)
	project := s.project()
	img := image.NewNRGBA(image.Rect(0, 0, pictureWidth, pictureHeight))
	decoded, err := png.Decode(bytes.NewReader(picture()))
	if err != nil {
		t.Fatal(err)
	}
	draw.Draw(img, img.Rect, decoded, image.Point{}, draw.Src)
	for name, content := range phototest.Located(t, img) {
		var images []wire.Image
		s.upload(project.ID, file{name, content}).into(t, http.StatusCreated, &images)
		path := "/api/v1/images/" + images[0].ID
		if !bytes.Contains(s.get(path+"/original").body, []byte(phototest.Secret)) {
			t.Errorf("%s: the original has lost its metadata", name)
		}
		for _, part := range []string{"/display", "/thumbnail", "/mask.png", "/mask.png?style=colour", "/superpixels.png", "/superpixels.bin", ""} {
			a := s.get(path + part)
			if a.status != http.StatusOK {
				t.Errorf("%s%s: %d %s", name, part, a.status, a.body)
			}
			for _, trace := range phototest.Traces {
				if bytes.Contains(a.body, []byte(trace)) {
					t.Errorf("%s%s contains %q", name, part, trace)
				}
			}
			if img, _, err := image.Decode(bytes.NewReader(a.body)); err == nil && img.Bounds().Size() != image.Pt(pictureHeight, pictureWidth) {
				t.Errorf("%s%s is %v, want it upright, %d×%d", name, part, img.Bounds().Size(), pictureHeight, pictureWidth)
			}
		}
		s.upload(project.ID, file{"again", s.get(path + "/display").body}).into(t, http.StatusCreated, &images)
		if images[0].Width != pictureHeight {
			t.Errorf("%s: the display copy of the display copy is turned again", name)
		}
	}
}

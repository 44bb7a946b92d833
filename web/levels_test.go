package web

import (
	"bytes"
	"image"
	"image/color"
	"net/http"
	"testing"

	"collie/segment/photo/phototest"
	"collie/web/wire"
)

// TestLevels uploads 16-bit images: one that uses a small part of the range is
// shown in full contrast; for others a window can be requested.
func TestLevels(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	upload := func(bright uint16) string {
		img := image.NewGray16(image.Rect(0, 0, 100, 40))
		for y := range 40 {
			for x := range 100 {
				img.SetGray16(x, y, color.Gray16{Y: uint16(400 + 4*x)})
				if y >= 30 {
					img.SetGray16(x, y, color.Gray16{Y: bright})
				}
			}
		}
		b := phototest.MustPNG(t, img)
		var records []wire.Image
		s.upload(p.ID, file{"cells.png", b}).into(t, http.StatusCreated, &records)
		return "/api/v1/images/" + records[0].ID
	}
	// contrast is the difference between the greys of the dark part.
	contrast := func(path string) int {
		t.Helper()
		a := s.get(path)
		if a.status != http.StatusOK {
			t.Fatalf("GET %s: %d %s", path, a.status, a.body)
		}
		img, _, err := image.Decode(bytes.NewReader(a.body))
		if err != nil {
			t.Fatal(err)
		}
		grey := func(x int) int { return int(color.GrayModel.Convert(img.At(x, 12)).(color.Gray).Y) }
		return grey(95) - grey(4)
	}

	narrow := upload(500)
	var levels levelsJSON
	s.get(narrow+"/levels").into(t, http.StatusOK, &levels)
	if want := (levelsJSON{Bits: 16, Lowest: 400, Highest: 796, Low: 400, High: 796}); levels != want {
		t.Errorf("levels %+v, want %+v", levels, want)
	}
	if c := contrast(narrow + "/display"); c < 200 {
		t.Errorf("values from 400 to 796 are shown with a contrast of %d", c)
	}
	if c := contrast(narrow + "/display?low=0&high=65535"); c > 4 {
		t.Errorf("the whole range is shown with a contrast of %d", c)
	}

	wide := upload(60000)
	if c := contrast(wide + "/display"); c > 4 {
		t.Errorf("an image that uses the whole range was changed: contrast %d", c)
	}
	if c := contrast(wide + "/display?low=400&high=800"); c < 200 {
		t.Errorf("the window has a contrast of %d", c)
	}
	for _, query := range []string{"?low=800&high=400", "?low=-1", "?high=65536", "?low=x"} {
		if a := s.get(wide + "/display" + query); a.status != http.StatusUnprocessableEntity && a.status != http.StatusBadRequest {
			t.Errorf("%s: status %d", query, a.status)
		}
	}
}

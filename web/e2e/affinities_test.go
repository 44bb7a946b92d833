package e2e

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"net/http"
	"strings"
	"testing"

	"collie/segment/photo/phototest"
)

// A project that has learned which borders matter says so, and an image that is opened
// afterwards has that in its history; clicks on it are answered as ever.
func TestE2EBordersLearned(t *testing.T) {
	t.Parallel()
	const finished = 14
	address := serve(t, t.TempDir())
	var project struct{ ID string }
	call(t, address+"/api/v1/projects", "application/json", strings.NewReader(`{"name":"Patches","classes":[{"name":"red"},{"name":"blue"}],"rest":"nothing"}`), &project)
	var pictures, masks [][]byte
	var names []string
	for i := range finished + 1 {
		img, class := phototest.Patchwork(uint64(i), fieldWidth, fieldHeight)
		mask := &image.Paletted{Pix: class, Stride: fieldWidth, Rect: img.Rect, Palette: color.Palette{color.Black, color.White}}
		pictures, masks, names = append(pictures, phototest.MustPNG(t, img)), append(masks, phototest.MustPNG(t, mask)), append(names, fmt.Sprintf("%d.png", i))
	}
	images := uploadNamed(t, address, project.ID, names, pictures)
	sendNamed(t, address+"/api/v1/projects/"+project.ID+"/imports", names[:finished], masks[:finished], new(any))
	p := openPage(t, 1280, 720, true, address+"/projects/"+project.ID)
	// It learns again with two more images, so maybe not from the last one.
	p.until(`/^Learned from 1[34] finished images, also which borders matter\./.test(document.getElementById('learning-text').textContent)`)
	p.screenshot("project")
	open := openPage(t, 1280, 720, false, address+"/images/"+images[finished])
	open.until(`document.getElementById('save').dataset.state === 'saved'`)
	open.clickOn("the history", "#history")
	open.until(`[...document.querySelectorAll('#history-list .step')].some((e) => /Learned about borders from 1[34] finished images/.test(e.textContent))`)
	open.screenshot("history")
	open.clickOn("the history again", "#history")
	open.press("2")
	open.click(image.Pt(fieldWidth/2, fieldHeight/2))
	open.until(`document.querySelectorAll('.hypothesis').length > 3 && document.getElementById('save').dataset.state === 'saved'`)
	var h struct{ Parameters struct{ Affinities string } }
	var usual struct{ Parameters struct{ Affinities string } }
	for id, into := range map[string]any{images[finished]: &h, images[0]: &usual} {
		resp, err := http.Get(address + "/api/v1/images/" + id + "/hypotheses?count=1")
		if err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(resp.Body).Decode(into)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	if h == usual || h.Parameters.Affinities == "" {
		t.Errorf("the image has the affinities %q, one that was finished before %q", h.Parameters.Affinities, usual.Parameters.Affinities)
	}
}

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// pasted lets a person paste small pictures where an element of the page has the
// focus, the first of them with a number, and says whether the page took them.
func (p *page) pasted(on string, number int, names ...string) bool {
	p.t.Helper()
	return value[bool](p, fmt.Sprintf(`!document.querySelector(%q).dispatchEvent(new ClipboardEvent('paste', { clipboardData: %s, bubbles: true, cancelable: true }))`,
		on, transfer(number, names...)))
}

// TestE2EPaste pastes screenshots, which are all called image.png and here are of
// one size, too: each becomes an image, and none becomes two. Text fields keep what
// is pasted, and dialogs treat it as if it were dropped.
func TestE2EPaste(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 1280, 720, true, address)
	project := p.emptyProject(address, "")

	for _, field := range []string{"#find-image", "#rename-input"} {
		if p.pasted(field, 9, "image.png") {
			t.Errorf("what is pasted into %s is taken from it", field)
		}
	}
	p.clickOn("opening the export", "#export")
	p.until(`document.getElementById('export-dialog').open`)
	p.pasted("#export-dialog", 9, "image.png")
	p.press(kb.Escape)
	p.clickOn("opening the import", "#import")
	p.until(`document.getElementById('import-dialog').open`)
	p.pasted("#import-dialog", 9, "mask.png")
	p.until(`document.getElementById('import-state').textContent === '1 file ready for review.'`)
	p.press(kb.Escape)

	p.pasted("body", 1, "image.png")
	p.pasted("#image-order", 2, "image.png") // while the first is on its way
	p.until(cardCount + " === 2")
	p.pasted("#files", 3, "image.png", "image.png")
	p.until(cardCount + " === 4")
	p.pasted("body", 2, "image.png")
	p.until(`document.getElementById('uploads-summary').textContent === '1 of 1, 1 already uploaded'`)
	p.screenshot("pasted")

	read := func(path string) []byte {
		t.Helper()
		answer, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	var images []struct{ ID, Name string }
	if err := json.Unmarshal(read("/api/v1/projects/"+project+"/images"), &images); err != nil {
		t.Fatal(err)
	}
	if len(images) != 4 {
		t.Fatalf("the project has %d images, want 4", len(images))
	}
	for i, im := range images {
		if im.Name != "image.png" || !slices.Equal(read("/api/v1/images/"+im.ID+"/original"), tinyPicture(i+1)) {
			t.Errorf("image %d, called %q, is another picture than was pasted", i+1, im.Name)
		}
	}
}

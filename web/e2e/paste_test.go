package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
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

	p.holdUpload()
	p.pasted("body", 1, "image.png")
	p.until(`'goOn' in window`)
	p.pasted("#image-order", 2, "image.png") // while the first is on its way
	p.until(`/1 file follows the others/.test(document.getElementById('toasts').textContent)`)
	value[bool](p, `(goOn(), true)`)
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

// holdUpload lets the next upload begin only when goOn is called in the page.
func (p *page) holdUpload() {
	p.t.Helper()
	value[bool](p, `(() => {
		const { send } = XMLHttpRequest.prototype;
		XMLHttpRequest.prototype.send = function (body) {
			XMLHttpRequest.prototype.send = send;
			window.goOn = () => send.call(this, body);
		};
		return true;
	})()`)
}

// TestE2EMoreWhileUploading: what is dropped, pasted or chosen on the start page while
// an upload is running becomes part of the same project, each picture once. While
// something else is running, and until the next page is there, the page says that it
// takes no files.
func TestE2EMoreWhileUploading(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 390, 844, false, address)
	if said := value[string](p, `document.querySelector('.projects p').textContent.trim()`); said != "No projects yet. Drop, paste or choose images to create one." {
		t.Errorf("without projects the page says %q", said)
	}
	if value[bool](p, `document.documentElement.scrollWidth > innerWidth`) {
		t.Error("the start page is wider than a phone")
	}
	p.holdUpload()
	p.dropped("body", "dropped.png")
	p.until(`'goOn' in window`)
	p.pasted("body", 2, "pasted.png")
	picture := filepath.Join(t.TempDir(), "chosen.png")
	if err := os.WriteFile(picture, tinyPicture(3), 0o644); err != nil {
		t.Fatal(err)
	}
	if at := value[[]float64](p, middle+`(".drop-label")`); len(at) == 0 {
		t.Error("the drop zone can't be clicked during an upload")
	}
	p.choose("#files", picture)
	p.dropped("body", "dropped.png")
	p.until(`/1 file follows the others/.test(document.getElementById('toasts').textContent)`)
	p.screenshot("added")
	const leaving = `!dispatchEvent(new Event('beforeunload', {cancelable: true}))`
	if !value[bool](p, leaving) {
		t.Error("whoever leaves during the upload is not asked")
	}
	value[bool](p, `(goOn(), true)`)
	p.until(`location.pathname.startsWith('/images/') && document.readyState === 'complete'`)
	if value[bool](p, leaving) {
		t.Error("whoever leaves after the upload is asked")
	}

	const names = `fetch('/api/v1/projects/' + document.getElementById('app').dataset.project + '/images').then((answer) => answer.json()).then((images) => images.map((im) => im.name).join())`
	if got := value[string](p, names); got != "dropped.png,pasted.png,chosen.png" {
		t.Errorf("the project has the images %s", got)
	}

	p.do("going back to the start page", chromedp.Navigate(address))
	value[bool](p, `(() => {
		const reach = window.fetch;
		window.fetch = (...request) => new Promise((done) => (window.goOn = () => done(reach(...request))));
		return true;
	})()`)
	p.clickOn("trying the sample image", "#sample")
	p.until(`'goOn' in window`)
	p.pasted("body", 4, "late.png")
	p.until(`/Files can’t be added yet/.test(document.getElementById('toasts').textContent)`)
	p.screenshot("refused")
	value[bool](p, `(() => {
		navigation.addEventListener('navigate', (e) => { // the next page takes long to come
			e.preventDefault();
			window.next = e.destination.url;
		}, { once: true });
		goOn();
		return delete window.goOn;
	})()`)
	p.until(`'next' in window`)
	value[bool](p, `(document.getElementById('toasts').replaceChildren(), true)`)
	p.pasted("body", 5, "later.png")
	p.until(`/Files can’t be added yet/.test(document.getElementById('toasts').textContent)`)
	if value[bool](p, `'goOn' in window`) {
		t.Error("an upload begins on a page that is about to be left")
	}
	value[bool](p, `(location.assign(next), true)`)
	p.until(`location.pathname.startsWith('/images/')`)
}

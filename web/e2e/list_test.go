package e2e

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tinyPicture is a PNG of 48×32 pixels whose grey encodes the number.
func tinyPicture(number int) []byte {
	img := image.NewGray(image.Rect(0, 0, 48, 32))
	for i := range img.Pix {
		img.Pix[i] = uint8(number*7 + i%48*2)
	}
	img.SetGray(0, 0, color.Gray{uint8(number)})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// manyImages makes a project of so many images and returns its page.
func manyImages(t *testing.T, address string, count int) (page string) {
	t.Helper()
	var project struct {
		ID string `json:"id"`
	}
	call(t, address+"/api/v1/projects", "application/json", strings.NewReader(`{"name":"Many"}`), &project)
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for i := range count {
		f, err := archive.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("folder/picture %d.png", i+1), Method: zip.Store})
		if err == nil {
			_, err = f.Write(tinyPicture(i))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if images := uploadNamed(t, address, project.ID, []string{"many.zip"}, [][]byte{packed.Bytes()}); len(images) != count {
		t.Fatalf("%d images, want %d", len(images), count)
	}
	return address + "/projects/" + project.ID
}

const (
	cardNames    = `[...document.querySelectorAll('#images .card-name')].map(e => e.textContent)`
	progressText = `document.getElementById('progress-text').textContent`
	cardCount    = `document.querySelectorAll('#images .card').length`
)

// A long list contains only the visible cards; it can be searched, sorted and
// walked by keys, and the result is the order of next images.
func TestE2EImageList(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, manyImages(t, startServer(t), 300))
	p.until(cardCount + ` > 5`)
	if n := value[int](p, cardCount); n > 60 {
		t.Errorf("%d of 300 cards are in the page", n)
	}
	if got := value[string](p, progressText); got != "0 of 300 images done" {
		t.Errorf("progress: %q", got)
	}
	p.do("scrolling to the end", chromedp.Evaluate[chromedp.Void](`void scrollTo(0, document.documentElement.scrollHeight)`))
	p.until(cardNames + `.includes('folder/picture 300.png')`)
	if value[bool](p, cardNames+`.includes('folder/picture 1.png')`) {
		t.Error("the first card is still in the page")
	}

	p.fill("#find-image", "picture 29")
	p.until(cardCount + ` === 13`)
	p.do("by name", chromedp.Evaluate[chromedp.Void](`{ const s = document.getElementById('image-order'); s.value = 'name'; s.dispatchEvent(new Event('input', {bubbles: true})); }`))
	p.until(cardNames + `[0] === 'folder/picture 29.png'`)
	p.screenshot("list")

	p.do("to the first card", chromedp.Evaluate[chromedp.Void](`document.querySelector('#images a').focus()`))
	p.press(kb.ArrowRight)
	p.press(kb.ArrowDown)
	p.press(kb.ArrowUp)
	p.until(`document.activeElement.textContent.includes('picture 129.png')`)
	p.press(kb.Enter)
	p.until(`document.getElementById('canvas') !== null && document.getElementById('place-shown').textContent === '2 / 13'`)
	p.until(`document.getElementById('loading').hidden`)
	p.press("d")
	p.until(`document.querySelector('.image-name')?.textContent.includes('picture 229.png') && document.getElementById('place-shown').textContent === '3 / 13'`)
	p.do("back", chromedp.Evaluate[chromedp.Void](`void setTimeout(() => history.go(-2))`)) // else the page may be gone before it answers
	p.until(cardCount + ` === 13 && document.getElementById('find-image').value === 'picture 29'`)

	firstCard := `JSON.stringify(document.querySelector('#images li').getBoundingClientRect())`
	before := value[string](p, firstCard)
	p.do("selecting two", chromedp.Evaluate[chromedp.Void](`void [...document.querySelectorAll('#images input[type=checkbox]')].slice(0, 2).forEach(e => e.click())`))
	p.until(`document.getElementById('selection-text').textContent === '2 images selected'`)
	if after := value[string](p, firstCard); after != before {
		t.Errorf("selecting moves the first card from %s to %s", before, after)
	}
	p.screenshot("selected")
	p.fill("#find-image", "picture 129")
	p.until(cardCount + ` === 1 && document.getElementById('selection-text').textContent === '1 image selected'`)
	p.fill("#find-image", "picture 29")
	p.until(cardCount + ` === 13 && document.getElementById('selection-text').textContent === '2 images selected'`)
	p.clickOn("to the trash", "#trash-chosen")
	p.until(cardCount + ` === 11`)
	p.do("undo", chromedp.Evaluate[chromedp.Void](`void [...document.querySelectorAll('#toasts button')].find(e => e.textContent.includes('Undo')).click()`))
	p.until(cardCount + ` === 13`)
	p.do("reload", chromedp.Reload())
	p.until(cardCount + ` === 13 && ` + progressText + ` === '0 of 300 images done'`)
}

// TestE2EScrolling: a card that stays in the page is not put in again, which would style
// and lay out all of them at each row, and pictures that nobody sees any more are not waited for.
func TestE2EScrolling(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, manyImages(t, startServer(t), 120))
	p.until(cardCount + ` > 5 && [...document.querySelectorAll('#images img[src]')].every((e) => e.complete)`)
	p.do("noting what comes and goes", chromedp.Evaluate[chromedp.Void](`void (() => {
		const list = document.getElementById('images');
		const first = list.querySelector('[data-at="0"] img');
		window.late = first;
		window.there = list.querySelector('[data-at="1"] img');
		Object.defineProperty(first, 'complete', { value: false });
		window.again = new Set();
		new MutationObserver((all) => {
			for (const one of all) for (const card of one.removedNodes) if (card.isConnected) again.add(card.dataset.at);
		}).observe(list, { childList: true });
	})()`))
	p.do("scrolling by some rows", chromedp.Evaluate[chromedp.Void](`void scrollBy(0, 1900)`))
	p.until(`!late.isConnected && document.querySelector('#images [data-at="40"]') !== null`)
	if again := value[string](p, `[...again].join()`); again != "" {
		t.Errorf("cards %s were taken out and put in again", again)
	}
	if value[bool](p, `late.hasAttribute('src') || !there.hasAttribute('src')`) {
		t.Error("a picture that has not arrived is still being fetched, or one that has is not kept")
	}
}

// TestE2ELongTrash: many images go to the trash in one request, which can't be sent twice,
// and come back in one.
func TestE2ELongTrash(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, manyImages(t, startServer(t), 3))
	p.until(cardCount + ` === 3`)
	p.do("making requests wait", chromedp.Evaluate[chromedp.Void](`void (() => {
		const {fetch} = window;
		window.sent = 0;
		window.fetch = async (address, wish) => {
			if (wish?.method === 'PUT') {
				sent++;
				await new Promise((done) => (window.goOn = done));
			}
			return fetch(address, wish);
		};
	})()`))
	p.do("selecting all", chromedp.Evaluate[chromedp.Void](`void (document.querySelector('#images input[type=checkbox]').click(), document.getElementById('choose-all').click())`))
	p.clickOn("to the trash", "#trash-chosen")
	p.until(`sent === 1 && document.getElementById('trash-chosen').disabled`)
	p.do("going on", chromedp.Evaluate[chromedp.Void](`void goOn()`))
	p.until(cardCount + ` === 0 && !document.getElementById('trash-chosen').disabled`)
	p.do("undo", chromedp.Evaluate[chromedp.Void](`void [...document.querySelectorAll('#toasts button')].find(e => e.textContent.includes('Undo')).click()`))
	p.until(`sent === 2`)
	p.do("going on", chromedp.Evaluate[chromedp.Void](`void goOn()`))
	p.until(cardCount + ` === 3 && ` + progressText + ` === '0 of 3 images done' && sent === 2`)
}

// Existing files are not sent again, and zip archives are unpacked; a phone shows
// the list without scrolling sideways.
func TestE2EUploadAgain(t *testing.T) {
	t.Parallel()
	p := openPage(t, 390, 844, true, manyImages(t, startServer(t), 3))
	p.until(cardCount + ` === 3`)
	dir := t.TempDir()
	for i, name := range []string{"a.png", "b.png", "broken.png"} {
		content := tinyPicture(100 + i)
		if name == "broken.png" {
			content = content[:40]
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, b, broken := filepath.Join(dir, "a.png"), filepath.Join(dir, "b.png"), filepath.Join(dir, "broken.png")
	p.drop(a)
	p.until(progressText + ` === '0 of 4 images done'`)
	p.drop(a, b, broken)
	p.until(`document.getElementById('uploads-summary').textContent === '1 uploaded, 1 failed, 1 already uploaded'`)
	p.until(progressText + ` === '0 of 5 images done'`)
	if !value[bool](p, `document.documentElement.scrollWidth <= innerWidth`) {
		t.Error("the page scrolls sideways")
	}
	p.screenshot("list-phone")
}

// TestE2ECoversComeBack: pictures that the page asked for while the server was away
// are there once it is back, on the start page and on a project's page.
func TestE2ECoversComeBack(t *testing.T) {
	t.Parallel()
	server := startCrashingServer(t)
	address := "http://" + server.address
	project := manyImages(t, address, 60)
	for i := range 30 {
		var made struct{ ID string }
		call(t, address+"/api/v1/projects", "application/json", strings.NewReader(fmt.Sprintf(`{"name":"Field %d"}`, i)), &made)
		uploadTo(t, address, made.ID, [][]byte{tinyPicture(i)})
	}
	broken := `[...document.querySelectorAll('.card-cover img:not([hidden])')].filter((e) => e.complete && e.naturalWidth === 0 && e.getBoundingClientRect().top < innerHeight).length`
	for _, page := range []string{address, project} {
		p := openPage(t, 390, 844, true, page)
		p.until(`document.readyState === 'complete' && document.querySelector('.card-cover img')?.complete && ` + broken + ` === 0`)
		server.kill()
		p.do("scrolling", chromedp.Evaluate[chromedp.Void](`scrollTo(0, document.documentElement.scrollHeight)`))
		p.until(broken + ` > 1 && document.querySelectorAll('.card-cover img.missing').length > 1`)
		p.screenshot("away")
		server.start()
		p.until(broken + ` === 0 && document.querySelectorAll('.card-cover img.missing').length === 0`)
		p.screenshot("back")
	}
}

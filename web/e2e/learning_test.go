package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const fieldWidth, fieldHeight = 240, 160

// field is a picture of sky above a field; each has a different horizon.
func field(number int) []byte {
	rng := rand.New(rand.NewPCG(uint64(number), 7))
	img := image.NewNRGBA(image.Rect(0, 0, fieldWidth, fieldHeight))
	for y := range fieldHeight {
		for x := range fieldWidth {
			n := uint8(rng.IntN(24))
			c := color.NRGBA{120 + n, 160 + n, 210 + n, 255}
			if y >= fieldHorizon(number) {
				c = color.NRGBA{60 + n, 120 + n, 45 + n, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func fieldHorizon(number int) int { return 60 + number*11%50 }

// learntProject creates a project with the given number of pictures that has
// learned from the first five, which are finished.
func learntProject(t *testing.T, address string, count int) (project string, images []string) {
	t.Helper()
	var p struct{ ID string }
	call(t, address+"/api/v1/projects", "application/json", strings.NewReader(`{"name":"Fields","classes":[{"name":"sky"},{"name":"grass"}],"rest":"nothing"}`), &p)
	var files [][]byte
	for i := range count {
		files = append(files, field(i))
	}
	images = uploadTo(t, address, p.ID, files)
	for i, id := range images {
		if i >= 5 {
			continue
		}
		for seq, event := range []string{
			fmt.Sprintf(`"kind":"label","class":0,"points":[[20,10],[200,%d]]`, fieldHorizon(i)-12),
			fmt.Sprintf(`"kind":"label","class":1,"points":[[20,150],[200,%d]]`, fieldHorizon(i)+12),
			`"kind":"accept","hypothesis":0`,
		} {
			post(t, address+"/api/v1/images/"+id+"/evidence", fmt.Sprintf(`{"id":"e%d","expected_seq":%d,%s}`, seq, seq, event))
		}
	}
	for end := time.Now().Add(2 * patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var l struct {
			Guessing, Training bool
		}
		resp, err := http.Get(address + "/api/v1/projects/" + p.ID + "/learning")
		if err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(resp.Body).Decode(&l)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if l.Guessing && !l.Training {
			return p.ID, images
		}
	}
	t.Fatal("the project has not learned to guess")
	return "", nil
}

// uploadTo puts pictures, named 'field 1.png' and so on, into a project and returns
// their identifiers.
func uploadTo(t *testing.T, address, project string, files [][]byte) (images []string) {
	t.Helper()
	var names []string
	for i := range files {
		names = append(names, fmt.Sprintf("field %d.png", i+1))
	}
	return uploadNamed(t, address, project, names, files)
}

// uploadNamed is uploadTo with the names of the files.
func uploadNamed(t *testing.T, address, project string, names []string, files [][]byte) (images []string) {
	t.Helper()
	var made []struct{ ID string }
	sendNamed(t, address+"/api/v1/projects/"+project+"/images", names, files, &made)
	for _, im := range made {
		images = append(images, im.ID)
	}
	return images
}

// sendNamed sends files in a form and decodes the answer.
func sendNamed(t *testing.T, url string, names []string, files [][]byte, answer any) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i, content := range files {
		part, err := form.CreateFormFile("file", names[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	call(t, url, form.FormDataContentType(), &body, answer)
}

// post sends JSON, which must be accepted.
func post(t *testing.T, url, body string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", url, body, resp.Status)
	}
}

const (
	guessShown = `!document.getElementById('guess').hidden`
	statuses   = `[...document.querySelectorAll('#images .card [data-slot=state]')].map((e) => e.textContent)`
)

// A person has a project guess its images, reviews the guesses by keyboard,
// accepts the seen ones together, and is asked about the others in the export.
func TestE2ELearning(t *testing.T) {
	t.Parallel()
	source := axe(t)
	address := startServer(t)
	project, images := learntProject(t, address, 10)
	p := openPage(t, 1280, 720, false, address+"/projects/"+project)
	p.until(`/^Learned from 5 finished images. Its guesses save nearly all actions. 0 of 5 untouched images guessed.$/.test(document.getElementById('learning-text').textContent)`)
	p.accessible("the project", source)
	p.do("hold the answer until all is guessed, and lose the one after it", chromedp.Evaluate[chromedp.Void](`{
		const send = window.fetch;
		let lost = false;
		window.fetch = async (url, options) => {
			if (String(url).endsWith('/learning') && !lost) {
				lost = true;
				throw new TypeError('lost');
			}
			const answer = await send(url, options);
			while (String(url).endsWith('/guesses') && (await (await send(String(url).replace(/guesses$/, 'learning'))).json()).prelabelling.running);
			return answer;
		};
	}`))
	p.focusOn("#prelabel")
	p.press(kb.Enter)
	p.until(`document.getElementById('review-text').textContent === 'Review 5 guesses'`)
	p.do("by work", chromedp.Evaluate[chromedp.Void](`{ const s = document.getElementById('image-order'); s.value = 'work'; s.dispatchEvent(new Event('input', {bubbles: true})); }`))
	p.until(statuses + `.slice(0, 5).every((s) => s === 'Guessed') && ` + statuses + `[5] === 'Done'`)
	p.until(`[...document.querySelectorAll('#images .card-size')].slice(0, 5).every((e) => / · .+ uncertain$/.test(e.textContent))`)
	p.until(`[...document.querySelectorAll('#images li')].slice(0, 5).every((card) => card.querySelector('.card-mask:not([hidden])')?.naturalWidth > 0)`)
	p.do("down to the cards", chromedp.Evaluate[chromedp.Void](`document.getElementById('images').scrollIntoView()`))
	p.screenshot("guesses")
	p.focusOn("#effort summary")
	p.press(kb.Enter)
	p.until(`document.querySelectorAll('#effort-rows tr').length === 5 && document.querySelectorAll('#effort-chart rect').length === 5`)
	if got := value[string](p, `document.querySelector('#effort-rows tr').textContent`); got != "1. field 1.png3no" {
		t.Errorf("the first row says %q", got)
	}
	p.accessible("the project with guesses", source)
	p.screenshot("project")
	p.focusOn(`[data-at="5"] .card-choose`)
	p.press(" ")
	p.press(kb.Delete)
	p.until(`document.querySelectorAll('#effort-rows tr').length === 4`)
	p.clickOn("undoing", `#toasts [data-slot="action"]:not([hidden])`)
	p.until(`document.querySelectorAll('#effort-rows tr').length === 5`)

	// The first guess is shown at once; accepting it opens the next one.
	p.focusOn("#review")
	p.press(kb.Enter)
	p.until(`document.getElementById('guess-text')?.textContent.startsWith('Guessed from 5 finished images, sure of ')`)
	p.settle()
	p.accessible("a guess", source)
	p.screenshot("guess")
	if status := value[string](p, p.api("")+".then((im) => im.status)"); status != "untouched" {
		t.Errorf("the guessed image is %s", status)
	}
	p.focusOn("#accept-next")
	p.press(kb.Enter)
	p.until(`document.getElementById('place-shown')?.textContent === '2 / 5'`)
	p.until(guessShown)
	p.settle()

	// Removing a guess is one step; undo brings it back.
	p.focusOn("#canvas")
	p.press("f")
	p.until(`document.getElementById('guess').hidden`)
	p.press("z", ctrl)
	p.until(guessShown)
	p.press("f")
	p.until(`document.getElementById('guess').hidden && document.getElementById('save').dataset.state === 'saved'`)
	p.press("y")
	p.until(`document.getElementById('history-list').textContent.includes('Removed the guess') && document.getElementById('history-list').textContent.includes('Guessed from 5 finished images')`)
	p.press("y")
	p.press("d")
	p.until(`document.getElementById('place-shown')?.textContent === '3 / 5'`)
	p.until(guessShown)
	p.settle()

	// One guess was seen and not accepted, two were not seen.
	p.do("to the project", chromedp.Navigate(address+"/projects/"+project))
	p.until(`document.getElementById('accept-seen-text').textContent === 'Accept 1 guess you have seen'`)
	p.screenshot("seen")
	p.press("e", ctrl)
	p.until(`!document.getElementById('export-guesses').hidden && document.getElementById('export-guesses-text').textContent.startsWith('3 images have only a guess')`)
	p.accessible("the export with guesses", source)
	p.clickOn("leaving unfinished images out", "[name=drafts]")
	p.until(`document.getElementById('export-guesses').hidden`)
	p.clickOn("including them again", "[name=drafts]")
	p.until(`!document.getElementById('export-guesses').hidden`)
	p.screenshot("export")
	p.press(kb.Enter)
	p.until(`document.getElementById('export-state').textContent.includes('3 guesses left out')`)
	p.press(kb.Escape)
	p.focusOn("#accept-seen")
	p.press(kb.Enter)
	p.until(`[...document.querySelectorAll('#toasts .toast')].some((e) => e.textContent.includes('1 guess accepted'))`)
	p.until(`document.getElementById('progress-text').textContent === '7 of 10 images done' && document.getElementById('accept-seen').hidden`)
	p.do("undo", chromedp.Evaluate[chromedp.Void](`void [...document.querySelectorAll('#toasts button')].find(e => e.textContent.includes('Undo')).click()`))
	p.until(`document.getElementById('progress-text').textContent === '6 of 10 images done'`)

	// One click turns guesses off for the project, and takes back the guesses that
	// nobody has worked on.
	p.do("to an image", chromedp.Navigate(address+"/images/"+images[9]))
	p.until(`document.getElementById('learning')?.checked === true && document.readyState === 'complete'`)
	p.settle()
	p.focusOn("#learning")
	p.press(" ")
	p.until(`document.getElementById('guess').hidden && !document.getElementById('learning').checked`)
	p.do("back", chromedp.Navigate(address+"/projects/"+project))
	p.until(`document.getElementById('learning-text').textContent.startsWith('Guessing is off.') && !document.getElementById('learning-on').checked`)
	p.until(`fetch('/api/v1/projects/` + project + `/images').then((r) => r.json()).then((list) => list.every((im) => !im.guessed))`)
}

// TestE2EGuessAsItIs previews a guess without what hypotheses make of it, and accepts
// that.
func TestE2EGuessAsItIs(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	_, images := learntProject(t, address, 6)
	p := openPage(t, 1280, 720, false, address+"/images/"+images[5])
	p.until(guessShown)
	p.settle()
	type accepted struct {
		Seq    int
		Digest string
	}
	guess := value[accepted](p, p.api("/guess"))
	p.focusOn("#as-guessed")
	p.press(kb.Enter)
	p.until(`document.getElementById('badge').textContent.includes('the guess as it is')`)
	p.screenshot("preview")
	p.focusOn("#canvas")
	p.press(kb.Enter)
	p.stored(guess.Seq + 1)
	if digest := value[string](p, p.api("/evidence")+`.then((log) => log.events.at(-1).hypothesis.digest)`); digest != guess.Digest {
		t.Errorf("accepted %s, want %s", digest, guess.Digest)
	}
}

// The panel and the line about the guess fit a phone, in the dark theme.
func TestE2ELearningOnAPhone(t *testing.T) {
	t.Parallel()
	source := axe(t)
	address := startServer(t)
	project, images := learntProject(t, address, 8)
	post(t, address+"/api/v1/projects/"+project+"/guesses", "")
	for _, dark := range []bool{true, false} {
		p := openPage(t, 390, 844, dark, address+"/projects/"+project)
		p.until(`document.getElementById('review-text').textContent === 'Review 3 guesses'`)
		value[bool](p, `(document.getElementById('effort').open = true)`)
		theme := map[bool]string{true: "dark", false: "light"}[dark]
		p.screenshot("project " + theme)
		p.accessible("the project", source)
		if !value[bool](p, `document.documentElement.scrollWidth <= innerWidth`) {
			t.Error("the page scrolls sideways")
		}
		p.do("to an image", chromedp.Navigate(address+"/images/"+images[6]))
		p.until(`document.getElementById('guess')?.hidden === false`)
		p.settle()
		p.screenshot("guess " + theme)
		p.accessible("a guess", source)
	}

	// On a desktop, in the dark theme; clicks that contradict the guess refute it.
	p := openPage(t, 1280, 720, true, address+"/images/"+images[7])
	p.until(`document.getElementById('guess')?.hidden === false`)
	p.settle()
	p.screenshot("guess on a desk")
	for _, size := range [][2]int64{{844, 390}, {568, 320}, {390, 844}, {1280, 720}} { // wherever it is shown, the text is whole
		p.resize(size[0], size[1])
		if lost := value[float64](p, `(() => {
			const range = document.createRange();
			range.selectNodeContents(document.getElementById('guess-text'));
			return range.getBoundingClientRect().bottom - document.getElementById('guess').getBoundingClientRect().bottom;
		})()`); lost > 0 {
			t.Errorf("at %v the text of the guess goes on %.0f pixels below its box: %q", size, lost, value[string](p, `document.getElementById('guess-text').textContent`))
		}
	}
	p.press("2") // grass
	for i := range 5 {
		p.click(image.Pt(30+45*i, 12+5*i)) // in the sky
	}
	p.until(`document.getElementById('guess-text').textContent.endsWith('no longer counts')`)
	p.settle()
	p.accessible("a refuted guess", source)
	p.screenshot("refuted")
}

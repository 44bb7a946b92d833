package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestE2ESelectionKeys: commands for selected images leave the focus where the work
// goes on, though they disappear with the last selected image.
func TestE2ESelectionKeys(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, sixSamples(t, startServer(t)))
	p.until(cardCount + ` === 6`)
	at := func(place string) {
		t.Helper()
		p.until(`document.activeElement.closest('#images li')?.dataset.at === '` + place + `'`)
	}
	selectThird := func() {
		t.Helper()
		p.focusOn(`[data-at="2"] .card-choose`)
		p.press(" ")
		p.until(`document.getElementById('selection-text').textContent === '1 image selected'`)
	}

	selectThird()
	p.focusOn("#choose-none")
	p.press(enter)
	p.until(`document.getElementById('selection').hidden`)
	at("2")

	p.do("those without a status", chromedp.Evaluate[chromedp.Void](`{ const s = document.getElementById('image-review'); s.value = 'none'; s.dispatchEvent(new Event('input', {bubbles: true})); }`))
	selectThird()
	p.focusOn("#review-chosen")
	p.press(enter)
	p.until(`document.activeElement?.dataset.do === 'todo'`)
	p.press(enter)
	p.until(cardCount + ` === 5`)
	at("2")

	// Undo builds the cards again, under the focus.
	p.focusOn(`[data-at="1"] .card-choose`)
	p.do("undo", chromedp.Evaluate[chromedp.Void](`document.querySelector('#toasts [data-slot="action"]:not([hidden])').click()`))
	p.until(cardCount + ` === 6`)
	at("1")
	p.until(`document.activeElement.matches('.card-choose') && document.getElementById('selection-text').textContent === '1 image selected'`)

	p.focusOn("#trash-chosen")
	p.press(enter)
	p.until(cardCount + ` === 5`)
	at("2")
	p.until(`document.getElementById('trash-images').textContent === '5 images'`) // of the question about the project

	p.do("none left", chromedp.Evaluate[chromedp.Void](`{ const s = document.getElementById('image-review'); s.value = 'none'; s.dispatchEvent(new Event('input', {bubbles: true})); }`))
	selectThird()
	p.focusOn("#choose-all")
	p.press(enter)
	p.until(`document.getElementById('selection-text').textContent === '5 images selected'`)
	p.focusOn("#review-chosen")
	p.press(enter)
	p.until(`document.activeElement?.dataset.do === 'todo'`)
	p.press(enter)
	p.until(cardCount + ` === 0 && document.activeElement.id === 'show-all'`)
}

// TestE2ESelectionEnlarged: where a page is enlarged four times, the commands for
// selected images leave room for the images, for what is focused and for messages.
func TestE2ESelectionEnlarged(t *testing.T) {
	t.Parallel()
	p := openPage(t, 320, 180, false, sixSamples(t, startServer(t)))
	p.until(cardCount + ` > 0`)
	p.focusOn(`[data-at="0"] .card-choose`)
	p.until(cardCount + ` > 1 && document.activeElement.matches('.card-choose')`) // the page has scrolled to it
	p.press(" ")
	p.until(`!document.getElementById('selection').hidden`)
	p.screenshot("selected")
	if height := value[float64](p, `document.getElementById('selection').offsetHeight`); height > 60 {
		t.Errorf("the commands are %.0f pixels high in a window of 180", height)
	}
	if value[bool](p, `document.documentElement.scrollWidth > innerWidth`) {
		t.Error("the page scrolls sideways")
	}
	for range 3 {
		p.press(kb.Tab)
		p.press(kb.Tab)
		if covered := value[bool](p, `(() => {
			const {left, top, width, height} = document.activeElement.getBoundingClientRect();
			return !document.activeElement.matches('.card-choose') || document.elementFromPoint(left + width / 2, top + height / 2) !== document.activeElement;
		})()`); covered {
			t.Error("a focused checkbox lies below the commands")
		}
	}
	p.focusOn("#trash-chosen")
	p.press(enter)
	p.until(`document.querySelector('.toast') !== null`)
	p.screenshot("message")
	p.until(`document.querySelector('.toast').getBoundingClientRect().top >= 0`)
}

// TestE2ESelectionByTouch: once an image is selected, taps on others select them, too,
// so that a finger beside a checkbox doesn't leave the page and lose the selection.
func TestE2ESelectionByTouch(t *testing.T) {
	t.Parallel()
	p := openPage(t, 820, 1180, false, sixSamples(t, startServer(t)))
	p.touchOn()
	p.until(cardCount + ` === 6`)
	says := func(text string) {
		t.Helper()
		p.until(`document.getElementById('selection-text').textContent === ` + quoted(text))
	}
	p.tapOn("the first box", `[data-at="0"] .card-choose`)
	says("1 image selected")
	p.tapOn("the second image", `[data-at="1"] .card-link`)
	says("2 images selected")
	p.tapOn("the second image again", `[data-at="1"] .card-link`)
	says("1 image selected")
	p.tapOn("the first image", `[data-at="0"] .card-link`)
	p.until(`document.getElementById('selection').hidden`)
	p.tapOn("opening it", `[data-at="0"] .card-link`)
	p.until(`location.pathname.startsWith('/images/')`)
}

// TestE2ESelectionShortcuts: Escape, Ctrl+A and Delete are for the selected images, and
// leave the page alone without any.
func TestE2ESelectionShortcuts(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, sixSamples(t, startServer(t)))
	p.until(cardCount + ` === 6`)
	const selected = `document.querySelectorAll('.card-choose:checked').length`
	p.focusOn(`[data-at="2"] .card-choose`)
	p.press(kb.Delete)
	p.press(" ")
	p.until(selected + ` === 1`)
	p.press("a", ctrl)
	p.until(selected + ` === 6`)
	p.press(kb.Escape)
	p.until(selected + ` === 0`)
	p.focusOn(`[data-at="2"] .card-choose`)
	p.press(" ")
	p.until(selected + ` === 1`)
	p.focusOn("#find-image")
	p.press(kb.Delete)
	p.focusOn(`[data-at="2"] .card-choose`)
	p.press(kb.Delete)
	p.until(cardCount + ` === 5`)
	p.until(`document.querySelector('#toasts [data-slot="action"]:not([hidden])') !== null && document.activeElement.closest('#images li')?.dataset.at === '2'`)
}

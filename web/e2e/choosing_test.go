package e2e

import (
	"fmt"
	"image"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/static"
)

// words are the texts of the visible cards, with their numbers.
const words = `[...document.querySelectorAll('.hypothesis:not([hidden])')].map((e) => [e.querySelector('[data-slot=rank]').textContent, e.querySelector('.hypothesis-what').textContent])`

// notice is the text of the page's messages.
const notice = `document.getElementById('toasts').textContent`

// classShares are the image's shares in the list of classes.
const classShares = `[...document.querySelectorAll('.class-share')].map((e) => e.textContent).join()`

// kinds are the kinds of the events of the open image.
func (p *page) kinds() []string {
	p.t.Helper()
	var kinds []string
	for _, e := range p.events() {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// TestE2EChoosing: cards say what they change and are numbered in the order shown;
// accepting says what has changed and can be undone; a chosen preview survives
// further drawing.
func TestE2EChoosing(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(truth, 0, 1, 2)
	said := value[[][2]string](p, words)
	if len(said) < 3 {
		t.Fatalf("only the cards %q; choose other clicks for this test", said)
	}
	for i, card := range said {
		if card[0] != fmt.Sprint(i+1) {
			t.Errorf("card %d is numbered %q", i+1, card[0])
		}
		if i > 0 && !regexp.MustCompile(`^\w+ → \w+`).MatchString(card[1]) {
			t.Errorf("card %d says %q, want what it changes", i+1, card[1])
		}
	}

	// The shares of the classes include the preview.
	first := value[string](p, classShares)
	p.press(".")
	p.until(`/^2 of/.test(document.getElementById('badge-text').textContent)`)
	p.until(fmt.Sprintf(`%s !== %q`, classShares, first))

	// A click accepts a card; the message undoes that.
	p.clickOn("accepting the second card", ".hypothesis:nth-child(2)")
	p.stored(4)
	p.until(`/Accepted.* \d+\s%/.test(` + notice + `)`)
	p.screenshot("accepted")
	p.clickOn("undoing", `#toasts [data-slot="action"]:not([hidden])`)
	p.stored(5)
	if got := p.kinds(); !slices.Equal(got[3:], []string{"accept", "undo"}) {
		t.Errorf("the events are %q, want the last two to accept and to undo", got)
	}
	p.settle()

	// Drawing on a chosen preview keeps it.
	p.press(".")
	p.press(".")
	p.until(`!document.getElementById('badge').hidden && document.getElementById('running').hidden`)
	p.press("4")
	p.click(insideOf(t, truth, 3))
	p.stored(7)
	if got := p.kinds(); !slices.Equal(got[5:], []string{"accept", "label"}) {
		t.Errorf("the events are %q, want the preview accepted before the click", got)
	}
	p.until(notice + ` === ''`) // its Undo would undo the click
	p.settle()

	// Keys pressed before their hypotheses arrive wait for them.
	p.press("5")
	p.click(insideOf(t, truth, 4))
	p.press(".")
	p.press(enter)
	p.stored(9)
	if last := p.kinds()[8]; last != "accept" {
		t.Errorf("the last event is %q, want the hypothesis accepted that was asked for early", last)
	}
}

// TestE2EAcceptedInVain: Enter on a card of older clicks waits for the new hypotheses,
// and when these don't include it, the page says that nothing was accepted, and stays
// where it is after Ctrl+Enter.
func TestE2EAcceptedInVain(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	p := openSample(t, 1280, 720, false)
	p.separately()
	p.clickClasses(truth, 0, 1, 2)
	value[bool](p, `import('`+static.Address("exchange/exchange.js")+`').then(({Exchange: {prototype}}) => {
		const held = [];
		for (const name of ['receive', 'arrive']) {
			const real = prototype[name];
			prototype[name] = function (message) {
				if (window.holding && (name === 'arrive' || ['run', 'done'].includes(message.type))) held.push(() => real.call(this, message));
				else real.call(this, message);
			};
		}
		window.release = () => {
			window.holding = false;
			for (const go of held.splice(0)) go();
		};
		const {dataset} = document.getElementById('app');
		dataset.next = dataset.image;
		return window.stays = true;
	})`)
	for i, held := range [][]kb.Modifier{nil, {ctrl}} {
		value[bool](p, `(window.holding = true)`)
		p.press(fmt.Sprint(4 + i))
		p.click(insideOf(t, truth, uint8(3+i)))
		p.stored(4 + i)
		p.clickOn("choosing a card of older clicks", ".hypothesis:nth-child(2).stale")
		p.press(enter, held...)
		p.hears("^Will be accepted when it arrives$")
		p.until(`document.getElementById('status').textContent === 'Will be accepted when it arrives'`)
		value[bool](p, `(release(), true)`)
		p.until(`/^Nothing was accepted.*not among those/.test(` + notice + `.trim())`)
		p.settle()
		p.screenshot(fmt.Sprint("in vain ", i))
		if got := p.kinds(); slices.Contains(got, "accept") {
			t.Errorf("the events are %q, want nothing accepted", got)
		}
		value[bool](p, `new Promise((done) => setTimeout(() => setTimeout(() => done(true), 31), 31))`) // the page looks every 30 ms whether it can go on
		if !value[bool](p, `document.getElementById('save').dataset.state === 'saved' && window.stays === true`) {
			t.Error("the page went on to the next image although nothing was accepted")
		}
		value[bool](p, `(document.getElementById('toasts').replaceChildren(), true)`)
	}
}

// TestE2EMessagesApart: messages lie over no part of the image, where a click that is
// meant for it would meet their buttons, and the newest is the one that is seen.
func TestE2EMessagesApart(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	value[bool](p, `(window.later = setTimeout, window.setTimeout = (run, after) => after === 12000 ? 0 : later(run, after), true)`) // messages stay
	p.clickClasses(sampleTruth(), 0, 1, 2)
	p.press(".")
	p.press(enter)
	shown := `[...document.querySelectorAll('.toast')].filter((e) => e.checkVisibility({visibilityProperty: true})).map((e) => e.querySelector('strong').textContent).join()`
	apart := func(title string) {
		t.Helper()
		for _, size := range [][2]int64{{1280, 720}, {930, 700}, {820, 1180}, {844, 390}, {390, 844}} {
			p.resize(size[0], size[1])
			p.until(fmt.Sprintf(`%s === %q`, shown, title))
			p.screenshot(fmt.Sprintf("%s-%dx%d", title, size[0], size[1]))
			for _, thing := range []string{"#canvas", "#classes", "#topbar"} {
				if p.overlap(".toast:last-child", thing) {
					t.Errorf("at %v the message %q is over %s", size, title, thing)
				}
			}
			if under := value[[]string](p, `[...document.querySelectorAll('.toast:last-child button:not([hidden])')].flatMap((button) => {
				const a = button.getBoundingClientRect();
				return [...document.querySelectorAll('.strip button:not(.toast button), .rail button, .class-row')].filter((e) => e.checkVisibility()).filter((e) => {
					const b = e.getBoundingClientRect();
					return a.left < b.right && b.left < a.right && a.top < b.bottom - 1 && b.top + 1 < a.bottom;
				}).map((e) => e.id);
			})`); len(under) > 0 {
				t.Errorf("at %v the buttons of the message %q are over those of %q", size, title, under)
			}
			if found := value[[]string](p, cut+`.filter((e) => e.includes('data-slot'))`); len(found) > 0 {
				t.Errorf("at %v the message %q has cut off %q", size, title, found)
			}
		}
	}
	apart("Accepted")
	value[bool](p, `import('`+static.Address("ui/toast.js")+`').then(({toast}) => { toast('Not everything is saved yet', 'Your work is safe. Try again once it says “Saved”.', 'problem'); return true; })`)
	apart("Not everything is saved yet")
	p.clickOn("taking the newest away", `.toast:last-child [data-slot="close"]`)
	apart("Accepted")
}

// TestE2EAcceptedOnAPhone: on a phone, too, the message about what was accepted
// leaves free which hypothesis is shown.
func TestE2EAcceptedOnAPhone(t *testing.T) {
	t.Parallel()
	p := openSample(t, 390, 844, false)
	p.clickClasses(sampleTruth(), 0, 1, 2)
	p.press(".")
	p.until(`/^2 of/.test(document.getElementById('badge-text').textContent) && document.getElementById('badge').checkVisibility()`)
	value[bool](p, `import('`+static.Address("ui/toast.js")+`').then(({toast}) => { toast('Accepted here', 'cloth 11 %, table 23 %, background 66 %', 'info', {label: 'Undo', run() {}}); return true; })`)
	p.screenshot("accepted here")
	if p.overlap(".toast", "#badge") {
		t.Errorf("the message %q is over %q", value[string](p, notice), value[string](p, `document.getElementById('badge-text').textContent`))
	}
}

// TestE2ELongMessageOnAPhone: on a phone a message of several lines covers neither the
// image, nor the tools, nor a button.
func TestE2ELongMessageOnAPhone(t *testing.T) {
	t.Parallel()
	p := openSample(t, 390, 844, false)
	p.clickClasses(sampleTruth(), 0, 1, 2)
	value[bool](p, `import('`+static.Address("ui/toast.js")+`').then(({toast}) => { toast('The export failed', 'The disk of the server is full: ask the administrator for room, then try again. Your work is safe.', 'problem', {label: 'Try again', run() {}}); return true; })`)
	p.screenshot("long message")
	for _, thing := range []string{"#canvas", ".rail", ".strip-head", "#classes"} {
		if p.overlap(".toast", thing) {
			t.Errorf("the message is over %s", thing)
		}
	}
}

// TestE2ENothingBesideTheImage: a click or drag beside the image does nothing,
// and asks the server nothing.
func TestE2ENothingBesideTheImage(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(sampleTruth(), 0, 1)
	box := value[[]float64](p, `(() => { const b = document.getElementById('canvas').getBoundingClientRect(); return [b.left + b.width / 2, b.top + 6, b.bottom - 6]; })()`)
	p.do("clicking and dragging beside the image", chromedp.MouseClickXY(box[0], box[1]), chromedp.DragAndDropXY(box[0], box[2], box[0]+60, box[2], 4))
	p.click(insideOf(t, sampleTruth(), 5))
	p.stored(3)
	if got := value[string](p, notice); got != "" {
		t.Errorf("the page says %q", got)
	}
}

// TestE2EFingerPreviews: the first tap on a card previews it, the second accepts.
func TestE2EFingerPreviews(t *testing.T) {
	t.Parallel()
	p := bare(t, 390, 844)
	truth := sampleTruth()
	p.clickOn("choosing background", "#classes li:nth-child(1) .class-button")
	p.tap(insideOf(t, truth, 0))
	p.clickOn("choosing orange", "#classes li:nth-child(6) .class-button")
	p.tap(insideOf(t, truth, 5))
	p.stored(2)
	p.settle()
	at := value[[]float64](p, `(() => { const b = document.querySelector('.hypothesis:nth-child(2)').getBoundingClientRect(); return [b.left + b.width / 2, b.top + 20]; })()`)
	p.finger("a first tap", at[0], at[1])
	p.until(`/^2 of/.test(document.getElementById('badge-text').textContent)`)
	if n := len(p.events()); n != 2 {
		t.Errorf("%d events after the first tap, want none more", n)
	}
	p.finger("a second tap", at[0], at[1])
	p.stored(3)
	if got := p.kinds(); got[2] != "accept" {
		t.Errorf("the second tap made %q", got)
	}
}

// TestE2EFurtherClicks: W pressed again goes to the next superpixel.
func TestE2EFurtherClicks(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(sampleTruth(), 0, 1, 2)
	worth := value[struct {
		Suggestion struct{ Superpixel int }
		Further    []struct{ Superpixel int } `json:"further_suggestions"`
	}](p, p.api("/hypotheses?count=0"))
	var further []int
	for _, next := range worth.Further {
		further = append(further, next.Superpixel)
	}
	p.press("w")
	p.hears("^Most useful next click")
	p.press("w")
	p.hears("^Most useful next click")
	p.press("2")
	p.stored(4)
	events := p.events()
	if got := events[3].Superpixels[0]; !slices.Contains(further, got) {
		t.Errorf("the second W led to superpixel %d; after %d, these are worth a click: %v", got, worth.Suggestion.Superpixel, further)
	}
}

// TestE2EOneClass: an image of a single class is finished by one click and Enter.
func TestE2EOneClass(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.restIs(`"nothing"`, "Every pixel")
	p.press("2")
	p.click(insideOf(t, sampleTruth(), 1))
	p.stored(1)
	p.until(`document.getElementById('running').hidden && document.querySelectorAll('.hypothesis').length === 1`)
	p.press(enter)
	p.stored(2)
	if got := value[record](p, p.api("")); got.Decided != 1 {
		t.Errorf("after Enter %v of the image is decided", got.Decided)
	}
	if got := value[string](p, notice); !strings.Contains(got, "Accepted") {
		t.Errorf("the page says %q", got)
	}

	// An Enter pressed before the hypothesis arrives waits for it.
	p.press("z", ctrl)
	p.press("z", ctrl)
	p.stored(4)
	p.until(`document.querySelectorAll('.hypothesis').length === 0`)
	p.click(insideOf(t, sampleTruth(), 1))
	p.press(enter)
	p.stored(6)
}

// TestE2EStripSize: the strip keeps the size that it is dragged to, even after a
// reload, by mouse and by keys, beside the image and below it.
func TestE2EStripSize(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(sampleTruth(), 0, 1)
	for _, window := range []image.Point{image.Pt(1280, 720), image.Pt(820, 1180)} {
		p.resize(int64(window.X), int64(window.Y))
		beside := window.X > window.Y
		size := func() float64 {
			return value[float64](p, fmt.Sprintf(`(() => { const b = document.getElementById('strip').getBoundingClientRect(); return %t ? b.width : b.height; })()`, beside))
		}
		handle := value[[]float64](p, `(() => { const b = document.getElementById('strip-handle').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`)
		to := image.Pt(-60, 0)
		if !beside {
			to = image.Pt(0, -60)
		}
		before := size()
		p.do("dragging the strip", chromedp.DragAndDropXY(handle[0], handle[1], handle[0]+float64(to.X), handle[1]+float64(to.Y), 5))
		dragged := size()
		if dragged < before+55 || dragged > before+65 {
			t.Errorf("%v: dragged by 60, the strip went from %v to %v", window, before, dragged)
		}
		p.focusOn("#strip-handle")
		p.press(kb.ArrowUp)
		if got := size(); got < dragged+15 || got > dragged+17 {
			t.Errorf("%v: a key made %v of %v", window, got, dragged)
		}
		p.screenshot(fmt.Sprintf("%dx%d", window.X, window.Y))
		larger := size()
		p.do("reloading", chromedp.Reload())
		p.settle()
		if got := size(); got < larger-2 || got > larger+2 {
			t.Errorf("%v: after a reload the strip is %v, was %v", window, got, larger)
		}
	}
}

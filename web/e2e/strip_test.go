package e2e

import (
	"fmt"
	"image"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/sharedtest"
	"collie/static"
)

// cards counts the cards that are shown, and those that are folded away.
const cards = `[document.querySelectorAll('.hypothesis:not([hidden])').length, document.querySelectorAll('.hypothesis[hidden]').length]`

// tried is how many hypotheses the status reports: different ones and repeats.
const tried = `(document.getElementById('status').textContent.match(/[0-9]+/g) ?? []).map(Number).reduce((a, b) => a + b, 0)`

// TestE2EStrip looks for more hypotheses, folds those that are nearly the same,
// previews under the pointer without moving a card, and accepts a region.
func TestE2EStrip(t *testing.T) {
	t.Parallel()
	photograph := sharedtest.Path(t, "data/voc/images/2009_002221.jpg")
	p := openPage(t, 1280, 720, true, startServer(t))
	p.drop(photograph)
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
	p.press("1")
	p.click(image.Pt(20, 20))
	p.press("2")
	p.click(image.Pt(250, 200))
	p.stored(2)
	p.settle(tried + ` === 20`)
	first := value[[]int](p, cards)
	for _, count := range []int{40, 60} {
		p.press("m")
		p.settle(fmt.Sprintf(`%s === %d`, tried, count))
	}
	more := value[[]int](p, cards)
	t.Logf("%v cards shown and folded at first, %v with 60 hypotheses", first, more)
	if more[0]+more[1] <= first[0]+first[1] {
		t.Errorf("looking for more brought none: %v cards, then %v", first, more)
	}
	if more[1] == 0 {
		t.Fatal("no two of 60 hypotheses are nearly the same; choose another photograph for this test")
	}
	p.screenshot("folded")
	p.listen()
	p.clickOn("unfolding", ".hypothesis:not([hidden]) [data-slot=fold]:not([hidden])")
	p.until(fmt.Sprintf(`%s[1] < %d`, cards, more[1]))
	p.screenshot("unfolded")
	p.hears(`^\d+ similar shown$`)
	p.press(kb.ArrowUp)
	p.until(fmt.Sprintf(`%s[1] === %d`, cards, more[1]))
	p.hears(`^\d+ similar hidden$`)

	// A card under the pointer is previewed and stays where it is.
	place := `(() => { const b = document.querySelector('.hypothesis:nth-child(3)').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`
	before := value[[]float64](p, place)
	p.do("pointing at a card", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, before[0], before[1]))
	p.until(`/^3 of/.test(document.getElementById('badge-text').textContent)`)
	p.press("m")
	p.settle(tried + ` === 80`)
	if after := value[[]float64](p, place); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the card under the pointer moved from %v to %v", before, after)
	}

	// Of the third hypothesis, only the region under the pointer.
	answer := value[struct{ Hypotheses []struct{ Labels []int } }](p, p.api("/hypotheses?count=3"))
	best, third := answer.Hypotheses[0].Labels, answer.Hypotheses[2].Labels
	differing := 0
	for third[differing] == best[differing] {
		differing++
	}
	at := value[[]float64](p, place)
	p.do("keeping the preview of the third card", chromedp.MouseClickXY(at[0], at[1], func(e *input.DispatchMouseEventParams) { e.Modifiers = int64(shift) }))
	p.point(p.middle(differing))
	p.until(`/^3 of/.test(document.getElementById('badge-text').textContent)`)
	p.press(enter, kb.ModifierShift)
	p.stored(3)
	events := value[struct {
		Events []struct {
			Kind        string
			Superpixels []int
		}
	}](p, p.api("/evidence"))
	last := events.Events[len(events.Events)-1]
	if len(events.Events) != 3 || last.Kind != "accept" || !slices.Contains(last.Superpixels, differing) || len(last.Superpixels) == len(best) {
		t.Errorf("the last of %d events is %+v, want a region with superpixel %d accepted", len(events.Events), last, differing)
	}
}

// moved collects from every frame from now on where the strip's hit targets and the
// image are, as far as one of them has been in two places.
const moved = `(() => {
	const places = {};
	const look = () => {
		for (const [name, selector] of Object.entries({accept: '#accept', next: '#next-click', search: '#search', image: '#canvas', cards: '#cards:not(:empty), #strip-empty:not([hidden])'})) {
			const {left, top} = document.querySelector(selector).getBoundingClientRect();
			const place = Math.round(left) + ',' + Math.round(top);
			(places[name] ??= []).includes(place) || places[name].push(place);
		}
		requestAnimationFrame(look);
	};
	look();
	window.moved = () => Object.entries(places).filter(([, all]) => all.length > 1).map((place) => place.join(' '));
})()`

// TestE2EStripStays: whatever the strip says and shows, from the first click on, the
// cards and the buttons above them stay where they are.
func TestE2EStripStays(t *testing.T) {
	t.Parallel()
	photograph := sharedtest.Path(t, "data/voc/images/2009_002221.jpg")
	p := openPage(t, 1280, 720, false, startServer(t))
	p.drop(photograph)
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
	for _, size := range [][2]int64{{1280, 720}, {820, 1180}, {390, 844}, {844, 390}, {640, 360}} {
		p.resize(size[0], size[1])
		p.do("reloading", chromedp.Reload())
		p.until(`document.getElementById('save')?.dataset.state === 'saved' && /^(Press|Click)/.test(document.getElementById('status').textContent)`)
		p.do("watching", chromedp.Evaluate[chromedp.Void]("void "+moved))
		p.press("2")
		p.click(image.Pt(250, 200))
		p.settle(tried+` === 20`, `!document.getElementById('extent-range').disabled`)
		p.press("m")
		p.settle(tried + ` === 40`)
		p.press(".")
		p.until(`/^2 of/.test(document.getElementById('badge-text').textContent)`)
		if found := value[[]string](p, "moved()"); len(found) > 0 {
			t.Errorf("at %v hypotheses moved %q", size, found)
		}
		for _, shows := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
			if found := value[[]string](p, fmt.Sprintf(`import('%[1]s').then(({paintStatus}) => {
				const {left, top} = document.getElementById('cards').getBoundingClientRect();
				document.getElementById('badge').hidden = !%[2]t;
				return ['Saved', 'Offline. Your edits are kept in this browser. '.repeat(9)].filter((text) => {
					paintStatus(text, {running: %[3]t});
					const now = document.getElementById('cards').getBoundingClientRect();
					return now.left !== left || now.top !== top;
				});
			})`, static.Address("annotate/chrome.js"), shows[0], shows[1])); len(found) > 0 {
				t.Errorf("at %v, with a preview %t and running %t, the cards are moved by %q", size, shows[0], shows[1], found)
			}
		}
		p.press(enter)
		p.until(`document.getElementById('status').textContent.startsWith('Everything is accepted')`)
		if found := value[[]string](p, "moved()"); len(found) > 0 {
			t.Errorf("at %v accepting moved %q", size, found)
		}
		p.press("z", ctrl)
		p.press("z", ctrl)
		p.until(`document.getElementById('undo').disabled && document.getElementById('save').dataset.state === 'saved'`)
	}
}

// TestE2EStripBelow: below the image the strip is as wide as the window, and its last
// card can be scrolled to.
func TestE2EStripBelow(t *testing.T) {
	t.Parallel()
	p := openSample(t, 390, 844, false)
	p.clickClasses(sampleTruth(), 0, 1, 2)
	p.settle()
	for _, width := range []int64{390, 820} {
		p.resize(width, 844)
		if room := value[float64](p, `document.getElementById('cards').getBoundingClientRect().right`); room > float64(width) {
			t.Errorf("the cards end at %.0f in a window of %d", room, width)
		}
		p.do("going to the last card", chromedp.Evaluate[chromedp.Void](`void document.getElementById('cards').scrollTo({left: 1e6, behavior: 'instant'})`))
		p.until(`[...document.querySelectorAll('.hypothesis')].filter((c) => c.checkVisibility()).at(-1).getBoundingClientRect().right <= innerWidth`)
	}
}

// TestE2EStripSlow: where each frame has time for one thumbnail only, every card
// gets its own, and none is painted a second time.
func TestE2EStripSlow(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.separately()
	value[bool](p, `import('`+static.Address("canvas/thumbnails.js")+`').then(({Thumbnails: {prototype}}) => {
		const {paint} = prototype;
		window.painted = 0;
		prototype.paint = function (...what) {
			paint.apply(this, what);
			window.painted++;
			for (const began = performance.now(); performance.now() < began + 5; );
		};
		return true;
	})`)
	p.clickClasses(sampleTruth(), 0, 1, 2)
	p.settle()
	p.do("going to the last card", chromedp.Evaluate[chromedp.Void](`void document.getElementById('cards').scrollTo({top: 1e6, behavior: 'instant'})`))
	p.until(`[...document.querySelectorAll('.hypothesis:not([hidden]) [data-slot=close]')].at(-1).width !== document.createElement('canvas').width`)
	p.until(`new Promise((done) => {
		const before = window.painted;
		const wait = (frames) => frames > 0 ? requestAnimationFrame(() => wait(frames - 1)) : done(before > 0 && window.painted === before);
		wait(20);
	})`)
}

// TestE2EFocusOfWhatIsGone: when the card, the slider or the button that has the focus
// goes away or is disabled, the image gets the focus, and the Tab key goes on there.
func TestE2EFocusOfWhatIsGone(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(sampleTruth(), 0, 1)
	focused := func(what string) {
		t.Helper()
		if at := value[string](p, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.activeElement.id || document.activeElement.tagName))))`); at != "canvas" {
			t.Errorf("%s: the focus is on %s", what, at)
		}
	}
	p.focusOn(`.hypothesis[tabindex="0"]`)
	p.press(kb.ArrowRight)
	p.until(`document.activeElement.matches('.hypothesis[aria-selected=true]:not(:first-child)')`)
	p.press(enter)
	p.until(`document.getElementById('status').textContent.startsWith('Everything is accepted')`)
	focused("accepting a card")
	p.press("z", ctrl)
	p.settle()

	p.focusOn("#extent-range")
	p.press("z", ctrl)
	p.until(`document.getElementById('extent').hidden || document.getElementById('extent-range').disabled`)
	focused("undoing beside the slider")
	p.until(`document.getElementById('save').dataset.state === 'saved' && !document.getElementById('undo').disabled`)

	p.focusOn("#undo")
	p.press(enter)
	p.until(`document.getElementById('undo').disabled`)
	focused("undoing everything")
}

package e2e

import (
	"context"
	"fmt"
	"image"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	browserpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/sharedtest"
	"collie/static"
)

// A layout is a window in CSS pixels, and the least share of it that the image gets.
type layout struct {
	name          string
	width, height int64
	touch         bool
	room          float64
}

// layouts are the windows that the annotation page supports. Room is the least
// share of the window that the image gets, whatever its shape; sizes at 200 % are
// the ones that the page sees.
var layouts = []layout{
	{"laptop", 1280, 720, false, 0.45},
	{"desk", 1920, 1080, false, 0.45},
	{"phone", 390, 844, true, 0.40},
	{"phone on its side", 844, 390, true, 0.40},
	{"tablet", 820, 1180, true, 0.45},
	{"laptop at 200 percent", 640, 360, false, 0.40},
}

// kept is the share of the largest possible picture in a window that an image
// gets at least where its shape doesn't allow the room that the window has.
const kept = 0.7

// TestE2ELayouts measures how much of every window the image gets, of one that is
// wide and one that is tall: no window is mostly controls, nothing covers the
// image, and it keeps its place when hypotheses arrive.
func TestE2ELayouts(t *testing.T) {
	t.Parallel()
	origin := startServer(t)
	for _, photograph := range []struct {
		name, id string
		object   image.Point
	}{{"wide", "2009_002221", image.Pt(250, 200)}, {"tall", "2007_004405", image.Pt(166, 200)}} {
		path := sharedtest.Path(t, "data/voc/images/"+photograph.id+".jpg")
		p := openPage(t, 1280, 720, false, origin)
		p.drop(path)
		p.until(`document.getElementById("save")?.dataset.state === "saved"`)
		resize := func(l layout) {
			p.resize(l.width, l.height, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
				_, err := chromedp.Call(ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: l.touch})
				return err
			}))
		}
		const place = `JSON.stringify(document.getElementById('canvas').getBoundingClientRect())`
		empty := map[string]string{} // where the canvas is without hypotheses
		for _, l := range layouts {
			resize(l)
			empty[l.name] = value[string](p, place)
		}
		resize(layouts[0])
		p.press("2")
		p.click(photograph.object)
		p.settle()
		size := openImage(t, path).Bounds().Size()
		aspect := float64(size.X) / float64(size.Y)
		for _, l := range layouts {
			name := l.name + ", " + photograph.name
			resize(l)
			p.do("reloading", chromedp.Reload())
			p.until(settled)
			if full := value[string](p, place); full != empty[l.name] {
				t.Errorf("%s: hypotheses moved the image from %s to %s", name, empty[l.name], full)
			}
			measured := value[[]float64](p, wholeView+`.then(({left, top, right, bottom}) => {
				const {width, height} = document.getElementById('canvas').getBoundingClientRect();
				return [width * height, (right - left) * (bottom - top)].map((area) => area / (innerWidth * innerHeight));
			})`)
			room, share := measured[0], measured[1]
			window := float64(l.width) / float64(l.height)
			largest := math.Min(aspect/window, window/aspect)
			t.Logf("%-28s %4d×%-4d room %.1f %%, image %.1f %% of at most %.1f %%", name, l.width, l.height, 100*room, 100*share, 100*largest)
			if room < l.room {
				t.Errorf("%s: the image has %.1f %% of the window to itself, want %.0f %%", name, 100*room, 100*l.room)
			}
			if want := min(l.room, kept*largest); share < want {
				t.Errorf("%s: the image fills %.1f %% of the window, want %.1f %%; it could fill %.1f %%", name, 100*share, 100*want, 100*largest)
			}
			if over := value[[]string](p, covering); len(over) > 0 {
				t.Errorf("%s: the whole image lies under %q", name, over)
			}
			if hidden := value[[]string](p, outside); len(hidden) > 0 {
				t.Errorf("%s: out of reach are %q", name, hidden)
			}
			if found := value[[]string](p, small); len(found) > 0 {
				t.Errorf("%s: too small to hit are %q", name, found)
			}
			p.screenshot(fmt.Sprintf("%dx%d-%s", l.width, l.height, photograph.name))
		}
		p.press(kb.Enter)
		p.until(`document.getElementById("status").textContent.startsWith("Everything is accepted")`)
		for _, l := range layouts {
			resize(l)
			if accepted := value[string](p, place); accepted != empty[l.name] {
				t.Errorf("%s, %s: with everything accepted the image moved from %s to %s", l.name, photograph.name, empty[l.name], accepted)
			}
		}
	}
}

// TestE2EMoreOnAPhone: controls that don't fit a phone's top bar are in a menu.
func TestE2EMoreOnAPhone(t *testing.T) {
	t.Parallel()
	p := openSample(t, 390, 844, false)
	p.focusOn("#more")
	p.press(kb.Enter)
	p.focusOn(`#more-menu [data-do="history"]`)
	p.press(kb.Enter)
	p.until(`document.activeElement.closest('#history-panel') !== null`)
	p.press(kb.Escape)
	p.until(`document.getElementById('history-panel').hidden && document.activeElement.id === 'more'`)

	more := func(what, opens string) {
		p.clickOn("more", "#more")
		p.until(`document.getElementById('more-menu').matches(':popover-open')`)
		p.clickOn(what, `#more-menu [data-do="`+what+`"]`)
		p.until(opens)
		p.press(kb.Escape)
	}
	more("history", `document.getElementById('history-panel').checkVisibility()`)
	more("help", `document.getElementById('help-dialog').open`)
	more("review", `document.getElementById('review-menu').matches(':popover-open')`)
	p.until(`document.activeElement.id === 'more'`)
}

// TestE2EPanelsApart: the history and the view settings are open together only where
// neither covers the other.
func TestE2EPanelsApart(t *testing.T) {
	t.Parallel()
	p := openSample(t, 640, 800, false)
	open := func(history, settings bool) {
		t.Helper()
		p.until(fmt.Sprintf(`document.getElementById('history-panel').checkVisibility() === %t && document.getElementById('tones-panel').checkVisibility() === %t`, history, settings))
	}
	p.press("c")
	p.press("y")
	open(true, true)
	p.resize(390, 844)
	open(true, false)
	p.clickOn("the view settings", "#tones")
	open(false, true)
	p.until(`document.activeElement.id === 'opacity'`)
	p.focusOn("#canvas")
	p.press("y")
	open(true, false)
}

// TestE2ENarrowest: in a window of 320 pixels, which is also what 400 % zoom leaves
// of a laptop's, the image's name can be read, also where many images make the place
// long, and what the bar has no room for is in the menu.
func TestE2ENarrowest(t *testing.T) {
	t.Parallel()
	p := openPage(t, 320, 640, true, manyImages(t, startServer(t), 3))
	p.until(cardCount + ` === 3`)
	p.clickOn("opening an image", `#images a`)
	p.until(`document.getElementById('loading')?.hidden === true`)
	for _, place := range []string{"1 / 3", "4321 / 10000"} {
		p.do("taking the place", chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (document.getElementById('place-shown').textContent = %q)`, place)))
		if room := value[float64](p, `document.querySelector('.image-name').parentElement.clientWidth`); room < 75 {
			t.Errorf("at %s the name has %.0f pixels", place, room)
		}
		if value[bool](p, `document.documentElement.scrollWidth > innerWidth || document.getElementById('topbar').scrollWidth > innerWidth`) {
			t.Errorf("at %s the page scrolls sideways", place)
		}
	}
	p.screenshot("bar")
	p.clickOn("more", "#more")
	p.clickOn("export", `#more-menu [data-do="export"]`)
	p.until(`document.getElementById('export-dialog').open`)
}

// TestE2ETiny: in the window that 400 % zoom leaves of a laptop's, the image fills
// what the bar leaves, the rest of the page comes after it, nothing scrolls sideways,
// and keys that choose leave the image in view.
func TestE2ETiny(t *testing.T) {
	t.Parallel()
	p := openSample(t, 320, 256, false)
	p.clickClasses(sampleTruth(), 0, 5)
	p.settle()
	for _, key := range []string{"", "1", ".", "v"} {
		if key != "" {
			p.press(key)
		}
		canvas := value[[]float64](p, `(({left, top, width, height}) => [left, top, width, height])(document.getElementById('canvas').getBoundingClientRect())`)
		if canvas[0] != 0 || canvas[1] < 0 || canvas[2] != 320 || canvas[3] < 190 {
			t.Errorf("after %q: left, top, width and height of the image are %v", key, canvas)
		}
		if wide := value[int](p, `document.documentElement.scrollWidth`); wide > 320 {
			t.Errorf("after %q: the page is %d pixels wide", key, wide)
		}
	}
	p.do("scrolling", chromedp.Evaluate[chromedp.Void](`void scrollTo({top: 1e6, behavior: 'instant'})`))
	p.until(`document.getElementById('classes').getBoundingClientRect().bottom <= innerHeight`)
	p.screenshot("classes")
}

// TestE2EOrderOfPanels: the Tab key visits the hypotheses before the classes where
// they are above them.
func TestE2EOrderOfPanels(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(sampleTruth(), 0, 1)
	p.settle()
	for _, size := range [][2]int64{{1280, 720}, {844, 390}, {390, 844}, {1280, 720}} {
		p.resize(size[0], size[1])
		if order := value[[]string](p, `[...document.querySelectorAll('#strip, .classes')].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map((e) => e.className)`); value[[]string](p, `[...document.querySelectorAll('#strip, .classes')].map((e) => e.className)`)[0] != order[0] {
			t.Errorf("at %v the page shows %q in another order than Tab", size, order)
		}
	}
}

// TestE2ELargeLetters: with letters twice as large, which people choose in their
// browser, nothing is out of reach, no page scrolls sideways, and the image has room.
func TestE2ELargeLetters(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(sampleTruth(), 0, 1)
	image := value[string](p, `location.href`)
	project := value[string](p, `document.querySelector('.crumbs a').href`)
	address, id, _ := strings.Cut(image, "/images/")
	for range 12 { // many projects have a field that finds them
		post(t, address+"/api/v1/projects", `{"name":"Another"}`)
	}
	p.until(fmt.Sprintf(`fetch('/api/v1/projects/' + document.getElementById('app').dataset.project + '/reviews', {method: 'PUT', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({images: [%q], status: 'rejected', comment: 'The rim of the bowl is missing.'})}).then((r) => r.ok)`, id))
	p.do("enlarging letters", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, browserpage.SetFontSizes, browserpage.SetFontSizesParams{FontSizes: &browserpage.FontSizes{Standard: 32}})
		return err
	}))
	for _, size := range [][2]int64{{1280, 720}, {844, 390}, {390, 844}} {
		p.resize(size[0], size[1])
		for _, address := range []string{image, project, address} {
			p.do("opening "+address, chromedp.Navigate(address))
			if address == image {
				p.until(settled)
				p.screenshot(fmt.Sprint(size))
				if room := value[float64](p, `document.getElementById('canvas').clientHeight`); room < 150 {
					t.Errorf("at %v the image has %.0f pixels", size, room)
				}
				if room := value[float64](p, `document.querySelector('.review-text').clientWidth`); room < 250 {
					t.Errorf("at %v the comment of a rejection has %.0f pixels", size, room)
				}
				if beyond := value[[]string](p, `[...document.querySelectorAll('#topbar :is(a, button), .strip-head button, .rail button, .guess button')].filter((e) => e.checkVisibility()).filter((e) => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map((e) => e.id)`); len(beyond) > 0 {
					t.Errorf("at %v out of the window are %q", size, beyond)
				}
			}
			if wide := value[int](p, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
				t.Errorf("at %v %s is %d pixels too wide", size, address, wide)
			}
			for _, id := range value[[]string](p, `[...document.querySelectorAll('dialog')].map((d) => d.id)`) {
				if wide := value[int](p, fmt.Sprintf(`((d) => { d.showModal(); const wide = d.scrollWidth - d.clientWidth; d.close(); return wide; })(document.getElementById(%q))`, id)); wide > 0 {
					t.Errorf("at %v the dialog %s is %d pixels too wide", size, id, wide)
				}
			}
		}
	}
}

// TestE2EMessagesBesideImage: a long message covers nothing, and moves nothing but the
// end of the list of cards.
func TestE2EMessagesBesideImage(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(sampleTruth(), 0, 5)
	p.until(`!document.getElementById('extent').hidden && document.querySelector('.hypothesis') !== null`)
	const places = `JSON.stringify(['#stage', '#classes', '#rest', '.strip-head', '.hypothesis', '#extent'].map((s) => document.querySelector(s).getBoundingClientRect()))`
	before := value[string](p, places)
	value[bool](p, `import('`+static.Address("ui/toast.js")+`').then(({toast}) => {
		toast('Something long has happened', 'This is what was wrong, with which image and which class. '.repeat(4), 'problem', {label: 'Do something', run: () => {}});
		return true;
	})`)
	p.until(`document.querySelector('.toast') !== null`)
	p.screenshot("message")
	for _, other := range []string{"#stage", ".classes", ".strip-head", "#cards", "#extent"} {
		if p.overlap(".toast", other) {
			t.Errorf("the message lies over %s", other)
		}
	}
	if after := value[string](p, places); after != before {
		t.Errorf("the message moves things from %s to %s", before, after)
	}
	if beside := value[bool](p, `(([action, close]) => action.bottom > close.top && close.bottom > action.top)(['action', 'close'].map((slot) => document.querySelector('.toast [data-slot=' + slot + ']').getBoundingClientRect()))`); !beside {
		t.Error("the buttons of the message are in two rows")
	}
	p.clickOn("taking it away", `.toast [data-slot="close"]`)
	p.until(`document.getElementById('toasts').getBoundingClientRect().height === 0`)
}

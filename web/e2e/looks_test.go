package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/static"
)

// outside lists the controls that can't be reached because they lie outside the
// window or under another element.
const outside = `[...document.querySelectorAll('button, a[href], input')].filter((e) => {
	if (!e.checkVisibility({visibilityProperty: true, opacityProperty: true}) || e.closest('.visually-hidden, .class-list, .strip-cards') || e.matches('.visually-hidden, .skip')) return false;
	const b = e.getBoundingClientRect();
	if (b.width === 0) return false;
	const [x, y] = [b.left + b.width / 2, b.top + b.height / 2];
	if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return document.documentElement.scrollHeight <= innerHeight || x >= innerWidth;
	const top = document.elementFromPoint(x, y);
	return top !== null && !e.contains(top) && !top.contains(e) && !top.closest('label')?.contains(e);
}).map((e) => e.id || e.outerHTML.slice(0, 80))`

// covering lists what lies over the image while all of it is shown.
var covering = wholeView + `.then(({left, right, top, bottom}) => ['.topbar', '.rail', '.strip', '.classes', '.badge'].filter((selector) => {
	const b = document.querySelector(selector).getBoundingClientRect();
	return b.left < right && b.right > left && b.top < bottom && b.bottom > top;
}))`

// TestE2ELooks opens the pages in windows from a phone to a wall, in both themes:
// nothing can be cut off or covered. The pictures are for people.
func TestE2ELooks(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	for _, dark := range []bool{false, true} {
		theme := map[bool]string{false: "light", true: "dark"}[dark]
		t.Run(theme, func(t *testing.T) {
			p := openSample(t, 1280, 720, dark)
			p.clickClasses(truth, 0, 1, 2, 3, 5)
			annotate := value[string](p, `location.href`)
			project := value[string](p, `document.querySelector('.crumbs a').href`)
			for _, size := range [][2]int64{{1280, 720}, {390, 844}, {820, 1180}, {3840, 2160}} {
				window := fmt.Sprintf("%dx%d", size[0], size[1])
				p.resize(size[0], size[1])
				for _, page := range []struct{ name, address, ready string }{
					{"annotate", annotate, settled},
					{"project", project, `document.querySelector('#images .card') && document.readyState === 'complete' && [...document.images].every(i => i.complete)`},
					{"start", project + "/../..", `document.readyState === 'complete' && [...document.images].every(i => i.complete)`},
				} {
					p.do("going to "+page.name, chromedp.Navigate(page.address))
					p.until(page.ready)
					p.screenshot(page.name + "-" + window)
					if wide := value[int64](p, `document.documentElement.scrollWidth`); wide > size[0] {
						t.Errorf("%s at %s is %d pixels wide", page.name, window, wide)
					}
					if hidden := value[[]string](p, outside); len(hidden) > 0 {
						t.Errorf("%s at %s: out of reach are %q", page.name, window, hidden)
					}
					if page.name == "annotate" {
						if over := value[[]string](p, covering); len(over) > 0 {
							t.Errorf("at %s the whole image lies under %q", window, over)
						}
					}
				}
			}
		})
	}
}

// cut lists what can be pressed or typed into and lies across an edge of the
// window, and the panels whose content is wider than they are.
const cut = `[...document.querySelectorAll('button, a[href], input, select, dialog[open], .menu, .tip, .history, .tones, .alternatives')].filter((e) => {
	if (!e.checkVisibility({visibilityProperty: true, opacityProperty: true}) || e.closest('.visually-hidden, .class-list, .strip-cards, dialog:not([open])') || e.matches('.visually-hidden, .skip')) return false;
	const b = e.getBoundingClientRect();
	return b.width > 0 && (b.left < 0 || b.right > innerWidth || (e.matches('dialog, .menu, .history, .tones, .alternatives') && e.scrollWidth > e.clientWidth + 1));
}).map((e) => e.id || e.outerHTML.slice(0, 80))`

// small lists controls less than 24 pixels wide or high, except links in a text
// and controls enlarged by a label.
const small = `[...document.querySelectorAll('button, a[href], input, select, summary, [role=option], .hypothesis-fold')].filter((e) => {
	if (!e.checkVisibility({visibilityProperty: true, opacityProperty: true}) || e.matches('.visually-hidden, .skip, p:not(.crumbs) > a, label input')) return false;
	const b = e.getBoundingClientRect();
	return b.width > 0 && (b.width < 23.5 || b.height < 23.5);
}).map((e) => e.id || e.outerHTML.slice(0, 80))`

// overlap says whether the first elements of two CSS selectors are both visible and
// lie over each other.
func (p *page) overlap(a, b string) bool {
	p.t.Helper()
	return value[bool](p, fmt.Sprintf(`(() => {
		const [a, b] = [%q, %q].map((s) => document.querySelector(s)).map((e) => e?.checkVisibility({visibilityProperty: true}) ? e.getBoundingClientRect() : new DOMRect());
		return a.width * b.width > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
	})()`, a, b))
}

// TestE2EPanels opens the panels and dialogs of the pages in the dark theme, on a
// phone and on a small desktop: nothing is wider than the window, cut off at its
// edges, or covering its neighbours.
func TestE2EPanels(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	for _, size := range [][2]int64{{1280, 720}, {390, 844}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p := openSample(t, size[0], size[1], true)
			look := func(name string) {
				t.Helper()
				p.screenshot(name)
				if wide := value[int64](p, `document.documentElement.scrollWidth`); wide > size[0] {
					t.Errorf("%s is %d pixels wide", name, wide)
				}
				if found := value[[]string](p, cut); len(found) > 0 {
					t.Errorf("%s: cut off or too wide are %q", name, found)
				}
				if found := value[[]string](p, small); len(found) > 0 {
					t.Errorf("%s: too small to hit are %q", name, found)
				}
			}
			apart := func(a, b string) {
				t.Helper()
				if p.overlap(a, b) {
					t.Errorf("%s is over %s", a, b)
				}
			}
			open := func(id string) {
				t.Helper()
				value[bool](p, fmt.Sprintf(`(document.getElementById(%q).click(), true)`, id))
			}
			p.clickClasses(truth, 0, 1, 2, 4)
			open("history")
			look("history")
			apart("#history-panel", "#badge")
			open("history-close")
			open("classes-more")
			look("label sets")
			p.press(kb.Escape)
			p.focusOn("#canvas")
			p.press("u")
			p.press("w")
			p.until(`!document.getElementById('asking').hidden`)
			p.press("x")
			p.until(`!document.getElementById('alternatives').hidden`)
			look("alternatives")
			p.press(kb.Escape)
			p.press("b")
			look("brush")
			for _, other := range []string{"#badge", "#heat-legend", "#asking"} {
				apart("#brush", other)
			}
			p.press("s")
			open("tones")
			look("tones")
			open("tones")
			for _, dialog := range []string{"export", "help"} {
				open(dialog)
				value[bool](p, `(document.querySelector('.export-options').open = true)`)
				look(dialog)
				p.press(kb.Escape)
			}

			origin := value[string](p, `location.origin`)
			p.goToProject(value[string](p, `document.querySelector('.crumbs a').href`))
			value[bool](p, `import('`+static.Address("ui/toast.js")+`').then(({toast}) => { toast('A message', 'It lies over nothing that is needed now.'); return true; })`)
			for _, button := range []string{"#import", "#export", "#rename", "#trash"} {
				apart(".toast", button)
			}
			for _, id := range []string{"rename", "trash", "import", "export"} {
				open(id)
				look("project, " + id)
				p.press(kb.Escape)
			}
			if ends := value[[]float64](p, `['#export', '#images'].map((s) => document.querySelector(s).getBoundingClientRect().right)`); ends[0] > ends[1]+0.5 {
				t.Errorf("the buttons of the project end at %v, what is below them at %v", ends[0], ends[1])
			}
			for _, path := range []string{"/trash", "/api", "/"} {
				p.do("going to "+path, chromedp.Navigate(origin+path))
				p.until(`document.readyState === 'complete'`)
				look(path[1:] + " page")
			}
		})
	}
}

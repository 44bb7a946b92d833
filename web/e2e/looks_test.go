package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
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

// TestE2ELooks opens the pages in windows from a phone to a wall, in both
// themes: nothing may be cut off or covered. The pictures are for people.
func TestE2ELooks(t *testing.T) {
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
				p.do("resizing", chromedp.EmulateViewport(size[0], size[1]))
				for _, page := range []struct{ name, address, ready string }{
					{"annotate", annotate, settled},
					{"project", project, `document.readyState === 'complete' && [...document.images].every(i => i.complete)`},
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
				}
			}
		})
	}
}

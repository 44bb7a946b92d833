package e2e

import (
	"fmt"
	"image"
	"regexp"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

const (
	shift = kb.ModifierShift
	alt   = kb.ModifierAlt
)

// listen records what the live region says from now on.
func (p *page) listen() {
	p.t.Helper()
	p.until(`(() => {
		const announcer = document.getElementById('announcer');
		window.heard = [];
		new MutationObserver(() => window.heard.push(announcer.textContent)).observe(announcer, { childList: true });
		return true;
	})()`)
}

// hears waits until the page has said something, after what was heard before,
// and returns its groups. Other things may have been said since.
func (p *page) hears(pattern string) []string {
	p.t.Helper()
	return wait(p, "listening", fmt.Sprintf(`(() => {
		const at = window.heard.findLastIndex((text) => new RegExp(%s).test(text));
		return at < 0 ? [] : new RegExp(%[1]s).exec(window.heard.splice(0, at + 1)[at]);
	})()`, quoted(pattern)), func(groups []string) bool { return len(groups) > 0 })
}

// told is the position of the keyboard's point according to the page, and what is
// there.
func (p *page) told() (at image.Point, name string) {
	p.t.Helper()
	said := p.hears(`^(.+), column (\d+), row (\d+)$`)
	at.X, _ = strconv.Atoi(said[2])
	at.Y, _ = strconv.Atoi(said[3])
	return at, said[1]
}

// steer presses an arrow key several times.
func (p *page) steer(arrow string, times int, held ...kb.Modifier) image.Point {
	p.t.Helper()
	for range times {
		p.press(arrow, held...)
	}
	at, _ := p.told()
	return at
}

// crossed says whether an arm of the cross is painted just beside a pixel.
func (p *page) crossed(at image.Point) bool {
	p.t.Helper()
	x, y := p.onScreen(at)
	return value[bool](p, fmt.Sprintf(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
		const canvas = document.getElementById('marks'), box = canvas.getBoundingClientRect(), context = canvas.getContext('2d');
		const scale = canvas.width / box.width;
		resolve([[9, 0], [-9, 0], [0, 9], [0, -9]].every(([dx, dy]) => context.getImageData((%f - box.left + dx) * scale, (%f - box.top + dy) * scale, 1, 1).data[3] > 200));
	})))`, x, y))
}

// TestE2EKeyboardTools draws with every tool and moves the view with keys alone.
func TestE2EKeyboardTools(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	p.focusOn("#canvas")
	name := value[string](p, `document.querySelector('#classes li:nth-child(2) .class-name').textContent`)

	p.press("b")
	p.press("2")
	start := p.steer(kb.ArrowRight, 1)
	if at := p.steer(kb.ArrowRight, 1); at.X <= start.X || at.Y != start.Y || !p.crossed(at) {
		t.Errorf("an arrow key led from %v to %v; cross there: %t", start, at, p.crossed(at))
	}
	near := p.steer(kb.ArrowRight, 1).X
	if far := p.steer(kb.ArrowRight, 1, shift).X; far-near < 5*(near-start.X)/2 {
		t.Errorf("with Shift a step is from %d to %d, two without were from %d to %d", near, far, start.X, near)
	}
	p.press(kb.ArrowRight)
	from, what := p.told()
	if what != "undecided" {
		t.Errorf("before anything is labelled the place is called %q", what)
	}
	p.press(" ")
	if dab := p.waitForEvents(1)[0]; dab.Kind != "label" || dab.Class != 1 || len(dab.Superpixels) == 0 {
		t.Errorf("Space made %+v", dab)
	}
	p.hears("labelled " + regexp.QuoteMeta(name) + "$")
	if p.painted("scene", from)[3] == 0 {
		t.Error("nothing is painted where the dab was")
	}

	p.do("Space goes down", key(input.DispatchKeyEventTypeKeyDown, " "))
	to := p.steer(kb.ArrowDown, 8)
	if p.painted("scene", to)[3] == 0 {
		t.Error("while Space is down nothing is painted at the point")
	}
	p.screenshot("brush")
	if n := len(p.events()); n != 1 {
		t.Errorf("while Space is down there are %d events", n)
	}
	p.do("Space is let go", key(input.DispatchKeyEventTypeKeyUp, " "))
	p.waitForEvents(2)
	if p.painted("scene", from.Add(to).Div(2))[3] == 0 {
		t.Error("the stroke is not painted halfway")
	}
	p.press("z", ctrl)
	p.waitForEvents(3)
	if p.painted("scene", to)[3] != 0 || p.painted("scene", from)[3] == 0 {
		t.Error("one undo does not take back just the stroke")
	}
	p.press("e")
	p.steer(kb.ArrowUp, 8)
	p.press(" ")
	if erased := p.waitForEvents(4)[3]; erased.Kind != "clear" {
		t.Errorf("with the eraser Space made %+v", erased)
	}

	p.press("r")
	p.steer(kb.ArrowLeft, 6, shift)
	corner := p.steer(kb.ArrowUp, 3, shift)
	p.press(" ")
	p.hears("^First corner of the rectangle$")
	p.steer(kb.ArrowRight, 2, shift)
	opposite := p.steer(kb.ArrowDown, 1, shift)
	inside := corner.Add(opposite).Div(2)
	if p.painted("scene", inside)[3] == 0 {
		t.Error("the rectangle shows nothing while it is drawn")
	}
	p.press(kb.Escape)
	p.hears("^Cancelled$")
	if p.painted("scene", inside)[3] != 0 {
		t.Error("after Esc the rectangle is still painted")
	}
	p.press(" ")
	p.steer(kb.ArrowLeft, 2, shift)
	p.steer(kb.ArrowUp, 1, shift)
	p.press(kb.Enter)
	if rectangle := p.waitForEvents(5)[4]; rectangle.Kind != "label" || len(rectangle.Superpixels) < 3 {
		t.Errorf("the rectangle made %+v", rectangle)
	}

	p.press("v")
	p.press("3")
	p.steer(kb.ArrowDown, 4, shift)
	p.press(" ")
	p.steer(kb.ArrowRight, 2, shift)
	p.press(" ")
	p.press(kb.Enter)
	p.hears("three corners")
	last := p.steer(kb.ArrowDown, 2, shift)
	p.press(" ")
	p.hears("^Polygon corner 3$")
	p.press("z", ctrl) // the corner, and nothing that is stored
	p.hears("^Last corner removed$")
	p.press(" ")
	p.hears("^Polygon corner 3$")
	p.screenshot("polygon")
	p.press(kb.Enter)
	if polygon := p.waitForEvents(6)[5]; polygon.Kind != "label" || polygon.Class != 2 || len(polygon.Superpixels) < 2 {
		t.Errorf("the polygon made %+v", polygon)
	}
	p.settle()
	if p.painted("scene", last.Sub(image.Pt(12, 40)))[3] == 0 {
		t.Error("the polygon is not painted")
	}
	if p.crossed(last) == false {
		t.Error("the cross is gone after the polygon")
	}

	// From the point to superpixels and back to the mouse.
	p.press("s")
	if p.crossed(last) {
		t.Error("the tool of superpixels has a cross")
	}
	p.press(kb.Delete)
	p.waitForEvents(7)
	p.press("b")
	at := p.steer(kb.ArrowUp, 1)
	p.mouse(input.DispatchMouseEventTypeMouseMoved, image.Pt(60, 60), 0)
	if p.crossed(at) {
		t.Error("the cross stays although the mouse has moved")
	}
}

// TestE2EKeyboardTakesTool: a tool that draws begins where the keyboard was among the
// superpixels; before the first arrow key, Space says what is missing.
func TestE2EKeyboardTakesTool(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	p.focusOn("#canvas")
	p.press("2")
	p.press(" ")
	p.hears("^Press an arrow key first$")
	from := p.steer(kb.ArrowRight, 1)
	p.press("r")
	if !p.crossed(from) {
		t.Errorf("the rectangle's point is not at %v, where the superpixel was", from)
	}
	p.press(" ")
	p.hears("^First corner of the rectangle$")
	p.steer(kb.ArrowLeft, 3, shift)
	p.steer(kb.ArrowUp, 2, shift)
	p.press(kb.Enter)
	if made := p.waitForEvents(1)[0]; made.Kind != "label" || len(made.Superpixels) < 2 {
		t.Errorf("the rectangle made %+v", made)
	}
}

// TestE2EPolygonByHand closes a polygon, cancels one, leaves one for another tool and
// takes corners back with a finger, on a phone and on a tablet as wide as a desktop
// window.
func TestE2EPolygonByHand(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int64{{390, 844}, {1280, 720}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p := bare(t, size[0], size[1])
			press := func(selector string) {
				t.Helper()
				p.clickOn("pressing "+selector, selector)
			}
			press(`[data-tool="polygon"]`)
			shows := `document.getElementById('polygon-close').checkVisibility()`
			if value[bool](p, shows) {
				t.Error("there is a button to close a polygon that is not there")
			}
			corners := []image.Point{{400, 200}, {800, 220}, {700, 500}}
			closable := `!document.getElementById('polygon-close').disabled`
			draw := func() {
				t.Helper()
				for _, at := range corners {
					p.tap(at)
				}
				p.until(shows + " && " + closable)
			}
			p.tap(corners[0])
			p.until(shows + " && !(" + closable + ")")
			for _, id := range []string{"polygon-close", "polygon-back", "polygon-cancel"} {
				box := value[[]float64](p, fmt.Sprintf(`(() => { const b = document.getElementById(%q).getBoundingClientRect(); return [b.width, b.height, b.left, innerWidth - b.right]; })()`, id))
				if box[0] < 24 || box[1] < 24 || box[2] < 0 || box[3] < 0 {
					t.Errorf("#%s is %v CSS pixels large and as far from the edges", id, box)
				}
			}
			if hidden := value[[]string](p, outside); len(hidden) > 0 {
				t.Errorf("out of reach are %q", hidden)
			}
			press("#polygon-back")
			p.until("!(" + shows + ")")
			p.hears("^Cancelled$")

			draw()
			press("#polygon-back")
			p.until(shows + " && !(" + closable + ")")
			if on := value[string](p, `document.activeElement.id`); on != "canvas" { // where Enter closes the polygon
				t.Errorf("after a corner was taken back %q has the focus", on)
			}
			press("#polygon-cancel")
			p.until("!(" + shows + `) && document.activeElement.id === 'canvas'`)
			p.hears("^Cancelled$")
			if n := len(p.events()); n != 0 {
				t.Errorf("a polygon that was cancelled made %d events", n)
			}

			draw()
			p.screenshot("polygon")
			press(`[data-tool="superpixel"]`)
			p.until("!(" + shows + `) && /not closed yet/.test(document.getElementById('toasts').textContent)`)
			press(`[data-tool="polygon"]`)
			p.until(shows + " && " + closable)
			press("#polygon-close")
			if polygon := p.waitForEvents(1)[0]; polygon.Kind != "label" || len(polygon.Superpixels) < 3 {
				t.Errorf("the polygon made %+v", polygon)
			}
			p.until("!(" + shows + ")")
		})
	}
}

// TestE2ERegionByKeyboard: after the button that asks for a region, Space points it
// out, as a tap does, and labels nothing.
func TestE2ERegionByKeyboard(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(sampleTruth(), 0, 1)
	p.press("w") // the keyboard's place is where hypotheses differ
	p.until(`!document.getElementById('asking').hidden`)
	p.focusOn("#ask-region")
	p.press(enter)
	p.until(`document.activeElement.id === 'canvas'`)
	p.press(" ")
	p.until(`document.activeElement.matches('.alternative')`)
	p.waitForEvents(2)
}

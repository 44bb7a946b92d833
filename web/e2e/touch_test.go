package e2e

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// tooSmall lists what a finger can press that is less than 40 pixels wide or high.
// The links to the project and past the header have their size in the text; the
// button of a class is as large as its row, and lies over the colour.
const tooSmall = `[...document.querySelectorAll('button, a[href], input, select, .class-row')].filter((e) => {
	if (!e.checkVisibility({visibilityProperty: true}) || getComputedStyle(e).pointerEvents === 'none' || e.matches('.skip, .crumbs a, .class-color, .class-button, .visually-hidden')) return false;
	const b = e.getBoundingClientRect();
	return b.width > 1 && (b.width < 40 || b.height < 40);
}).map((e) => (e.id || e.ariaLabel || e.className) + ' ' + Math.round(e.offsetWidth) + '×' + Math.round(e.offsetHeight))`

// openByTouch opens the first of the images of a new project, all alike, in a window
// of a device with a touch screen.
func openByTouch(t *testing.T, width, height int64, images int) *page {
	t.Helper()
	address := startServer(t)
	var project struct{ ID string }
	call(t, address+"/api/v1/projects", "application/json", bytes.NewReader([]byte(`{"name":"Flowers","classes":[{"name":"background"},{"name":"flower"},{"name":"leaf"},{"name":"stem"},{"name":"pot"},{"name":"table"},{"name":"wall"},{"name":"window"},{"name":"a rather long name"}]}`)), &project)
	files := make([][]byte, images)
	for i := range files {
		files[i] = picture(t, 600, 400)
	}
	first := uploadTo(t, address, project.ID, files)[0]
	p := openPage(t, width, height, false, "about:blank")
	p.touchOn()
	p.do("opening", chromedp.Navigate(address+"/images/"+first))
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
	return p
}

// touchOn makes the window that of a device with a touch screen.
func (p *page) touchOn() {
	p.t.Helper()
	p.do("turning to touch", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
		return err
	}))
}

// tapOn taps the middle of the first element of a CSS selector, once something can be
// tapped there.
func (p *page) tapOn(what, selector string) {
	p.t.Helper()
	at := wait(p, what, middle+`(`+quoted(selector)+`)`, func(at []float64) bool { return len(at) == 2 })
	p.finger(what, at[0], at[1])
}

// TestE2EThumb: on a phone, upright and on its side, a thumb chooses a class, labels,
// picks a card, undoes, manages the class, takes a rare tool, accepts and goes to the
// next image; and whatever it presses is large enough.
func TestE2EThumb(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int64{{844, 390}, {667, 330}, {390, 844}, {360, 640}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p := openByTouch(t, size[0], size[1], 2)
			large := func(where string) {
				t.Helper()
				p.screenshot(where)
				if found := value[[]string](p, tooSmall); len(found) > 0 {
					t.Errorf("%s: too small for a thumb are %q", where, found)
				}
				if found := value[[]string](p, `(document.querySelector(':popover-open') ? [] : `+uncovered+`)`); len(found) > 0 {
					t.Errorf("%s: cut off or covered are %q", where, found)
				}
				if found := value[[]string](p, cut); len(found) > 0 {
					t.Errorf("%s: cut off are %q", where, found)
				}
			}
			large("fresh")
			name := func() string {
				return value[string](p, `document.querySelector('.class-row.active .class-name').textContent`)
			}
			p.tapOn("choosing flower", "#classes li:nth-child(2) .class-button")
			p.until(`document.querySelector('.class-row.active .class-name').textContent === 'flower'`)
			p.tap(image.Pt(300, 200))
			p.stored(1)
			p.settle()
			large("labelled")
			p.tapOn("picking a card", `.hypothesis[aria-selected="false"]`)
			p.until(`!document.getElementById('accept').disabled`)
			p.tapOn("accepting", "#accept")
			p.stored(2)
			p.until(`document.querySelector('.toast') !== null`)
			p.screenshot("accepted")
			for _, panel := range []string{".rail", ".topbar", ".strip-actions", ".classes"} {
				if p.overlap(".toast", panel) {
					t.Errorf("what was accepted lies over %s", panel)
				}
			}
			p.tapOn("undoing", "#undo")
			p.stored(3)

			p.tapOn("the menu of the class", "#classes-more")
			p.until(`document.getElementById('class-menu').matches(':popover-open')`)
			large("class menu")
			p.tapOn("locking", `#class-menu [data-do="lock"]`)
			p.stored(4)
			p.until(`document.querySelector('.class-row.locked .class-name')?.textContent === 'flower'`)
			large("locked")
			p.tapOn("the menu again", "#classes-more")
			p.tapOn("unlocking", `#class-menu [data-do="lock"]`)
			p.stored(5)
			p.until(`document.querySelector('.class-row.locked') === null`)
			p.tapOn("the menu once more", "#classes-more")
			p.tapOn("finding a class", `#class-menu [data-do="find"]`)
			p.until(`document.getElementById('find-dialog').open`)
			p.tapOn("taking the last", "#find-list li:last-child")
			p.until(`!document.getElementById('find-dialog').open`)
			if got := name(); got != "a rather long name" {
				t.Errorf("the class that was found is %q", got)
			}

			p.tapOn("more tools", "#more-tools")
			p.until(`document.getElementById('tools-menu').matches(':popover-open')`)
			large("tools")
			p.tapOn("a rectangle", `#tools-menu [data-do="rectangle"]`)
			p.until(`document.querySelector('[data-tool="rectangle"]').checkVisibility()`)
			p.tapOn("brush", `[data-tool="brush"]`)
			large("brush")
			p.tapOn("more tools again", "#more-tools")
			p.tapOn("a polygon", `#tools-menu [data-do="polygon"]`)
			for _, corner := range []image.Point{image.Pt(100, 100), image.Pt(500, 100), image.Pt(500, 300)} {
				p.tap(corner)
			}
			p.until(`!document.getElementById('polygon-close').disabled`)
			if min(size[0], size[1]) >= 390 { // in smaller windows a rare tool takes its room from the others
				large("polygon")
			}
			p.tapOn("cancelling", "#polygon-cancel")
			p.tapOn("back", `[data-tool="superpixel"]`)
			p.until(`!document.querySelector('[data-tool="rectangle"], [data-tool="polygon"]').checkVisibility()`)

			p.tapOn("accepting and going on", "#accept-next")
			p.until(`document.getElementById('place-shown')?.textContent === '2 / 2' && document.getElementById("save")?.dataset.state === "saved"`)
		})
	}
}

// pinch puts a finger on a place of the window and later a second one beside it, and
// moves them apart.
func (p *page) pinch(what string, x, y float64, later time.Duration) {
	p.t.Helper()
	first, second := &input.TouchPoint{X: x, Y: y, ID: new(1.0)}, &input.TouchPoint{X: x + 60, Y: y, ID: new(2.0)}
	p.do(what, touch(input.DispatchTouchEventTypeTouchStart, first))
	time.Sleep(later)
	p.do(what, touch(input.DispatchTouchEventTypeTouchStart, first, second))
	for range 4 {
		first.X, second.X = first.X-10, second.X+10
		p.do(what, touch(input.DispatchTouchEventTypeTouchMove, first, second))
	}
	p.do(what, lift())
}

// pen moves a pen that is down, puts it down or lifts it.
func pen(kind input.DispatchMouseEventType, x, y float64) chromedp.Action[chromedp.Void] {
	return chromedp.MouseEvent(kind, x, y, chromedp.ButtonLeft, func(e *input.DispatchMouseEventParams) {
		e.PointerType, e.ClickCount = input.DispatchMouseEventPointerTypePen, 1
		if kind != input.DispatchMouseEventTypeMouseReleased {
			e.Buttons = 1
		}
	})
}

// TestE2EHarmlessFingers: two fingers zoom and do nothing else, whatever one finger would
// do there and however late the second one comes. A tap beside a menu only closes it.
// Turning the device ends a stroke.
func TestE2EHarmlessFingers(t *testing.T) {
	t.Parallel()
	p := openByTouch(t, 390, 844, 1)
	x, y := p.onScreen(image.Pt(200, 200))
	zooms := func(what string, later time.Duration) {
		t.Helper()
		p.tapOn("fitting", "#fit")
		before := value[string](p, `document.getElementById('zoom-value').textContent`)
		p.pinch(what, x, y, later)
		if now := value[string](p, `document.getElementById('zoom-value').textContent`); now == before {
			t.Errorf("%s does not zoom", what)
		}
		p.tapOn("fitting again", "#fit")
	}
	if got := value[string](p, `getComputedStyle(document.documentElement).touchAction`); got != "manipulation" { // Chromium never zooms at two taps on such a page
		t.Errorf("two quick taps zoom the page in Safari: touch-action is %s", got)
	}
	zooms("a pinch", 0)
	zooms("a slow pinch", 400*time.Millisecond)
	zooms("another", 0)
	p.tapOn("more", "#more")
	p.until(`document.getElementById('more-menu').matches(':popover-open')`)
	p.finger("tapping beside the menu", x, y)
	p.until(`!document.getElementById('more-menu').matches(':popover-open')`)

	p.tap(image.Pt(50, 50))
	p.stored(1) // and nothing before
	p.tapOn("the second class", "#classes li:nth-child(2) .class-button")
	p.tap(image.Pt(500, 300))
	p.stored(2)
	p.settle()
	p.tapOn("asking about a region", "#ask-region")
	zooms("a pinch while a region is to be tapped", 0)
	p.finger("tapping it", x, y)
	p.until(`document.activeElement.matches('.alternative')`)
	zooms("a pinch beside alternatives", 0)
	if value[bool](p, `!document.getElementById('alternatives').hidden`) {
		t.Error("the alternatives stay open")
	}
	p.tap(image.Pt(200, 200))
	p.stored(3)

	p.tapOn("more tools", "#more-tools")
	p.tapOn("a polygon", `#tools-menu [data-do="polygon"]`)
	for _, corner := range []image.Point{image.Pt(200, 200), image.Pt(400, 200), image.Pt(400, 300)} {
		p.tap(corner)
	}
	zooms("a pinch that begins on the polygon's first corner", 0)
	p.until(`!document.getElementById('polygon-close').disabled`)
	p.tapOn("cancelling", "#polygon-cancel")
	p.tapOn("brush", `[data-tool="brush"]`)
	p.do("beginning a stroke", press(x, y), touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: x + 30, Y: y}))
	p.resize(844, 390)
	p.do("going on", touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: 300, Y: 200}), lift())
	p.tap(image.Pt(100, 300))
	p.stored(4)
	if last := p.events()[3]; len(last.Superpixels) > 30 {
		t.Errorf("after turning the device, a tap labelled %d superpixels", len(last.Superpixels))
	}
}

// TestE2EPalm: a palm on the screen, before or after the pen, changes neither what the
// pen draws nor the view.
func TestE2EPalm(t *testing.T) {
	t.Parallel()
	p := openByTouch(t, 820, 1180, 1)
	palm := &input.TouchPoint{X: 500, Y: 700, ID: new(1.0)}
	for i, when := range []string{"before", "after"} {
		x, y := p.onScreen(image.Pt(100, 100+150*i))
		end, _ := p.onScreen(image.Pt(500, 100))
		down := touch(input.DispatchTouchEventTypeTouchStart, palm)
		zoom := value[string](p, `document.getElementById('zoom-value').textContent`)
		if when == "before" {
			p.do("resting the palm", down)
		}
		p.do("putting the pen down", pen(input.DispatchMouseEventTypeMousePressed, x, y))
		for at := x; at < end; at += 20 {
			p.do("drawing", pen(input.DispatchMouseEventTypeMouseMoved, at, y))
			if when == "after" && at == x+100 {
				p.do("resting the palm", down)
			}
		}
		p.do("lifting both", pen(input.DispatchMouseEventTypeMouseReleased, end, y), lift())
		p.stored(i + 1)
		reached := 0.0
		for _, point := range p.events()[i].Points {
			reached = max(reached, point[0])
		}
		if reached < 400 {
			t.Errorf("with a palm %s the pen, which was drawn to column 500, its stroke ends at %.0f", when, reached)
		}
		if now := value[string](p, `document.getElementById('zoom-value').textContent`); now != zoom {
			t.Errorf("with a palm %s the pen, the view went from %s to %s", when, zoom, now)
		}
	}
}

// TestE2EPen: a pen that doesn't hover shows a card with the first tap and accepts it with
// the second, and the alternatives of a region stay open when it leaves them. Its other end
// clears.
func TestE2EPen(t *testing.T) {
	t.Parallel()
	p := openByTouch(t, 820, 1180, 1)
	tap := func(what string, at []float64) {
		t.Helper()
		p.do(what, pen(input.DispatchMouseEventTypeMousePressed, at[0], at[1]), pen(input.DispatchMouseEventTypeMouseReleased, at[0], at[1]))
	}
	on := func(at image.Point) []float64 {
		t.Helper()
		x, y := p.onScreen(at)
		return []float64{x, y}
	}
	tap("a click", on(image.Pt(50, 50)))
	p.stored(1)
	p.tapOn("the second class", "#classes li:nth-child(2) .class-button")
	tap("a second click", on(image.Pt(300, 200)))
	p.stored(2)
	p.settle()
	p.tapOn("asking about a region", "#ask-region")
	tap("tapping it", on(image.Pt(60, 200)))
	p.until(`document.activeElement.matches('.alternative')`)
	// Lifted, it leaves them; the browser's stand-in for a pen hovers and doesn't.
	value[bool](p, `document.getElementById('alternatives').dispatchEvent(new PointerEvent('pointerleave', {pointerType: 'pen'}))`)
	if value[bool](p, `document.getElementById('alternatives').hidden`) {
		t.Error("the alternatives close when the pen is lifted")
	}
	tap("closing them", on(image.Pt(590, 390)))
	p.until(`document.getElementById('alternatives').hidden`)

	card := value[[]float64](p, middle+`('.hypothesis:nth-child(2)')`)
	tap("a card", card)
	p.until(`document.querySelector('.hypothesis:nth-child(2)').ariaSelected === 'true'`)
	if seq := value[record](p, p.api("")).Seq; seq != 2 {
		t.Errorf("the first tap on a card left %d events, not 2", seq)
	}
	tap("the card again", card)
	p.stored(3)

	// The browser has no stand-in for the other end of a pen.
	value[bool](p, fmt.Sprintf(`((canvas) => {
		canvas.setPointerCapture = () => {};
		const [clientX, clientY] = [%v, %v];
		for (const type of ['pointerdown', 'pointerup']) canvas.dispatchEvent(new PointerEvent(type, {pointerType: 'pen', button: 5, buttons: 32, clientX, clientY}));
		return delete canvas.setPointerCapture;
	})(document.getElementById('canvas'))`, on(image.Pt(50, 50))[0], on(image.Pt(50, 50))[1]))
	p.stored(4)
	if last := p.events()[3]; last.Kind != "clear" {
		t.Errorf("the other end of the pen made an event of kind %s", last.Kind)
	}
}

// TestE2ENotch: nothing to press lies where a phone on its side has its notch or the bar
// at its foot.
func TestE2ENotch(t *testing.T) {
	t.Parallel()
	p := openByTouch(t, 844, 390, 1)
	p.do("a notch", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetSafeAreaInsetsOverride, emulation.SetSafeAreaInsetsOverrideParams{
			Insets: &emulation.SafeAreaInsets{Top: new(int64(0)), Left: new(int64(47)), Right: new(int64(47)), Bottom: new(int64(21))},
		})
		return err
	}))
	const below = `[...document.querySelectorAll('button, a[href], input, select')].filter((e) => {
		if (!e.checkVisibility({visibilityProperty: true}) || e.closest('.visually-hidden, .skip, .class-list')) return false; // the list of classes scrolls
		const b = e.getBoundingClientRect();
		return b.width > 0 && (b.left < 47 || b.right > innerWidth - 47 || (document.getElementById('app') && b.bottom > innerHeight - 21));
	}).map((e) => e.id || e.outerHTML.slice(0, 80))`
	p.until(below + `.length === 0`)
	p.screenshot("annotate")
	p.do("to the project", chromedp.Navigate(value[string](p, `document.querySelector('.crumbs a').href`)))
	p.until(`document.querySelector('#images .card') !== null`)
	if found := value[[]string](p, below); len(found) > 0 {
		t.Errorf("below the notch are %q", found)
	}
}

package e2e

import (
	"fmt"
	"image"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// TestE2EKeyboardView pans with keys, and the view goes along with the point.
func TestE2EKeyboardView(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	p.focusOn("#canvas")
	frame := func() image.Point {
		xy := value[[]float64](p, `(() => { const {left, top} = document.getElementById('minimap-frame').style; return [left, top].map(Number.parseFloat); })()`)
		return image.Pt(int(xy[0]*10), int(xy[1]*10))
	}
	for range 4 {
		p.clickOn("zooming in", "#zoom-in")
	}
	p.focusOn("#canvas")
	p.until("!(" + whole + ")")
	before := frame()
	for _, way := range []string{kb.ArrowRight, kb.ArrowDown} {
		p.press(way, alt)
	}
	after := frame()
	if after.X <= before.X || after.Y <= before.Y {
		t.Errorf("Alt and arrow keys led from %v to %v on the map", before, after)
	}
	p.hears("^Window centre: column")
	p.press(kb.ArrowLeft, alt)
	p.press(kb.ArrowUp, alt)
	if back := frame(); back != before {
		t.Errorf("panning back leads to %v, not to %v", back, before)
	}
	p.press("r")
	p.steer(kb.ArrowRight, 12, shift)
	if followed := frame(); followed.X <= before.X {
		t.Errorf("the view stays at %v while the point leaves it", followed)
	}
	p.screenshot("followed")
}

// TestE2EFocus: the keys of the image still work after a panel was closed by its
// key or Escape, and after a click on empty space. A button that the keyboard opened
// a panel with gets the focus back.
func TestE2EFocus(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	onImage := `document.activeElement.id === 'canvas'`
	for key, panel := range map[string]string{"c": "tones-panel", "y": "history-panel"} {
		for _, closing := range []string{key, kb.Escape} {
			p.press(key)
			p.until(`document.activeElement.closest('#` + panel + `') !== null`)
			p.press(closing)
			p.until(`document.getElementById('` + panel + `').hidden && ` + onImage)
		}
	}
	p.clickOn("clicking where nothing is", "#status")
	p.until("!(" + onImage + ")")
	p.press(kb.ArrowRight)
	p.hears("^undecided, column [0-9]+, row [0-9]+$")
	p.until(onImage)
	p.press("2")
	p.press(" ")
	p.waitForEvents(1)

	// A toolbar or list is one stop of Tab; arrow keys lead through it.
	for _, bar := range []struct{ selector, key, next string }{
		{"#tools", kb.ArrowDown, "#tools > button:nth-of-type(2)"},
		{"#view-tools", kb.ArrowDown, "#view-tools > button:nth-of-type(2)"},
		{"#classes", kb.ArrowDown, "#classes li:nth-child(3) .class-button"},
	} {
		stops := value[[]string](p, fmt.Sprintf(`[...document.querySelectorAll('%[1]s button, %[1]s input')].filter((e) => e.tabIndex >= 0 && e.checkVisibility() && !e.closest('[hidden], [popover]')).map((e) => e.outerHTML.slice(0, 60))`, bar.selector))
		if len(stops) != 1 {
			t.Errorf("%s has the Tab stops %q, want one", bar.selector, stops)
		}
		value[bool](p, fmt.Sprintf(`([...document.querySelectorAll('%[1]s button, %[1]s input')].find((e) => e.tabIndex === 0 && e.checkVisibility()).focus(), true)`, bar.selector))
		p.press(bar.key)
		if !value[bool](p, fmt.Sprintf(`document.activeElement.matches(%q)`, bar.next)) {
			t.Errorf("in %s an arrow key leads to %s, want %s", bar.selector, value[string](p, `document.activeElement.outerHTML.slice(0, 80)`), bar.next)
		}
	}

	for button, panel := range map[string]string{"#tones": "tones-panel", "#history": "history-panel"} {
		inPanel := `document.activeElement.closest('#` + panel + `') !== null`
		p.focusOn(button)
		p.press(kb.Enter)
		p.until(inPanel)
		p.press(kb.Escape)
		p.until(`document.getElementById('` + panel + `').hidden && document.activeElement.matches('` + button + `')`)
		p.focusOn("#canvas")
		p.clickOn("opening by pointer", button)
		p.until(inPanel)
		p.press(kb.Escape)
		p.until(`document.getElementById('` + panel + `').hidden && ` + onImage)
	}
}

// TestE2EPhoneMenu opens the menu of label sets with a finger.
func TestE2EPhoneMenu(t *testing.T) {
	t.Parallel()
	p := bare(t, 390, 844)
	p.clickOn("opening the menu of label sets", "#classes-more")
	p.until(`document.querySelector('#classes-menu [data-do="import"]').checkVisibility()`)
	p.screenshot("labelsets")
}

// TestE2EKeysAfterClicks: the keys of the image work after a mouse has used a
// control beside it, while the keyboard's focus stays where the keyboard put it.
func TestE2EKeysAfterClicks(t *testing.T) {
	t.Parallel()
	p := openPicture(t, 500, 375)
	onImage := `document.activeElement.id === 'canvas'`

	// Space pans after the click on a class.
	p.clickOn("choosing a class", "#classes li:nth-child(3) .class-button")
	p.until(onImage)
	p.do("Space goes down", key(input.DispatchKeyEventTypeKeyDown, " "))
	p.mouse(input.DispatchMouseEventTypeMousePressed, image.Pt(100, 100), 1)
	p.mouse(input.DispatchMouseEventTypeMouseMoved, image.Pt(200, 150), 1)
	p.mouse(input.DispatchMouseEventTypeMouseReleased, image.Pt(200, 150), 0)
	p.do("Space is let go", key(input.DispatchKeyEventTypeKeyUp, " "))

	// So do letters after the settings below the classes, which change nothing more.
	p.clickOn("guessing from finished images", "#learning")
	p.until(onImage)
	p.press("b")
	p.until(`document.getElementById('canvas').dataset.tool === 'brush'`)
	rest := value[string](p, `document.getElementById('rest').value`)
	p.clickOn("opening the list", "#rest")
	p.press(kb.Escape) // nothing is chosen
	p.press("o")
	p.until(`document.getElementById('canvas').dataset.tool === 'box' && ` + onImage)
	p.focusOn("#rest")
	p.press("e", ctrl)
	p.until(`document.getElementById('export-dialog').open`)
	p.press(kb.Escape)
	if now := value[string](p, `document.getElementById('rest').value`); now != rest {
		t.Errorf("keys changed the rest from %s to %s", rest, now)
	}
	value[bool](p, `(document.getElementById('rest').focus(), document.body.dispatchEvent(new PointerEvent('pointerdown')), document.getElementById('rest').dispatchEvent(new Event('change', {bubbles: true})))`)
	p.until(onImage)

	// Enter accepts after a click on a button, as the badge says.
	p.clickOn("walking on", "#walk-on")
	p.until(onImage)
	p.press(kb.Enter)
	if accepted := p.waitForEvents(2)[1]; accepted.Kind != "accept" {
		t.Errorf("a drag with Space, or Enter after a click, made %+v", accepted)
	}

	// The keyboard's own focus stays.
	p.focusOn("#boundaries")
	p.press(kb.Enter)
	p.until(`document.getElementById('boundaries').ariaPressed === 'false' && document.activeElement.id === 'boundaries'`)
	p.focusOn("#learning")
	p.press(" ")
	p.until(`document.activeElement.id === 'learning'`)
	p.clickOn("opening the view settings", "#tones")
	p.until(`!document.getElementById('tones-panel').hidden && !(` + onImage + `)`)
}

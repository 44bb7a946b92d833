package e2e

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// send gives an input to the page.
func send[P any](p *page, command cdp.Command[P, cdp.Empty], params P) {
	p.t.Helper()
	p.do(command.Method, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, command, params)
		return err
	}))
}

// TestE2EAlphabets: the shortcuts work on a Russian keyboard, also those that are held.
func TestE2EAlphabets(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	key := func(kind input.DispatchKeyEventType, written, place string, held kb.Modifier) {
		t.Helper()
		send(p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: written, Code: place, Modifiers: int64(held)})
	}
	const down, up = input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp
	p.focusOn("#canvas")
	key(down, "и", "KeyB", 0)
	key(up, "и", "KeyB", 0)
	p.until(`document.querySelector('[data-tool="brush"]').ariaPressed === 'true'`)

	key(down, "я", "KeyZ", 0)
	p.until(`document.getElementById('excluding').ariaPressed === 'true'`)
	key(up, "я", "KeyZ", 0)
	p.until(`document.getElementById('excluding').ariaPressed === 'false'`)

	p.clickOn("going to the project", ".crumbs a")
	p.until(`document.querySelectorAll('#images li').length > 0`)
	key(down, "у", "KeyE", kb.ModifierCtrl)
	p.until(`document.getElementById('export-dialog').open`)
}

// TestE2EComposing: fields stay open at keys that an input method takes.
func TestE2EComposing(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	compose := func(text string) {
		t.Helper()
		n := int64(len([]rune(text)))
		send(p, input.ImeSetComposition, input.ImeSetCompositionParams{Text: text, SelectionStart: n, SelectionEnd: n})
	}
	write := func(text string) {
		t.Helper()
		send(p, input.InsertText, input.InsertTextParams{Text: text})
	}
	key := func(name string, code int64) {
		t.Helper()
		send(p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: name, Code: name, WindowsVirtualKeyCode: code})
	}
	const safari = 229 // the code of a key that ends a composition

	const naming = `document.activeElement.matches('#classes li:last-child input')`
	p.clickOn("adding a class", "#add-class")
	p.until(naming)
	for name, code := range map[string]int64{"Enter": 13, "Escape": 27} {
		compose("りんご")
		key(name, code)
		write("林檎")
		key(name, safari)
		if !value[bool](p, naming) {
			t.Fatalf("%s in an input method closed the name of a class", name)
		}
	}
	p.press(kb.Enter)
	p.waitForClasses("background", "table", "cloth", "bowl", "apple", "orange", "pear", "jug", "林檎林檎")

	p.clickOn("finding a class", "#find")
	p.until(`document.activeElement.id === 'find-input'`)
	compose("りん")
	key("ArrowDown", 40)
	key("Enter", 13)
	write("林檎")
	key("Enter", safari)
	if !value[bool](p, `document.getElementById('find-dialog').open`) {
		t.Error("Enter in an input method chose a class")
	}
	p.until(`document.querySelectorAll('#find-list li').length === 1`)
	p.press(kb.Enter)
	p.until(`document.querySelector('#classes .active .class-name').textContent === '林檎林檎'`)
}

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Elements are found by the page itself: the browser's numbers for nodes, which
// chromedp's own queries keep, belong to a document that a link may be replacing.

// middle returns the middle of an element once a person could click it: the page
// is loaded, and the element is in view and not covered.
const middle = `((selector) => {
	const element = document.readyState === 'complete' && document.querySelector(selector);
	if (!element) return [];
	element.scrollIntoViewIfNeeded();
	const [box] = element.getClientRects();
	const at = box ? [box.left + box.width / 2, box.top + box.height / 2] : [];
	return box && element.contains(document.elementFromPoint(...at)) ? at : [];
})`

// clickOn moves the mouse over the first element of a CSS selector, as soon as it
// stops moving, and clicks.
func (p *page) clickOn(what, selector string) {
	p.t.Helper()
	var before []float64
	at := wait(p, what, middle+`(`+quoted(selector)+`)`, func(at []float64) bool {
		still := len(at) == 2 && slices.Equal(at, before)
		before = at
		return still
	})
	p.do(what, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]), chromedp.MouseClickXY(at[0], at[1]))
}

// focusOn gives the first element of a CSS selector the focus.
func (p *page) focusOn(selector string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`(() => {
		const element = document.readyState === 'complete' && document.querySelector(%s);
		if (element) element.focus();
		return Boolean(element) && document.activeElement === element;
	})()`, quoted(selector)))
}

// fill types text into the first field of a CSS selector, over what is there.
func (p *page) fill(selector, text string) {
	p.t.Helper()
	p.focusOn(selector)
	p.do("typing "+text, chromedp.Evaluate[chromedp.Void](`document.activeElement.select()`), chromedp.KeyEvent(text))
}

// choose gives files to the first file field of a CSS selector.
func (p *page) choose(selector string, files ...string) {
	p.t.Helper()
	p.until(`document.readyState === 'complete' && document.querySelector(` + quoted(selector) + `) !== null`)
	p.do("choosing files", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		field, err := chromedp.Run(ctx, chromedp.Evaluate[*runtime.RemoteObject](`document.querySelector(`+quoted(selector)+`)`))
		if err != nil {
			return err
		}
		_, err = chromedp.Call(ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: files, ObjectID: field.ObjectID})
		return err
	}))
}

// wait evaluates an expression, which may be a promise, until its value will
// do, on this document or on one that is still to come.
func wait[T any](p *page, what, expression string, will func(T) bool) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	var value T
	var err error
	for ctx.Err() == nil {
		// A page that is being replaced answers with an error.
		value, err = chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
		if err == nil && will(value) {
			return value
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.failed()
	p.t.Fatalf("%s: waited in vain for %s: %v, %v", what, expression, value, err)
	return value
}

// quoted is text as a literal of JavaScript.
func quoted(text string) string {
	literal, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings can always be written
	}
	return string(literal)
}

package e2e

import (
	"context"
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// hasBox waits until there is, or is not, the line of a box over a pixel of the
// image. The image shows through a labelling, but not through a line.
func (p *page) hasBox(at image.Point, want bool) {
	p.t.Helper()
	x, y := p.onScreen(at)
	p.until(fmt.Sprintf(`(() => {
		const canvas = document.getElementById('scene'), box = canvas.getBoundingClientRect();
		const [x, y] = [%f - box.left, %f - box.top].map((v) => Math.floor(v * canvas.width / box.width));
		return (canvas.getContext('2d').getImageData(x, y, 1, 1).data[3] > 200) === %t;
	})()`, x, y, want))
}

// tones are the different colours of the scene in a row of pixels of the image.
func (p *page) tones(from image.Point, length int) int {
	p.t.Helper()
	found := map[[4]int]bool{}
	for x := range length {
		found[p.painted("scene", from.Add(image.Pt(x, 0)))] = true
	}
	return len(found)
}

// TestE2ESecondBox: a box around another object of a class takes away the one before, which
// the page says; one that is drawn again in about the same place needs no word.
func TestE2ESecondBox(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	const told = notice + `.includes('A class has one box')`
	p.press("5")
	p.press("o")
	p.drag([]image.Point{{100, 100}, {200, 200}, {300, 300}}, nil)
	p.drag([]image.Point{{120, 110}, {200, 200}, {310, 300}}, nil)
	p.waitForEvents(2)
	if value[bool](p, told) {
		t.Error("the page explains a box that was only drawn again")
	}
	p.drag([]image.Point{{500, 400}, {600, 500}, {700, 600}}, nil)
	p.waitForEvents(3)
	p.until(told)
	p.click(image.Pt(600, 500))
	p.waitForEvents(4)
	p.until(notice + `.includes('A click in a box removes it')`)
}

// TestE2EConstraints draws a box around an object, marks what is not of its class,
// locks it, undoes that, and finds everything after a reload.
func TestE2EConstraints(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.restIs("0", "Fills in")
	p.press("g")
	truth := sampleTruth()
	const locked = `document.querySelector('.class-row.locked [data-slot=lock][aria-pressed=true]') !== null`
	p.press("2")
	name := value[string](p, `document.querySelector('.class-row.active .class-name').textContent`)
	other := insideOf(t, truth, 2)
	thing := insideOf(t, truth, 1)
	corner, opposite := thing.Sub(image.Pt(110, 90)), thing.Add(image.Pt(min(110, 950-thing.X), 90)) // within the image
	side := image.Pt(corner.X, thing.Y)

	p.press("o")
	p.drag([]image.Point{opposite, thing, corner}, func() { p.screenshot("dragging") })
	if box := p.waitForEvents(1)[0]; box.Kind != "box" || box.Class != 1 || len(box.Points) != 2 {
		t.Errorf("the box made %+v", box)
	}
	p.hears("Box around " + name)
	p.hasBox(side, true)
	p.press("z", ctrl)
	p.hasBox(side, false)
	p.press("z", ctrl, shift)
	p.hasBox(side, true)
	p.click(thing) // in the box, which takes it away
	if away := p.waitForEvents(4)[3]; away.Kind != "box" || len(away.Points) != 0 {
		t.Errorf("a click in the box made %+v", away)
	}
	p.clickOn("taking the message away", `.toast [data-slot="close"]`)
	p.hasBox(side, false)
	p.press("z", ctrl)
	p.hasBox(side, true)

	p.press("s")
	p.click(thing)
	p.do("Z goes down", key(input.DispatchKeyEventTypeKeyDown, "z"))
	p.until(`document.getElementById('excluding').getAttribute('aria-pressed') === 'true'`)
	p.click(other)
	p.do("Z is let go", key(input.DispatchKeyEventTypeKeyUp, "z"))
	p.until(`document.getElementById('excluding').getAttribute('aria-pressed') === 'false'`)
	if not := p.waitForEvents(7)[6]; not.Kind != "exclude" || not.Class != 1 || len(not.Superpixels) != 1 {
		t.Errorf("a click with Z held made %+v", not)
	}
	p.hears("1 superpixel not " + name)

	p.press("L", shift)
	p.until(locked)
	p.hears(name + " locked")
	p.press("3")
	p.click(thing)
	p.until(`document.querySelector('.toast') !== null`)
	if answers := value[[]string](p, `[...document.querySelectorAll('.toast-text strong')].map((e) => e.textContent)`); len(answers) != 1 || !strings.Contains(answers[0], name) || !strings.Contains(answers[0], "is locked") {
		t.Errorf("a click on a locked class was answered with %q", answers)
	}
	p.settle()
	if said := value[[]string](p, `window.heard.filter((text) => text.includes('superpixel labelled'))`); len(said) > 0 {
		t.Errorf("a click on a locked class was announced: %q", said)
	}
	if now := len(p.waitForEvents(8)); now != 8 {
		t.Errorf("a click on a locked class was stored: %d events", now)
	}
	p.press("2")
	p.press("L", shift)
	p.until(`!(` + locked + `)`)
	p.press("z", ctrl)
	p.until(locked)
	p.waitForEvents(10)

	p.press("y")
	p.until(fmt.Sprintf(`(() => {
		const texts = [...document.querySelectorAll('#history-list [data-slot=text]')].map((e) => e.textContent);
		return ['Box around %[1]s', 'Removed the box around %[1]s', 'Not %[1]s: 1 superpixel', 'Locked %[1]s', 'Unlocked %[1]s'].every((t) => texts.includes(t));
	})()`, name))
	p.screenshot("history")
	p.press("y")

	p.do("reloading", chromedp.Reload())
	p.until(locked)
	p.settle()
	p.press("g")
	p.listen()
	p.hasBox(side, true)
	p.screenshot("reloaded")
	p.mouse(input.DispatchMouseEventTypeMouseMoved, other, 0)
	p.press(kb.ArrowRight)
	p.press(kb.ArrowLeft)
	p.hears("not " + name)
	p.press("1")
	p.click(insideOf(t, truth, 0))
	p.waitForEvents(11)
	p.settle()
	p.press(kb.Enter)
	p.waitForEvents(12)
	p.settle()
	p.screenshot("accepted")
	if n := p.tones(other.Sub(image.Pt(12, 12)), 12); n < 2 {
		t.Error("what was accepted is not hatched")
	}
	for _, size := range [][2]int64{{1280, 720}, {390, 844}} {
		p.resize(size[0], size[1])
		for _, theme := range []string{"light", "dark"} {
			value[bool](p, fmt.Sprintf(`(document.documentElement.dataset.theme = %q, true)`, theme))
			p.screenshot(fmt.Sprintf("%dx%d-%s", size[0], size[1], theme))
			if found := value[[]string](p, outside); len(found) > 0 {
				t.Errorf("at %v out of reach are %q", size, found)
			}
		}
	}
}

// TestE2EBoxByHand draws boxes from the keyboard and with a finger, and takes
// them away again.
func TestE2EBoxByHand(t *testing.T) {
	t.Parallel()
	p := bare(t, 390, 844)
	p.press("2")
	p.press("o")
	p.press(kb.ArrowRight)
	first := p.steer(kb.ArrowRight, 1)
	p.press(" ")
	p.hears("First corner of the box")
	p.steer(kb.ArrowRight, 3, shift)
	second := p.steer(kb.ArrowDown, 3, shift)
	p.press(kb.Enter)
	keyed := p.waitForEvents(1)[0]
	if keyed.Kind != "box" || len(keyed.Points) != 2 || int(keyed.Points[0][0]) != first.X || int(keyed.Points[1][1]) != second.Y {
		t.Errorf("keys from %v to %v made %+v", first, second, keyed)
	}
	p.press(kb.ArrowLeft)
	p.press(kb.Delete)
	if away := p.waitForEvents(2)[1]; away.Kind != "box" || len(away.Points) != 0 {
		t.Errorf("Delete made %+v", away)
	}

	middle := image.Pt(480, 320)
	touch := func(kind input.DispatchTouchEventType, at ...image.Point) {
		var points []*input.TouchPoint
		for _, a := range at {
			x, y := p.onScreen(a)
			points = append(points, &input.TouchPoint{X: x, Y: y})
		}
		p.do("touching", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
			return err
		}))
	}
	touch(input.DispatchTouchEventTypeTouchStart, middle)
	touch(input.DispatchTouchEventTypeTouchMove, middle.Add(image.Pt(120, 80)))
	touch(input.DispatchTouchEventTypeTouchMove, middle.Add(image.Pt(240, 160)))
	touch(input.DispatchTouchEventTypeTouchEnd)
	if box := p.waitForEvents(3)[2]; box.Kind != "box" || len(box.Points) != 2 {
		t.Errorf("a finger made %+v", box)
	}
	p.hasBox(middle.Add(image.Pt(0, 80)), true)
	p.tap(middle.Add(image.Pt(100, 100)))
	if away := p.waitForEvents(4)[3]; away.Kind != "box" || len(away.Points) != 0 {
		t.Errorf("a tap in the box made %+v", away)
	}
	p.hasBox(middle.Add(image.Pt(0, 80)), false)
}

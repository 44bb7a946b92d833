package e2e

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/static"

	"collie/segment/photo/phototest"
)

// zoom is the scale that the page shows, in per cent.
const zoom = `Number.parseFloat(document.getElementById('zoom-value').textContent)`

// whole says that the whole image is in the window.
const whole = `document.getElementById('minimap').hidden`

// turnWheel turns the mouse's wheel over a place in the window, negative to zoom in.
func turnWheel(x, y, by float64) chromedp.Action[chromedp.Void] {
	return chromedp.MouseEvent(input.DispatchMouseEventTypeMouseWheel, x, y, func(e *input.DispatchMouseEventParams) { e.DeltaX, e.DeltaY = 0.01, by })
}

// pull drags the image with the middle button.
func pull(fromX, fromY, toX, toY float64) []chromedp.Action[chromedp.Void] {
	return []chromedp.Action[chromedp.Void]{
		chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, fromX, fromY, chromedp.ButtonMiddle),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, toX, toY, chromedp.ButtonMiddle, func(e *input.DispatchMouseEventParams) { e.Buttons = 4 }),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, toX, toY, chromedp.ButtonMiddle),
	}
}

// TestE2EView zooms, pans and pinches, and moves by the map in the corner.
func TestE2EView(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	fitted := value[float64](p, zoom)
	x, y := p.onScreen(image.Pt(500, 300))
	before := p.colour(x, y)
	for range 4 {
		p.do("turning the wheel", turnWheel(x, y, -200))
	}
	p.until(fmt.Sprintf(`%s > %f && !%s`, zoom, 2*fitted, whole))
	if after := p.colour(x, y); distance(before, after) > 40 {
		t.Errorf("under the cursor there was %v, after zooming there is %v", before, after)
	}
	p.screenshot("zoomed")

	frame := func() []float64 {
		return value[[]float64](p, `(() => { const {left, top, width} = document.getElementById('minimap-frame').style; return [left, top, width].map(Number.parseFloat); })()`)
	}
	start := frame()
	drag := func(what string, steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		from := frame()
		p.do(what, steps...)
		if to := frame(); math.Abs(from[0]-to[0]) < 3 {
			t.Errorf("%s moved the window from %v to %v", what, from, to)
		}
	}
	drag("the middle button", pull(x, y, x+90, y)...)
	drag("space and drag",
		key(input.DispatchKeyEventTypeKeyDown, " "),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x-90, y, chromedp.ButtonLeft, func(e *input.DispatchMouseEventParams) { e.Buttons = 1 }),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x-90, y, chromedp.ButtonLeft),
		key(input.DispatchKeyEventTypeKeyUp, " "))
	drag("a swipe to the side", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseWheel, x, y, func(e *input.DispatchMouseEventParams) { e.DeltaX, e.DeltaY = -90, 4 }))
	corner := value[[]float64](p, `(() => { const b = document.getElementById('minimap').getBoundingClientRect(); return [b.left + b.width * 0.85, b.top + b.height * 0.8]; })()`)
	drag("the map in the corner", chromedp.MouseClickXY(corner[0], corner[1]))
	if now := frame(); now[0] <= start[0] {
		t.Errorf("a click at the right of the map leads from %v to %v", start, now)
	}

	p.press("0", ctrl)
	p.until(fmt.Sprintf(`%s === %f && %s`, zoom, fitted, whole))
	p.press("1", ctrl)
	p.until(zoom + ` === 100`)
	p.press("0", ctrl)
	p.until(whole)
	touch := func(kind input.DispatchTouchEventType, spread float64) chromedp.Action[chromedp.Void] {
		return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			var points []*input.TouchPoint
			if kind != input.DispatchTouchEventTypeTouchEnd {
				points = []*input.TouchPoint{{X: x - spread, Y: y, ID: new(1.0)}, {X: x + spread, Y: y, ID: new(2.0)}}
			}
			_, err := chromedp.Call(ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
			return err
		})
	}
	p.do("pinching", touch(input.DispatchTouchEventTypeTouchStart, 40))
	for spread := 50.0; spread <= 120; spread += 10 {
		p.do("pinching", touch(input.DispatchTouchEventTypeTouchMove, spread))
	}
	p.do("letting go", touch(input.DispatchTouchEventTypeTouchEnd, 0))
	if now := value[float64](p, zoom); now < 2*fitted || now > 4*fitted {
		t.Errorf("fingers three times as far apart zoom from %.0f %% to %.0f %%", fitted, now)
	}
	if seq := value[record](p, p.api("")).Seq; seq != 0 {
		t.Errorf("looking around left %d events", seq)
	}
}

// TestE2EZoomOfOnePixel: the rail has room for how much the smallest image is
// enlarged, and tells screen readers in per cent.
func TestE2EZoomOfOnePixel(t *testing.T) {
	t.Parallel()
	_, at := named(t, startServer(t), "Dots", "dot.png", 1, 1, "background", "dot")
	p := openPage(t, 1280, 720, false, at)
	p.until(opened)
	if text := value[string](p, `document.getElementById('zoom-value').textContent`); !value[bool](p, wholeText+`('#zoom-value')`) {
		t.Errorf("the rail has no room for %q", text)
	}
	if name := value[string](p, `document.getElementById('zoom-value').ariaLabel`); !strings.Contains(name, "00 %") {
		t.Errorf("the button is called %q", name)
	}
}

// TestE2ETones: brightness and contrast in the page, and the window of an image
// with 16 bits whose values the display copy can't tell apart.
func TestE2ETones(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cells.png")
	img := image.NewGray16(image.Rect(0, 0, 300, 200))
	for y := range 200 {
		for x := range 300 {
			img.SetGray16(x, y, color.Gray16{Y: uint16(400 + x/3 + 100*(y/50))})
			if x < 30 {
				img.SetGray16(x, y, color.Gray16{Y: 60000})
			}
		}
	}
	if err := os.WriteFile(path, phototest.MustPNG(t, img), 0o644); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, 1280, 720, true, startServer(t))
	p.drop(path)
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
	p.press("g")
	dark, light := image.Pt(60, 10), image.Pt(240, 190)
	if before := p.pixel(light)[0] - p.pixel(dark)[0]; before > 4 {
		t.Fatalf("the display copy tells the values apart by %d; this test wants one that can't", before)
	}
	p.press("c")
	p.until(`document.activeElement === document.querySelector('#tones-panel :is(input, button)')`)
	p.until(`/^16 bits/.test(document.getElementById('tones-depth').textContent)`)
	set := func(name string, to float64) {
		value[bool](p, fmt.Sprintf(`(() => { const s = document.getElementById('tones-%s'); s.value = %f; return s.dispatchEvent(new Event('input')); })()`, name, to))
	}
	set("low", 400.0/65535)
	set("high", 800.0/65535)
	wide := `new Promise(r => setTimeout(r, 100, true))`
	for difference, tries := 0, 0; difference < 150; tries++ {
		if tries == 50 {
			t.Fatalf("with the window dark is %v and light %v", p.pixel(dark), p.pixel(light))
		}
		value[bool](p, wide)
		difference = p.pixel(light)[0] - p.pixel(dark)[0]
	}
	p.screenshot("window")
	middle := p.pixel(dark)[0]
	set("brightness", 0.5)
	if got := p.pixel(dark)[0]; got < middle+50 {
		t.Errorf("brighter: %d, before %d", got, middle)
	}
	p.clickOn("resetting", "#tones-reset")
	for tries := 0; p.pixel(light)[0]-p.pixel(dark)[0] > 4; tries++ {
		if tries == 50 {
			t.Fatalf("after a reset dark is %v and light %v", p.pixel(dark), p.pixel(light))
		}
		value[bool](p, wide)
	}
	p.press(kb.Escape)
	p.until(`document.getElementById('tones-panel').hidden`)
}

// TestE2EPatterns: classes differ by more than their colour when asked to.
func TestE2EPatterns(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(truth, 0, 1, 2)
	p.press(enter)
	p.settle()
	p.press("g")
	at := insideOf(t, truth, 1)
	shades := func() int {
		least, most := 255, 0
		for i := range 12 {
			v := p.pixel(at.Add(image.Pt(16+i, i/2))) // beside the dot of the click
			least, most = min(least, v[0]), max(most, v[0])
		}
		return most - least
	}
	plain := shades()
	p.press("p")
	p.screenshot("patterns")
	if swatch := value[string](p, `getComputedStyle(document.querySelector('.class-row:nth-child(2)'), '::before').backgroundImage`); swatch == "none" {
		t.Error("the list of classes does not show the patterns")
	}
	if striped := shades(); striped < plain+30 {
		t.Errorf("the reds of a class differ by %d with patterns, by %d without", striped, plain)
	}
}

// TestE2EKeyboard labels by the keyboard alone.
func TestE2EKeyboard(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.focusOn("#canvas")
	for i, way := range []string{kb.ArrowLeft, kb.ArrowUp, kb.ArrowRight, kb.ArrowDown} {
		p.press(fmt.Sprint(i%2 + 1))
		for range 6 {
			p.press(way)
		}
		p.press(" ")
	}
	p.settle()
	p.screenshot("keyboard")
	got := value[record](p, p.api(""))
	if got.Seq != 4 || got.Clicks < 3 {
		t.Errorf("after four labels by the keyboard: %+v", got)
	}
	p.until(`/hypothes[ei]s$/.test(document.getElementById('announcer').textContent)`)
	p.press(kb.Delete)
	p.waitForEvents(5)
	if cleared := value[record](p, p.api("")); cleared.Clicks != got.Clicks-1 {
		t.Errorf("Delete left %d of %d clicks", cleared.Clicks, got.Clicks)
	}

	// With Space down the mouse pans and nothing is labelled; a slow tap of Space
	// labels.
	space := func(meanwhile func()) {
		t.Helper()
		p.press(kb.ArrowLeft)
		p.do("Space goes down", key(input.DispatchKeyEventTypeKeyDown, " "))
		meanwhile()
		p.do("Space is let go", key(input.DispatchKeyEventTypeKeyUp, " "))
	}
	space(func() {
		p.mouse(input.DispatchMouseEventTypeMousePressed, image.Pt(300, 300), 1)
		p.mouse(input.DispatchMouseEventTypeMouseReleased, image.Pt(300, 300), 0)
	})
	space(func() { time.Sleep(400 * time.Millisecond) })
	if slow := p.waitForEvents(6)[5]; slow.Kind != "label" {
		t.Errorf("a slow Space made %+v", slow)
	}
	p.settle()
	if n := len(p.events()); n != 6 {
		t.Errorf("a click with Space down was an event: there are %d", n)
	}
}

// key presses or releases a key.
func key(kind input.DispatchKeyEventType, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: text, Code: "Space", WindowsVirtualKeyCode: 32})
		return err
	})
}

func distance(a, b []int) (d int) {
	for i := range a {
		d += max(a[i]-b[i], b[i]-a[i])
	}
	return d
}

// TestE2EThinImage: an image whose width is less than a pixel of the window is seen.
func TestE2EThinImage(t *testing.T) {
	t.Parallel()
	p := openPicture(t, 3, 2000)
	p.resize(1280, 400)
	p.until(`((picture) => picture.getContext('2d').getImageData(0, 0, picture.width, picture.height).data.some((v) => v > 0))(document.getElementById('picture'))`)
	p.screenshot("fitted")
}

// TestE2EDotsStay: the dot of a click is in the middle of what the click labels, also
// before the server has answered, and in the same place after a reload.
func TestE2EDotsStay(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.separately()
	record := func() {
		value[bool](p, `import('`+static.Address("canvas/dots.js")+`').then(({Dots: {prototype}}) => {
			window.dots = {};
			const {one} = prototype;
			prototype.one = function (painter, context, s) {
				if (painter.dotted[s]) window.dots[painter.pointOf(s)] = painter.pointOf(s);
				return one.call(this, painter, context, s);
			};
			return true;
		})`)
	}
	const dots = `Object.values(dots)`
	record()
	p.press("1")
	p.click(image.Pt(100, 90))
	p.until(dots + `.length === 2`) // the point, and the middle of its superpixel once the finest ones are here
	value[bool](p, `(dots = {}, true)`)
	for i, at := range []image.Point{{700, 100}, {300, 500}, {600, 450}, {500, 590}} {
		p.press([]string{"1", "3", "5", "2"}[i])
		p.click(at)
		p.until(fmt.Sprintf(`%s.some(([x, y]) => Math.hypot(x - %d, y - %d) < 40)`, dots, at.X, at.Y))
	}
	p.press("b")
	p.press("2")
	p.click(image.Pt(850, 600))
	p.stored(6)
	p.settle()
	painted := func() [][2]float64 {
		value[bool](p, `(dots = {}, true)`)
		p.press("j")
		p.press("k")
		p.until(dots + `.length >= 6`)
		return value[[][2]float64](p, dots)
	}
	before := value[[][2]float64](p, dots)
	now := painted()
	p.screenshot("before")
	p.do("reload", chromedp.Reload())
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
	record()
	p.settle()
	after := painted()
	p.screenshot("after")
	near := func(what string, dots, among [][2]float64) {
		t.Helper()
		for _, d := range dots {
			if !slices.ContainsFunc(among, func(a [2]float64) bool { return math.Hypot(a[0]-d[0], a[1]-d[1]) < 2 }) {
				t.Errorf("%s has a dot at %.1f, later ones are at %.1f", what, d, among)
			}
		}
	}
	near("the page before the server's answers", before, now)
	near("the page before the reload", now, after)
}

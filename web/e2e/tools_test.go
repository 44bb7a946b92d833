package e2e

import (
	"context"
	"fmt"
	"image"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// mouse sends one mouse event over a pixel of the image, with the left button
// unless it is only a move.
func (p *page) mouse(kind input.DispatchMouseEventType, at image.Point, buttons int64, held ...kb.Modifier) {
	p.t.Helper()
	var modifiers int64
	for _, m := range held {
		modifiers |= int64(m)
	}
	x, y := p.onScreen(at)
	p.do(fmt.Sprintf("%s at %v", kind, at), chromedp.MouseEvent(kind, x, y, func(e *input.DispatchMouseEventParams) {
		e.Modifiers, e.Buttons = modifiers, buttons
		if kind != input.DispatchMouseEventTypeMouseMoved {
			e.Button, e.ClickCount = input.MouseButtonLeft, 1
		}
	}))
}

// drag presses at the first point, moves over the others, and calls before just
// before the release.
func (p *page) drag(points []image.Point, before func(), held ...kb.Modifier) {
	p.t.Helper()
	p.actions++
	p.mouse(input.DispatchMouseEventTypeMouseMoved, points[0], 0, held...)
	p.mouse(input.DispatchMouseEventTypeMousePressed, points[0], 1, held...)
	for _, at := range points[1:] {
		p.mouse(input.DispatchMouseEventTypeMouseMoved, at, 1, held...)
	}
	if before != nil {
		before()
	}
	p.mouse(input.DispatchMouseEventTypeMouseReleased, points[len(points)-1], 0, held...)
}

// painted is the colour that a canvas has over a pixel of the image, with its
// opacity, after the next frame.
func (p *page) painted(canvas string, at image.Point) [4]int {
	p.t.Helper()
	x, y := p.onScreen(at)
	return [4]int(value[[]int](p, fmt.Sprintf(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
		const canvas = document.getElementById('%s'), box = canvas.getBoundingClientRect();
		const [x, y] = [%f - box.left, %f - box.top].map(v => Math.floor(v * canvas.width / box.width));
		resolve([...canvas.getContext('2d').getImageData(x, y, 1, 1).data]);
	})))`, canvas, x, y)))
}

// bare opens the sample image and hides the boundaries, so that only labels are
// painted.
func bare(t *testing.T, width, height int64) *page {
	t.Helper()
	p := openSample(t, width, height, false)
	p.press("g")
	return p
}

// TestE2EToolKeyWhileDrawing: a drag means what the tool does that began it, even if
// a key takes another tool before the release.
func TestE2EToolKeyWhileDrawing(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	at := insideOf(t, sampleTruth(), 4)
	way := []image.Point{at, at.Add(image.Pt(6, 0)), at.Add(image.Pt(12, 0))}
	p.press("b")
	p.press("5")
	p.drag(way, func() { p.press("t") })
	p.waitForEvents(1)
	p.drag(way, func() { p.press("b") })
	p.waitForEvents(2)
	if kinds := p.kinds(); !slices.Equal(kinds, []string{"label", "instance"}) {
		t.Errorf("a drag with the brush and one that marks an object made %v", kinds)
	}
}

// TestE2EMissedRelease: a drag ends where the button was let go, even if the browser misses
// that, as when the screen is locked meanwhile.
func TestE2EMissedRelease(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	p.press("2")
	p.mouse(input.DispatchMouseEventTypeMouseMoved, image.Pt(300, 300), 0)
	p.mouse(input.DispatchMouseEventTypeMousePressed, image.Pt(300, 300), 1)
	p.mouse(input.DispatchMouseEventTypeMouseMoved, image.Pt(304, 300), 1)
	p.mouse(input.DispatchMouseEventTypeMouseMoved, image.Pt(700, 300), 0)
	p.waitForEvents(1)
	drawn := value[record](p, p.api("")).Clicks
	p.click(image.Pt(500, 500))
	p.waitForEvents(2)
	if clicks := value[record](p, p.api("")).Clicks; drawn > 2 || clicks != drawn+1 {
		t.Errorf("the drag labels %d superpixels, the click after it makes them %d; want at most 2, and one more", drawn, clicks)
	}
}

// TestE2EHidden says in the strip that the labelling is hidden, for clicks count
// while they don't show.
func TestE2EHidden(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	badge := `document.getElementById('badge').checkVisibility() && document.getElementById('badge').textContent`
	p.press("h")
	p.until(badge + ` === 'Hiddenthe labelling · H shows it'`)
	p.press("2")
	p.click(image.Pt(500, 500))
	p.waitForEvents(1)
	p.screenshot("clicked")
	p.press("h")
	p.until(`document.getElementById('badge').hidden`)
}

// TestE2ETools draws with each tool on whole superpixels.
func TestE2ETools(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	counted := func() int { return value[record](p, p.api("")).Clicks }
	middle := image.Pt(480, 320)

	p.press("b")
	p.press("2")
	p.mouse(input.DispatchMouseEventTypeMouseMoved, middle, 0)
	size := value[int](p, `parseInt(document.getElementById('brush-value').textContent)`)
	if rim := p.painted("marks", middle.Add(image.Pt(size/2, 0))); rim[3] == 0 {
		t.Errorf("no rim of the brush of %d pixels at its radius", size)
	}
	p.press("]")
	p.press("]")
	p.press("]")
	wide := value[int](p, `parseInt(document.getElementById('brush-value').textContent)`)
	if wide <= size || p.painted("marks", middle.Add(image.Pt(size/2, 0)))[3] != 0 || p.painted("marks", middle.Add(image.Pt(wide/2, 0)))[3] == 0 {
		t.Errorf("the rim of the brush did not follow from %d to %d pixels", size, wide)
	}
	if p.painted("scene", middle)[3] != 0 {
		t.Error("the labelling is painted before anything is labelled")
	}
	p.drag([]image.Point{middle, middle.Add(image.Pt(60, 10)), middle.Add(image.Pt(150, 20))}, func() {
		orange := 0
		for x := 30; x <= 120; x += 15 { // some may lie on a line between classes
			if c := p.painted("scene", middle.Add(image.Pt(x, x/6))); c[3] > 0 && c[0] >= c[2]+40 {
				orange++
			}
		}
		if orange < 4 {
			t.Errorf("while the brush is down %d of 7 places under it are orange", orange)
		}
		p.screenshot("brush")
	})
	p.waitForEvents(1)
	brushed := counted()
	if brushed < 15 {
		t.Errorf("a brush of %d pixels labelled %d superpixels", wide, brushed)
	}
	p.press("e")
	p.drag([]image.Point{middle.Add(image.Pt(75, 12)), middle.Add(image.Pt(80, 12))}, nil)
	if kinds := p.waitForEvents(2); kinds[1].Kind != "clear" {
		t.Errorf("the eraser made a %s event", kinds[1].Kind)
	}
	if left := counted(); left >= brushed || left == 0 {
		t.Errorf("of %d superpixels the eraser left %d", brushed, left)
	}
	if c := p.painted("scene", middle.Add(image.Pt(77, 12))); c[3] != 0 {
		t.Errorf("where the eraser was the colour is %v, want none", c)
	}
	p.press("z", ctrl)
	p.waitForEvents(3)
	if back := counted(); back != brushed {
		t.Errorf("undo brought back %d superpixels, want %d", back, brushed)
	}

	p.press("r")
	p.press("3")
	p.drag([]image.Point{{40, 30}, {100, 60}, {240, 150}}, func() {
		if p.painted("scene", image.Pt(140, 90))[3] == 0 {
			t.Error("the rectangle shows nothing while it is drawn")
		}
	})
	rectangle := p.waitForEvents(4)[3]
	if rectangle.Kind != "label" || rectangle.Class != 2 || len(rectangle.Superpixels) < 5 {
		t.Errorf("the rectangle made %+v", rectangle)
	}

	p.press("v")
	p.press("4")
	for _, corner := range []image.Point{{700, 60}, {900, 80}, {860, 220}, {100, 600}} {
		p.click(corner)
	}
	p.press(kb.Backspace) // the last was a mistake
	p.mouse(input.DispatchMouseEventTypeMouseMoved, image.Pt(720, 200), 0)
	p.screenshot("polygon")
	if p.painted("marks", image.Pt(800, 70))[3] == 0 {
		t.Error("the side of the polygon is not drawn")
	}
	p.press(kb.Escape)
	if p.painted("marks", image.Pt(800, 70))[3] != 0 {
		t.Error("the polygon is still there after Esc")
	}
	for _, corner := range []image.Point{{700, 60}, {900, 80}, {860, 220}} {
		p.click(corner)
	}
	p.press(kb.Enter)
	events := p.waitForEvents(5)
	polygon := events[4]
	if polygon.Kind != "label" || polygon.Class != 3 || len(polygon.Superpixels) < 3 {
		t.Errorf("the polygon made %+v", polygon)
	}
	p.settle()
	p.press(kb.Escape) // leaves the preview
	if p.painted("scene", image.Pt(830, 110))[3] == 0 || p.painted("scene", image.Pt(720, 200))[3] != 0 {
		t.Error("the polygon is not painted where it lies")
	}
	p.screenshot("drawn")
	p.press("s")
	p.click(image.Pt(300, 500))
	if one := p.waitForEvents(6)[5]; len(slices.Compact(one.Superpixels)) != 1 || slices.Contains(rectangle.Superpixels, one.Superpixels[0]) {
		t.Errorf("the superpixel tool made %+v", one)
	}
}

// TestE2ETwice: a double click says what a click says, so one undo takes it back. With
// another class it is another click.
func TestE2ETwice(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	at := image.Pt(300, 500)
	p.press("5")
	p.click(at)
	p.click(at.Add(image.Pt(1, 0)))
	p.press("4")
	p.click(at)
	p.press("z", ctrl)
	p.press("z", ctrl)
	p.press("5")
	p.click(at) // which is not labelled any more
	var kinds []string
	for _, e := range p.waitForEvents(5) {
		kinds = append(kinds, e.Kind)
	}
	if want := []string{"label", "label", "undo", "undo", "label"}; !slices.Equal(kinds, want) {
		t.Errorf("the clicks made %v, want %v", kinds, want)
	}
	p.until(`document.getElementById('save').dataset.state === 'saved'`)
}

// TestE2EUndoWhileDrawing: undo takes back the stroke in progress and nothing before it.
func TestE2EUndoWhileDrawing(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	p.press("5")
	p.click(image.Pt(300, 500))
	p.waitForEvents(1)
	p.press("b")
	p.drag([]image.Point{{700, 60}, {800, 80}, {860, 220}}, func() { p.press("z", ctrl) })
	p.hears("^Cancelled$")
	p.click(image.Pt(700, 60))
	if events := p.waitForEvents(2); events[1].Kind != "label" {
		t.Errorf("after a stroke that was taken back came %+v", events[1])
	}
}

// TestE2EHabitsWithPolygons: neither the right button nor redo disturbs a polygon that is
// being drawn.
func TestE2EHabitsWithPolygons(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	p.press("5")
	p.click(image.Pt(300, 500))
	p.press("2")
	p.click(image.Pt(100, 100))
	p.waitForEvents(2)
	p.press("z", ctrl)
	p.waitForEvents(3)
	p.press("4")
	p.press("v")
	for _, corner := range []image.Point{{700, 60}, {900, 80}, {860, 220}} {
		p.click(corner)
	}
	p.press("z", ctrl)
	p.press("y", ctrl)
	p.press("y", ctrl)
	x, y := p.onScreen(image.Pt(300, 500))
	p.do("right-clicking", chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, func(e *input.DispatchMouseEventParams) {
		e.Button, e.ClickCount = input.MouseButtonRight, 1
	}))
	p.press(kb.Enter)
	if polygon := p.waitForEvents(4)[3]; polygon.Kind != "label" || polygon.Class != 3 || len(polygon.Superpixels) < 3 {
		t.Errorf("the polygon made %+v", polygon)
	}
}

// TestE2ELasso labels what a drag with the tool of polygons goes around.
func TestE2ELasso(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	p.press("2")
	p.press("v")
	way := []image.Point{{300, 300}, {700, 310}, {720, 600}, {500, 640}, {300, 600}, {304, 330}}
	p.mouse(input.DispatchMouseEventTypeMousePressed, way[0], 1)
	for _, at := range way[1:] {
		p.mouse(input.DispatchMouseEventTypeMouseMoved, at, 1)
	}
	p.screenshot("drawing")
	p.mouse(input.DispatchMouseEventTypeMouseReleased, way[len(way)-1], 0)
	if lasso := p.waitForEvents(1)[0]; lasso.Kind != "label" || lasso.Class != 1 || len(lasso.Superpixels) < 20 {
		t.Errorf("the drag made %+v", lasso)
	}
	p.until(`document.getElementById('polygon-actions').hidden`)
}

// tap touches the screen over a pixel of the image with one finger.
func (p *page) tap(at image.Point) {
	p.t.Helper()
	x, y := p.onScreen(at)
	p.finger(fmt.Sprintf("tapping %v", at), x, y)
}

// finger taps a place of the window.
func (p *page) finger(what string, x, y float64) {
	p.t.Helper()
	p.actions++
	p.do(what, press(x, y), lift())
}

// press puts a finger on a place of the window.
func press(x, y float64) chromedp.Action[chromedp.Void] {
	return touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: y})
}

// lift takes it away.
func lift() chromedp.Action[chromedp.Void] {
	return touch(input.DispatchTouchEventTypeTouchEnd)
}

func touch(kind input.DispatchTouchEventType, points ...*input.TouchPoint) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
		return err
	})
}

// TestE2ETouch labels, clears, previews and accepts a region with a finger alone.
func TestE2ETouch(t *testing.T) {
	t.Parallel()
	p := bare(t, 390, 844)
	truth := sampleTruth()
	wall, orange := insideOf(t, truth, 0), insideOf(t, truth, 5)
	p.clickOn("choosing background", "#classes li:nth-child(1) .class-button")
	p.tap(wall)
	p.clickOn("choosing orange", "#classes li:nth-child(6) .class-button")
	p.tap(orange)
	p.waitForEvents(2)
	p.settle()
	p.screenshot("labelled")
	card := value[[]float64](p, `(() => { const b = document.querySelector('.hypothesis:nth-child(2)').getBoundingClientRect(); return [b.left + b.width / 2, b.top + 20]; })()`)
	p.finger("tapping the second card", card[0], card[1])
	p.until(`/^2 of/.test(document.getElementById('badge-text').textContent)`)
	pressed := func(id string) string {
		return fmt.Sprintf(`document.getElementById(%q).getAttribute('aria-pressed')`, id)
	}
	p.clickOn("asking about a region", "#ask-region")
	p.clickOn("asking for a region instead", "#accept-region")
	p.until(pressed("ask-region") + ` === 'false' && ` + pressed("accept-region") + ` === 'true'`)
	p.clickOn("drawing instead", `[data-tool="eraser"]`)
	p.until(pressed("accept-region") + ` === 'false'`)
	p.clickOn("labelling again", `[data-tool="superpixel"]`)
	p.clickOn("asking for a region", "#accept-region")
	p.tap(image.Pt(orange.X+50, orange.Y))
	region := p.waitForEvents(3)[2]
	if region.Kind != "accept" || len(region.Superpixels) == 0 {
		t.Errorf("tapping a region made %+v", region)
	}
	p.clickOn("taking the eraser", `[data-tool="eraser"]`)
	p.tap(wall)
	if events := p.waitForEvents(4); events[3].Kind != "clear" {
		t.Errorf("tapping with the eraser made %+v", events[3])
	}
	p.clickOn("more", "#more")
	p.clickOn("opening the history", `#more-menu [data-do="history"]`)
	p.until(fmt.Sprintf(`(%s).length === 5`, listed))
	p.screenshot("history")
}

// restIs sets what nobody clicks, a value of the page's setting, whose meaning
// begins with the given words.
func (p *page) restIs(rest, meaning string) {
	p.t.Helper()
	_ = value[bool](p, fmt.Sprintf(`(() => { const rest = document.getElementById('rest'); rest.value = %q; return rest.dispatchEvent(new Event('change')); })()`, rest))
	p.until(fmt.Sprintf(`document.getElementById('rest-meaning').textContent.startsWith(%q)`, meaning))
}

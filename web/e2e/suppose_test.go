package e2e

import (
	"image"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// TestE2EBeforeTheRelease: the first hypothesis is on the canvas while the button
// is still pressed; a release makes the press one step; cancelled, it leaves
// nothing.
func TestE2EBeforeTheRelease(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	truth := sampleTruth()
	p.clickClasses(truth, 0, 1, 2)
	const bowl = 3
	pressed := insideOf(t, truth, bowl)
	away := pressed
	for x := pressed.X; truth.ColorIndexAt(x, pressed.Y) == bowl; x++ { // well beyond the superpixel
		away = image.Pt((pressed.X+x)/2, pressed.Y)
	}
	before := p.painted("scene", away)
	becomes := func(what string, changed bool) {
		t.Helper()
		for end := time.Now().Add(patience); (p.painted("scene", away) != before) != changed; {
			if time.Now().After(end) {
				t.Fatalf("%s: the canvas shows %v there, before the press %v", what, p.painted("scene", away), before)
			}
		}
	}
	press := func() {
		p.press("4")
		p.actions++
		p.mouse(input.DispatchMouseEventTypeMouseMoved, pressed, 0)
		p.mouse(input.DispatchMouseEventTypeMousePressed, pressed, 1)
	}

	press()
	becomes("pressed", true)
	p.press(kb.Escape)
	becomes("given up", false)
	p.mouse(input.DispatchMouseEventTypeMouseReleased, pressed, 0)
	if events := p.events(); len(events) != 3 {
		t.Errorf("%d events are stored, want the three clicks", len(events))
	}

	press()
	becomes("pressed again", true)
	shown := p.painted("scene", away)
	p.mouse(input.DispatchMouseEventTypeMouseReleased, pressed, 0)
	p.waitForEvents(4)
	p.settle()
	if got := p.painted("scene", away); got != shown {
		t.Errorf("after the release %v, before it %v", got, shown)
	}
	p.press("z", kb.ModifierCtrl)
	p.waitForEvents(5)
	if events := p.events(); events[3].Kind != "label" || events[4].Kind != "undo" {
		t.Errorf("events %+v, want a label and its undo", events[3:])
	}
}

package e2e

import (
	"encoding/json"
	"fmt"
	"image"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// farthest returns the pixel that is farthest from a point in its region, off
// the border.
func farthest(mask image.Image, from image.Point) image.Point {
	inside := func(p image.Point) bool {
		for dy := -4; dy <= 4; dy++ {
			for dx := -4; dx <= 4; dx++ {
				if q := p.Add(image.Pt(dx, dy)); !q.In(mask.Bounds()) || mask.At(q.X, q.Y) != mask.At(from.X, from.Y) {
					return false
				}
			}
		}
		return true
	}
	seen, queue, last := map[image.Point]bool{from: true}, []image.Point{from}, from
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		if d, best := p.Sub(from), last.Sub(from); d.X*d.X+d.Y*d.Y > best.X*best.X+best.Y*best.Y {
			last = p
		}
		for _, step := range []image.Point{{X: 1}, {Y: 1}, {X: -1}, {Y: -1}} {
			if q := p.Add(step); !seen[q] && inside(q) {
				seen[q] = true
				queue = append(queue, q)
			}
		}
	}
	return last
}

// object is one of GET objects.
type object struct{ Class, Number, Area int }

func objectsOf(t *testing.T, address, picture string) []object {
	t.Helper()
	resp, err := http.Get(address + "/api/v1/images/" + picture + "/objects")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var list struct{ Objects []object }
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list.Objects
}

// TestE2EObjects separates two touching objects of one class with two clicks,
// joins one again, undoes that, and does the same with the keyboard; the labelling
// doesn't change, and the outlines are there after a reload.
func TestE2EObjects(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 1280, 720, false, address)
	_, picture := labelledSample(p)
	before := sampleMask(t, address, picture)
	one := insideOf(t, sampleTruth(), 1)
	two := farthest(before, one)
	count := func(n int) {
		p.t.Helper()
		p.until(fmt.Sprintf(`document.getElementById('canvas').dataset.objects === '%d'`, n))
	}

	p.press("t")
	p.until(`document.getElementById('canvas').dataset.tool === 'objects'`)
	p.click(one)
	count(1)
	p.click(two)
	count(2)
	both := objectsOf(t, address, picture)
	if len(both) != 2 || both[0].Class != 1 || both[0].Number != 1 || both[1].Number != 2 || min(both[0].Area, both[1].Area) < 200 {
		t.Errorf("two clicks made %+v", both)
	}
	if n := differences(before, sampleMask(t, address, picture)); n > 0 {
		t.Errorf("the labelling changed in %d pixels", n)
	}
	p.press(kb.Escape)
	p.screenshot("two")
	p.t.Run("accessible", func(t *testing.T) { p.accessible("objects", axe(t)) })
	p.press("z", ctrl)
	count(1)
	p.press("z", ctrl, shift)
	count(2)
	p.mouse("mouseMoved", two, 0)
	p.press(kb.Delete) // of the superpixel under the pointer
	count(1)
	if left := objectsOf(t, address, picture); len(left) != 1 || left[0].Number != 1 {
		t.Errorf("after one was joined again: %+v", left)
	}

	p.do("to the image", chromedp.Evaluate[chromedp.Void](`document.getElementById('canvas').focus()`))
	p.press(kb.ArrowRight)
	p.press(" ")
	count(2)
	p.do("reloading", chromedp.Reload())
	count(2)
	p.screenshot("reloaded")
}

// TestE2EObjectsOnPhone separates objects with a finger, and joins one again.
func TestE2EObjectsOnPhone(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 390, 844, true, address)
	_, picture := labelledSample(p)
	one := insideOf(t, sampleTruth(), 1)
	two := farthest(sampleMask(t, address, picture), one)
	p.touchOn()
	p.tapOn("more tools", "#more-tools")
	p.tapOn("taking the tool", `#tools-menu [data-do="objects"]`)
	p.tap(one)
	p.until(`document.getElementById('canvas').dataset.objects === '1'`)
	p.tap(two)
	p.until(`document.getElementById('canvas').dataset.objects === '2'`)
	p.screenshot("two")
	p.tap(two)
	p.until(`document.getElementById('canvas').dataset.objects === '1'`)
}

// TestE2EObjectsUnread: objects that can't be had are said to be out of date, and are
// asked for again by the button of the message.
func TestE2EObjectsUnread(t *testing.T) {
	t.Parallel()
	p := openPage(t, 390, 844, true, startServer(t))
	labelledSample(p)
	value[bool](p, `(window.reach = fetch, window.asked = 0, window.fetch = (address, ...more) => {
		if (!String(address).endsWith('/objects')) return reach(address, ...more);
		asked++;
		return Promise.resolve(Response.json({title: 'Something went wrong', detail: 'The server could not do that.', status: 500}, {status: 500}));
	}, true)`)
	p.press("t")
	p.click(insideOf(t, sampleTruth(), 1))
	p.until(`/The objects shown are not up to date/.test(` + notice + `)`)
	p.screenshot("unread")
	p.press("h") // refreshes the page, which asks for nothing again
	p.press("h")
	value[bool](p, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true)))))`)
	if asked := value[int](p, `asked`); asked != 1 {
		t.Errorf("the objects were asked for %d times", asked)
	}
	value[bool](p, `(window.fetch = reach, true)`)
	p.clickOn("trying again", `.toast [data-slot="action"]`)
	p.until(`document.getElementById('canvas').dataset.objects === '1' && document.querySelector('.toast') === null`)
}

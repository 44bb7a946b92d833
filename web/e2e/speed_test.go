package e2e

import (
	"flag"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/disintegration/imaging"

	"collie/sharedtest"
	"collie/static"
)

var speed = flag.Bool("speed", false, "measure how quick the annotation page is (make bench-page)")

// onlyWhenMeasuring skips measurements that mean nothing while other tests run.
func onlyWhenMeasuring(t *testing.T) {
	t.Helper()
	if !*speed {
		t.Skip("skipped: measured by make bench-page")
	}
}

// spread summarises a series of milliseconds.
type spread struct {
	Count                    int
	Best, Median, P99, Worst float64
}

func (s spread) String() string {
	return fmt.Sprintf("best %.1f ms, median %.1f ms, p99 %.1f ms, worst %.1f ms of %d", s.Best, s.Median, s.P99, s.Worst, s.Count)
}

func spreadOf(ms []float64) spread {
	ms = slices.Sorted(slices.Values(ms))
	if len(ms) == 0 {
		return spread{}
	}
	return spread{len(ms), ms[0], ms[len(ms)/2], ms[min(len(ms)-1, len(ms)*99/100)], ms[len(ms)-1]}
}

// enlarged writes a JPEG of the wanted size: a photograph of the test data,
// enlarged, with its grain.
func enlarged(t *testing.T, width, height int) string {
	t.Helper()
	small := openImage(t, sharedtest.Path(t, "data/voc/images/2009_002221.jpg"))
	path := filepath.Join(t.TempDir(), "large.jpg")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := jpeg.Encode(f, imaging.Resize(small, width, height, imaging.CatmullRom), &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	return path
}

// probe counts, in the page, how long each paint and each frame takes.
var probe = `import('` + static.Address("canvas/painter.js") + `').then(({Painter}) => {
	window.probe = {paints: [], frames: [], since: performance.now()};
	const paint = Painter.prototype.paint;
	Painter.prototype.paint = function () {
		const from = performance.now();
		paint.call(this);
		window.probe.paints.push(performance.now() - from);
	};
	const tick = (now) => {
		window.probe.frames.push(now - window.probe.since);
		window.probe.since = now;
		requestAnimationFrame(tick);
	};
	requestAnimationFrame(tick);
	return true;
})`

// measured runs moves of the mouse and returns what the probe saw of them.
func (p *page) measured(what string, moves func()) (paints, frames spread) {
	p.t.Helper()
	value[bool](p, `(window.probe.paints.length = window.probe.frames.length = 0) === 0`)
	moves()
	seen := value[struct{ Paints, Frames []float64 }](p, `window.probe`)
	paints, frames = spreadOf(seen.Paints), spreadOf(seen.Frames)
	p.t.Logf("%s: paints %v; frames %v", what, paints, frames)
	return paints, frames
}

// sweep moves the mouse along a zigzag over the image, with a button held or not.
func (p *page) sweep(steps int, drag bool) {
	p.t.Helper()
	box := value[[]float64](p, `(() => { const b = document.getElementById('canvas').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()`)
	at := func(i int) (x, y float64) {
		along := float64(i) / float64(steps)
		zig := float64(i%60) / 30
		if zig > 1 {
			zig = 2 - zig
		}
		return box[0] + box[2]*(0.2+0.6*along), box[1] + box[3]*(0.15+0.7*zig)
	}
	button := func(e *input.DispatchMouseEventParams) {
		if drag {
			e.Button, e.Buttons = input.MouseButtonLeft, 1
		}
	}
	x, y := at(0)
	if drag {
		p.do("pressing the button", chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	}
	for i := range steps {
		x, y = at(i)
		p.do("moving", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y, button))
	}
	if drag {
		p.do("releasing the button", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	}
}

// frame60 is the duration of a frame at 60 per second in milliseconds, plus the
// clocks' error.
const frame60 = 17.5

// TestE2ESpeedLarge: painting and pointing on a large image with many
// superpixels, and opening it.
func TestE2ESpeedLarge(t *testing.T) {
	onlyWhenMeasuring(t)
	p := openPage(t, 1280, 720, false, startServer(t))
	p.drop(enlarged(t, 4000, 3000))
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
	began := time.Now()
	p.do("opening", chromedp.Reload())
	p.until(`document.getElementById("loading")?.hidden && document.getElementById("save")?.dataset.state === "saved"`)
	t.Logf("opening takes %v", time.Since(began))
	p.separately()
	value[int](p, `fetch(location.pathname.replace('/images/', '/api/v1/images/') + '/evidence', {method: 'POST', headers: {'Content-Type': 'application/json'},
		body: JSON.stringify({id: 'g', expected_seq: 0, kind: 'granularity', regions: 5000})}).then(r => r.status)`)
	p.until(fmt.Sprintf(`%s === 5000 && %s`, counted, finished))
	value[bool](p, probe)
	p.measured("hover", func() { p.sweep(240, false) })
	p.press("1")
	p.measured("drag", func() { p.sweep(240, true) })
	p.press("2")
	p.measured("second drag", func() { p.sweep(240, true) })
	p.until(finished)
	p.measured("hover again", func() { p.sweep(240, false) })
	p.screenshot("painted")

	// Everything accepted, so that all is hatched, at the image's own pixels.
	p.press(enter)
	p.until(`document.getElementById('badge').hidden && ` + finished)
	p.press("1", ctrl)
	p.until(`document.getElementById('zoom-value').textContent === '100 %'`)
	for _, drag := range []bool{false, true} {
		what := map[bool]string{false: "hover, real pixels, hatched", true: "drag, real pixels, hatched"}[drag]
		_, frames := p.measured(what, func() { p.sweep(240, drag) })
		if frames.Median > frame60 {
			t.Errorf("%s: a median of %.1f ms per frame, want 60 frames a second on a machine that does nothing else", what, frames.Median)
		}
	}
	p.screenshot("real pixels")
}

// wheel turns the mouse's wheel over the middle of the image, in and out again.
func (p *page) wheel(steps int) {
	p.t.Helper()
	box := value[[]float64](p, `(() => { const b = document.getElementById('canvas').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`)
	for i := range steps {
		by := -40.0
		if i >= steps/2 {
			by = -by
		}
		p.do("turning the wheel", turnWheel(box[0], box[1], by))
	}
}

// TestE2ESpeedObjects: pointing, drawing and zooming with 1500 superpixels, all of
// them hatched, and at least 30 objects of the background that touch.
func TestE2ESpeedObjects(t *testing.T) {
	onlyWhenMeasuring(t)
	p := openPage(t, 1280, 720, false, startServer(t))
	p.drop(enlarged(t, 2000, 1500))
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
	p.separately()
	value[int](p, `fetch(location.pathname.replace('/images/', '/api/v1/images/') + '/evidence', {method: 'POST', headers: {'Content-Type': 'application/json'},
		body: JSON.stringify({id: 'g', expected_seq: 0, kind: 'granularity', regions: 1500})}).then(r => r.status)`)
	p.until(fmt.Sprintf(`%s === 1500`, counted))
	p.press("2")
	p.click(image.Pt(1000, 750))
	p.settle(`!document.getElementById('accept').disabled`)
	p.press(enter)
	p.settle(`document.getElementById('accept').disabled`)
	marked := value[int](p, `(async () => {
		const address = location.pathname.replace('/images/', '/api/v1/images/');
		const {classes} = await fetch('/api/v1/projects/' + document.getElementById('app').dataset.project).then(r => r.json());
		const {seq} = await fetch(address).then(r => r.json());
		for (let i = 0; i < 48; i++) {
			const body = {id: 'object' + i, expected_seq: seq + i, kind: 'instance', class: classes[0].id, number: i + 1, points: [[100 + 163 * (i % 12), 150 + 380 * Math.floor(i / 12)]]};
			const {status} = await fetch(address + '/evidence', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});
			if (status !== 200 && status !== 201) return status;
		}
		return 48;
	})()`)
	if marked != 48 {
		t.Fatalf("an object was answered with %d", marked)
	}
	p.until(`document.getElementById('canvas').dataset.objects >= 30`)
	p.until(`document.getElementById('save').dataset.state === 'saved' && document.getElementById('running').hidden`)
	value[bool](p, probe)
	p.screenshot("objects")
	check := func(what string, moves func()) {
		_, frames := p.measured(what, moves)
		if frames.Median > frame60 {
			t.Errorf("%s: a median of %.1f ms per frame, want 60 frames a second on a machine that does nothing else", what, frames.Median)
		}
	}
	check("hover", func() { p.sweep(240, false) })
	check("zoom", func() { p.wheel(80) })
	p.press("0", ctrl)
	p.press("1")
	check("drag", func() { p.sweep(240, true) })
	p.press("b")
	check("brush", func() { p.sweep(240, true) })
	p.press("s")
	p.press("1", ctrl)
	p.until(`document.getElementById('zoom-value').textContent === '100 %'`)
	check("drag, real pixels", func() { p.sweep(240, true) })
	p.screenshot("painted")
}

// stopwatch measures, in the page, from each press of the mouse to the end of the
// paint that shows the first hypothesis that the click will lead to; and from the
// release to the ack, to the arrival of that hypothesis as one of the run, and to
// the end of the paint that follows.
var stopwatch = `Promise.all([import('` + static.Address("canvas/painter.js") + `'), import('` + static.Address("annotate/app.js") + `'), import('` + static.Address("exchange/session.js") + `')]).then(([{Painter}, {App}, {Session}]) => {
	window.clicks = {foreseen: [], acked: [], arrived: [], painted: []};
	let pressed = 0, since = 0, waiting = false, foreseen = false;
	const canvas = document.getElementById('canvas');
	canvas.addEventListener('pointerdown', () => { pressed = performance.now(); foreseen = false; }, true);
	canvas.addEventListener('pointerup', () => { since = performance.now(); }, true);
	const around = (type, name, before, after) => {
		const inner = type.prototype[name];
		type.prototype[name] = function (...args) {
			before(...args);
			inner.apply(this, args);
			after(this);
		};
	};
	around(Session, 'receive', ({type}) => { if (type === 'ack' && since) window.clicks.acked.push(performance.now() - since); }, () => {});
	around(Session, 'arrive', () => {}, ({supposed}) => { foreseen = supposed !== null && pressed > 0; });
	around(App, 'hypothesesChanged', (news, place) => {
		if (news !== 'placed' || place !== 0 || !since) return;
		window.clicks.arrived.push(performance.now() - since);
		waiting = true;
	}, () => {});
	around(Painter, 'paint', () => {}, () => {
		if (foreseen) {
			window.clicks.foreseen.push(performance.now() - pressed);
			foreseen = false;
			pressed = 0;
		}
		if (!waiting) return;
		window.clicks.painted.push(performance.now() - since);
		since = 0;
		waiting = false;
	});
	return true;
})`

// TestE2ESpeedClick: from a click on a photograph of the usual size to the
// first hypothesis on the screen. A tap is released as soon as it is pressed,
// while the frame that shows the press is still to come; a hand holds a button
// for about 80 ms.
func TestE2ESpeedClick(t *testing.T) {
	onlyWhenMeasuring(t)
	const id = "2009_002221"
	truth := openImage(t, sharedtest.Path(t, "data/voc/masks/"+id+".png")).(*image.Paletted)
	p := openPage(t, 1280, 720, false, startServer(t))
	p.drop(sharedtest.Path(t, "data/voc/images/"+id+".jpg"))
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
	p.separately()
	for class, at := range []image.Point{insideOf(t, truth, 0), insideOf(t, truth, largestClass(truth))} {
		p.press(strconv.Itoa(class + 1))
		p.click(at)
	}
	p.settle()
	value[bool](p, stopwatch)
	random := rand.New(rand.NewPCG(1, 2))
	p.timeClicks("tap", truth, random, 0)
	p.timeClicks("press of 80 ms", truth, random, 80*time.Millisecond)
}

// timeClicks clicks at random places with the class that is there.
func (p *page) timeClicks(what string, truth *image.Paletted, random *rand.Rand, held time.Duration) {
	p.t.Helper()
	value[bool](p, `Object.values(window.clicks).every((times) => (times.length = 0) === 0)`)
	size := truth.Bounds().Size()
	const clicks = 300
	for n := 1; n <= clicks; {
		at := image.Pt(20+random.IntN(size.X-40), 20+random.IntN(size.Y-110)) // above the tools
		class := 1
		switch truth.ColorIndexAt(at.X, at.Y) {
		case 0:
		case largestClass(truth):
			class = 2
		default:
			continue
		}
		p.press(strconv.Itoa(class))
		x, y := p.onScreen(at)
		p.do("moving", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
		time.Sleep(held)
		p.do("pressing", chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
		time.Sleep(held)
		p.do("releasing", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
		p.until(fmt.Sprintf("window.clicks.painted.length === %d && %s", n, settled)) // asks for no frames, as settle does
		n++
	}
	seen := value[struct{ Foreseen, Acked, Arrived, Painted []float64 }](p, `window.clicks`)
	got := spreadOf(seen.Painted)
	p.t.Logf("%s, from its beginning to first hypothesis painted: %v", what, spreadOf(seen.Foreseen))
	p.t.Logf("%s to ack: %v", what, spreadOf(seen.Acked))
	p.t.Logf("%s to first hypothesis arrived: %v", what, spreadOf(seen.Arrived))
	p.t.Logf("%s to first hypothesis painted: %v", what, got)
	if got.Median > 28 || got.P99 > 60 {
		p.t.Errorf("%s: a median of %.1f ms and a p99 of %.1f ms, want at most 28 and 60 on a machine that does nothing else", what, got.Median, got.P99)
	}
}

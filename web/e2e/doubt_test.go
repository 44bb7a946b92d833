package e2e

import (
	"context"
	"fmt"
	"image"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/static"
)

// doubts is the server's answer about alternatives of the open image.
type doubts struct {
	Seq       int
	Classes   []int
	Marginals [][]float64
	WrongArea float64 `json:"expected_wrong_area"`
	Areas     []struct {
		Class     int
		Low, High float64
	}
	Suggestion *struct {
		Superpixel int
		Gain       float64
	}
}

// middle returns a pixel well inside a superpixel of the open image.
func (p *page) middle(superpixel int) image.Point {
	p.t.Helper()
	xy := value[[]int](p, fmt.Sprintf(`Promise.all([
		fetch(document.getElementById('app').dataset.superpixels).then(r => r.arrayBuffer()), import('%s'),
	]).then(([buffer, {decode, anchors}]) => {
		const {width, height} = document.getElementById('app').dataset;
		const points = anchors(decode(buffer, +width, +height));
		return [Math.floor(points[2 * %d]), Math.floor(points[2 * %[2]d + 1])];
	})`, static.Address("superpixels/idmap.js"), superpixel))
	return image.Pt(xy[0], xy[1])
}

// stored waits until the server has the given number of events of the open image.
func (p *page) stored(events int) {
	p.t.Helper()
	p.until(fmt.Sprintf(`%s.then((image) => image.seq === %d)`, p.api(""), events))
}

// point moves the mouse to a pixel of the image.
func (p *page) point(at image.Point) {
	p.t.Helper()
	x, y := p.onScreen(at)
	p.do(fmt.Sprintf("pointing at %v", at), chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
}

// marked are the places of the cards that say 'Best on average', on screen and in
// their titles.
const marked = `[...document.querySelectorAll('.hypothesis')].flatMap((card, place) =>
	card.querySelector('[data-slot=mark]').checkVisibility() || card.title.includes('expected to match it best') ? [place] : [])`

// expected is the place of the card that the server expects to match the truth
// best: its rank, less the copies before it.
func (p *page) expected() int {
	p.t.Helper()
	answer := value[struct {
		Marked     int
		Hypotheses []struct{ Digest string }
	}](p, p.api("/hypotheses?count=20"))
	place, seen := 0, map[string]bool{}
	for _, h := range answer.Hypotheses[:answer.Marked] {
		if !seen[h.Digest] {
			seen[h.Digest] = true
			place++
		}
	}
	return place
}

// TestE2EDoubt: the overlay of uncertainty with its tooltip, the next click by
// the keyboard alone, the curve of the area on which hypotheses disagree, and the
// mark on the card that is best on average where that isn't the first.
func TestE2EDoubt(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(truth, 0, 1, 2)
	before := value[doubts](p, p.api("/hypotheses"))
	if before.Suggestion == nil {
		t.Fatal("the alternatives agree everywhere after three clicks")
	}
	text := fmt.Sprintf("disagree on %.0f %%", before.WrongArea*100)
	if got := value[string](p, `document.getElementById('doubt-text').textContent`); got != text {
		t.Errorf("the panel says %q, want %q as the server has it", got, text)
	}
	// The first card needs no mark, nor does one that is folded into another.
	got, best := value[[]int](p, marked), p.expected()
	want := []int{best}
	if best == 0 || value[bool](p, fmt.Sprintf(`document.querySelectorAll('.hypothesis')[%d].classList.contains('folded')`, best)) {
		want = []int{}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the cards %v are marked, want %v: the server marks card %d", got, want, best)
	}

	asked := p.middle(before.Suggestion.Superpixel)
	away := image.Pt(8, 8) // where no outline touches the pixel
	p.point(away)
	plain := p.pixel(asked)
	p.press("u")
	p.point(asked.Add(image.Pt(1, 0)))
	p.until(`!document.getElementById('tip').hidden`)
	if tip := value[string](p, `document.getElementById('tip').textContent`); !regexp.MustCompile(`^\w+ \d+\x{a0}%, \w+ (\d+|<\x{a0}1)\x{a0}%`).MatchString(tip) {
		t.Errorf("the tooltip says %q, want classes with their shares", tip)
	}
	var ranges []string
	names := value[[]string](p, `[...document.querySelectorAll('#classes .class-name')].map((e) => e.textContent)`)
	for _, a := range before.Areas {
		ranges = append(ranges, fmt.Sprintf("%s\u00a0%.0f–\u2060%.0f\u00a0%%", names[a.Class], math.Floor(a.Low*100), math.Ceil(a.High*100)))
	}
	if got, want := value[string](p, `document.getElementById('heat-areas').textContent`), "Area, 80\u00a0% sure: "+strings.Join(ranges, ", "); got != want {
		t.Errorf("the legend says %q, want %q as the server has it", got, want)
	}
	p.screenshot("uncertainty")
	p.point(away)
	heat := p.pixel(asked)
	if heat[0] <= heat[2] {
		t.Errorf("a doubtful pixel went from %v to %v; doubt is warm", plain, heat)
	}
	p.press("u")
	p.point(away)
	if again := p.pixel(asked); fmt.Sprint(again) != fmt.Sprint(plain) {
		t.Errorf("without the overlay the pixel is %v, want %v as before", again, plain)
	}

	p.press("w")
	p.until(`!document.getElementById('asking').hidden`)
	p.screenshot("next-click")
	if !value[bool](p, whole) {
		t.Error("the way to a superpixel that was in the window leads away from the rest of the image")
	}
	x, y := p.onScreen(asked)
	if value[bool](p, fmt.Sprintf(`(() => { const b = document.getElementById('asking').getBoundingClientRect(); return %f > b.left && %[1]f < b.right && %f > b.top && %[2]f < b.bottom; })()`, x, y)) {
		t.Error("the question covers what it asks for")
	}
	p.press("2")
	p.until(`document.getElementById('asking').hidden`)
	p.stored(before.Seq + 1)
	p.until(`document.querySelector('#doubt-curve polyline').getAttribute('points').split(' ').length >= 2`)
	p.settle()
	if got, want := value[[]int](p, marked), p.expected(); want == 0 || !slices.Equal(got, []int{want}) {
		t.Errorf("the cards %v are marked, and the server marks card %d; here it should be another than the first", got, want)
	}
	clicked := value[struct {
		Events []struct {
			Kind        string
			Class       *int
			Superpixels []int
		}
	}](p, p.api("/evidence"))
	last := clicked.Events[len(clicked.Events)-1]
	if last.Kind != "label" || last.Class == nil || *last.Class != 1 || last.Superpixels[0] != before.Suggestion.Superpixel {
		t.Errorf("the last event is %+v, want superpixel %d labelled 1", last, before.Suggestion.Superpixel)
	}
	p.do("reloading", chromedp.Reload())
	p.settle()
	p.until(`document.querySelector('#doubt-curve polyline').getAttribute('points').split(' ').length >= 2`)
}

// TestE2EQuestionApart: the question about the most useful next click is no larger
// than its text and covered by nothing where it is above what it asks for.
func TestE2EQuestionApart(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(sampleTruth(), 0, 1, 2, 3, 4)
	x, y := p.onScreen(p.middle(value[doubts](p, p.api("/hypotheses?count=0")).Suggestion.Superpixel))
	for range 4 {
		p.do("zooming in", turnWheel(x, y, -200))
	}
	p.do("pulling it down to the edge", pull(x, y, x, 650)...)
	p.press("u")
	p.press("w")
	p.until(`document.getElementById('asking').matches('.above:not([hidden])')`)
	for _, size := range [][2]int64{{1280, 720}, {640, 800}, {390, 844}} {
		p.resize(size[0], size[1])
		if p.overlap("#asking", "#heat-legend") {
			t.Errorf("in a window of %d pixels the legend covers the question", size[0])
		}
		if height := value[float64](p, `document.getElementById('asking').offsetHeight`); height > 100 {
			t.Errorf("in a window of %d pixels the question is %.0f pixels high", size[0], height)
		}
		p.screenshot(fmt.Sprint(size[0]))
	}
}

// TestE2EAlternatives: a region on which the hypotheses differ offers their
// classes, by mouse and by keyboard; any region offers what the image would be if
// it had another class, even by touch.
func TestE2EAlternatives(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	p := openSample(t, 1280, 720, true)
	p.clickClasses(truth, 0, 1, 2)
	at := p.middle(p.contested())
	p.point(at)
	p.until(`!document.getElementById('alternatives').hidden`)
	p.screenshot("offered")
	texts := value[[]string](p, `[...document.querySelectorAll('.alternative')].map(b => b.textContent)`)
	if len(texts) < 2 || !regexp.MustCompile(`^\d+ of 20: \w+`).MatchString(texts[0]) {
		t.Fatalf("the region offers %q, want '9 of 20: road' twice or more", texts)
	}
	p.press("w")
	p.until(`!document.getElementById('asking').hidden && document.getElementById('alternatives').hidden`)
	p.press(kb.Escape)
	p.until(`document.getElementById('asking').hidden`)
	p.press("0", ctrl)
	p.until(whole)
	p.point(at.Add(image.Pt(1, 0)))
	p.until(`!document.getElementById('alternatives').hidden`)
	name := regexp.MustCompile(`: (\w+)`).FindStringSubmatch(texts[1])[1]
	time.Sleep(450 * time.Millisecond) // before, a click would be meant for the image below them
	p.clickOn("choosing with the mouse", ".alternative:nth-child(2)")
	p.until(`document.getElementById('alternatives').hidden`)
	p.until(`/^Accepted here.*` + name + `/.test(` + notice + `.trim())`)
	p.stored(4)
	decided := value[record](p, p.api(""))
	if decided.Seq != 4 || decided.Decided <= 0 {
		t.Errorf("after the choice: %+v, want a fourth event", decided)
	}

	p.settle()
	p.point(p.middle(p.contested())) // elsewhere: the hypotheses agree on what was chosen
	p.press("x")
	p.until(`document.activeElement?.classList.contains('alternative')`)
	p.press(kb.ArrowDown)
	p.press(kb.ArrowUp)
	p.press(enter)
	p.until(`document.getElementById('alternatives').hidden && document.activeElement.id === 'canvas'`)
	p.stored(5)
	p.supposes()
}

const supposing = `!document.getElementById('alternatives').hidden && document.getElementById('alternatives-title').textContent === 'What if this were' && document.activeElement?.classList.contains('alternative')`

// supposes asks what the image would be if a region had another class: by keys
// where the hypotheses differ, and with the button where they agree.
func (p *page) supposes() {
	p.t.Helper()
	p.settle()
	p.until(`document.querySelectorAll('.hypothesis:not(.stale)').length > 1`)
	at := p.contested()
	p.point(p.middle(at))
	p.press("x")
	p.until(`document.activeElement?.classList.contains('alternative')`)
	p.press(kb.ArrowUp)
	if last := value[string](p, `document.activeElement.textContent`); last != "What if this were …?" {
		p.t.Fatalf("the last entry is %q", last)
	}
	p.press(enter)
	p.until(supposing)
	p.until(`!document.getElementById('badge').hidden && document.getElementById('badge-text').textContent.includes('changes')`)
	p.screenshot("supposed")
	offered := value[string](p, `document.activeElement.textContent`)
	p.press(enter)
	p.until(`/^Accepted.*` + strings.Split(offered, ",")[0] + `/.test(` + notice + `.trim())`)
	p.stored(6)
	p.press("z", ctrl)
	p.stored(7)
	p.settle()
	if got := p.kinds(); !slices.Equal(got[5:], []string{"accept", "undo"}) {
		p.t.Errorf("the events are %q", got)
	}

	// Where the hypotheses agree the list begins with the question, even by touch.
	p.until(`document.querySelectorAll('.hypothesis:not(.stale)').length > 1`)
	p.clickOn("asking about a region", "#ask-region")
	p.until(`document.getElementById('ask-region').getAttribute('aria-pressed') === 'true'`)
	x, y := p.onScreen(p.middle(p.agreed()))
	p.finger("tapping the image", x, y)
	p.until(supposing)
	time.Sleep(450 * time.Millisecond) // before, a tap would be meant for the image below
	entry := value[[]float64](p, middle+`(".alternative")`)
	p.finger("tapping the first entry", entry[0], entry[1])
	p.until(`!document.getElementById('alternatives').hidden && document.getElementById('badge-text').textContent.includes('changes')`)
	p.finger("tapping it again", entry[0], entry[1])
	p.stored(8)
	if got := p.kinds(); got[7] != "accept" {
		p.t.Errorf("tapping an entry twice made %q, want it accepted", got[7:])
	}
}

// agreed is a superpixel that nobody clicked and that all hypotheses give one class.
func (p *page) agreed() int {
	p.t.Helper()
	clicked := map[int]bool{}
	for _, e := range p.events() {
		for _, s := range e.Superpixels {
			clicked[int(s)] = true
		}
	}
	for i, shares := range value[doubts](p, p.api("/hypotheses")).Marginals {
		if slices.Max(shares) == 1 && !clicked[i] {
			return i
		}
	}
	p.t.Fatal("the hypotheses agree nowhere")
	return -1
}

// contested is the superpixel with the most even shares.
func (p *page) contested() int {
	p.t.Helper()
	contested, best := -1, 0.0
	for i, shares := range value[doubts](p, p.api("/hypotheses")).Marginals {
		lowest := 1.0
		for _, q := range shares {
			if q > 0 && q < lowest {
				lowest = q
			}
		}
		if lowest < 1 && lowest > best {
			contested, best = i, lowest
		}
	}
	return contested
}

// TestE2EAlternativesByTouch: a finger that goes elsewhere closes the alternatives
// and labels nothing; the next tap labels. Each entry is large enough for a finger.
func TestE2EAlternativesByTouch(t *testing.T) {
	t.Parallel()
	p := openPage(t, 390, 844, false, startServer(t))
	p.do("taking the mouse away", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
		return err
	}))
	p.trySample()
	truth := sampleTruth()
	p.clickClasses(truth, 0, 1)
	x, y := p.onScreen(p.middle(p.contested()))
	p.clickOn("asking about a region", "#ask-region")
	p.finger("tapping a region", x, y)
	p.until(`document.activeElement.matches('.alternative')`)
	if low := value[float64](p, `Math.min(...[...document.querySelectorAll('.alternative')].map((e) => e.getBoundingClientRect().height))`); low < 44 {
		t.Errorf("an entry is %.0f pixels high", low)
	}
	away := p.middle(p.agreed())
	p.tap(away)
	p.until(`document.getElementById('alternatives').hidden`)
	p.tap(away)
	p.waitForEvents(3)
}

// TestE2EQuestionAnswered: the question for the most useful next click goes away when
// the hypotheses agree there. Otherwise the key of a class, pressed for the next
// click, would label that superpixel.
func TestE2EQuestionAnswered(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(sampleTruth(), 0, 1)
	p.press("w")
	p.until(`!document.getElementById('asking').hidden`)
	p.press(enter)
	p.until(`document.getElementById('status').textContent.startsWith('Everything is accepted')`)
	p.settle(`document.getElementById('asking').hidden`)
	p.press("3")
	p.until(`document.querySelector('#classes li:nth-child(3) .class-button').ariaPressed === 'true'`)
	p.waitForEvents(3)
}

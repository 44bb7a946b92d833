package e2e

import (
	"fmt"
	"image"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/sharedtest"
	"collie/static"
)

// listed are the rows of the history, the last step first: text and state.
const listed = `[...document.querySelectorAll('#history-list .step')].map(e => e.querySelector('[data-slot="text"]').textContent + ' ' + e.dataset.state + (e.hasAttribute('aria-current') ? ' now' : ''))`

// TestE2EHistory looks at earlier states and restores one as a new step.
func TestE2EHistory(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	truth := sampleTruth()
	apple, orange := insideOf(t, truth, 4), insideOf(t, truth, 5)
	p.press("5")
	p.click(apple)
	p.press("6")
	p.click(orange)
	p.waitForEvents(2)
	p.press("b")
	spot := image.Pt(700, 80)
	p.drag([]image.Point{spot, spot.Add(image.Pt(30, 4))}, nil, ctrl)
	p.waitForEvents(3)
	p.press("z", ctrl)
	p.press("z", ctrl)
	p.waitForEvents(5)
	p.press("s")
	p.press("1")
	p.click(insideOf(t, truth, 0))
	p.waitForEvents(6)
	p.press(kb.Escape)

	p.press("y")
	want := []string{"Labelled 1 superpixel stands now", "Painted", "Labelled 1 superpixel left", "Labelled 1 superpixel stands", "Start stands"}
	p.until(fmt.Sprintf(`(%s).length === %d`, listed, len(want)))
	rows := value[[]string](p, listed)
	for i, row := range rows {
		if i != 1 && row != want[i] {
			t.Errorf("row %d of the history reads %q, want %q", i, row, want[i])
		}
	}
	p.screenshot("open")

	// The state with the orange and the stroke is looked at, then restored.
	if p.painted("scene", orange)[3] != 0 {
		t.Error("the orange is labelled after undo")
	}
	p.press(kb.ArrowDown)
	p.press(kb.Enter)
	p.until(`!document.getElementById('badge').hidden && /after step 3/.test(document.getElementById('badge-text').textContent)`)
	for _, at := range []image.Point{apple, orange, spot.Add(image.Pt(15, 2))} {
		if p.painted("scene", at)[3] == 0 {
			t.Errorf("the state after step 3 shows nothing at %v", at)
		}
	}
	p.screenshot("earlier")
	if got := value[int](p, `Promise.all([import('`+static.Address("canvas/past.js")+`'), createImageBitmap(new ImageData(3000, 20))]).then(([{Past}, mask]) => new Past(mask, {width: 300, height: 2}, ['#ff0000']).canvas.width)`); got != 3000 {
		t.Errorf("an earlier state is %d pixels wide, want the 3000 of the image", got)
	}
	p.press(kb.Escape)
	if p.painted("scene", orange)[3] != 0 || value[bool](p, `!document.getElementById('badge').hidden`) {
		t.Error("Esc does not go back to the present")
	}
	p.press(kb.Enter)
	p.until(`!document.getElementById('history-restore').disabled`)
	p.clickOn("restoring", "#history-restore")
	if events := p.waitForEvents(7); events[6].Kind != "restore" || events[6].To != 3 {
		t.Errorf("restoring made %+v", events[6])
	}
	p.until(`document.getElementById('badge').hidden`)
	p.settle()
	p.until(fmt.Sprintf(`(%s)[0] === 'Restored step 3 stands now' && document.activeElement.matches('.step')`, listed))
	p.press(kb.Escape) // closes the panel
	p.until(`document.getElementById('history-panel').hidden && document.activeElement.id === 'canvas'`)
	p.press(kb.Escape)
	if p.painted("scene", orange)[3] == 0 || len(p.repairs()) == 0 {
		t.Error("the restored state is not that of step 3")
	}
	p.press("z", ctrl)
	p.waitForEvents(8)
	p.settle()
	p.press(kb.Escape)
	if p.painted("scene", orange)[3] != 0 {
		t.Error("undo does not take the restored state back")
	}
}

// TestE2EHistoryApart: the question of the next click and the legend of the uncertainty
// stay beside the open history.
func TestE2EHistoryApart(t *testing.T) {
	t.Parallel()
	for _, shape := range [][2]int{{500, 375}, {1000, 333}} { // with the strip beside and below
		p := openPicture(t, shape[0], shape[1])
		p.press("u")
		p.press("w")
		p.until(`!document.getElementById('asking').hidden`)
		p.press("y")
		p.until(`document.activeElement.matches('.step')`)
		for _, size := range [][2]int64{{1280, 720}, {920, 700}, {820, 1180}, {844, 390}, {390, 844}} {
			p.resize(size[0], size[1])
			for _, thing := range []string{"#asking", "#heat-legend"} {
				if p.overlap("#history-panel", thing) {
					t.Errorf("%v at %v: the history and %s overlap", shape, size, thing)
				}
			}
			p.screenshot(fmt.Sprintf("%dx%d-%d", size[0], size[1], shape[0]))
		}
	}
}

// TestE2EHistoryUnread: a history that can't be read says so, and not that the
// image is as it was at the start; it is read when the server answers again.
func TestE2EHistoryUnread(t *testing.T) {
	t.Parallel()
	p := openPicture(t, 500, 375)
	value[bool](p, `(window.reach = fetch, window.fetch = (address, ...more) => String(address).includes('/evidence?') ? Promise.reject(new TypeError('away')) : reach(address, ...more), true)`)
	p.press("y")
	p.until(`!document.getElementById('history-failed').hidden && document.activeElement.id === 'history-again'`)
	p.screenshot("unread")
	if rows := value[[]string](p, listed); len(rows) > 0 {
		t.Errorf("the history could not be read and lists %q", rows)
	}
	value[bool](p, `(window.fetch = reach, true)`)
	p.press(kb.Enter)
	p.until(fmt.Sprintf(`document.getElementById('history-failed').hidden && (%s).join() === 'Labelled 1 superpixel stands now,Start stands' && document.activeElement.matches('.step')`, listed))

	// The next step can't be read: none of those that are known is the current one.
	value[bool](p, `(window.fetch = (address, ...more) => String(address).includes('/evidence?') ? Promise.reject(new TypeError('away')) : reach(address, ...more), true)`)
	p.click(image.Pt(20, 20))
	p.until(fmt.Sprintf(`!document.getElementById('history-failed').hidden && (%s).join() === 'Labelled 1 superpixel stands,Start stands'`, listed))
	value[bool](p, `(window.fetch = reach, true)`)
	p.click(image.Pt(20, 350))
	p.until(fmt.Sprintf(`document.getElementById('history-failed').hidden && (%s).length === 4`, listed))
}

// TestE2EDeepUndo takes 500 steps back, after a reload.
func TestE2EDeepUndo(t *testing.T) {
	t.Parallel()
	const steps, byHand = 500, 20
	p := bare(t, 1280, 720)
	origin, id := value[string](p, `location.origin`), value[string](p, `document.getElementById('app').dataset.image`)
	// No page is open meanwhile, so that no alternatives are computed for each
	// step.
	p.do("leaving", chromedp.Navigate(origin+"/api"))
	post := func(seq int, kind, rest string) {
		t.Helper()
		body := fmt.Sprintf(`{"id":"step-%[1]d","expected_seq":%[1]d,"kind":%[2]q%[3]s}`, seq, kind, rest)
		answer, err := http.Post(origin+"/api/v1/images/"+id+"/evidence", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("event %d: %s", seq, answer.Status)
		}
	}
	for i := range steps {
		post(i, "label", fmt.Sprintf(`,"superpixels":[%d],"class":%d`, i, i%8))
	}
	p.do("opening the image again", chromedp.Navigate(origin+"/images/"+id))
	p.settle()
	p.press("y")
	p.until(fmt.Sprintf(`(%s).length === %d`, listed, steps+1))
	p.press("y")
	for range byHand {
		p.press("z", ctrl)
	}
	p.waitForEvents(steps + byHand)
	if got := value[record](p, p.api("")); got.Clicks != steps-byHand {
		t.Errorf("after %d undos %d of %d superpixels are labelled", byHand, got.Clicks, steps)
	}
	p.do("leaving", chromedp.Navigate(origin+"/api"))
	for i := byHand; i < steps; i++ {
		post(steps+i, "undo", "")
	}
	p.do("opening the image again", chromedp.Navigate(origin+"/images/"+id))
	p.until(`document.getElementById('save')?.dataset.state === 'saved' && document.getElementById('undo').disabled && !document.getElementById('redo').disabled`)
	if got := value[record](p, p.api("")); got.Clicks != 0 {
		t.Errorf("after %d undos %d superpixels are labelled", steps, got.Clicks)
	}
}

// TestE2EHistoryFollowsClasses: the list of steps and an earlier state that is shown
// have the names, colours and classes that somebody gives them meanwhile.
func TestE2EHistoryFollowsClasses(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	at := p.clickClasses(sampleTruth(), 1, 3, 4)
	p.clickOn("the history", "#history")
	p.clickOn("an earlier state", `#history-list button[data-seq="3"]`)
	shows := func(at image.Point, want [3]int) {
		t.Helper()
		for end := time.Now().Add(patience); ; {
			if c := p.painted("scene", at); [3]int(c[:3]) == want {
				return
			} else if time.Now().After(end) {
				t.Fatalf("at %v the earlier state is %v, want %v", at, c, want)
			}
		}
	}
	p.until(`document.getElementById('badge-text').textContent === 'after step 3'`)
	value[bool](p, `(async () => {
		const address = '/api/v1/projects/' + document.getElementById('app').dataset.project;
		const { classes } = await (await fetch(address)).json();
		const [table, , apple] = [1, 3, 4].map((id) => classes.find((c) => c.id === id));
		Object.assign(apple, { name: 'fruit', color: '#00ff00' });
		table.color = '#0000ff';
		const list = [apple, ...classes.filter(({ id }) => id !== 3 && id !== 4)];
		return (await fetch(address, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ classes: list, remap: { 3: 1 } }) })).ok;
	})()`)
	p.until(`(([now]) => now.textContent.includes('fruit') && now.querySelector('[data-slot=swatch]').style.backgroundColor === 'rgb(0, 255, 0)')(document.querySelectorAll('#history-list button'))`)
	shows(at[2], [3]int{0, 255, 0})
	shows(at[1], [3]int{0, 0, 255})
	p.until(`document.getElementById('badge-text').textContent === 'after step 3'`)
}

// TestE2EUndoneDivision: undoing a click that had divided a superpixel before the page
// was opened leaves no dot behind, and the page goes on painting.
func TestE2EUndoneDivision(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, startServer(t))
	p.drop(sharedtest.Path(t, "data/voc/images/2009_002221.jpg"))
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
	p.press("2")
	p.click(image.Pt(250, 187))
	p.settle()
	p.press(".")
	p.press(enter)
	p.stored(2)
	p.settle()
	p.clickOn("adding a class", "#add-class")
	p.do("naming it", chromedp.KeyEvent("belt"))
	p.press(enter)
	p.until(`document.activeElement.id === 'canvas'`)
	beside := image.Pt(120, 40)
	p.point(beside)
	clicked := image.Pt(204, 225)
	before := p.pixel(clicked)
	p.press("3")
	p.click(clicked)
	p.stored(3)
	p.settle()
	p.point(beside)
	if slices.Equal(p.pixel(clicked), before) {
		t.Fatal("the click shows no dot; choose another place for this test")
	}
	p.do("reloading", chromedp.Reload())
	p.until(settled)
	value[bool](p, `(window.failures = [], addEventListener('error', (e) => failures.push(e.message)), true)`)
	p.press("z", ctrl)
	p.stored(4)
	p.settle()
	p.point(beside)
	if after := p.pixel(clicked); !slices.Equal(after, before) {
		t.Errorf("where the undone click was is %v, want %v", after, before)
	}
	if failed := value[[]string](p, `failures`); len(failed) > 0 {
		t.Errorf("the page says %q", failed)
	}
}

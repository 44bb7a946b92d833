package e2e

import (
	"fmt"
	"image"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/sharedtest"
)

// counted is the number of superpixels that the page shows.
const counted = `+document.getElementById('app').dataset.regions`

// finished says that everything is on disk and nothing is being computed.
const finished = `document.getElementById('save')?.dataset.state === 'saved' && document.getElementById('running').hidden`

// record is the open image as the API describes it.
type record struct {
	Regions, Finest, Clicks, Seq int
	Map                          string
	Decided                      float64
}

// TestE2EGranularity makes superpixels coarser and finer: the clicks stay, one
// undo goes back, and a reload restores the state.
func TestE2EGranularity(t *testing.T) {
	t.Parallel()
	photograph := sharedtest.Path(t, "data/voc/images/2009_002221.jpg")
	p := openPage(t, 1280, 720, false, startServer(t))
	p.drop(photograph)
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
	start := value[record](p, p.api(""))

	sky, cow := image.Pt(20, 20), image.Pt(250, 200)
	p.press("1")
	p.click(sky)
	p.press("2")
	p.click(cow)
	p.settle()
	if got := value[int](p, counted); got != start.Regions {
		t.Errorf("the page counts %d superpixels, the server %d", got, start.Regions)
	}
	clicked := value[record](p, p.api(""))

	p.press("-")
	p.until(fmt.Sprintf(`%s < %d && %s`, counted, start.Regions*3/4, finished))
	p.settle()
	p.screenshot("coarser")
	coarse := value[record](p, p.api(""))
	if coarse.Seq != 3 || coarse.Regions >= start.Regions*3/4 || coarse.Decided != clicked.Decided || coarse.Clicks != 2 {
		t.Errorf("a step coarser: %+v, before %+v; want one event and the same clicks", coarse, clicked)
	}
	if got := value[int](p, counted); got != coarse.Regions {
		t.Errorf("the page counts %d superpixels, the server %d", got, coarse.Regions)
	}

	// A click right afterwards means the same place, whichever superpixels it
	// still meets.
	between := image.Pt(420, 300)
	p.clickOn("opening the view settings", "#tones")
	p.focusOn("#granularity")
	p.press(kb.End)
	p.click(between)
	p.until(fmt.Sprintf(`%s > %d && %s`, counted, start.Regions*2, finished))
	p.settle()
	fine := value[record](p, p.api(""))
	if fine.Seq != 5 || fine.Regions <= start.Regions*2 {
		t.Errorf("finer, and a click meanwhile: %+v", fine)
	}
	p.screenshot("finer")
	labels := value[[]int](p, `fetch(location.pathname.replace('/images/', '/api/v1/images/') + '/evidence').then(r => r.json()).then(
		({events}) => events.filter(e => e.kind === 'label').map(e => e.points[0][0] | 0))`)
	if len(labels) != 3 || labels[2] < between.X-8 || labels[2] > between.X+8 {
		t.Errorf("the clicks are at x = %v, want the last at %d", labels, between.X)
	}

	p.press("z", ctrl)
	p.press("z", ctrl)
	p.until(fmt.Sprintf(`%s === %d && %s`, counted, coarse.Regions, finished))
	if back := value[record](p, p.api("")); back.Map != coarse.Map || back.Decided != coarse.Decided {
		t.Errorf("after undo: %+v, want %+v", back, coarse)
	}

	p.do("reloading", chromedp.Reload())
	p.settle()
	p.until(fmt.Sprintf(`%s === %d && document.getElementById('granularity-value').textContent === '%d'`, counted, coarse.Regions, coarse.Regions))
	p.press("z", ctrl)
	p.until(fmt.Sprintf(`%s === %d && %s`, counted, start.Regions, finished))
	if back := value[record](p, p.api("")); back.Map != start.Map {
		t.Errorf("after a reload and undo: %+v, want %+v", back, start)
	}
}

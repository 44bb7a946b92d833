package e2e

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"collie/segment/photo/phototest"
)

// uncovered lists the controls that are not wholly inside the window, or that
// something lies over, even at an edge.
const uncovered = `[...document.querySelectorAll('button, a[href], input, select')].filter((e) => {
	if (!e.checkVisibility({visibilityProperty: true, opacityProperty: true}) || e.closest('.visually-hidden, .class-list, .strip-cards') || e.matches('.visually-hidden, .skip')) return false;
	const b = e.getBoundingClientRect();
	if (b.width === 0) return false;
	if (b.left < 0 || b.top < 0 || b.right > innerWidth + 0.5 || b.bottom > innerHeight + 0.5) return true;
	return [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.1], [0.5, 0.9]].some(([right, down]) => {
		const top = document.elementFromPoint(b.left + right * b.width, b.top + down * b.height);
		return top !== null && !e.contains(top) && !top.contains(e) && !top.closest('label')?.contains(e);
	});
}).map((e) => e.id || e.ariaLabel || e.outerHTML.slice(0, 80))`

// touching lists pairs of things in a row or column of the page that overlap.
const touching = `[
	['.crumbs', '.image-name', '#previous', '.steps-place', '#next', '.topbar-end', '.topbar .brush', '.topbar .polygon-actions'],
	['#status', '#doubt', '#badge', '.strip-actions'],
	['.tools', '.view-tools', '.strip', '.classes'],
].flatMap((group) => {
	const shown = group.flatMap((selector) => [...document.querySelectorAll(selector)]).filter((e) => e.checkVisibility()).map((e) => {
		const range = document.createRange();
		range.selectNodeContents(e);
		return {name: e.id || e.className, box: e.matches('#status') ? range.getBoundingClientRect() : e.getBoundingClientRect()};
	});
	return shown.flatMap(({name, box: a}, i) => shown.slice(i + 1).filter(({box: b}) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5).map((other) => name + ' and ' + other.name));
})`

// fitWindows checks the annotation page in windows of the given sizes.
func (p *page) fitWindows(name string, touch bool, sizes ...[2]int64) {
	p.t.Helper()
	for _, size := range sizes {
		p.resize(size[0], size[1], chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: touch})
			return err
		}))
		window := fmt.Sprintf("%s at %d×%d", name, size[0], size[1])
		if hidden := value[[]string](p, uncovered); len(hidden) > 0 {
			p.t.Errorf("%s: cut off or covered are %q", window, hidden)
		}
		if over := value[[]string](p, touching); len(over) > 0 {
			p.t.Errorf("%s: overlapping are %q", window, over)
		}
		if narrow := value[[]string](p, `[...document.querySelectorAll('.class-row .class-name')].filter((e) => e.scrollWidth > e.clientWidth && e.clientWidth < 30).map((e) => e.textContent)`); len(narrow) > 0 {
			p.t.Errorf("%s: no room for the names of the classes %q", window, narrow)
		}
		p.screenshot(window)
	}
}

// picture is a PNG of the given size with an object in the middle.
func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			shade := 60 + (x*7+y*13)%23
			if x > width/3 && x < 2*width/3 && y > height/4 && y < 3*height/4 {
				shade += 120
			}
			m.SetGray(x, y, color.Gray{Y: uint8(shade)})
		}
	}
	return phototest.MustPNG(t, m)
}

// openPicture opens the middle image of a project of three with that size, with
// hypotheses to accept.
func openPicture(t *testing.T, width, height int) *page {
	t.Helper()
	address := startServer(t)
	var project struct{ ID string }
	call(t, address+"/api/v1/projects", "application/json", bytes.NewReader([]byte(`{"name":"A survey of flowers","classes":[{"name":"background"},{"name":"flower"},{"name":"a long name"}]}`)), &project)
	file := picture(t, width, height)
	images := uploadTo(t, address, project.ID, [][]byte{file, file, file})
	p := openPage(t, 1280, 720, false, address+"/images/"+images[1])
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
	p.press("2")
	p.click(image.Pt(width/2, height/2))
	p.stored(1)
	p.settle()
	return p
}

// TestE2EWindowsBeside: with the strip beside the image nothing is cut off,
// covered or run over in windows down to a small tablet, however narrow the strip
// is dragged.
func TestE2EWindowsBeside(t *testing.T) {
	t.Parallel()
	p := openPicture(t, 500, 375)
	p.fitWindows("mouse", false, [2]int64{1280, 720}, [2]int64{1165, 720}, [2]int64{1024, 768}, [2]int64{920, 700})
	p.fitWindows("touch", true, [2]int64{1024, 768})
	p.resize(1280, 720)
	handle := value[[]float64](p, `(() => { const b = document.getElementById('strip-handle').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`)
	p.do("dragging the strip", chromedp.DragAndDropXY(handle[0], handle[1], 1240, handle[1], 5))
	p.fitWindows("a narrow strip", false, [2]int64{1280, 720}, [2]int64{1024, 768})
}

// TestE2EWindowsBelow: with the strip below the image all tools are on the rail,
// in as many columns as that takes.
func TestE2EWindowsBelow(t *testing.T) {
	t.Parallel()
	p := openPicture(t, 1000, 333)
	p.fitWindows("mouse", false, [2]int64{1280, 720}, [2]int64{1440, 780}, [2]int64{1536, 730}, [2]int64{1280, 580}, [2]int64{1280, 500}, [2]int64{1920, 1080})
	if columns := value[string](p, `getComputedStyle(document.getElementById('app')).getPropertyValue('--rail-columns')`); columns != "1" {
		t.Errorf("a high window has %s columns of tools", columns)
	}
	p.fitWindows("touch", true, [2]int64{1024, 768}, [2]int64{390, 844})
	p.resize(1280, 720)
	p.press("b") // exact pixels come with the brush
	p.fitWindows("brush", false, [2]int64{1280, 720}, [2]int64{1536, 730})
}

// TestE2EToolsInTheTopBar: the width of the brush and the buttons of a polygon
// cover neither the way to other images nor anything else, in the top bar or
// beside their tool.
func TestE2EToolsInTheTopBar(t *testing.T) {
	t.Parallel()
	p := openPicture(t, 500, 375)
	sizes := [][2]int64{{1440, 800}, {1280, 720}, {1199, 720}, {1024, 768}, {920, 700}}
	p.press("b")
	p.fitWindows("brush", false, sizes...)
	p.press("v")
	p.click(image.Pt(100, 100))
	p.click(image.Pt(300, 100))
	p.until(`!document.getElementById('polygon-actions').hidden`)
	p.fitWindows("polygon", false, sizes...)
	p.resize(1280, 720)
	if shifted := value[bool](p, `document.getElementById('polygon-actions').parentElement.id !== 'topbar'`); shifted {
		t.Error("a laptop's top bar has no room for the buttons of a polygon")
	}
	p.clickOn("cancelling", "#polygon-cancel")
	p.until(`document.getElementById('polygon-actions').hidden && document.activeElement.id === 'canvas'`)
}

// TestE2EWindowsOfTablets: the name of the image keeps off the buttons beside it.
func TestE2EWindowsOfTablets(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{image.Pt(500, 375), image.Pt(333, 500)} {
		p := openPicture(t, size.X, size.Y)
		p.fitWindows(fmt.Sprintf("tablet, %v", size), true, [2]int64{768, 1024}, [2]int64{820, 1180}, [2]int64{834, 1112}, [2]int64{912, 1368}, [2]int64{1024, 768})
		p.clickOn("going on", "#next")
		p.until(`document.getElementById('place-shown')?.textContent === '3 / 3'`)
	}
}

package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestE2EOtherScreen: on a screen with more pixels, where the window has the same size,
// the image is as sharp as the screen.
func TestE2EOtherScreen(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	const pixels = `['picture', 'scene', 'marks'].map((id) => document.getElementById(id)).map((c) => c.width / c.clientWidth)`
	for i, ratio := range []float64{2, 1.5, 1} {
		scheme := []string{"dark", "light"}[i%2] // without another change the browser doesn't compare an emulated screen with media queries
		p.do("moving to another screen", chromedp.EmulateViewport(1280, 720, chromedp.EmulateScale(ratio)), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
			return err
		}))
		p.until(fmt.Sprintf(`%s.every((ratio) => Math.abs(ratio - %f) < 0.01)`, pixels, ratio))
	}
}

// losing defines lose(), which does to all canvases that the page draws on what a
// graphics driver does that restarts.
const losing = `{
	const {getContext} = HTMLCanvasElement.prototype;
	const contexts = new Set();
	HTMLCanvasElement.prototype.getContext = function (kind, options) {
		const context = getContext.call(this, kind, options);
		if (!options?.willReadFrequently) contexts.add(context); // else it isn't where graphics drivers can lose it
		return context;
	};
	globalThis.lose = () => {
		const lost = [...contexts];
		for (const context of lost) context.reset();
		for (const {canvas} of lost) canvas.dispatchEvent(new Event('contextrestored'));
	};
}`

// TestE2ECanvasesLost: when the browser has lost what canvases held, as after a restart of
// the graphics driver, they show the same again.
func TestE2ECanvasesLost(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.do("watching canvases", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: losing})
		return err
	}), chromedp.Reload())
	p.until(`document.getElementById('save')?.dataset.state === 'saved'`)
	p.clickClasses(sampleTruth(), 0, 1)
	p.press("u")
	p.clickOn("zooming in", "#zoom-in")
	p.until(`!` + whole)
	const shown = `[...document.querySelectorAll('canvas')].filter((c) => c.checkVisibility()).map((c) => c.toDataURL()).join()`
	p.until(`new Promise((done) => { const now = () => ` + shown + `; const before = now(); setTimeout(() => done(globalThis.before = before === now() && before), 500); }).then(Boolean)`)
	p.screenshot("before")
	if same := value[bool](p, `lose(), before === `+shown); same {
		t.Fatal("nothing was lost")
	}
	p.until(`before === ` + shown)
	p.screenshot("after")
}

package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
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

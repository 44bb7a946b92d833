package e2e

import (
	"context"
	"flag"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// screenshots are for people: no test reads them, and they take time.
var screenshots = flag.Bool("screenshots", false, "keep pictures of what the tests go through in the folder artefacts; those of the sample image are the README's, too")

// pixel returns the colour (red, green, blue, 0..255) that the canvases together
// show at a pixel of the image while the whole image is shown.
func (p *page) pixel(at image.Point) []int {
	p.t.Helper()
	return p.colour(p.onScreen(at))
}

// colour returns the colour that the canvases together show at a point of the
// window.
func (p *page) colour(x, y float64) []int {
	p.t.Helper()
	return value[[]int](p, fmt.Sprintf(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
		const canvas = document.createElement('canvas');
		canvas.width = canvas.height = 1;
		const context = canvas.getContext('2d');
		for (const layer of document.querySelectorAll('#canvas canvas')) {
			const box = layer.getBoundingClientRect();
			const [x, y] = [%f - box.left, %f - box.top].map((v) => Math.round(v * layer.width / box.width));
			context.filter = getComputedStyle(layer).filter;
			context.drawImage(layer, x, y, 1, 1, 0, 0, 1, 1);
		}
		done([...context.getImageData(0, 0, 1, 1).data].slice(0, 3));
	})))`, x, y))
}

// screenshot saves a picture of the window under the artefacts folder of the
// module, named after the test, if -screenshots asks for it.
func (p *page) screenshot(name string) {
	p.t.Helper()
	if *screenshots {
		p.capture(name)
	}
}

// failed saves a picture of the window of a test that is about to fail.
func (p *page) failed() {
	p.t.Helper()
	p.capture("failure")
}

func (p *page) capture(name string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Logf("no screenshot: %v", err)
		return
	}
	path := p.artefact(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Error(err)
	}
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		p.t.Error(err)
	}
}

// artefact is where a screenshot of this test is saved.
func (p *page) artefact(name string) string {
	return filepath.Join("..", "..", "artefacts", p.t.Name()+"-"+name+".png")
}

func openImage(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return img
}

package e2e

import (
	"image"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"collie/sharedtest"
)

// Keys without a letter.
const (
	enter = kb.Enter
	ctrl  = kb.ModifierCtrl
)

// settled says that everything is on disk and that the hypotheses are complete.
const settled = `document.getElementById('save')?.dataset.state === 'saved' &&
	/^([0-9]+ hypothes[ei]s|Everything is accepted)/.test(document.getElementById('status').textContent) && document.getElementById('running').hidden`

// settle waits until the page has settled and further conditions hold for the
// current state: what surrounds the canvas is painted after it.
func (p *page) settle(also ...string) {
	p.t.Helper()
	p.until(`new Promise((done) => requestAnimationFrame(() => setTimeout(() => setTimeout(() => done(` +
		strings.Join(append([]string{settled}, also...), " && ") + `)))))`)
}

// insideOf returns the pixel that lies deepest in the area of a class of an
// index mask: the centre of the largest square of that class alone.
func insideOf(t *testing.T, mask *image.Paletted, class uint8) image.Point {
	t.Helper()
	size := mask.Bounds().Size()
	side := make([]int, size.X*size.Y) // of the largest square that ends at a pixel
	best, at := 0, image.Point{}
	for y := range size.Y {
		for x := range size.X {
			if mask.ColorIndexAt(x, y) != class {
				continue
			}
			i := y*size.X + x
			side[i] = 1
			if x > 0 && y > 0 {
				side[i] += min(side[i-1], side[i-size.X], side[i-size.X-1])
			}
			if side[i] > best {
				best, at = side[i], image.Pt(x-side[i]/2, y-side[i]/2)
			}
		}
	}
	if best < 20 {
		t.Fatalf("class %d has no clear place in the mask", class)
	}
	return at
}

// TestE2EFirstMinute is the journey of a newcomer with a photograph: from
// nothing to a mask on the disk in under a minute and 6 actions.
func TestE2EFirstMinute(t *testing.T) {
	t.Parallel()
	const id = "2009_002221" // a cow on a meadow
	photograph := sharedtest.Path(t, "data/voc/images/"+id+".jpg")
	truth := openImage(t, sharedtest.Path(t, "data/voc/masks/"+id+".png")).(*image.Paletted)
	background := insideOf(t, truth, 0)
	object := insideOf(t, truth, largestClass(truth))

	p := openPage(t, 1280, 720, false, startServer(t))
	began := time.Now()
	p.screenshot("1-start")
	p.drop(photograph)
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
	p.screenshot("2-opened")
	p.press("2")
	p.click(object)
	p.settle()
	p.screenshot("3-hypotheses")
	p.press(enter)
	p.until(`document.getElementById('badge').hidden && document.getElementById('save').dataset.state === 'saved'`)
	p.screenshot("4-accepted")
	p.press("e", ctrl)
	p.until(`document.getElementById('export-dialog').open`)
	p.screenshot("5-export")
	p.press(enter)
	name, img := p.downloaded()
	if took := time.Since(began); took > time.Minute {
		t.Errorf("the journey took %v, want under a minute", took)
	}
	if p.actions > 6 {
		t.Errorf("the journey took %d actions, want at most 6", p.actions)
	}

	if !strings.Contains(name, id) {
		t.Errorf("the file is called %q, want the name of the photograph in it", name)
	}
	mask, ok := img.(*image.Paletted)
	if !ok {
		t.Fatalf("the mask is a %T, want palette indices", img)
	}
	if mask.Bounds() != truth.Bounds() {
		t.Fatalf("the mask is %v, the photograph %v", mask.Bounds(), truth.Bounds())
	}
	if got := mask.ColorIndexAt(background.X, background.Y); got != 0 {
		t.Errorf("the mask has class %d in the middle of the background, which nobody clicked, want 0", got)
	}
	if got := mask.ColorIndexAt(object.X, object.Y); got != 1 {
		t.Errorf("the mask has class %d where the object was clicked, want 1", got)
	}
	for y := range mask.Bounds().Dy() {
		for x := range mask.Bounds().Dx() {
			if l := mask.ColorIndexAt(x, y); l > 1 {
				t.Fatalf("pixel (%d, %d) has class %d after a whole hypothesis was accepted, want 0 or 1", x, y, l)
			}
		}
	}
}

// largestClass returns the class other than background and void that covers
// most of a mask.
func largestClass(mask *image.Paletted) uint8 {
	var count [256]int
	for _, l := range mask.Pix {
		count[l]++
	}
	best := 1
	for l := 1; l < 255; l++ {
		if count[l] > count[best] {
			best = l
		}
	}
	return uint8(best)
}

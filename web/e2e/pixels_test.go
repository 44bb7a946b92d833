package e2e

import (
	"fmt"
	"image"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// repairs are the pixels of the open image that have a class of their own.
func (p *page) repairs() map[image.Point]int {
	p.t.Helper()
	r := value[struct {
		Width   int
		Repairs []struct {
			Class int
			Runs  []int
		}
	}](p, p.api(""))
	found := map[image.Point]int{}
	for _, repair := range r.Repairs {
		for i := 0; i < len(repair.Runs); i += 2 {
			for at := repair.Runs[i]; at < repair.Runs[i]+repair.Runs[i+1]; at++ {
				found[image.Pt(at%r.Width, at/r.Width)] = repair.Class
			}
		}
	}
	return found
}

// closestScale is the largest zoom of the page, in CSS pixels per pixel of the
// image.
const closestScale = 64

// closest zooms in as far as it goes over the centre of a pixel and calls look
// with each pixel whose centre is then in the window, and its colour.
func (p *page) closest(at image.Point, look func(at image.Point, color [4]int)) {
	p.t.Helper()
	x, y := p.zoomOnto(at)
	p.centres(at, x, y, look)
	p.screenshot("closest")
	p.press("0", ctrl)
}

// zoomOnto zooms in as far as it goes over a pixel, from the whole image, and
// returns where the pixel's centre then is.
func (p *page) zoomOnto(at image.Point) (middleX, middleY float64) {
	p.t.Helper()
	exactX, exactY := p.onScreen(at)
	x, y := math.Floor(exactX), math.Floor(exactY) // a mouse points at whole pixels of the window
	fitted := value[float64](p, wholeView+`.then(({scale}) => scale)`)
	for range 40 {
		p.do("zooming in", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseWheel, x, y, func(e *input.DispatchMouseEventParams) { e.DeltaX, e.DeltaY = 1e-9, -240 }))
		if value[string](p, `document.getElementById('zoom-value').textContent`) == "64×" {
			break
		}
	}
	return x + (exactX-x)/fitted*closestScale, y + (exactY-y)/fitted*closestScale
}

// centres calls look with each pixel whose centre is in the window, and the
// colour that the scene has there, when the centre of the pixel at is at x, y.
func (p *page) centres(at image.Point, x, y float64, look func(at image.Point, color [4]int)) {
	p.t.Helper()
	seen := value[[][]int](p, fmt.Sprintf(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
		const canvas = document.getElementById('scene'), box = canvas.getBoundingClientRect(), context = canvas.getContext('2d');
		const found = [], [x0, y0] = [%f - box.left, %f - box.top];
		for (let j = Math.ceil(-y0 / %[3]d); y0 + j * %[3]d < canvas.height; j++)
			for (let i = Math.ceil(-x0 / %[3]d); x0 + i * %[3]d < canvas.width; i++)
				found.push([i, j, ...context.getImageData(Math.floor(x0 + i * %[3]d), Math.floor(y0 + j * %[3]d), 1, 1).data]);
		resolve(found);
	})))`, x, y, closestScale))
	if len(seen) < 50 {
		p.t.Fatalf("only %d pixels are in the window", len(seen))
	}
	for _, s := range seen {
		look(at.Add(image.Pt(s[0], s[1])), [4]int(s[2:]))
	}
}

// TestE2EPixels repairs single pixels: what is painted, stored and exported is
// the same to the pixel.
func TestE2EPixels(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	p.press("b")
	p.press("3")
	from, to := image.Pt(300, 200), image.Pt(420, 260)
	p.drag([]image.Point{from, {350, 230}, to}, func() {
		if p.painted("scene", image.Pt(350, 230))[3] == 0 {
			t.Error("the stroke shows nothing while it is drawn")
		}
		p.screenshot("stroke")
	}, ctrl)
	if events := p.waitForEvents(1); events[0].Kind != "pixels" || len(events[0].Superpixels) > 0 {
		t.Fatalf("Ctrl made %+v, want pixels", events[0])
	}
	repairs := p.repairs()
	size := value[int](p, `parseInt(document.getElementById('brush-value').textContent)`)
	length := 134 // about
	if n := len(repairs); n < length*size || n > (length+size)*(size+1) {
		t.Errorf("a brush of %d pixels over %d repaired %d pixels", size, length, n)
	}
	exactly := func(at image.Point) {
		t.Helper()
		repairs, inside := p.repairs(), 0
		wrong := 0
		p.closest(at, func(at image.Point, color [4]int) {
			class, ok := repairs[at]
			ok = ok && class != 255
			if ok {
				inside++
			}
			if ok != (color[3] > 0) {
				wrong++
			}
		})
		if wrong > 0 {
			t.Errorf("around %v %d pixels are not painted as they are stored", at, wrong)
		}
		if inside == 0 {
			t.Errorf("nothing is repaired around %v", at)
		}
	}
	exactly(from.Add(image.Pt(-size/2, 0)))

	// The eraser leaves pixels undecided, whatever they were.
	p.press("q")
	p.press("e")
	p.press("[")
	p.press("[")
	p.drag([]image.Point{{350, 230}, {352, 231}}, nil)
	if events := p.waitForEvents(2); events[1].Repairs[0].Class != 255 {
		t.Errorf("the eraser made %+v", events[1])
	}
	if class := p.repairs()[image.Pt(351, 230)]; class != 255 {
		t.Errorf("where the eraser was there is class %d", class)
	}
	exactly(image.Pt(351, 230).Add(image.Pt(8, 0)))
	p.press("z", ctrl)
	p.waitForEvents(3)
	if class := p.repairs()[image.Pt(351, 230)]; class != 2 {
		t.Errorf("undo left class %d where the eraser was", class)
	}

	p.press("r")
	p.press("5")
	p.drag([]image.Point{{600, 400}, {660, 440}}, nil)
	p.waitForEvents(4)
	if class, ok := p.repairs()[image.Pt(630, 420)]; !ok || class != 4 {
		t.Errorf("the rectangle gave class %d", class)
	}

	// Many runs don't fit into one message of the socket.
	p.press("b")
	p.press("6")
	for range 12 {
		p.press("[")
	}
	var zigzag []image.Point
	for i := range 16 {
		zigzag = append(zigzag, image.Pt(80+50*i, 10+600*(i%2)), image.Pt(105+50*i, 610-600*(i%2)))
	}
	p.drag(zigzag, nil)
	big := p.waitForEvents(5)[4]
	if len(big.Repairs[0].Runs) < 10_000 {
		t.Errorf("the long stroke has %d numbers of runs; the test wants it too large for the socket", len(big.Repairs[0].Runs))
	}
	p.screenshot("repaired")

	// All of it is in the mask, and on the screen after a reload.
	before := p.painted("scene", image.Pt(630, 420))
	p.do("reloading", chromedp.Reload())
	p.until(`document.getElementById("save")?.dataset.state === "saved" && document.getElementById('loading').hidden`)
	p.press("g")
	if after := p.painted("scene", image.Pt(630, 420)); after != before || after[3] == 0 {
		t.Errorf("after a reload a repaired pixel is painted %v, before %v", after, before)
	}
	p.press("e", ctrl)
	p.until(`document.getElementById('export-dialog').open`)
	p.press(kb.Enter)
	_, img := p.downloaded()
	mask := img.(*image.Paletted)
	for at, class := range p.repairs() {
		if got := mask.ColorIndexAt(at.X, at.Y); int(got) != class {
			t.Fatalf("the mask has %d at %v, the repairs %d", got, at, class)
		}
	}

	// A label of the whole superpixel counts again.
	p.press("s")
	p.press("2")
	p.click(image.Pt(630, 420))
	p.waitForEvents(6)
	if class, ok := p.repairs()[image.Pt(630, 420)]; ok {
		t.Errorf("after its superpixel was labelled a pixel still has class %d of its own", class)
	}
	if shares := value[string](p, `document.querySelector('#classes li:nth-child(5) .class-share').textContent`); !strings.Contains(shares, "%") {
		t.Errorf("class 5 has some pixels and its share is %q", shares)
	}
}

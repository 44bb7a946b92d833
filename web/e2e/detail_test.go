package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"collie/segment/photo/phototest"
	"collie/static"
)

// fine is a grey picture that a smaller copy can't show: checks and lines of
// single pixels, on blocks that show which way is up.
func fine(w, h int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			v := 20 + 25*(4*y/h) + 10*(4*x/w)*(4*y/h) + 60*((x+y)%2)
			if x%31 == 0 || y%47 == 0 {
				v = 250
			}
			img.Pix[y*img.Stride+x] = uint8(v)
		}
	}
	return img
}

// turned is the picture as a camera stores it that notes orientation 6 (turned
// counter-clockwise) or 3 (upside down).
func turned(img *image.Gray, orientation int) *image.Gray {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, w, h))
	if orientation == 6 {
		out = image.NewGray(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			at := image.Pt(w-1-x, h-1-y)
			if orientation == 6 {
				at = image.Pt(y, w-1-x)
			}
			out.SetGray(at.X, at.Y, color.Gray{Y: img.Pix[y*img.Stride+x]})
		}
	}
	return out
}

// noting writes a JPEG with an orientation.
func noting(t *testing.T, img image.Image, orientation byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	return phototest.WithSegments(b.Bytes(), "\xe1Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"+string(orientation)+"\x00\x00\x00\x00\x00\x00")
}

// open drops a file and waits until its page is ready.
func (p *page) open(t *testing.T, name string, content []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	p.drop(path)
	p.until(`document.getElementById("save")?.dataset.state === "saved" && document.getElementById('loading').hidden`)
}

// middleOf reads the middle of what the window shows at 100 %, one pixel of it
// per pixel of the image: which part that is, and how bright it is.
func (p *page) middleOf() (image.Rectangle, []int) {
	p.t.Helper()
	const side = 200
	seen := value[struct {
		X, Y   int
		Pixels []int
	}](p, fmt.Sprintf(`%s.then((whole) => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
		const canvas = document.getElementById('picture'), {width, height} = canvas, box = canvas.getBoundingClientRect();
		const begin = (edge, size) => Math.round(size / 2 - (size / 2 - edge) / whole.scale);
		const [x, y] = [(width - %[2]d) >> 1, (height - %[2]d) >> 1];
		const {data} = canvas.getContext('2d').getImageData(x, y, %[2]d, %[2]d);
		resolve({X: x - begin(whole.left - box.left, width), Y: y - begin(whole.top - box.top, height), Pixels: [...data].filter((_, i) => i %% 4 === 0)});
	}))))`, wholeView, side))
	return image.Rect(0, 0, side, side).Add(image.Pt(seen.X, seen.Y)), seen.Pixels
}

// off is how far the middle of the window is from the picture, at its worst pixel.
func (p *page) off(img *image.Gray) int {
	p.t.Helper()
	part, pixels := p.middleOf()
	worst := 0
	for i, v := range pixels {
		want := int(img.GrayAt(part.Min.X+i%part.Dx(), part.Min.Y+i/part.Dx()).Y)
		worst = max(worst, v-want, want-v)
	}
	return worst
}

// fetchedOriginal says whether the page has asked for the file as it was uploaded.
const fetchedOriginal = `performance.getEntriesByType('resource').some(({name}) => name.endsWith('/original'))`

// TestE2EDetail: zooming in beyond the resolution of the display copy shows the
// photograph's own pixels, upright.
func TestE2EDetail(t *testing.T) {
	t.Parallel()
	wide, large := fine(3000, 1400), fine(4800, 3700) // the latter is more than is kept of an image
	for _, c := range []struct {
		name    string
		img     *image.Gray
		content []byte
		off     int
	}{
		{"plain.png", wide, phototest.MustPNG(t, wide), 0},
		{"turned.jpg", wide, noting(t, turned(wide, 6), 6), 8},
		{"large.jpg", large, noting(t, turned(large, 3), 3), 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := openPage(t, 1280, 720, false, startServer(t))
			p.open(t, c.name, c.content)
			p.press("g")
			if value[bool](p, fetchedOriginal) {
				t.Error("the original is fetched although the copy has pixels enough")
			}
			p.screenshot("fitted")
			p.press("1", ctrl)
			p.until(zoom + ` === 100`)
			for tries := 0; p.off(c.img) > c.off; tries++ {
				if tries == 200 {
					p.failed()
					t.Fatalf("at 100 %% a pixel is %d off", p.off(c.img))
				}
			}
			p.screenshot("100")
		})
	}
}

// TestE2EDetailRefused: the copy stays where the browser decodes the file
// differently from the server, or not at all, and while a window of values is
// shown.
func TestE2EDetailRefused(t *testing.T) {
	t.Parallel()
	img := fine(3000, 1400)
	plain, scan := phototest.MustPNG(t, img), phototest.MustTIFF(t, img, nil)
	address := startServer(t)
	p := openPage(t, 1280, 720, false, address)
	shows := func(turn float64, windowed bool) (found struct{ Shown, Done bool }) {
		t.Helper()
		found = value[struct{ Shown, Done bool }](p, fmt.Sprintf(`import('%s').then(async ({Detail}) => {
			const {image, display} = document.getElementById('app').dataset;
			const bitmap = await createImageBitmap(await (await fetch(display)).blob());
			const copy = new OffscreenCanvas(bitmap.width, bitmap.height), context = copy.getContext('2d');
			context.translate(copy.width / 2, copy.height / 2);
			context.rotate(%f * Math.PI);
			context.drawImage(bitmap, -copy.width / 2, -copy.height / 2);
			const whole = {left: 0, top: 0, right: 3000, bottom: 1400}, placing = {sx: 2, sy: 2, left: 0, top: 0};
			const painter = {size: {width: 3000, height: 1400}, share: 2, placing, seen: whole, touchPicture() {}};
			const detail = new Detail('/api/v1/images/' + image + '/original', copy, painter);
			await detail.decode(whole);
			detail.windowed = %t;
			return {Shown: detail.update() !== null, Done: detail.done};
		})`, static.Address("canvas/detail.js"), turn, windowed))
		return found
	}
	p.open(t, "plain.png", plain)
	if found := shows(0, false); !found.Shown || !found.Done {
		t.Errorf("the image's own pixels: %+v", found)
	}
	if found := shows(0, true); found.Shown {
		t.Error("pixels of the file are shown in place of the window's")
	}
	if found := shows(1, false); found.Shown || !found.Done {
		t.Errorf("a picture that is upside down: %+v", found)
	}
	p.do("opening the start page", chromedp.Navigate(address))
	p.open(t, "scan.tif", scan)
	if found := shows(0, false); found.Shown || !found.Done {
		t.Errorf("a TIFF file: %+v", found)
	}
}

// TestE2EDetailRepairs: repairs of an image that is larger than its copy are
// painted as they are stored, to the pixel, once the view rests on them; and
// so are strokes that are being drawn.
func TestE2EDetailRepairs(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, startServer(t))
	file := phototest.MustPNG(t, fine(3000, 1400))
	p.open(t, "plain.png", file)
	p.press("g")
	p.press("b")
	for value[int](p, `parseInt(document.getElementById('brush-value').textContent)`) > 1 {
		p.press("[")
	}
	at := image.Pt(1501, 701)
	p.drag([]image.Point{at.Add(image.Pt(-60, -33)), at, at.Add(image.Pt(70, 20))}, nil, ctrl)
	p.waitForEvents(1)

	x, y := p.zoomOnto(at)
	exactly := func(what string, more ...image.Point) {
		t.Helper()
		repairs := p.repairs()
		for _, at := range more {
			if _, ok := repairs[at]; ok {
				t.Errorf("%s: %v was repaired before", what, at)
			}
			repairs[at] = 1
		}
		inside, wrong := 0, 1
		for tries := 0; wrong > 0; tries++ {
			if tries == 100 {
				p.failed()
				t.Fatalf("%s: %d pixels are not painted as they are stored", what, wrong)
			}
			inside, wrong = 0, 0
			p.centres(at, x, y, func(at image.Point, color [4]int) {
				_, ok := repairs[at]
				if ok {
					inside++
				}
				if ok != (color[3] > 0) {
					wrong++
				}
			})
		}
		p.screenshot(what)
		if inside == 0 {
			t.Errorf("%s: nothing is repaired around %v", what, at)
		}
	}
	exactly("stored")
	mouse := func(kind input.DispatchMouseEventType, off image.Point, buttons int64) {
		p.do("drawing", chromedp.MouseEvent(kind, x+closestScale*float64(off.X), y+closestScale*float64(off.Y), func(e *input.DispatchMouseEventParams) {
			e.Button, e.Buttons, e.ClickCount, e.Modifiers = input.MouseButtonLeft, buttons, 1, int64(ctrl)
		}))
	}
	mouse(input.DispatchMouseEventTypeMousePressed, image.Pt(2, -3), 1)
	mouse(input.DispatchMouseEventTypeMouseMoved, image.Pt(4, -3), 1)
	exactly("drawing", at.Add(image.Pt(2, -3)), at.Add(image.Pt(3, -3)), at.Add(image.Pt(4, -3)))
	mouse(input.DispatchMouseEventTypeMouseReleased, image.Pt(4, -3), 0)
	p.waitForEvents(2)
	exactly("drawn")
	p.press("z", ctrl)
	p.waitForEvents(3)
	exactly("undone")
}

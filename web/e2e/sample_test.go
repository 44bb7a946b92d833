package e2e

import (
	"archive/zip"
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/segment/photo/phototest"
	"collie/segment/sample"
)

// sampleTruth is the true class of each pixel of the sample image, as a mask.
var sampleTruth = sync.OnceValue(func() *image.Paletted {
	mask, err := png.Decode(bytes.NewReader(sample.Mask))
	if err != nil {
		panic(err)
	}
	return mask.(*image.Paletted)
})

// openSample opens the sample image from the start page.
func openSample(t *testing.T, width, height int64, dark bool) *page {
	t.Helper()
	p := openPage(t, width, height, dark, startServer(t))
	p.trySample()
	p.listen()
	return p
}

// trySample opens a new sample image on the start page that is shown.
func (p *page) trySample() {
	p.t.Helper()
	p.until(`document.getElementById('sample') !== null`)
	value[bool](p, `delete document.getElementById('sample').dataset.open`) // where another test has made one
	p.clickOn("trying the sample image", "#sample")
	p.until(`document.getElementById("save")?.dataset.state === "saved"`)
}

// clickClasses clicks each of the given classes once, at its clearest place.
func (p *page) clickClasses(truth *image.Paletted, classes ...int) []image.Point {
	p.t.Helper()
	before := value[record](p, p.api("")).Seq
	var at []image.Point
	for _, class := range classes {
		p.press(strconv.Itoa(class + 1))
		at = append(at, insideOf(p.t, truth, uint8(class)))
		p.click(at[len(at)-1])
	}
	p.stored(before + len(classes))
	value[bool](p, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`) // the page shows what it knows
	p.settle()
	return at
}

// keep takes a screenshot and, if requested, makes it a picture of the README.
func (p *page) keep(name string) {
	p.t.Helper()
	p.screenshot(name)
	if !*screenshots {
		return
	}
	picture, err := os.ReadFile(p.artefact(name))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("..", "..", "docs", name+".png"), picture, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func TestE2ESample(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	p := openSample(t, 1280, 720, true)
	p.clickClasses(truth, 0, 1, 2, 3, 4, 5, 6, 7)
	p.keep("annotate-dark")
	p.press("g")
	p.press(kb.Enter)
	p.until(`document.getElementById('badge').hidden && document.getElementById('save').dataset.state === 'saved'`)
	p.screenshot("accepted-dark")
	p.clickOn("going to the start page", ".brand")
	p.until(`document.querySelectorAll('.card').length === 1 && [...document.images].every(i => i.complete)`)
	p.screenshot("start-dark")
}

func TestE2ESampleOnAPhone(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	p := openPage(t, 390, 844, false, startServer(t))
	p.touchOn()
	p.trySample()
	p.listen()
	p.clickClasses(truth, 0, 1, 3)
	p.keep("annotate-phone")
	if wide := value[int](p, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the annotation page is %d pixels wide in a window of 390", wide)
	}
	p.clickOn("going to the project", ".crumbs a")
	p.until(`document.querySelectorAll('.cards.images .card').length > 0`)
	p.screenshot("project")
	if wide := value[int](p, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the project page is %d pixels wide in a window of 390", wide)
	}
}

// TestE2EEditing draws a stroke, takes it back, clears, and reloads.
func TestE2EEditing(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	p := openSample(t, 1280, 720, false)
	p.clickClasses(truth, 0, 1)
	clicks := func() int { return value[record](p, p.api("")).Clicks }
	// saved waits until the server has the given number of events and the page
	// knows.
	saved := func(events int) {
		p.t.Helper()
		p.stored(events)
		p.until(`document.getElementById('save').dataset.state === 'saved' && !document.getElementById('undo').disabled`)
	}
	saved(2)

	p.press("3")
	x0, y0 := p.onScreen(insideOf(t, truth, 5))
	x1, y1 := p.onScreen(insideOf(t, truth, 7))
	p.do("drawing a stroke", chromedp.DragAndDropXY(x0, y0, x1, y1, 12))
	saved(3)
	drawn := clicks()
	if drawn < 8 {
		t.Errorf("a stroke across the picture labelled %d superpixels, want all that it passed over", drawn)
	}
	p.screenshot("stroke")

	p.press("z", kb.ModifierCtrl)
	p.until(`!document.getElementById('redo').disabled`)
	saved(4)
	if got := clicks(); got != 2 {
		t.Errorf("after one undo of the stroke %d superpixels are labelled, want the 2 from before", got)
	}
	p.press("z", kb.ModifierCtrl, kb.ModifierShift)
	p.until(`document.getElementById('redo').disabled`)
	saved(5)
	if got := clicks(); got != drawn {
		t.Errorf("after redo %d superpixels are labelled, want %d", got, drawn)
	}
	p.do("clearing with Alt", chromedp.MouseClickXY(x1, y1, func(e *input.DispatchMouseEventParams) { e.Modifiers = int64(kb.ModifierAlt) }))
	saved(6)
	if got := clicks(); got != drawn-1 {
		t.Errorf("after Alt-click %d superpixels are labelled, want %d", got, drawn-1)
	}

	p.do("reloading", chromedp.Reload())
	p.settle()
	saved(6)
	p.press("z", kb.ModifierCtrl)
	p.until(`!document.getElementById('redo').disabled`)
	saved(7)
	if got := clicks(); got != drawn {
		t.Errorf("undo after a reload leaves %d superpixels labelled, want %d", got, drawn)
	}
}

// TestE2EPaints looks at the canvas: the colour of the class is there before
// any answer of the server could be.
func TestE2EPaints(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	p := openSample(t, 1280, 720, false)
	at := insideOf(t, truth, 2) // the white cloth
	look := func() []int { return p.pixel(at) }
	before := look()
	p.press("2") // table, brown
	p.click(at)
	p.until(`document.getElementById('save').dataset.state === 'saved' && !document.getElementById('undo').disabled`)
	after := look()
	if red, blue := after[0]-before[0], after[2]-before[2]; blue >= red-20 {
		t.Errorf("the pixel went from %v to %v; the brown of the class should take away blue rather than red", before, after)
	}
}

func TestE2EBadFile(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(bad, []byte("These are notes, not an image.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, 1280, 720, false, startServer(t))
	p.drop(bad)
	p.until(`[...document.querySelectorAll('#uploads-list .upload-problem')].some(e => !e.hidden && /JPEG/.test(e.textContent))`)
	p.screenshot("refused")
	// No project was made of it, not even one in the trash.
	p.until(`document.querySelector('html.busy') === null`)
	for _, list := range []string{"projects", "trash"} {
		if n := value[int](p, `fetch('/api/v1/`+list+`').then((r) => r.json()).then((all) => all.length)`); n > 0 {
			t.Errorf("%s: %d", list, n)
		}
	}
}

// Files in an archive that can't be used are seen: the page stays and offers the images.
func TestE2EArchiveWithABadFile(t *testing.T) {
	t.Parallel()
	mixed := filepath.Join(t.TempDir(), "mixed.zip")
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for name, content := range map[string][]byte{"good.png": picture(t, 60, 40), "notes.png": []byte("notes")} {
		w, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mixed, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, 1280, 720, false, startServer(t))
	p.drop(mixed)
	p.until(`document.getElementById('app') !== null || !document.getElementById('uploads-open').hidden`)
	if !value[bool](p, `/notes\.png/.test(document.getElementById('uploads-list')?.textContent)`) {
		t.Fatal("the page shows the image, and not that a file was refused")
	}
	if got := value[string](p, `document.getElementById('uploads-title').textContent + ': ' + document.getElementById('uploads-summary').textContent`); got != "Some files could not be read: 1 uploaded, 1 failed" {
		t.Errorf("above the list: %q", got)
	}
}

// Of a data set in a zip archive the photographs become images; the page stays to offer the
// import of its masks, which takes the same archive.
func TestE2EDataSetOnStart(t *testing.T) {
	t.Parallel()
	set := filepath.Join(t.TempDir(), "voc.zip")
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	photo := &fstest.MapFile{Data: picture(t, 60, 40)}
	var mask bytes.Buffer
	if err := png.Encode(&mask, image.NewPaletted(image.Rect(0, 0, 60, 40), color.Palette{color.Black, color.White})); err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"JPEGImages/a.png": photo, "JPEGImages/b.png": photo, "SegmentationClass/a.png": {Data: mask.Bytes()}, "SegmentationClass/b.png": {Data: mask.Bytes()}}
	if err := errors.Join(archive.AddFS(files), archive.Close(), os.WriteFile(set, b.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, 1280, 720, false, startServer(t))
	p.drop(set)
	p.until(`!document.getElementById('uploads-open').hidden && document.activeElement.id === 'uploads-open' && document.getElementById('uploads-others').textContent.startsWith('2 files that are no photographs')`)
	if got := value[string](p, `document.getElementById('uploads-title').textContent + ': ' + document.getElementById('uploads-summary').textContent`); got != "Uploaded: 1 of 1" {
		t.Errorf("above the list: %q", got)
	}
	p.screenshot("data-set")
	p.press(kb.Enter)
	p.until(`document.getElementById('import-dialog')?.open && location.hash === ''`)
	p.choose("#import-files", set)
	p.clickOn("reviewing", "#import-start")
	p.until(`document.getElementById('import-start').textContent === 'Import 2 masks'`)
	if n := value[int](p, `document.querySelectorAll('.card').length`); n != 2 {
		t.Errorf("the project shows %d images, want the 2 photographs", n)
	}

	// A folder is one data set, as an archive is: its outlines need its list of classes.
	p.clickOn("going back", "#import-back")
	value[bool](p, `(() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File(['names: [cat]'], 'y/data.yaml'));
		dataTransfer.items.add(new File(['0 0.2 0.2 0.8 0.2 0.8 0.8'], 'y/labels/a.txt'));
		return document.getElementById('import-dialog').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
	})()`)
	p.until(`document.getElementById('import-state').textContent === '3 files ready for review.'`)
	p.clickOn("reviewing", "#import-start")
	p.until(`!document.getElementById('import-review').hidden`)
	if got := value[string](p, `document.getElementById('import-start').textContent`); got != "Import 3 masks" {
		t.Errorf("with a folder the button says %q", got)
	}
}

// The page stays to say that what was uploaded is called like masks.
func TestE2EMasksOnStart(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "masks")
	if err := errors.Join(os.Mkdir(folder, 0o755), os.WriteFile(filepath.Join(folder, "a.png"), picture(t, 60, 40), 0o644)); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, 390, 844, true, startServer(t))
	p.choose("#folder", folder)
	p.until(`document.activeElement.id === 'uploads-open' && document.getElementById('uploads-others').textContent.startsWith('These became images, but')`)
	p.screenshot("masks")
	p.press(kb.Enter)
	p.until(`document.title.startsWith('a.png')`)
}

// Images of a folder keep the names of the folders in it, as those of a zip archive do,
// which adds nothing when it comes again.
func TestE2EFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trip, zipped := filepath.Join(dir, "trip"), filepath.Join(dir, "trip.zip")
	for day := range 2 {
		folder := filepath.Join(trip, "day "+strconv.Itoa(day+1))
		if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, "a.png"), picture(t, 60, 40+day), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	if err := errors.Join(archive.AddFS(os.DirFS(trip)), archive.Close(), os.WriteFile(zipped, b.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, 1280, 720, false, startServer(t))
	p.choose("#folder", trip)
	for _, name := range []string{"day 1/a.png", "day 2/a.png"} {
		p.until(`document.title.startsWith('` + name + `') && document.getElementById('save').dataset.state === 'saved'`)
		p.press("d")
	}
	p.clickOn("going to the project", ".topbar a[href^='/projects/']")
	p.until(cardCount + ` === 2`)
	p.drop(zipped)
	p.until(`document.getElementById('uploads-summary').textContent === '1 of 1, 2 already uploaded'`)
	p.screenshot("again")
}

// The page stays to say that only the first picture of a stack is used.
func TestE2EStack(t *testing.T) {
	t.Parallel()
	stack := filepath.Join(t.TempDir(), "stack.tif")
	if err := os.WriteFile(stack, phototest.Stack(t, image.NewNRGBA(image.Rect(0, 0, 60, 40))), 0o644); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, 1280, 720, false, startServer(t))
	p.drop(stack)
	p.until(`document.getElementById('app') !== null || !document.getElementById('uploads-open').hidden`)
	if got := value[string](p, `document.getElementById('uploads-list')?.textContent ?? ''`); !strings.Contains(got, "The first of 2 pictures") || !strings.Contains(got, "Save the others") {
		t.Errorf("the page says %q", got)
	}
	p.screenshot("stack")
}

package e2e

import (
	"archive/zip"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/segment/photo/phototest"
)

// exported has the server export a project and returns the archive's path.
func exported(t *testing.T, address, project, body string) string {
	t.Helper()
	resp, err := http.Post(address+"/api/v1/projects/"+project+"/exports", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	location := resp.Header.Get("Location")
	if resp.StatusCode != http.StatusAccepted || location == "" {
		t.Fatalf("exporting: %s, at %q", resp.Status, location)
	}
	path := filepath.Join(t.TempDir(), "export.zip")
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if fetched(t, address+location+"/file", path) {
			return path
		}
	}
	t.Fatal("the export does not end")
	return ""
}

// fetched saves the content of an address to a file and reports whether it exists.
func fetched(t *testing.T, url, path string) bool {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return false
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, resp.Body); err != nil {
		t.Fatal(err)
	}
	return true
}

// sampleMask is the labelling of an image as the server has it.
func sampleMask(t *testing.T, address, image string) image.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mask.png")
	if !fetched(t, address+"/api/v1/images/"+image+"/mask.png?of=labelling&style=index", path) {
		t.Fatal("there is no mask")
	}
	return openImage(t, path)
}

// differences counts the pixels that differ between two images of one size.
func differences(a, b image.Image) int {
	n := 0
	size := a.Bounds()
	for y := range size.Dy() {
		for x := range size.Dx() {
			if a.At(x, y) != b.At(x, y) {
				n++
			}
		}
	}
	return n
}

// chooseMasks opens the import on the page of a project with one image, and chooses files.
func (p *page) chooseMasks(project string, paths ...string) {
	p.t.Helper()
	p.do("going to the project", chromedp.Navigate(project))
	p.until(cardCount + ` === 1`)
	p.clickOn("opening the import", "#import")
	p.until(`document.getElementById('import-dialog').open`)
	p.choose("#import-files", paths...)
}

// maskFile writes a file that an import takes for a mask of the image that is open: one of
// its name with another ending.
func (p *page) maskFile(ending string, content []byte) (path string) {
	p.t.Helper()
	name := strings.TrimSpace(value[string](p, `document.querySelector('.image-name').textContent`))
	path = filepath.Join(p.t.TempDir(), strings.TrimSuffix(name, filepath.Ext(name))+ending)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// labelledSample is the sample with clicks and an accepted hypothesis; it
// returns the ids of project and image.
func labelledSample(p *page) (project, picture string) {
	p.t.Helper()
	p.trySample()
	p.clickClasses(sampleTruth(), 0, 1, 2)
	p.press(enter)
	p.stored(4)
	return value[string](p, `document.querySelector('.crumbs a').getAttribute('href').split('/').pop()`), value[string](p, `location.pathname.split('/').pop()`)
}

// strayMask is a mask whose image no project has.
func strayMask(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "nobody.png")
	if err := os.WriteFile(path, tinyPicture(1), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestE2EImport exports a project as PASCAL VOC and imports that by the page into
// a project that has neither its image nor its classes: every pixel is the same.
func TestE2EImport(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 1280, 720, false, address)
	from, picture := labelledSample(p)
	archive := exported(t, address, from, `{"format":"voc","options":{"pictures":true,"drafts":true,"undecided":"void"}}`)
	stray := strayMask(t)
	p.emptyProject(address, `,"classes":[{"name":"background","color":"#000000"}]`)
	p.do("to the button", chromedp.Evaluate[chromedp.Void](`document.getElementById('import').focus()`))
	p.press(enter)
	p.until(`document.getElementById('import-dialog').open && document.activeElement.id === 'import-files'`)
	p.screenshot("open")
	p.choose("#import-files", archive, stray)
	for range 4 { // past two questions, whose answers are one stop each, and Close
		p.press(kb.Tab)
	}
	if on := value[string](p, `document.activeElement.id`); on != "import-start" {
		t.Fatalf("Tab leads to %q", on)
	}
	p.press(enter)
	p.until(`!document.getElementById('import-review').hidden`)
	p.screenshot("review")
	if on, button := value[string](p, `document.activeElement.id`), value[string](p, `document.getElementById('import-start').textContent`); on != "import-start" || button != "Import 1 mask" {
		t.Errorf("the review leads to %q, %q", on, button)
	}
	if table := value[string](p, `[...document.querySelectorAll('#import-values tr')].map((row) => [row.querySelector('th').textContent, row.querySelector('select').selectedOptions[0].label, row.querySelector('input').value].join(': ')).join(', ')`); !strings.Contains(table, "background: background: , ") || strings.Count(table, "New class…") != 2 {
		t.Errorf("the review shows %q", table)
	}
	p.t.Run("accessible", func(t *testing.T) { p.accessible("review of an import", axe(t)) })
	if n := value[int](p, cardCount); n > 0 {
		t.Errorf("%d images after the review", n)
	}
	p.press(enter)
	p.until(`document.getElementById('import-review').hidden && !document.getElementById('import-remarks').hidden`)
	p.screenshot("report")
	said := value[string](p, `document.getElementById('import-state').textContent`)
	if !strings.HasPrefix(said, "1 mask imported, 1 skipped. 1 image added. Classes added: ") {
		t.Errorf("the dialog reports %q", said)
	}
	if remarks := value[string](p, `document.getElementById('import-remarks').textContent`); !strings.HasPrefix(remarks, "nobody.png: skipped. ") && !strings.HasPrefix(remarks, "nobody: skipped. ") {
		t.Errorf("it remarks %q", remarks)
	}
	p.t.Run("accessible", func(t *testing.T) { p.accessible("report of an import", axe(t)) })
	p.press(kb.Escape)
	p.until(`!document.getElementById('import-dialog').open && document.activeElement.id === 'import'`)
	p.until(cardCount + ` === 1 && document.querySelectorAll('#legend li').length > 2`)
	p.screenshot("imported")
	copied := value[string](p, `document.querySelector('#images a').getAttribute('href').split('/').pop().split('?')[0]`)
	want, got := sampleMask(t, address, picture), sampleMask(t, address, copied)
	if n := differences(want, got); n > 0 {
		t.Errorf("%d pixels differ", n)
	}
}

// TestE2EFileGone: a file that was deleted after it was chosen is named, and keeps no
// other one from being sent.
func TestE2EFileGone(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 1280, 720, false, address)
	p.emptyProject(address, "")
	gone, there := strayMask(t), filepath.Join(t.TempDir(), "there.png")
	if err := os.WriteFile(there, tinyPicture(2), 0o644); err != nil {
		t.Fatal(err)
	}
	p.clickOn("import", "#import")
	p.choose("#import-files", gone, there)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	p.clickOn("review", "#import-start")
	p.until(`/nobody.png: .*changed, moved or deleted after you chose it/.test(document.getElementById('import-dialog').innerText)`)
	p.screenshot("masks")
	if said := value[string](p, `document.getElementById('import-dialog').innerText`); !strings.Contains(said, "there: skipped.") {
		t.Errorf("nothing is said of the other file: %q", said)
	}
}

// TestE2EBackup imports a backup from the start page, chosen or dropped among photographs;
// other files are refused.
func TestE2EBackup(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 390, 844, true, address)
	from, picture := labelledSample(p)
	archive, stray := exported(t, address, from, `{"format":"backup"}`), strayMask(t)
	p.do("going home", chromedp.Navigate(address))
	p.until(`document.getElementById('backup') !== null && document.readyState === 'complete'`)
	p.screenshot("start")
	p.choose("#backup-file", stray)
	p.until(`document.querySelector('#toasts [role=alert]')?.textContent.includes('not a Collie backup')`)
	p.screenshot("refused")
	p.choose("#backup-file", archive)
	p.until(fmt.Sprintf(`location.pathname.startsWith('/projects/') && location.pathname !== '/projects/%s' && %s === 1`, from, cardCount))
	p.clickOn("opening the import of masks", "#import")
	p.until(`document.getElementById('import-dialog').open`)
	p.screenshot("dialog")
	if !value[bool](p, `document.documentElement.scrollWidth <= innerWidth && document.getElementById('import-dialog').scrollWidth <= innerWidth`) {
		t.Error("the page scrolls sideways")
	}
	copied := value[string](p, `document.querySelector('#images a').getAttribute('href').split('/').pop().split('?')[0]`)
	if n := differences(sampleMask(t, address, picture), sampleMask(t, address, copied)); n > 0 || copied == picture {
		t.Errorf("%d pixels differ", n)
	}
	there := value[string](p, `location.pathname`)
	p.do("going home", chromedp.Navigate(address))
	p.until(`document.getElementById('backup') !== null && document.readyState === 'complete'`)
	p.drop(archive)
	p.until(fmt.Sprintf(`location.pathname.startsWith('/projects/') && !['/projects/%s', %q].includes(location.pathname) && %s === 1`, from, there, cardCount))
}

// TestE2EImportMeaning imports a mask with numbers and no names: nothing is
// imported until each number has a class, or a list that names them all is chosen.
func TestE2EImportMeaning(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 390, 844, true, address)
	from, picture := labelledSample(p)
	mask := sampleMask(t, address, picture)
	p.chooseMasks(address+"/projects/"+from, p.maskFile(".png", phototest.MustPNG(t, mask)))
	p.clickOn("reviewing", "#import-start")
	p.until(`!document.getElementById('import-review').hidden`)
	p.screenshot("open")
	const choices = `[...document.querySelectorAll('#import-values select')].map((s) => s.selectedOptions[0].label).join()`
	if got := value[string](p, choices); strings.Trim(strings.ReplaceAll(got, "Choose…", ""), ",") != "" || !value[bool](p, `document.getElementById('import-start').disabled && document.getElementById('import-state').textContent.endsWith('Choose a class for each value.')`) {
		t.Errorf("before anybody chose: %q", got)
	}
	p.t.Run("accessible", func(t *testing.T) { p.accessible("review of numbers", axe(t)) })
	choose := func(list string) {
		value[bool](p, fmt.Sprintf(`(() => { const list = document.getElementById('import-list'); list.value = %q; return list.dispatchEvent(new Event('change')); })()`, list))
	}
	choose("voc")
	if got := value[string](p, choices+` + [...document.querySelectorAll('#import-values input')].map((i) => i.value).join()`); !strings.Contains(got, "background") || !strings.Contains(got, "aeroplane") {
		t.Errorf("as PASCAL VOC: %q", got)
	}
	p.screenshot("voc")
	if !value[bool](p, `document.documentElement.scrollWidth <= innerWidth && document.getElementById('import-dialog').scrollWidth <= innerWidth`) {
		t.Error("the page scrolls sideways")
	}
	choose("project")
	p.clickOn("importing", "#import-start")
	p.until(`document.getElementById('import-state').textContent.startsWith('1 mask imported.')`)
	p.until(`!document.getElementById('learning').hidden && document.getElementById('learning-text').textContent.includes('to go')`)
	if n := differences(mask, sampleMask(t, address, picture)); n > 0 {
		t.Errorf("%d pixels differ", n)
	}
}

// TestE2EImportLabelImage imports a label image: the objects wait for a class, and are
// exported as a label image that is the same but for its numbers.
func TestE2EImportLabelImage(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 1280, 800, false, address)
	from, picture := labelledSample(p)
	size := sampleMask(t, address, picture).Bounds()
	numbers := make([]uint16, size.Dx()*size.Dy())
	for i := range numbers {
		if x, y := i%size.Dx(), i/size.Dx(); x > 20 && y > 20 && y < size.Dy()-20 {
			numbers[i] = uint16(300 * (1 + (x+y/4)/80 + 20*(y/60)))
		}
	}
	p.chooseMasks(address+"/projects/"+from, p.maskFile("_cp_masks.tif", phototest.Numbers(size.Dx(), numbers)))
	p.clickOn("reviewing as classes", "#import-start")
	p.until(`/choose that numbers are objects/.test(document.getElementById('import-remarks').textContent)`)
	p.screenshot("refused")
	p.clickOn("going back", "#import-back")
	p.clickOn("choosing objects", "#import-dialog input[value=objects]")
	p.screenshot("objects")
	p.clickOn("reviewing", "#import-start")
	p.until(`document.getElementById('import-values').rows.length === 1`)
	if open := value[bool](p, `document.getElementById('import-start').disabled && document.getElementById('import-names').hidden && document.querySelector('#import-values select').selectedOptions[0].label === 'Choose…'`); !open {
		t.Error("in a project of three classes the objects have one already")
	}
	p.screenshot("review")
	value[bool](p, `(() => { const choice = document.querySelector('#import-values select'); choice.value = '1'; return choice.dispatchEvent(new Event('change')); })()`)
	p.clickOn("importing", "#import-start")
	p.until(`document.getElementById('import-state').textContent.startsWith('1 mask imported.')`)
	archive, err := zip.OpenReader(exported(t, address, from, `{"format":"label-images"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	masks, err := fs.Glob(archive, "default/*_masks.png")
	if err != nil || len(masks) != 1 {
		t.Fatalf("the archive has %v, %v", masks, err)
	}
	file, err := archive.Open(masks[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	written, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	pairs, after := map[[2]uint16]bool{}, map[uint16]bool{}
	for i, number := range numbers {
		now := written.(*image.Gray16).Gray16At(i%size.Dx(), i/size.Dx()).Y
		pairs[[2]uint16{number, now}], after[now] = true, true
	}
	before := slices.Compact(slices.Sorted(slices.Values(numbers)))
	if len(pairs) != len(before) || len(after) != len(before) || !pairs[[2]uint16{0, 0}] {
		t.Errorf("%d objects became %d, in %d pairs", len(before)-1, len(after)-1, len(pairs))
	}
}

// TestE2EImportWhite imports a mask of black and white: the person is asked what white is.
func TestE2EImportWhite(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 1280, 720, false, address)
	from, picture := labelledSample(p)
	mask := image.NewGray(sampleMask(t, address, picture).Bounds())
	inside := mask.Rect.Inset(40)
	draw.Draw(mask, inside, image.White, image.Point{}, draw.Src)
	p.chooseMasks(address+"/projects/"+from, p.maskFile(".png", phototest.MustPNG(t, mask)))
	p.clickOn("reviewing", "#import-start")
	p.until(`document.getElementById('import-values').rows.length === 2`)
	p.screenshot("review")
	if said := value[string](p, `document.getElementById('import-values').rows[1].innerText`); !strings.HasPrefix(said, "255") {
		t.Errorf("the second value is %q", said)
	}
	value[bool](p, `[...document.querySelectorAll('#import-values select')].every((choice, i) => { choice.value = String(2 * i); return choice.dispatchEvent(new Event('change')); })`)
	p.screenshot("chosen")
	p.clickOn("importing", "#import-start")
	p.until(`document.getElementById('import-state').textContent.startsWith('1 mask imported.')`)
	want := image.NewPaletted(mask.Rect, sampleMask(t, address, picture).ColorModel().(color.Palette))
	for y := inside.Min.Y; y < inside.Max.Y; y++ {
		for x := inside.Min.X; x < inside.Max.X; x++ {
			want.SetColorIndex(x, y, 2)
		}
	}
	if n := differences(want, sampleMask(t, address, picture)); n > 0 {
		t.Errorf("%d pixels differ", n)
	}
}

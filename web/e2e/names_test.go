package e2e

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// named makes a project with an image and classes of the given names and returns
// the addresses of both.
func named(t *testing.T, address, project, image string, width, height int, classes ...string) (atProject, atImage string) {
	t.Helper()
	var list []string
	for _, name := range classes {
		list = append(list, `{"name":`+quoted(name)+`}`)
	}
	var made struct{ ID string }
	call(t, address+"/api/v1/projects", "application/json", strings.NewReader(fmt.Sprintf(`{"name":%s,"classes":[%s]}`, quoted(project), strings.Join(list, ","))), &made)
	images := uploadNamed(t, address, made.ID, []string{image}, [][]byte{picture(t, width, height)})
	return address + "/projects/" + made.ID, address + "/images/" + images[0]
}

// opened waits for the annotation page.
const opened = `document.getElementById("save")?.dataset.state === "saved"`

// wholeText says whether an element shows all of its text.
const wholeText = `((selector) => { const e = document.querySelector(selector); return e.scrollWidth <= e.clientWidth; })`

// TestE2ELongNames: a long name leaves room for what is beside it.
func TestE2ELongNames(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	long := strings.Repeat("Flowers of the meadows in the valley. ", 2)
	project, at := named(t, address, long, "IMG_20240512_093015.png", 1000, 333, "background", long, "flower", strings.Repeat("Donaudampfschifffahrt", 3))
	p := openPage(t, 1280, 720, false, at)
	p.until(opened)
	if !value[bool](p, wholeText+`('.image-name')`) {
		t.Error("a long name of the project cuts that of the image")
	}
	// The classes are a row; the second one leaves room for others.
	if chip := value[float64](p, `document.querySelector('.class-row:nth-child(2)').offsetWidth`); chip > 300 {
		t.Errorf("a class with a long name takes %.0f pixels of the row", chip)
	}
	if title := value[string](p, `document.querySelector('.class-row:nth-child(2) .class-name').title`); title != strings.TrimSpace(long) {
		t.Errorf("the title of a name that is cut is %q", title)
	}
	p.resize(920, 700)
	for _, name := range []string{".crumbs", ".image-name"} {
		if room := value[float64](p, `document.querySelector('`+name+`').offsetWidth`); room < 100 {
			t.Errorf("in a narrow window %s has %.0f pixels", name, room)
		}
	}

	p.resize(390, 844)
	p.do("going to the project", chromedp.Navigate(project))
	p.until(`document.readyState === 'complete'`)
	if widths := value[[]float64](p, `[...document.querySelectorAll('.legend .swatch')].map((e) => e.getBoundingClientRect().width)`); slices.Min(widths) < slices.Max(widths) {
		t.Errorf("on a phone the swatches of the classes are %v pixels wide", widths)
	}
	if wide := value[float64](p, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the page of a project is %.0f pixels wide with a class of one long word", wide)
	}
}

// TestE2ELongWord: what names a class beside or over the image breaks a long word of
// its name, which would run out of it.
func TestE2ELongWord(t *testing.T) {
	t.Parallel()
	long := "Donaudampfschifffahrtsgesellschaftskapitaensmuetzenabzeichen"
	_, at := named(t, startServer(t), "Ships", "a.png", 500, 375, "background", long, strings.Repeat("Rindfleischetikettierung", 2))
	p := openPage(t, 390, 844, false, at)
	p.until(opened)
	within := func(selector string) {
		t.Helper()
		p.until(`document.querySelector('` + selector + `')?.checkVisibility()`)
		beyond := value[float64](p, `Math.max(...[...document.querySelectorAll('`+selector+`')].flatMap((box) => {
			const around = box.getBoundingClientRect();
			const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
			const all = [];
			for (const range = document.createRange(); texts.nextNode(); ) {
				range.selectNodeContents(texts.currentNode);
				const { left, right, width } = range.getBoundingClientRect();
				if (width > 0) all.push(around.left - left, right - around.right);
			}
			return all;
		}))`)
		if beyond > 0 {
			t.Errorf("the text of %s goes %.0f pixels beyond it", selector, beyond)
		}
	}
	p.press("2")
	p.click(image.Pt(250, 180))
	p.press("3")
	p.click(image.Pt(20, 20))
	p.settle()
	p.press("y")
	within(".step-text")
	p.screenshot("history")
	p.press("y")
	p.press("u")
	within(".heat-legend")
	p.screenshot("legend")
	p.press("u")
	p.press("w")
	within(".asking")
	p.press("x")
	within(".alternatives .alternative")
	p.screenshot("alternatives")
	p.press(kb.Escape)
	p.press("2")
	p.clickOn("opening the menu of the class", ".class-row.active .class-more")
	p.clickOn("deleting it", `.menu:popover-open [data-do="delete"]`)
	p.until(`document.getElementById('remap-dialog').open`)
	if wide := value[float64](p, `document.getElementById('remap-dialog').scrollWidth - document.getElementById('remap-dialog').clientWidth`); wide > 0 {
		t.Errorf("the dialog that deletes a class is %.0f pixels wider than it has room", wide)
	}
	p.screenshot("delete")
}

// TestE2ENameFromRight: where a phone has no room for the whole name of a class that
// is written from right to left, the line above the hypotheses shows its beginning.
func TestE2ENameFromRight(t *testing.T) {
	t.Parallel()
	const name = "شجرة قديمة جدا على ضفة النهر الكبير في الوادي الأخضر"
	_, at := named(t, startServer(t), "Trees", "a.png", 500, 375, "background", name)
	p := openPage(t, 390, 844, false, at)
	p.until(opened)
	beyond := value[[]float64](p, `((status) => {
		const text = document.createTreeWalker(status, NodeFilter.SHOW_TEXT);
		while (text.nextNode() && !text.currentNode.data.includes('شجرة'));
		const range = document.createRange();
		const start = text.currentNode.data.indexOf('شجرة');
		range.setStart(text.currentNode, start);
		range.setEnd(text.currentNode, start + 4);
		const [word, line] = [range, status].map((e) => e.getBoundingClientRect());
		return [line.left - word.left, word.right - line.right];
	})(document.getElementById('status'))`)
	if max(beyond[0], beyond[1]) > 0.5 {
		t.Errorf("the beginning of the name is %v pixels beyond the line", beyond)
	}
	p.screenshot("phone")
}

// TestE2EProjectCards: in the list of projects the names follow the pictures, also
// beside a longer one, and no class is shown in part.
func TestE2EProjectCards(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	classes := strings.Fields("sky sea sand rock grass tree house road car boat bird dog cat")
	named(t, address, "Coast", "a.png", 500, 375, classes[:9]...)
	named(t, address, strings.Repeat("Flowers of the meadows in the valley. ", 2), "a.png", 500, 375, classes...)
	p := openPage(t, 1280, 720, false, address)
	p.until(`document.readyState === 'complete'`)
	if gaps := value[[]float64](p, `[...document.querySelectorAll('.card')].map((card) => card.querySelector('.card-name').getBoundingClientRect().top - card.querySelector('.card-cover').getBoundingClientRect().bottom)`); slices.Max(gaps) > slices.Min(gaps)+1 {
		t.Errorf("between the pictures and the names of projects there are %v pixels", gaps)
	}
	if cut := value[int](p, `[...document.querySelectorAll('.card-colors .swatch')].filter((e) => {
		const [dot, box] = [e, e.parentElement].map((e) => e.getBoundingClientRect());
		return dot.top < box.bottom && (dot.right > box.right + 0.5 || dot.left < box.left - 0.5 || dot.bottom > box.bottom + 0.5);
	}).length`); cut > 0 {
		t.Errorf("%d classes are shown in part", cut)
	}
}

// begun lists the elements of CSS selectors whose text, which is written from right
// to left, doesn't begin inside them, or which say another direction.
const begun = `((...selectors) => selectors.filter((selector) => {
	const element = document.querySelector(selector);
	const first = document.createRange();
	first.setStart(element.firstChild, 0);
	first.setEnd(element.firstChild, 1);
	const [letter, box] = [first, element].map((e) => e.getBoundingClientRect());
	return letter.right > box.right + 1 || letter.left < box.left - 1 || getComputedStyle(element).direction !== 'rtl';
}))`

// TestE2ENamesFromRight: names in scripts that are written from right to left are
// cut at their ends, as others are.
func TestE2ENamesFromRight(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	const long = "صورة طويلة جدا لمشروع تقسيم الصور الزراعية في وادي النيل والدلتا الخضراء (2024)"
	project, at := named(t, address, long, long+".png", 500, 375, "background", long)
	p := openPage(t, 390, 844, false, at)
	p.until(opened)
	look := func(page string, selectors ...string) {
		t.Helper()
		p.screenshot(page)
		if wrong := value[[]string](p, fmt.Sprintf(`%s(...%s.split(';'))`, begun, quoted(strings.Join(selectors, ";")))); len(wrong) > 0 {
			t.Errorf("%s: the beginning is not where it should be in %q", page, wrong)
		}
	}
	look("annotate", ".crumbs a", ".image-name", ".class-row:nth-child(2) .class-name")
	p.clickOn("finding a class", "#find")
	p.until(`document.getElementById('find-dialog').open`)
	look("find", "#find-list li:nth-child(2) bdi")
	for _, other := range []struct{ name, address, selector string }{
		{"project", project, "#images .card-name"},
		{"start", address, ".card-name"},
		{"trash", address + "/trash", ".trash-name"},
	} {
		if other.name == "trash" {
			value[int](p, `fetch('/api/v1`+strings.TrimPrefix(project, address)+`', {method: 'DELETE'}).then((r) => r.status)`)
		}
		p.do("going to "+other.name, chromedp.Navigate(other.address))
		p.until(`document.readyState === 'complete' && document.querySelector(` + quoted(other.selector) + `) !== null`)
		look(other.name, other.selector)
	}
}

// TestE2EStripOfExtremes: the hypotheses of panoramas and towers are whole in small
// windows, nothing lies over another control, and the active class is cut where it
// says so.
func TestE2EStripOfExtremes(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	long := strings.Repeat("Donaudampfschifffahrt", 3)
	for _, test := range []struct {
		name                    string
		imageWidth, imageHeight int
		width, height           int64
		whole                   bool // the first card
	}{
		{"panorama on a phone on its side", 1500, 60, 844, 390, true},
		{"panorama at 200 percent", 1500, 60, 640, 360, true},
		{"tower on a phone", 60, 1500, 390, 844, false},
		{"tower in half a window", 60, 1500, 640, 720, false},
	} {
		_, at := named(t, address, test.name, "a.png", test.imageWidth, test.imageHeight, "background", long)
		p := openPage(t, test.width, test.height, false, at)
		p.until(opened)
		p.press("2")
		p.click(image.Pt(test.imageWidth/2, test.imageHeight/2))
		p.settle()
		p.screenshot(strings.ReplaceAll(test.name, " ", "-"))
		if test.whole {
			if beyond := value[float64](p, `document.querySelector('.hypothesis').getBoundingClientRect().right - document.getElementById('cards').getBoundingClientRect().right`); beyond > 0 {
				t.Errorf("%s: the first card ends %.0f pixels outside the strip", test.name, beyond)
			}
		}
		for _, text := range []string{"#badge", ".doubt"} {
			if p.overlap(text, ".strip-actions") {
				t.Errorf("%s: the buttons lie over %s", test.name, text)
			}
		}
		if beyond := value[float64](p, `document.querySelector('.class-row.active').getBoundingClientRect().right - document.getElementById('classes').getBoundingClientRect().right`); beyond > 1 {
			t.Errorf("%s: the active class ends %.0f pixels outside the list", test.name, beyond)
		}
		if room := value[float64](p, `document.querySelector('.class-row.active .class-name').clientWidth`); room < 48 {
			t.Errorf("%s: the name of the active class has %.0f pixels", test.name, room)
		}
	}
}

// TestE2EManyClasses: the list of a project's classes leaves room for its images, and keys
// scroll it.
func TestE2EManyClasses(t *testing.T) {
	t.Parallel()
	classes := []string{"background"}
	for i := range 60 {
		classes = append(classes, fmt.Sprintf("Class %d of sixty", i+1))
	}
	at, _ := named(t, startServer(t), "Sixty", "a.png", 60, 60, classes...)
	p := openPage(t, 390, 844, false, at)
	p.until(cardCount + ` === 1`)
	p.screenshot("many-classes")
	if top := value[float64](p, `document.querySelector('#drop').getBoundingClientRect().top`); top > 844 {
		t.Errorf("images can be dropped %.0f pixels below the top of a phone", top)
	}
	p.until(`document.getElementById('legend').tabIndex === 0`)
	p.focusOn("#legend")
	p.press(kb.End)
	p.until(`document.getElementById('legend').scrollTop > 0`)
	few, _ := named(t, startServer(t), "Two", "a.png", 60, 60, "background", "object")
	p = openPage(t, 390, 844, false, few)
	p.until(cardCount + ` === 1`)
	if index := value[int](p, `document.getElementById('legend').tabIndex`); index != -1 {
		t.Errorf("a list that doesn't scroll has tabindex %d", index)
	}
}

// A file keeps its name whatever is in it, and is known again by it: browsers write a
// quotation mark as %22, and leave %22 as it is.
func TestE2EQuotedFileNames(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, manyImages(t, startServer(t), 1))
	p.until(cardCount + ` === 1`)
	names := []string{`5" disk.png`, `6%22 disk.png`}
	var files []string
	for i, name := range names {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, tinyPicture(100+i), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	p.drop(files...)
	p.until(progressText + ` === '0 of 3 images done'`)
	images := value[[]struct{ Name string }](p, `fetch('/api/v1/projects/' + location.pathname.split('/').pop() + '/images').then((r) => r.json())`)
	if images[1].Name != names[0] || images[2].Name != names[1] {
		t.Errorf("the names are %v, want %q", images[1:], names)
	}
	p.drop(files...)
	p.until(`document.getElementById('uploads-summary').textContent.includes('2 already uploaded')`)
}

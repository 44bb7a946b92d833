package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestE2EClassesByVoice: assistive technology presses the button again without taking the
// focus from the name of the new class; that one is added, not lost.
func TestE2EClassesByVoice(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	value[bool](p, `document.getElementById('add-class').click() ?? true`)
	p.until(`document.activeElement.matches('#classes li:nth-child(9) input')`)
	value[bool](p, `document.getElementById('add-class').click() ?? true`)
	p.until(`document.activeElement.matches('#classes li:nth-child(10) input')`)
	p.press(kb.Escape)
	p.waitForClasses("background", "table", "cloth", "bowl", "apple", "orange", "pear", "jug", "class 9")
}

// TestE2EActiveClassDeleted: when somebody else deletes the class that a person
// labels with, the page says so, and the one that its labels became is active.
func TestE2EActiveClassDeleted(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	p.clickClasses(sampleTruth(), 1, 3, 4)
	const active = `document.querySelector('#classes .active .class-name').textContent`
	gone := value[string](p, active)
	want := value[string](p, `(async () => {
		const address = '/api/v1/projects/' + document.getElementById('app').dataset.project;
		const { classes } = await (await fetch(address)).json();
		await fetch(address, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ classes: classes.filter(({ id }) => id !== 4), remap: { 4: 1 } }) });
		return classes.find(({ id }) => id === 1).name;
	})()`)
	p.until(fmt.Sprintf(`document.querySelector('.toast strong')?.textContent === %q`, gone+" was deleted"))
	if got := value[string](p, active); got != want {
		t.Errorf("%s is active, want %s, which the labels became", got, want)
	}
}

// TestE2EClassInView: naming a class moves nothing below the list, and on a phone the
// row of a class that was just added and named is in view with its buttons.
func TestE2EClassInView(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	const height = `document.querySelector('.class-row.active').getBoundingClientRect().height`
	p.focusOn("#canvas")
	before := value[float64](p, height)
	p.press(kb.F2)
	p.until(`document.activeElement.matches('.class-input')`)
	if now := value[float64](p, height); now != before {
		t.Errorf("the row of a class is %v pixels high, and %v while it is named", before, now)
	}
	p.press(kb.Escape)
	p.resize(390, 844)
	p.clickOn("adding a class", "#add-class")
	p.until(`document.activeElement.matches('.class-input')`)
	p.do("naming it", chromedp.KeyEvent("A rather long name"))
	p.press(enter)
	p.until(`document.activeElement.id === 'canvas' && [...document.querySelectorAll('.class-row')].at(-1).textContent.includes('A rather long name')`)
	p.until(`(([row, list]) => row.right <= list.right + 1)([document.querySelector('.class-row.active'), document.querySelector('.class-list')].map((e) => e.getBoundingClientRect()))`)
}

// TestE2EClassStaysActive: an image begins with the first class that has to be clicked, the
// next one with the one of them that was active last.
func TestE2EClassStaysActive(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, startServer(t))
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"a.png", "b.png"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, picture(t, 60, 40), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	p.drop(files...)
	p.until(`document.getElementById('save')?.dataset.state === 'saved'`)
	const active = `document.querySelector('#classes .active .class-name')?.textContent`
	p.until(active + ` === 'object' && document.getElementById('status').textContent === 'Click a piece of object'`)
	p.clickOn("adding a class", "#add-class")
	p.do("typing the name", chromedp.KeyEvent("stalk"))
	p.press(kb.Enter)
	p.waitForClasses("background", "object", "stalk")
	p.press("1")
	p.until(active + ` === 'background'`)
	p.clickOn("the next image", "#next")
	p.until(`document.querySelector('.where')?.textContent.includes('b.png') && document.getElementById('save')?.dataset.state === 'saved'`)
	p.until(active + ` === 'stalk'`)
}

package e2e

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// projectClass is a class as the API describes it.
type projectClass struct {
	ID          int
	Name, Color string
}

// waitForClasses waits until the server and the panel have classes with these
// names, in order.
func (p *page) waitForClasses(names ...string) []projectClass {
	p.t.Helper()
	type project struct {
		Classes []projectClass
		Shown   []string
	}
	const read = `fetch('/api/v1/projects/' + document.getElementById('app').dataset.project).then((r) => r.json()).then(({ classes }) =>
		({ classes, shown: [...document.querySelectorAll('#classes .class-name')].map((e) => e.textContent) }))`
	return wait(p, fmt.Sprintf("the classes %q", names), read, func(got project) bool {
		return slices.Equal(got.Shown, names) && slices.EqualFunc(got.Classes, names, func(c projectClass, name string) bool { return c.Name == name })
	}).Classes
}

// dragClass takes the row of a class, from 1, by its grip and holds it over another
// one, until it is dropped.
func (p *page) dragClass(row, over int) (drop func()) {
	p.t.Helper()
	grip := func(row int) (x, y float64) {
		xy := value[[]float64](p, fmt.Sprintf(`(() => { const b = document.querySelector('#classes li:nth-child(%d) .class-grip').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`, row))
		return xy[0], xy[1]
	}
	value[bool](p, fmt.Sprintf(`(document.querySelector('#classes li:nth-child(%d)').scrollIntoView({block: 'nearest'}), true)`, row))
	x, from := grip(row)
	_, to := grip(over)
	to += math.Copysign(3, to-from)
	left := func(e *input.DispatchMouseEventParams) {
		e.Button, e.Buttons, e.ClickCount = input.MouseButtonLeft, 1, 1
	}
	p.do(fmt.Sprintf("dragging class %d", row),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, from),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, from, left),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, (from+to)/2, left),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, to, left),
	)
	return func() {
		p.t.Helper()
		p.do("dropping it", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x, to, left))
	}
}

// TestE2EClasses adds, renames, reorders and deletes classes of an image with
// labels, which stay with their classes.
func TestE2EClasses(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	truth := sampleTruth()
	apple, pear := insideOf(t, truth, 4), insideOf(t, truth, 6)
	p.press("5")
	p.click(apple)
	p.press("7")
	p.click(pear)
	p.waitForEvents(2)

	// A new class can be clicked with at once.
	p.clickOn("adding a class", "#add-class")
	p.do("typing the name", chromedp.KeyEvent("stalk"))
	p.press(kb.Enter)
	p.click(insideOf(t, truth, 0))
	added := p.waitForClasses("background", "table", "cloth", "bowl", "apple", "orange", "pear", "jug", "stalk")[8]
	if events := p.waitForEvents(3); events[2].Class != added.ID {
		t.Errorf("the click with the new class is of class %d, want %d", events[2].Class, added.ID)
	}

	// Esc removes one added by mistake, and the previous class is active again.
	p.press("n")
	p.until(`document.activeElement.matches('#classes li:nth-child(10) input')`)
	p.do("typing a name", chromedp.KeyEvent("slip"))
	p.press(kb.Escape)
	p.waitForClasses("background", "table", "cloth", "bowl", "apple", "orange", "pear", "jug", "stalk")
	p.until(`document.activeElement.id === 'canvas' && document.querySelector('#classes .active .class-name').textContent === 'stalk'`)
	if deleted := len(value[struct{ Deleted []projectClass }](p, `fetch('/api/v1/projects/' + document.getElementById('app').dataset.project).then((r) => r.json())`).Deleted); deleted != 0 {
		t.Errorf("%d classes are in the trash", deleted)
	}

	// Whatever opened and closed the dialog that finds a class, the image has the focus,
	// and Enter accepts nothing but the class.
	p.settle()
	p.press("l")
	p.until(`document.activeElement.id === 'find-input'`)
	p.press("z")
	p.press(kb.Enter)
	if said := value[string](p, `document.querySelector('#find-dialog[open] [role=status]')?.textContent ?? 'closed'`); said != "No matching class" {
		t.Errorf("without a match Enter leaves the dialog saying %q", said)
	}
	p.press(kb.Backspace)
	p.press(kb.Enter)
	p.until(`document.activeElement.id === 'canvas'`)
	for _, closing := range []string{kb.Escape, kb.Enter} {
		p.clickOn("finding a class", "#find")
		p.until(`document.activeElement.id === 'find-input'`)
		p.press(closing)
		p.until(`document.activeElement.id === 'canvas'`)
	}

	if events := p.events(); len(events) != 3 {
		t.Errorf("finding a class made events: %+v", events[3:])
	}

	// By keyboard: the pear moves up, and its key with it.
	p.focusOn("#classes li:nth-child(7) .class-button")
	p.press(kb.ArrowUp, kb.ModifierAlt)
	p.press(kb.ArrowUp, kb.ModifierAlt)
	p.waitForClasses("background", "table", "cloth", "bowl", "pear", "apple", "orange", "jug", "stalk")
	if c := p.painted("scene", pear); c[3] == 0 {
		t.Error("the pear has lost its label")
	}
	p.press("5")
	p.click(insideOf(t, truth, 7))
	if events := p.waitForEvents(4); events[3].Class != 6 {
		t.Errorf("key 5 labelled with class %d, want 6, the pear", events[3].Class)
	}

	// By pointer: the background moves down two places.
	drop := p.dragClass(1, 3)
	p.screenshot("dragging")
	drop()
	p.waitForClasses("table", "cloth", "background", "bowl", "pear", "apple", "orange", "jug", "stalk")

	// A class without labels is deleted at once and restored by the message.
	menu := func(row, item string) {
		t.Helper()
		p.clickOn("opening the menu", "#classes li:nth-child("+row+") .class-more")
		p.until(`document.getElementById('class-menu').matches(':popover-open')`)
		p.screenshot("menu")
		p.clickOn("choosing "+item, `#class-menu [data-do="`+item+`"]`)
	}
	menu("8", "delete")
	p.waitForClasses("table", "cloth", "background", "bowl", "pear", "apple", "orange", "stalk")
	p.clickOn("undoing", `#toasts [data-slot="action"]:not([hidden])`)
	jug := p.waitForClasses("table", "cloth", "background", "bowl", "pear", "apple", "orange", "jug", "stalk")[7]
	if jug.ID != 7 {
		t.Errorf("the jug came back as class %d, want 7", jug.ID)
	}

	// One with labels asks what becomes of them.
	p.settle()
	p.press(kb.Escape) // a preview can be painted a shade differently
	before := p.painted("scene", apple)
	p.press("6")
	menu("6", "delete")
	p.until(`document.getElementById('remap-dialog').open && /1 image/.test(document.getElementById('remap-note').textContent)`)
	p.screenshot("remap")
	p.do("choosing the orange", chromedp.Evaluate[chromedp.Void](`{ document.getElementById('remap-target').value = '5'; }`))
	p.clickOn("deleting", `#remap-dialog button[value="delete"]`)
	p.waitForClasses("table", "cloth", "background", "bowl", "pear", "orange", "jug", "stalk")
	p.settle()
	p.press(kb.Escape)
	if after := p.painted("scene", apple); after == before || after[3] == 0 {
		t.Errorf("the deleted class is painted %v, before %v; want the colour of the orange", after, before)
	}
	p.clickOn("undoing", `#toasts [data-slot="action"]:not([hidden])`)
	p.waitForClasses("table", "cloth", "background", "bowl", "pear", "apple", "orange", "jug", "stalk")
	p.until(`document.querySelector('#classes .active [data-slot="name"]').textContent === 'apple'`)
	p.settle()
	p.press(kb.Escape)
	if again := p.painted("scene", apple); again != before {
		t.Errorf("after undo the apple is painted %v, before %v", again, before)
	}

	// A label set: classes of the same name stay as they are.
	set := filepath.Join(t.TempDir(), "labels.txt")
	if err := os.WriteFile(set, []byte("background\napple\npear\nstalk\nleaf\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.choose("#classes-file", set)
	p.waitForClasses("background", "apple", "pear", "stalk", "leaf")
	if c := p.painted("scene", apple); c[3] == 0 {
		t.Error("the apple has lost its label")
	}
	p.clickOn("undoing", `#toasts [data-slot="action"]:not([hidden])`)
	p.waitForClasses("table", "cloth", "background", "bowl", "pear", "apple", "orange", "jug", "stalk")

	// One without the apple is refused with what can be done about it on the page.
	if err := os.WriteFile(set, []byte("background\nleaf\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.choose("#classes-file", set)
	p.until(`/lacks .*“apple”.* delete (it|them) here first/.test(document.querySelector('#toasts [role=alert]')?.textContent)`)
	p.waitForClasses("table", "cloth", "background", "bowl", "pear", "apple", "orange", "jug", "stalk")

	p.press("5")
	p.press(kb.F2)
	p.do("typing a name", chromedp.KeyEvent("Williams"))
	p.press(kb.Enter)
	p.waitForClasses("table", "cloth", "background", "bowl", "Williams", "apple", "orange", "jug", "stalk")
	p.screenshot("renamed")

	// The name of another class is refused beside its field, which keeps it.
	p.press(kb.F2)
	p.do("typing a name that another class has", chromedp.KeyEvent("BOWL"))
	p.press(kb.Enter)
	p.until(`[...document.querySelectorAll('.class-problem')].some((e) => e.checkVisibility() && e.textContent.includes('already a class called bowl')
		&& e.previousElementSibling.value === 'BOWL' && e.previousElementSibling === document.activeElement)`)
	p.screenshot("duplicate")
	p.press(kb.Escape)
	p.waitForClasses("table", "cloth", "background", "bowl", "Williams", "apple", "orange", "jug", "stalk")
}

// TestE2EClassesAtOnce adds, renames, deletes and restores classes at the same
// moment as somebody else: nobody loses a class.
func TestE2EClassesAtOnce(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	names := []string{"background", "table", "cloth", "bowl", "apple", "orange", "pear", "jug"}
	p.waitForClasses(names...)
	// race has someone else add a class just before the next list of this page,
	// which goes by a method, arrives.
	race := func(method, name string) {
		t.Helper()
		value[bool](p, fmt.Sprintf(`(() => {
			const original = window.fetch;
			window.fetch = async (path, options) => {
				if (options?.method !== %q) return original(path, options);
				window.fetch = original;
				const project = path.replace(/.classes.*/, '');
				const { classes } = await (await original(project)).json();
				const theirs = [...classes.map(({ id }) => ({ id })), { name: %q }];
				await original(project, { method: 'PATCH', body: JSON.stringify({ classes: theirs }) });
				return original(path, options);
			};
			return true;
		})()`, method, name))
	}
	race("PATCH", "theirs")
	p.clickOn("adding a class", "#add-class")
	p.do("typing the name", chromedp.KeyEvent("mine"))
	p.press(kb.Enter)
	p.waitForClasses(append(names, "theirs", "mine")...)
	p.press("2")
	p.press(kb.F2)
	race("PATCH", "also theirs")
	p.do("typing a name", chromedp.KeyEvent("board"))
	p.press(kb.Enter)
	names[1] = "board"
	p.waitForClasses(append(names, "theirs", "mine", "also theirs")...)

	race("PATCH", "third")
	p.clickOn("opening the menu", "#classes li:nth-child(2) .class-more")
	p.clickOn("deleting", `#class-menu [data-do="delete"]`)
	rest := append(append([]string{}, names[0]), names[2:]...)
	p.waitForClasses(append(rest, "theirs", "mine", "also theirs", "third")...)
	race("PATCH", "fourth")
	p.clickOn("undoing", `#toasts [data-slot="action"]:not([hidden])`)
	names = append(names, "theirs", "mine", "also theirs", "third", "fourth")
	p.waitForClasses(names...)

	// A label set deletes the classes that it lacks, so the person is asked again.
	set := filepath.Join(t.TempDir(), "labels.txt")
	if err := os.WriteFile(set, []byte("background\nleaf\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	race("PUT", "fifth")
	p.choose("#classes-file", set)
	names = append(names, "fifth")
	p.until(`/Someone else/.test(document.querySelector('#toasts [role=alert]')?.textContent)`)
	p.waitForClasses(names...)
	p.screenshot("asked")
	p.clickOn("importing", `#toasts [role=alert] [data-slot="action"]`)
	p.waitForClasses("background", "leaf")
	p.clickOn("undoing", `#toasts [data-slot="action"]:not([hidden])`)
	p.waitForClasses(names...)
}

// TestE2EClassesInHand has somebody else change the classes while this page is
// about to: a row being dragged stays in hand, and after the drop both changes are
// there; a row dropped where it was changes nothing.
func TestE2EClassesInHand(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	truth := sampleTruth()
	p.waitForClasses("background", "table", "cloth", "bowl", "apple", "orange", "pear", "jug")
	// others has somebody else add a class and then a label, and waits until the
	// label shows, which arrives after the class.
	labels := 0
	others := func(name string) {
		t.Helper()
		at := insideOf(t, truth, []uint8{4, 6}[labels])
		value[bool](p, fmt.Sprintf(`(async () => {
			const { project, image } = document.getElementById('app').dataset;
			const path = '/api/v1/projects/' + project;
			const { classes } = await (await fetch(path)).json();
			await fetch(path, { method: 'PATCH', body: JSON.stringify({ classes: [...classes, { name: %q }] }) });
			await fetch('/api/v1/images/' + image + '/evidence', { method: 'POST', body: JSON.stringify({ id: 'theirs-%d', expected_seq: %d, kind: 'label', points: [[%d, %d]], class: %d }) });
			return true;
		})()`, name, labels, labels, at.X, at.Y, labels))
		labels++
		p.until(fmt.Sprintf(`[...document.querySelectorAll('#classes .class-share')].filter((e) => e.textContent !== '').length >= %d`, labels))
	}
	const inHand = `[...document.querySelectorAll('#classes .class-name')].slice(0, 4).map((e) => e.textContent + (e.closest('.dragged') ? '!' : '')).join()`

	drop := p.dragClass(1, 3)
	others("theirs")
	if got := value[string](p, inHand); got != "table,cloth,background!,bowl" {
		t.Errorf("in the hand: %s", got)
	}
	drop()
	names := []string{"table", "cloth", "background", "bowl", "apple", "orange", "pear", "jug", "theirs"}
	p.waitForClasses(names...)

	drop = p.dragClass(4, 1)
	others("also theirs")
	if got := value[string](p, inHand); got != "bowl!,table,cloth,background" {
		t.Errorf("in the hand: %s", got)
	}
	p.press(kb.Escape)
	names = append(names, "also theirs")
	p.waitForClasses(names...)
	drop()

	// A new class can be clicked with at once, while a deletion is on its way.
	value[bool](p, `(() => {
		const original = window.fetch;
		window.held = [];
		window.fetch = async (path, options) => {
			if (options?.method === 'PATCH' && held.length < 2) await new Promise((letGo) => held.push(letGo));
			return original(path, options);
		};
		return true;
	})()`)
	p.clickOn("opening the menu", "#classes li:nth-child(8) .class-more")
	p.clickOn("deleting", `#class-menu [data-do="delete"]`)
	p.until(`held.length === 1`)
	p.clickOn("adding a class", "#add-class")
	p.do("typing the name", chromedp.KeyEvent("stalk"))
	p.press(kb.Enter)
	p.until(`held.length === 2`)
	p.click(insideOf(t, truth, 7))
	value[bool](p, `(held[1](), true)`)
	events := p.waitForEvents(3)
	value[bool](p, `(held[0](), true)`)
	names = append(slices.Delete(names, 7, 8), "stalk")
	if stalk := p.waitForClasses(names...)[9]; events[2].Class != stalk.ID {
		t.Errorf("the click with the new class is of class %d, want %d", events[2].Class, stalk.ID)
	}
}

package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// Images are assigned to a member, found by it, given back, and opened in turn by who
// is to work on them.
func TestE2EAssign(t *testing.T) {
	t.Parallel()
	source := axe(t)
	address := serveTeam(t)
	p := openPage(t, 1280, 720, false, address)
	p.signIn("admin", "correct horse")
	p.trySample()
	p.member("viewer", "viewer")
	project := address + "/projects/" + value[string](p, `document.getElementById('app').dataset.project`)
	status := value[int](p, `(async ({image, project}) => {
		const photograph = await (await fetch('/api/v1/images/' + image + '/original')).blob();
		const form = new FormData();
		for (let i = 2; i <= 6; i++) form.append('file', photograph, 'still life ' + i + '.png');
		return (await fetch('/api/v1/projects/' + project + '/images', {method: 'POST', body: form})).status;
	})(document.getElementById('app').dataset)`)
	if status != 201 {
		t.Fatalf("the images were refused: %d", status)
	}
	image := value[string](p, `location.href`)
	p.do("to the project", chromedp.Navigate(project))
	p.until(cardCount + ` === 6`)
	p.do("selecting one", chromedp.Evaluate[chromedp.Void](`document.querySelector('.card-choose').click()`))
	p.clickOn("assigning without members", "#assign-chosen")
	p.until(`document.getElementById('toasts').textContent.includes('Nobody can work on images yet')`)
	p.do("to an image", chromedp.Navigate(image))
	p.until(`document.getElementById('save')?.dataset.state === 'saved'`)
	p.member("annotator", "annotator")
	p.do("to the project", chromedp.Navigate(project))
	p.until(cardCount + ` === 6`)
	assigned := func(name string, n int) string {
		return fmt.Sprintf(`[...document.querySelectorAll('.card-assignee:not([hidden])')].filter((e) => e.textContent.includes(%q)).length === %d`, name, n)
	}
	p.do("selecting three", chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('.card-choose').forEach((box, i) => i % 2 || box.click())`))
	p.until(`document.getElementById('selection-text').textContent === '3 images selected'`)
	p.focusOn("#assign-chosen")
	p.press(enter)
	p.until(`document.activeElement?.textContent.trim() === 'annotator' && document.querySelectorAll('#assign-menu .menu-item').length === 2`)
	p.screenshot("menu")
	p.press(enter)
	p.until(assigned("annotator", 3))
	p.accessible("a project with assigned images", source)
	p.screenshot("assigned")
	p.clickOn("undo", `#toasts [data-slot="action"]:not([hidden])`)
	p.until(assigned("annotator", 0))
	p.clickOn("the menu", "#assign-chosen")
	p.until(`document.getElementById('assign-menu').matches(':popover-open')`)
	p.clickOn("the annotator", `#assign-menu [data-do="annotator"]`)
	p.until(assigned("annotator", 3))
	p.clickOn("the menu", "#assign-chosen")
	p.until(`document.getElementById('assign-menu').matches(':popover-open')`)
	p.clickOn("nobody", `#assign-menu .menu-item:last-child`)
	p.until(assigned("annotator", 0))
	if offers := value[int](p, `document.querySelectorAll('#toasts [data-slot="action"]:not([hidden])').length`); offers != 1 {
		t.Errorf("%d assignments offer Undo; only the last may, since an older one would write over it", offers)
	}
	elsewhere := value[int](p, `(async () => {
		const images = [...document.querySelectorAll('#images li:has(.card-choose:checked)')].map((card) => card.dataset.image);
		const call = {method: 'PUT', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({images, assignee: 'annotator'})};
		return (await fetch('/api/v1' + location.pathname + '/assignments', call)).status;
	})()`)
	if elsewhere != 200 {
		t.Fatalf("somebody else's assignment was refused: %d", elsewhere)
	}
	p.clickOn("undo", `#toasts [data-slot="action"]:not([hidden])`)
	p.until(`document.getElementById('toasts').textContent.includes('has been assigned to annotator in the meantime')`)
	value[bool](p, `document.dispatchEvent(new Event('visibilitychange'))`) // as in a tab that one comes back to
	p.until(assigned("annotator", 3) + ` && document.getElementById('selection-text').textContent === '3 images selected'`)
	if name := value[string](p, `document.querySelector('#images a').textContent.trim().split(/\s+/).slice(0, 3).join(' ')`); name != "fruit and bowl.png" {
		t.Errorf("the link of an image begins with %q, not with its name", name)
	}

	theirs := openPage(t, 390, 844, true, project)
	theirs.signIn("annotator", "correct horse")
	theirs.until(cardCount + ` > 1 && document.querySelector('#image-assignee option[value=annotator]')?.textContent === 'Me, annotator (3)'`)
	theirs.do("filtering", chromedp.Evaluate[chromedp.Void](`{ const s = document.getElementById('image-assignee'); s.value = 'annotator'; s.dispatchEvent(new Event('input', {bubbles: true})); }`))
	theirs.until(`document.getElementById('image-count').textContent === '3 of 6 images shown'`)
	theirs.screenshot("mine-phone")
	theirs.do("selecting", chromedp.Evaluate[chromedp.Void](`document.querySelector('.card-choose').click()`))
	theirs.screenshot("selected-phone")
	theirs.do("loading again", chromedp.Reload())
	theirs.until(`document.getElementById('image-count').textContent === '3 of 6 images shown' && ` + cardCount + ` === 3`)
	if wide := value[bool](theirs, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the project's page scrolls sideways on a phone")
	}
	theirs.do("opening the first", chromedp.Evaluate[chromedp.Void](`document.querySelector('#images a').click()`))
	theirs.until(`document.getElementById('place-shown')?.textContent === '1 / 3'`)

	theirs.resize(1280, 720)
	theirs.until(`document.querySelector('.assignee')?.checkVisibility() && document.querySelector('.assignee').textContent.includes('annotator')`)
	theirs.screenshot("annotate")

	theirs.do("to the projects", chromedp.Navigate(address))
	theirs.until(`document.querySelector('.card-own')?.textContent.trim() === '3 for you'`)
	theirs.accessible("projects with images for who looks", source)
	theirs.screenshot("start")
	theirs.clickOn("one's images", ".card-own")
	theirs.until(`document.getElementById('image-count')?.textContent === '3 of 6 images shown'`)

	viewer := openPage(t, 1280, 720, false, project)
	viewer.signIn("viewer", "correct horse")
	viewer.until(cardCount + ` === 6 && !document.getElementById('image-filter').hidden`)
	if value[bool](viewer, `!document.getElementById('assign-chosen').hidden || !document.getElementById('go-on').hidden`) {
		t.Error("a viewer is offered to assign images, or to go on with one")
	}
}

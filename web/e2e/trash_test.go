package e2e

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestE2ETrash deletes a project on the start page, undoes that, deletes it again
// and restores it from the trash.
func TestE2ETrash(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	for _, name := range []string{"One", "Two"} {
		var project struct{ ID string }
		call(t, address+"/api/v1/projects", "application/json", strings.NewReader(fmt.Sprintf(`{"name":%q}`, name)), &project)
	}
	p := openPage(t, 1280, 720, false, address)
	names := `[...document.querySelectorAll('.card-name')].map((n) => n.textContent).join()`
	discard := `[aria-label="Move One to the trash"]`
	p.until(names + ` === 'Two,One'`)
	p.clickOn("delete", discard)
	p.until(names + ` === 'Two'`)
	p.clickOn("undo", `[data-slot="action"]:not([hidden])`)
	p.until(names + ` === 'Two,One'`)
	value[bool](p, fmt.Sprintf(`(button => { button.click(); button.click(); return true; })(document.querySelector(%q))`, discard))
	p.until(names + ` === 'Two'`)
	if asked := value[int](p, `performance.getEntriesByType('resource').filter((e) => e.name.includes('/api/v1/projects/')).length`); asked != 2 {
		t.Errorf("a click and a double click delete the project %d times, want 2", asked)
	}
	p.clickOn("go to the trash", `.site-header a[href="/trash"]`)
	p.until(`document.querySelector('.trash-name')?.textContent === 'One'`)
	p.clickOn("restore", `[data-restore]`)
	p.until(`!document.getElementById('trash-empty').hidden && document.activeElement.id === 'main'`)
	p.clickOn("open", `[data-slot="action"]:not([hidden])`)
	p.until(`document.getElementById('project-name')?.textContent === 'One'`)
}

// TestE2ERestoreMany finds images in the trash by their names, restores them at once, then
// everything that is left.
func TestE2ERestoreMany(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 1280, 720, false, manyImages(t, address, 12))
	p.until(cardCount + ` === 12`)
	p.do("selecting all", chromedp.Evaluate[chromedp.Void](`void (document.querySelector('#images input[type=checkbox]').click(), document.getElementById('choose-all').click())`))
	p.clickOn("to the trash", "#trash-chosen")
	p.until(cardCount + ` === 0`)
	p.do("going to the trash", chromedp.Navigate(address+"/trash"))
	const rows = `[...document.querySelectorAll('.trash-row')].filter((row) => row.checkVisibility()).length`
	const button = `document.getElementById('restore-all').textContent`
	p.until(`document.readyState === 'complete' && ` + rows + ` === 12 && ` + button + ` === 'Restore all 12'`)
	p.screenshot("trash-many")
	p.fill("#find-trash", "picture 99 many")
	p.until(`document.getElementById('trash-state').textContent === 'Nothing in the trash matches.' && !document.getElementById('restore-all').checkVisibility()`)
	p.fill("#find-trash", "picture 1 many") // by the project, too
	p.until(rows + ` === 4 && ` + button + ` === 'Restore these 4'`)
	p.clickOn("restoring them", "#restore-all")
	p.until(`document.querySelector('.toast')?.textContent.includes('4 items') && document.querySelectorAll('.trash-row').length === 8`)
	p.until(rows + ` === 8 && ` + button + ` === 'Restore all 8'`)
	p.clickOn("restoring the others", "#restore-all")
	p.until(`!document.getElementById('trash-empty').hidden && document.activeElement.id === 'main'`)
	if left := value[int](p, `fetch('/api/v1/trash').then((r) => r.json()).then((items) => items.length)`); left > 0 {
		t.Errorf("%d items are in the trash", left)
	}
}

// TestE2ETrashChangesMeanwhile: what somebody else has restored leaves the list when
// a person tries to restore it, or comes back to the page.
func TestE2ETrashChangesMeanwhile(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	ids := map[string]string{}
	for _, name := range []string{"One", "Two", "Three"} {
		var project struct{ ID string }
		call(t, address+"/api/v1/projects", "application/json", strings.NewReader(fmt.Sprintf(`{"name":%q}`, name)), &project)
		ids[name] = project.ID
	}
	p := openPage(t, 1280, 720, false, address)
	ask := func(method, path string) {
		t.Helper()
		if !value[bool](p, fmt.Sprintf(`fetch('/api/v1/%s', {method: %q}).then((r) => r.ok)`, path, method)) {
			t.Fatalf("%s %s failed", method, path)
		}
	}
	for _, name := range []string{"One", "Two", "Three"} {
		ask("DELETE", "projects/"+ids[name])
	}
	names := `[...document.querySelectorAll('.trash-name')].map((n) => n.textContent).join()`
	p.clickOn("going to the trash", `.site-header a[href="/trash"]`)
	p.until(`document.readyState === 'complete' && ` + names + ` === 'Three,Two,One'`)
	ask("POST", "trash/"+ids["Two"]+"/restore")
	p.clickOn("restoring it again", `[data-restore][aria-label="Restore Two"]`)
	p.until(names + ` === 'Three,One' && document.querySelector('.toast strong').textContent === 'No longer in the trash'`)
	ask("POST", "trash/"+ids["Three"]+"/restore")
	value[bool](p, `document.dispatchEvent(new Event('visibilitychange'))`)
	p.until(names + ` === 'One'`)
}

// TestE2EImageTrashedMeanwhile: a page whose image or project somebody else moves to
// the trash says so at once, changes nothing, and goes on when it is restored.
func TestE2EImageTrashedMeanwhile(t *testing.T) {
	t.Parallel()
	p := openPicture(t, 500, 375)
	ask := func(method, path string) {
		t.Helper()
		if !value[bool](p, fmt.Sprintf(`fetch('/api/v1/%s', {method: %q}).then((r) => r.ok)`, path, method)) {
			t.Fatalf("%s %s failed", method, path)
		}
	}
	saved := `document.getElementById('save').dataset.state === 'saved'`
	for _, kind := range []string{"image", "project"} {
		id := value[string](p, `document.getElementById('app').dataset.`+kind)
		ask("DELETE", kind+"s/"+id)
		p.until(`document.getElementById('status').textContent === 'This image is in the trash' && document.getElementById('save').textContent.trim() === 'In the trash'`)
		if said := value[[]string](p, `[...document.querySelectorAll('.toast strong')].map((e) => e.textContent)`); len(said) != 1 || said[0] != "This image was moved to the trash" {
			t.Errorf("the page says %q", said)
		}
		p.until(`document.getElementById('undo').disabled && document.getElementById('accept').disabled`)
		p.click(image.Pt(50, 50))
		p.press("w") // these keys ask the server
		p.press("x")
		p.press("D", kb.ModifierShift)
		p.press("e", ctrl)
		p.screenshot("trashed")
		if said := value[[]string](p, `[...document.querySelectorAll('.toast strong')].map((e) => e.textContent)`); len(said) != 1 || said[0] != "This image was moved to the trash" {
			t.Errorf("when asked, the page says %q", said)
		}
		if value[bool](p, `document.getElementById('export-dialog').open`) {
			t.Error("an image in the trash is offered for export")
		}
		ask("POST", "trash/"+id+"/restore")
		p.until(saved + ` && !document.getElementById('undo').disabled`)
		p.stored(1)
		p.clickOn("taking the message away", `.toast [data-slot="close"]`)
	}
	p.click(image.Pt(50, 50))
	p.stored(2)
}

// TestE2ERestoreRefused: a class that can't be restored, because another one has its name,
// keeps nothing else in the trash.
func TestE2ERestoreRefused(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 1280, 720, false, manyImages(t, address, 2))
	p.until(cardCount + ` === 2`)
	value[bool](p, `(async () => {
		const edit = (classes) => fetch('/api/v1' + location.pathname, {method: 'PATCH', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({classes})}).then((r) => r.json());
		const { classes } = await edit([{name: 'sky'}, {name: 'sea'}]);
		await edit([{id: classes[0].id}]);
		await edit([{id: classes[0].id}, {name: 'sea'}]);
		return true;
	})()`)
	p.do("selecting all", chromedp.Evaluate[chromedp.Void](`void (document.querySelector('#images input[type=checkbox]').click(), document.getElementById('choose-all').click())`))
	p.clickOn("to the trash", "#trash-chosen")
	p.until(cardCount + ` === 0`)
	p.do("going to the trash", chromedp.Navigate(address+"/trash"))
	p.until(`document.readyState === 'complete' && document.querySelectorAll('.trash-row').length === 3`)
	p.clickOn("restoring all", "#restore-all")
	p.until(`document.getElementById('toasts').textContent.includes('2 items') && document.querySelector('#toasts [role=alert]')?.textContent.includes('has another class')`)
	if left := value[string](p, `[...document.querySelectorAll('.trash-name')].map((n) => n.textContent).join()`); left != "sea" {
		t.Errorf("in the trash are %q, want the class", left)
	}
}

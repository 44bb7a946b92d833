package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/static"
)

// goToProject opens the page of a project and waits until it lists the images.
func (p *page) goToProject(url string) {
	p.t.Helper()
	p.do("going to the project", chromedp.Navigate(url))
	p.until(`document.readyState === 'complete' && document.getElementById('images').ariaBusy !== 'true'`)
}

// emptyProject makes a project without images at a server, opens its page and
// returns its id. more are further fields of the project.
func (p *page) emptyProject(server, more string) string {
	p.t.Helper()
	var project struct{ ID string }
	call(p.t, server+"/api/v1/projects", "application/json", strings.NewReader(`{"name":"Empty"`+more+`}`), &project)
	p.goToProject(server + "/projects/" + project.ID)
	return project.ID
}

// The buttons of a project follow each other for the Tab key as they do for the
// eye, in windows of all widths, and the page never scrolls sideways.
func TestE2EProjectButtons(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.clickOn("going to the project", `a[href^="/projects/"]`)
	p.until(`location.pathname.startsWith('/projects/') && document.readyState === 'complete' && document.getElementById('rest').options.length > 3`)
	p.until(`(document.getElementById('members').hidden = false, true)`) // as for those who are signed in
	for _, width := range []int64{1280, 900, 640, 390, 320} {
		p.resize(width, 700)
		rows := value[[][]string](p, `Object.values([...document.querySelectorAll('.actions .button')].reduce((rows, e) => ((rows[Math.round(e.getBoundingClientRect().top)] ??= []).push(e), rows), {})).map(
			(row) => row.sort((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left).map((e) => e.id))`)
		var seen []string
		for _, row := range rows {
			seen = append(seen, row...)
			if len(row) == 1 && width > 360 {
				t.Errorf("%d pixels wide: %s is alone on a row", width, row[0])
			}
		}
		tabbed := value[[]string](p, `[...document.querySelectorAll('.actions .button')].map((e) => e.id)`)
		if !slices.Equal(seen, tabbed) {
			t.Errorf("%d pixels wide: the eye meets %q, the Tab key %q", width, seen, tabbed)
		}
		if over := value[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%d pixels wide: the page is %d pixels wider", width, over)
		}
	}
	p.screenshot("narrow")
}

// The question before a project goes to the trash has the project's new name.
func TestE2ERenamedProject(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	p := openPage(t, 1280, 720, false, server)
	p.emptyProject(server, "")
	p.clickOn("renaming", "#rename")
	p.until(`document.getElementById('rename-dialog').open`)
	p.fill("#rename-input", "Second try")
	p.press(enter)
	p.until(`document.getElementById('project-name').textContent === 'Second try'`)
	p.clickOn("moving to the trash", "#trash")
	p.until(`document.getElementById('trash-dialog').open`)
	if asked := value[string](p, `document.getElementById('trash-title').textContent`); asked != "Move “Second try” to the trash?" {
		t.Errorf("the page asks %q", asked)
	}
	there := value[string](p, `location.pathname`)
	p.clickOn("moving it", "#trash-dialog button[value=trash]")
	p.until(`location.pathname === '/' && document.querySelector('.toast')?.textContent.includes('Second try')`)
	p.screenshot("moved")
	p.clickOn("undoing", ".toast [data-slot=action]")
	p.until(`location.pathname === '` + there + `' && document.getElementById('project-name')?.textContent === 'Second try'`)
	p.do("going home", chromedp.Navigate(server))
	p.until(`document.getElementById('drop') !== null && document.readyState === 'complete'`)
	if said := value[string](p, `document.getElementById('toasts').textContent`); said != "" {
		t.Errorf("the start page says again: %q", said)
	}
}

// What a card says of its image ends within the card, in windows of all widths.
func TestE2ECardsHoldTheirText(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	p := openPage(t, 1280, 720, false, server)
	p.emptyProject(server, "")
	value[bool](p, `import('`+static.Address("project/imagegrid.js")+`').then(({ImageGrid}) => {
		window.grid = new ImageGrid(() => {});
		grid.show(['started', 'done'].map((status) => ({id: status, name: status + '.jpg', status, decided: 0.25, expected_wrong_area: 0.25, width: 3000, height: 2000, seq: 1, guessed: true})));
		return true;
	})`)
	for _, width := range []int64{1280, 1000, 640, 390, 320} {
		p.resize(width, 700)
		if over := value[[]string](p, `[...document.querySelectorAll('#images .card-meta')].filter((e) => {
			const text = document.createRange();
			text.selectNodeContents(e);
			return text.getBoundingClientRect().right > e.closest('.card').getBoundingClientRect().right;
		}).map((e) => e.innerText)`); len(over) > 0 {
			t.Errorf("%d pixels wide: %q go beyond their cards", width, over)
		}
	}
}

// TestE2EManyProjects: a new project can be made before any of many is passed, and
// those looked for are found by name, with the keyboard alone.
func TestE2EManyProjects(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	for i := range 13 {
		var made struct{ ID string }
		call(t, server+"/api/v1/projects", "application/json", strings.NewReader(fmt.Sprintf(`{"name":"Field %d, %s"}`, i, []string{"Wheat", "Barley"}[i%2])), &made)
	}
	shown := `[...document.querySelectorAll('#projects > .card')].filter((e) => e.checkVisibility()).map((e) => e.querySelector('.card-name').textContent).join('; ')`
	count := `document.getElementById('project-count').textContent`
	for _, size := range [][2]int64{{1280, 720}, {390, 844}} {
		for _, dark := range []bool{false, true} {
			p := openPage(t, size[0], size[1], dark, server)
			p.until(`document.readyState === 'complete'`)
			if !value[bool](p, `document.getElementById('drop').getBoundingClientRect().bottom < document.getElementById('projects').getBoundingClientRect().top`) {
				t.Error("the projects come before the way to make a new one")
			}
			p.focusOn("#files")
			for range 20 {
				if p.press(kb.Tab); value[bool](p, `document.activeElement.matches('#find-project, .card-link')`) {
					break
				}
			}
			p.do("typing a name", chromedp.KeyEvent("field barley"))
			p.until(count + ` === '6 of 13 projects match'`)
			p.do("typing on", chromedp.KeyEvent(" 11"))
			p.until(count + ` === '1 of 13 projects matches' && ` + shown + ` === 'Field 11, Barley'`)
			p.screenshot(fmt.Sprintf("%dx%d dark %t", size[0], size[1], dark))
			p.accessible("found projects", axe(t))
			p.do("typing on", chromedp.KeyEvent("x"))
			p.until(count + ` === 'None of 13 projects match' && ` + shown + ` === ''`)
			p.press(kb.Backspace)
			p.until(count + ` === '1 of 13 projects matches'`)
			p.press(kb.Enter) // stays
			p.clickOn("moving it to the trash", ".card:not([hidden]) .card-trash")
			p.until(count + ` === 'None of 12 projects match'`)
			p.clickOn("undoing", `#toasts [data-slot="action"]:not([hidden])`)
			p.until(count + ` === '1 of 13 projects matches' && ` + shown + ` === 'Field 11, Barley'`)
			p.fill("#find-project", kb.Backspace)
			p.until(count + ` === '13 projects'`)
		}
	}
}

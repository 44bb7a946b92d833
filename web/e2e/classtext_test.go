package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The classes of a project can be typed or pasted before there is an image. Those that
// labels use are renamed when the person confirms it.
func TestE2EClassesAsText(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 1280, 720, false, address)
	project := p.emptyProject(address, `,"classes":[{"name":"background"},{"name":"object","color":"#123456"}]`)
	fill := func(lines string) {
		t.Helper()
		value[bool](p, fmt.Sprintf(`(document.getElementById('classes-lines').value = %s, true)`, quoted(lines)))
		p.clickOn("saving", `#classes-dialog [type=submit]`)
	}
	legend := func(want string) {
		t.Helper()
		p.until(fmt.Sprintf(`!document.getElementById('classes-dialog').open && [...document.querySelectorAll('#legend li')].map((e) => e.innerText.trim()).join() === %s`, quoted(want)))
	}
	p.clickOn("opening the classes", "#edit-classes")
	p.until(`/^background #[0-9a-f]{6}\nobject #123456\n$/.test(document.getElementById('classes-lines').value)`)
	p.screenshot("dialog")
	fill("sky\n\ndry grass #c0a040\nobject\n")
	legend("sky,dry grass,object")
	p.until(`document.getElementById('rest').options[1].text === 'dry grass'`)

	images := uploadTo(t, address, project, [][]byte{tinyPicture(1)})
	p.goToProject(address + "/projects/" + project)
	call(t, address+"/api/v1/images/"+images[0]+"/evidence", "application/json", strings.NewReader(`{"id":"a","expected_seq":0,"kind":"label","class":1,"points":[[5,5]]}`), new(map[string]any))
	p.clickOn("opening the classes again", "#edit-classes")
	p.until(`document.getElementById('classes-lines').value.includes('object #123456')`)
	fill("clouds\nsky\n")
	p.until(`document.getElementById('classes-problem').textContent.includes('labels use it')`)
	p.screenshot("refused")
	fill("thing #123456\nsky\n")
	p.until(`document.getElementById('classes-problem').textContent.includes('“object” become “thing”')`)
	p.screenshot("asked")
	p.do("saving again", chromedp.Evaluate[chromedp.Void](`document.querySelector('#classes-dialog form').requestSubmit()`))
	legend("thing,sky")
	p.clickOn("opening the classes to rename it back", "#edit-classes")
	p.until(`document.getElementById('classes-lines').value.includes('thing #123456')`)
	fill("object #123456\nsky\n")
	p.until(`document.getElementById('classes-problem').textContent.includes('“thing” become “object”')`)
	fill("object #123456\nsky\n")
	legend("object,sky")

	p.clickOn("opening the classes once more", "#edit-classes")
	p.until(`document.getElementById('classes-lines').value.startsWith('object')`)
	value[bool](p, `fetch('/api/v1' + location.pathname + '/classes?format=txt', {method: 'PUT', body: 'object\nsky\nsea\n'}).then((r) => r.ok)`)
	fill("sky\nobject\n")
	p.until(`document.getElementById('classes-problem').textContent.startsWith('Someone else')`)
	p.do("saving again", chromedp.Evaluate[chromedp.Void](`document.querySelector('#classes-dialog form').requestSubmit()`))
	legend("sky,object")
}

package e2e

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// translating translates the page as a browser does: each text goes into elements of its
// own, and so does each that comes later.
const translating = `(() => {
	const translate = (root) => {
		const texts = [];
		for (const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT); walk.nextNode(); ) texts.push(walk.currentNode);
		for (const text of texts.filter((t) => t.nodeValue.trim() && !t.parentElement.closest('font, script, style, textarea'))) {
			const outer = document.createElement('font');
			outer.append(document.createElement('font'));
			outer.firstChild.textContent = '訳' + text.nodeValue;
			text.replaceWith(outer);
		}
	};
	translate(document.body);
	new MutationObserver((changes) => changes.forEach(({target}) => translate(target))).observe(document.body, {childList: true, subtree: true, characterData: true});
	return true;
})()`

// TestE2ETranslated: a page that the browser has translated works, says everything once,
// and doesn't take translations for what people have written.
func TestE2ETranslated(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	var project struct {
		ID, Name string
		Images   []struct{ ID string }
	}
	call(t, address+"/api/v1/sample", "application/json", nil, &project)
	p := openPage(t, 1280, 720, false, address+"/images/"+project.Images[0].ID)
	p.until(`document.getElementById('save').dataset.state === 'saved'`)
	p.clickClasses(sampleTruth(), 0, 1)
	value[bool](p, translating)
	rejects := func(comment string) {
		p.until(fmt.Sprintf(`fetch('/api/v1/projects/%s/reviews', {method: 'PUT', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({images: [%q], status: 'rejected', comment: %q})}).then((r) => r.ok)`, project.ID, project.Images[0].ID, comment))
	}
	rejects("The rim is missing.")
	p.until(`document.querySelector('#toasts .toast') !== null`)
	p.clickOn("hiding the message", `#toasts [data-slot="close"]`)
	p.until(`document.querySelector('#toasts .toast') === null`)
	value[bool](p, `(globalThis.written = 0, new MutationObserver((changes) => written += changes.length).observe(document.getElementById('status'), {childList: true}), true)`)
	rejects("The rim is missing.")
	for i := range 4 {
		p.press(strconv.Itoa(1 + i%2))
		value[bool](p, `new Promise((done) => setTimeout(() => done(true), 300))`)
	}
	if value[bool](p, `document.querySelector('#toasts .toast') !== null`) {
		t.Error("a comment that hasn't changed is said again")
	}
	if written := value[int](p, `written`); written > 0 {
		t.Errorf("the state is written %d times although it stays the same", written)
	}

	p.do("going to the project", chromedp.Navigate(address+"/projects/"+project.ID))
	value[bool](p, translating)
	p.clickOn("renaming", "#rename")
	if name := value[string](p, `document.getElementById('rename-input').value`); name != project.Name {
		t.Errorf("the name to change is %q, want %q", name, project.Name)
	}
}

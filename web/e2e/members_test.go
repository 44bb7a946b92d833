package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// member gives a user a role in the project of the image that the page shows.
func (p *page) member(name, role string) {
	p.t.Helper()
	call := fmt.Sprintf(`fetch('/api/v1/projects/' + document.getElementById('app').dataset.project + '/members/%s', {method: 'PUT', headers: {'Content-Type': 'application/json'}, body: '{"role":%q}'}).then(r => r.status)`, name, role)
	if status := value[int](p, call); status != 200 {
		p.t.Fatalf("%s as %s: %d", name, role, status)
	}
}

// The owner of a project chooses its members with the keyboard alone. People who
// aren't members see nothing of it; a removed member is disconnected at once.
func TestE2EMembers(t *testing.T) {
	t.Parallel()
	source := axe(t)
	address := serveTeam(t)
	p := openPage(t, 1280, 800, false, address)
	p.signIn("admin", "correct horse")
	p.trySample()
	image := value[string](p, `location.href`)
	project := address + "/projects/" + value[string](p, `document.getElementById('app').dataset.project`)

	user := openPage(t, 390, 844, true, image)
	user.signIn("annotator", "correct horse")
	user.until(`document.querySelector('.problem-status')?.textContent === '404'`)
	user.do("going to the start", chromedp.Navigate(address))
	user.until(`document.querySelector('.projects p')?.textContent.includes('Ask the owner of a project')`)

	p.do("opening the project", chromedp.Navigate(project))
	p.until(`!document.getElementById('images').hasAttribute('aria-busy')`)
	p.focusOn("#members")
	p.press(kb.Enter)
	p.until(`document.getElementById('members-dialog').open && !document.getElementById('members-none').hidden`)
	p.fill("#members-name", "nobody")
	p.press(kb.Enter)
	p.until(`document.getElementById('members-state').textContent.includes("doesn't exist") && document.querySelector('#members-state.problem-text') !== null`)
	p.fill("#members-name", "annotator")
	p.press(kb.Enter)
	p.until(`document.querySelector('.member-name')?.textContent === 'annotator' && document.getElementById('members-state').textContent.endsWith("a member now: annotator.") && !document.querySelector('#members-state.problem-text')`)
	value[bool](p, `(document.querySelector('#members-add select').value = 'viewer', true)`)
	p.fill("#members-name", "ANNOTATOR")
	p.press(kb.Enter)
	p.until(`document.getElementById('members-state').textContent.startsWith('annotator is a member already: annotator.') && document.querySelector('.member select').value === 'annotator'`)
	apart := value[[]float64](p, `['.member', '#members-add'].map((row) => {
		const middles = [...document.querySelectorAll(row + ' :is(.member-name, select, input, button)')].map((e) => e.getBoundingClientRect()).map((b) => (b.top + b.bottom) / 2);
		return Math.max(...middles) - Math.min(...middles);
	})`)
	if max(apart[0], apart[1]) > 10 {
		t.Errorf("a member or adding one takes more than a line: %v pixels apart", apart)
	}
	p.accessible("members", source)
	p.screenshot("members-light")

	user.do("opening the image", chromedp.Navigate(image))
	user.until(`document.getElementById('save')?.dataset.state === 'saved' && document.querySelector('.topbar-end > .tag')?.textContent !== 'View only'`)
	ownClasses := func(want bool) {
		t.Helper()
		if got := value[bool](user, `!document.getElementById('add-class').hidden && !document.querySelector('.class-more').hidden`); got != want {
			t.Errorf("the page offers to change the classes: %t, want %t", got, want)
		}
	}
	ownClasses(false)

	p.press(kb.Tab, kb.ModifierShift) // from the name to the cross of the last member, and on to the role
	p.press(kb.Tab, kb.ModifierShift)
	p.do("holding the clock", chromedp.Evaluate[chromedp.Void](`void (() => {
		const {setTimeout, clearTimeout, fetch} = window;
		window.setTimeout = (act, ms) => (ms === 400 ? (window.late = act, -1) : setTimeout(act, ms));
		window.clearTimeout = (id) => (id === -1 ? window.late = null : clearTimeout(id));
		window.sent = [];
		window.fetch = (address, wish) => (wish?.method === 'PUT' && window.sent.push(wish.body), fetch(address, wish));
	})()`))
	p.press(kb.ArrowUp) // through the roles in between, which nobody gets
	p.press(kb.ArrowUp)
	p.press("o")
	p.do("letting it go on", chromedp.Evaluate[chromedp.Void](`void window.late()`))
	p.until(`document.getElementById('members-state').textContent.includes('owner')`)
	if sent := value[[]string](p, `window.sent`); len(sent) != 1 {
		t.Errorf("the roles %q were given, want one", sent)
	}
	user.until(`document.getElementById('save')?.dataset.state === 'saved' && !document.getElementById('add-class').hidden`) // the page is loaded again
	user.do("opening the project", chromedp.Navigate(project))
	user.until(`document.getElementById('members')?.checkVisibility()`)
	if astray := value[bool](user, `(([name, rename, exporting]) => exporting.left < name.left - 0.5 || exporting.top > rename.top + 0.5)(['project-name', 'rename', 'export'].map((id) => document.getElementById(id).getBoundingClientRect()))`); astray {
		t.Error("the button for exports is not in the first row of buttons, or sticks out at the left")
	}
	user.clickOn("the members", "#members")
	user.until(`document.querySelector('.member select')?.value === 'owner'`)
	user.screenshot("members-phone")
	if wide := value[bool](user, `[document.documentElement, document.getElementById('members-dialog')].some((e) => e.scrollWidth > e.clientWidth)`); wide {
		t.Error("the page or the dialog scrolls sideways on a phone")
	}
	user.do("opening the image", chromedp.Navigate(image))
	user.until(`document.getElementById('save')?.dataset.state === 'saved'`)
	ownClasses(true)

	p.press(kb.Tab) // from the role to the cross
	p.press(kb.Enter)
	p.until(`!document.getElementById('members-none').hidden && document.getElementById('members-state').textContent.includes('removed')`)
	user.until(`document.querySelector('.problem-status')?.textContent === '404'`)
}

// TestE2EStepDown: the only owner of a project stays one; an owner among others is
// asked before they give that up, and then sees the page as what they are.
func TestE2EStepDown(t *testing.T) {
	t.Parallel()
	address := serveTeam(t)
	admin := openPage(t, 1280, 800, false, address)
	admin.signIn("admin", "correct horse")
	admin.trySample()
	admin.member("annotator", "owner")
	p := openPage(t, 1280, 800, false, address+"/projects/"+value[string](admin, `document.getElementById('app').dataset.project`))
	p.signIn("annotator", "correct horse")
	own := `document.querySelector('[data-member="annotator"] select')`
	choose := func(role string) {
		p.until(own + ` !== null`)
		value[bool](p, `(() => { const own = `+own+`; own.value = '`+role+`'; return own.dispatchEvent(new Event('change')); })()`)
	}
	p.clickOn("the members", "#members")
	choose("viewer")
	p.until(`document.getElementById('members-state').textContent.startsWith('This is the only owner') && ` + own + `.value === 'owner'`)
	p.fill("#members-name", "viewer")
	value[bool](p, `(document.querySelector('#members-add select').value = 'owner', true)`)
	p.clickOn("adding another owner", "#members-add button")
	p.until(`document.querySelector('[data-member="viewer"] select')?.value === 'owner'`)
	choose("annotator")
	p.clickOn("staying", `#step-down-dialog[open] [data-close]`)
	p.until(`!document.getElementById('step-down-dialog').open && ` + own + `.value === 'owner'`)
	choose("annotator")
	p.screenshot("step-down")
	p.clickOn("stepping down", `#step-down-dialog[open] [value="step-down"]`)
	p.until(`document.readyState === 'complete' && !document.getElementById("members")?.checkVisibility() && !document.querySelector("dialog[open]") && document.getElementById("export").checkVisibility()`)
}

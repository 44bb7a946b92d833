package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// serveTeam runs a server that asks for a login, with an admin and two users whose
// names are the roles that they will get in a project, and returns its address.
func serveTeam(t *testing.T) string {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "data")
	for name, role := range map[string]string{"admin": "admin", "annotator": "user", "viewer": "user"} {
		add := exec.Command(program, "users", "add", name, "--role", role, "--data", data)
		add.Stdin = strings.NewReader("correct horse\n")
		if out, err := add.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return serve(t, data, "--auth")
}

// signIn fills in the login page.
func (p *page) signIn(name, password string) {
	p.t.Helper()
	p.fill("input[name=name]", name)
	p.fill("input[name=password]", password)
	p.clickOn("signing in", "main button[type=submit]")
}

// scripts switches JavaScript on or off.
func (p *page) scripts(on bool) {
	p.t.Helper()
	p.do("switching scripts", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
		return err
	}))
}

// A team's day: sign in without JavaScript, add a user, work, be signed out in
// another tab, sign in again, and lose nothing.
func TestE2ETeam(t *testing.T) {
	t.Parallel()
	address := serveTeam(t)
	p := openPage(t, 390, 844, false, address+"/users")
	p.screenshot("login-phone")
	p.scripts(false)
	p.do("loading again", chromedp.Navigate(address+"/users"))
	p.signIn("admin", "wrong password")
	p.until(`document.querySelector('[role=alert]')?.textContent.includes('Wrong name or password')`)
	p.screenshot("login-wrong")
	p.signIn("admin", "correct horse")
	p.until(`location.pathname === '/users' && document.querySelectorAll('.user').length === 3`)
	p.fill("main > form [name=name]", "zoe")
	p.fill("main > form input[name=password]", "correct horse")
	p.clickOn("adding a user", "main > form button")
	p.until(`document.querySelectorAll('.user').length === 4 && document.querySelector('[role=status]').textContent.includes('added')`)
	p.scripts(true)
	p.clickOn("opening a user", ".user:last-child summary")
	p.until(`document.querySelector('.user:last-child details').open`)
	p.screenshot("users-phone")
	if wide := value[bool](p, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the page of users scrolls sideways on a phone")
	}

	p.do("going to the start", chromedp.Navigate(address))
	p.screenshot("start-phone")
	if wide := value[bool](p, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the start page scrolls sideways on a phone")
	}
	p.trySample()
	image := value[string](p, `location.href`)

	// Signed out elsewhere, the page says so, keeps the edits, and goes on.
	value[int](p, `fetch('/logout', {method: 'POST', redirect: 'manual'}).then(r => r.status)`)
	p.until(`document.getElementById('status').textContent.startsWith('Signed out')`)
	truth := sampleTruth()
	p.press("1")
	p.click(insideOf(t, truth, 0))
	p.until(`!document.getElementById('sign-in').hidden && document.getElementById('save').dataset.state === 'signed-out'`)
	value[int](p, `fetch('/login', {method: 'POST', redirect: 'manual', headers: {'Content-Type': 'application/x-www-form-urlencoded'}, body: 'name=admin&password=correct+horse'}).then(r => r.status)`)
	p.until(`document.getElementById('save').dataset.state === 'saved'`)
	if n := value[int](p, `fetch('/api/v1/images/' + document.getElementById('app').dataset.image + '/evidence').then(r => r.json()).then(e => e.events.length)`); n != 1 {
		t.Errorf("%d events are stored, want the click made while signed out", n)
	}

	// A viewer sees the role, and is offered no new projects.
	p.member("viewer", "viewer")
	viewer := openPage(t, 1280, 800, true, image)
	viewer.screenshot("login-dark")
	viewer.signIn("viewer", "correct horse")
	viewer.until(`document.getElementById('save')?.dataset.state === 'saved' && document.querySelector('.topbar-end > .tag')?.textContent === 'View only'`)
	for other, page := range map[string]*page{"admin": viewer, "viewer": p} {
		page.until(`document.getElementById('company').checkVisibility() && document.getElementById('company').title === '` + other + ` has this image open, too'`)
	}
	viewer.press("2")
	viewer.click(insideOf(t, truth, 1))
	viewer.until(`document.querySelector('.toast')?.textContent.includes('View only')`)
	viewer.press("x")
	if value[bool](viewer, `document.getElementById('alternatives').checkVisibility()`) {
		t.Error("a viewer is offered to label a region")
	}
	viewer.press("n")
	viewer.until(`[...document.querySelectorAll('.toast')].some((e) => e.textContent.includes('Only owners of a project can change its classes'))`)
	if said := value[string](viewer, `document.getElementById('announcer').textContent`); strings.Contains(said, "superpixel") { // as it would be of a click that counts
		t.Errorf("after a viewer's click the page says %q", said)
	}
	offered := value[[]string](viewer, `[...document.querySelectorAll('.class-grip, .class-more, .class-color, .class-input, #classes-menu [data-do=import], #accept')]
		.filter((e) => e.checkVisibility() && !e.disabled).map((e) => e.className || e.id)`)
	if len(offered) > 0 {
		t.Errorf("a viewer is offered %q", offered)
	}
	if wide := value[bool](viewer, `document.getElementById('classes').scrollWidth > document.getElementById('classes').clientWidth`); wide {
		t.Error("the list of classes scrolls sideways without its menus")
	}
	viewer.press("p")
	if off := value[float64](viewer, `Math.max(...[...document.querySelectorAll('.class-row')].map((row) => Math.abs(
		row.getBoundingClientRect().left + parseFloat(getComputedStyle(row, '::before').left) - row.querySelector('.class-color').getBoundingClientRect().left)))`); !(off < 1) {
		t.Errorf("without the grips of owners, patterns are %.1f pixels beside the colours of their classes", off)
	}
	viewer.press("p")
	viewer.screenshot("annotate-viewer")
	viewer.resize(390, 844)
	if room := value[float64](viewer, `document.querySelector('.image-name').offsetWidth`); room < 60 {
		t.Errorf("on a phone a viewer's page has %.0f pixels for the name of the image", room)
	}
	viewer.screenshot("annotate-viewer-phone")

	// Who can't open the trash is not offered to.
	value[int](p, `fetch('/api/v1/images/' + document.getElementById('app').dataset.image, {method: 'DELETE'}).then(r => r.status)`)
	for role, page := range map[string]*page{"viewer": viewer, "admin": p} {
		page.until(`[...document.querySelectorAll('.toast')].some((e) => e.textContent.includes('moved to the trash'))`)
		if offered := value[bool](page, `[...document.querySelectorAll('.toast-action')].some((e) => e.checkVisibility() && e.textContent === 'Open the trash')`); offered != (role == "admin") {
			t.Errorf("the %s is offered to open the trash: %v", role, offered)
		}
	}
	viewer.do("going to the start", chromedp.Navigate(address))
	viewer.until(`document.querySelector('.card') !== null && document.querySelector('.hero').hidden`)
	viewer.screenshot("start-viewer")
	viewer.clickOn("opening the account", ".who")
	viewer.until(`document.querySelector('h1')?.textContent === 'viewer'`)
	viewer.screenshot("account-dark")
	viewer.do("opening the users", chromedp.Navigate(address+"/users"))
	viewer.until(`document.querySelector('.problem h1')?.textContent === 'Not allowed'`)
}

// An admin adds two users by name; one of them chooses a password on a phone with the
// link, without JavaScript, and is signed in.
func TestE2EInvitation(t *testing.T) {
	t.Parallel()
	source := axe(t)
	address := serveTeam(t)
	p := openPage(t, 1280, 800, false, address+"/users")
	p.signIn("admin", "correct horse")
	p.fill("form[action='/users'] [name=name]", "zoe\nyan")
	p.clickOn("adding users", "form[action='/users'] button")
	p.until(`document.activeElement?.matches('textarea.secret') ?? false`)
	links := strings.Split(value[string](p, `document.activeElement.value`), "\n")
	if len(links) != 2 || !strings.HasPrefix(links[0], "zoe\t"+address+"/join?with=") || !strings.HasPrefix(links[1], "yan\t") {
		t.Fatalf("links %q", links)
	}
	p.accessible("invitations", source)
	p.screenshot("invitations-light")
	p.resize(390, 844)
	if wide := value[bool](p, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the page of users scrolls sideways on a phone with links")
	}
	p.screenshot("invitations-phone")

	_, link, _ := strings.Cut(links[0], "\t")
	zoe := openPage(t, 390, 844, true, link)
	zoe.accessible("join", source)
	zoe.screenshot("join-phone-dark")
	zoe.scripts(false)
	zoe.fill("input[name=password]", "correct horse")
	zoe.clickOn("choosing a password", "main form button")
	zoe.until(`location.pathname === '/' && document.querySelector('.who-name')?.textContent === 'zoe'`)
	zoe.do("opening the link again", chromedp.Navigate(link))
	zoe.until(`document.querySelector('.problem')?.textContent.includes('Ask an admin for another one')`)
	zoe.screenshot("join-used")
}

// After signing out on a shared computer, pictures that only members may see are no
// longer in the browser.
func TestE2ESignOutForgetsPictures(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 800, false, serveTeam(t))
	p.signIn("admin", "correct horse")
	p.trySample()
	picture := fmt.Sprintf(`fetch(%q, {cache: 'only-if-cached', mode: 'same-origin'}).then((r) => r.ok, () => false)`, value[string](p, `performance.getEntriesByType('resource').map((e) => e.name).find((name) => name.includes('/display'))`))
	p.until(picture)
	value[int](p, `fetch('/logout', {method: 'POST', redirect: 'manual'}).then((r) => r.status)`)
	p.until(picture + ".then((kept) => !kept)")
}

// TestE2EChangedWhileOffline: a page notices when it connects again that its person's
// role has changed meanwhile, or that they were removed from the project.
func TestE2EChangedWhileOffline(t *testing.T) {
	t.Parallel()
	address := serveTeam(t)
	p := openPage(t, 1280, 720, false, address)
	p.signIn("admin", "correct horse")
	p.trySample()
	p.member("annotator", "annotator")
	user := openPage(t, 1280, 720, false, "about:blank")
	user.do("making sockets that can be cut off", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
			Source: `window.WebSocket = class extends WebSocket {
				constructor(url) {
					super(window.off ? 'ws://127.0.0.1:9/' : url);
					window.last = this;
				}
			}`,
		})
		return err
	}))
	user.do("opening the image", chromedp.Navigate(value[string](p, `location.href`)))
	user.signIn("annotator", "correct horse")
	user.until(opened)
	cutOff := func() {
		user.do("cutting off", chromedp.Evaluate[chromedp.Void](`window.off = true; window.last.close()`))
		user.until(offline)
	}
	connect := func() { user.do("connecting", chromedp.Evaluate[chromedp.Void](`window.off = false`)) }

	cutOff()
	p.member("annotator", "viewer")
	connect()
	user.until(opened + ` && document.querySelector('.topbar-end > .tag')?.textContent === 'View only'`)

	cutOff()
	if status := value[int](p, `fetch('/api/v1/projects/' + document.getElementById('app').dataset.project + '/members/annotator', {method: 'DELETE'}).then((r) => r.status)`); status != 204 {
		t.Fatalf("removing the member: %d", status)
	}
	connect()
	user.until(`document.querySelector('.problem-status')?.textContent === '404'`)
	user.screenshot("removed")
}

// axe looks at the pages about users.
func TestE2ETeamAccessible(t *testing.T) {
	t.Parallel()
	source := axe(t)
	address := serveTeam(t)
	for _, dark := range []bool{false, true} {
		p := openPage(t, 1280, 800, dark, address)
		p.accessible("login", source)
		p.signIn("admin", "wrong password")
		p.until(`document.querySelector('[role=alert]') !== null`)
		p.accessible("login, wrong password", source)
		p.signIn("admin", "correct horse")
		p.until(`document.getElementById('sample') !== null`)
		p.accessible("start", source)
		p.do("opening the users", chromedp.Navigate(address+"/users"))
		p.clickOn("opening a user", ".user:last-child summary")
		p.accessible("users", source)
		p.screenshot(map[bool]string{false: "users-light", true: "users-dark"}[dark])
		p.do("opening the account", chromedp.Navigate(address+"/account"))
		p.accessible("account", source)
		p.do("opening the audit log", chromedp.Navigate(address+"/audit"))
		p.until(`document.querySelectorAll('.audit tbody tr').length > 4`)
		p.accessible("audit log", source)
	}
}

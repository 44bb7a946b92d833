package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// serveTeam runs a server that asks for a login, with users whose names are
// their roles, and returns its address.
func serveTeam(t *testing.T) string {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "data")
	for _, role := range []string{"admin", "annotator", "viewer"} {
		add := exec.Command(program, "users", "add", role, "--role", role, "--data", data)
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
	p.fill("main > form input[name=name]", "zoe")
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

	// Signed out elsewhere, the page says so, keeps what is done, and goes on.
	value[int](p, `fetch('/logout', {method: 'POST', redirect: 'manual'}).then(r => r.status)`)
	p.until(`document.getElementById('status').textContent.includes('You are signed out')`)
	truth := sampleTruth()
	p.press("1")
	p.click(insideOf(t, truth, 0))
	p.until(`document.getElementById('save').dataset.state === 'offline'`)
	value[int](p, `fetch('/login', {method: 'POST', redirect: 'manual', headers: {'Content-Type': 'application/x-www-form-urlencoded'}, body: 'name=admin&password=correct+horse'}).then(r => r.status)`)
	p.until(`document.getElementById('save').dataset.state === 'saved'`)
	if n := value[int](p, `fetch('/api/v1/images/' + document.getElementById('app').dataset.image + '/evidence').then(r => r.json()).then(e => e.events.length)`); n != 1 {
		t.Errorf("%d events are stored, want the click made while signed out", n)
	}

	// A viewer is told so, and offered no new projects.
	viewer := openPage(t, 1280, 800, true, image)
	viewer.screenshot("login-dark")
	viewer.signIn("viewer", "correct horse")
	viewer.until(`document.getElementById('save')?.dataset.state === 'saved' && document.querySelector('.topbar .tag')?.textContent === 'View only'`)
	viewer.press("2")
	viewer.click(insideOf(t, truth, 1))
	viewer.until(`document.querySelector('.toast')?.textContent.includes('View only')`)
	viewer.press("n")
	viewer.until(`[...document.querySelectorAll('.toast')].some((e) => e.textContent.includes('Only admins can change the classes'))`)
	offered := value[[]string](viewer, `[...document.querySelectorAll('.class-grip, .class-more, .class-color, .class-input, #classes-menu [data-do=import], #accept')]
		.filter((e) => e.checkVisibility() && !e.disabled).map((e) => e.className || e.id)`)
	if len(offered) > 0 {
		t.Errorf("a viewer is offered %q", offered)
	}
	viewer.screenshot("annotate-viewer")
	viewer.do("going to the start", chromedp.Navigate(address))
	viewer.until(`document.querySelector('.card') !== null && document.querySelector('.hero').hidden`)
	viewer.screenshot("start-viewer")
	viewer.clickOn("opening the account", ".who")
	viewer.until(`document.querySelector('h1')?.textContent === 'viewer'`)
	viewer.screenshot("account-dark")
	viewer.do("opening the users", chromedp.Navigate(address+"/users"))
	viewer.until(`document.querySelector('.problem-status')?.textContent === '404'`)
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
	}
}

package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// spoken lists what a screen reader says of all elements of a role: the name, the
// description after a semicolon, and whether the entry is invalid.
func (p *page) spoken(role string) []string {
	p.t.Helper()
	var all []string
	p.do("reading the accessibility tree", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		tree, err := chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			return err
		}
		text := func(v *accessibility.Value) (s string) {
			if v != nil {
				_ = json.Unmarshal(v.Value, &s)
			}
			return s
		}
		for _, n := range tree.Nodes {
			if n.Ignored || text(n.Role) != role {
				continue
			}
			says := text(n.Name) + "; " + text(n.Description)
			for _, property := range n.Properties {
				if property.Name == accessibility.PropertyNameInvalid && text(property.Value) != "false" {
					says += "; invalid entry"
				}
			}
			all = append(all, says)
		}
		return nil
	}))
	return all
}

// TestE2ESpokenCards: a screen reader says of the card of an image or a project
// what the card says, without the bare number of its bar, and of a place to drop
// files its hint once.
func TestE2ESpokenCards(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	name := value[string](p, `document.getElementById('app').dataset.name`)
	size := value[string](p, `(({width, height}) => width + ' × ' + height)(document.getElementById('app').dataset)`)
	says := func(role, want string) {
		t.Helper()
		if all := p.spoken(role); !slices.Contains(all, want) {
			t.Errorf("of each %s is said %q, want among them %q", role, all, want)
		}
	}
	says("list", "Classes; ")
	p.press("y")
	p.until(`document.activeElement.matches('#history-list .step')`)
	says("list", "History; ")
	p.clickOn("going to the project", `a[href^="/projects/"]`)
	p.until(`document.querySelector('#images .card') !== null`)
	says("link", name+" Untouched "+size+"; ")
	says("button", "Add images Drop, paste or choose images or zip files; ")
	p.clickOn("opening the import", "#import")
	p.until(`document.activeElement.id === 'import-files'`)
	for _, said := range p.spoken("button") {
		if strings.Contains(said, "invalid") {
			t.Errorf("before any file is chosen is said %q", said)
		}
	}
	p.press(kb.Escape)
	project := value[string](p, `document.getElementById('project-name').textContent`)
	p.clickOn("going to the start page", `.crumbs a`)
	p.until(`document.querySelector('main a[href^="/projects/"]') !== null`)
	says("link", project+" 1 image 0 done; ")
}

// TestE2ETabStops: all that the Tab key stops at on the annotation page is a
// control with a name. Before the first click the strip has none.
func TestE2ETabStops(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.focusOn("#strip-handle")
	for range 4 {
		p.press(kb.Tab)
		if at := value[string](p, `document.activeElement.closest('[aria-hidden]')?.outerHTML.slice(0, 80) ?? ''`); at != "" {
			t.Errorf("the Tab key stops at %s, which screen readers don't know", at)
		}
	}
}

// TestE2ESpokenMessages: what a message says, the region for screen readers
// doesn't repeat, and the person hears when the server is gone and when it has
// everything.
func TestE2ESpokenMessages(t *testing.T) {
	t.Parallel()
	server := startCrashingServer(t)
	p := openPage(t, 1280, 720, false, "http://"+server.address)
	p.trySample()
	p.listen()
	p.clickClasses(sampleTruth(), 0, 1, 2)
	p.press(".")
	p.press(enter)
	p.until(`/^Accepted/.test(` + notice + `.trim())`)
	p.settle()
	if !value[bool](p, `document.querySelector('.toast').closest('[aria-live=polite]') !== null`) {
		t.Error("screen readers don't know of the message")
	}
	if again := value[[]string](p, `window.heard.filter((text) => text.startsWith('Accepted'))`); len(again) > 0 {
		t.Errorf("besides the message, %q is said", again)
	}
	server.kill()
	p.hears("^Offline. Your edits are kept")
	time.Sleep(1500 * time.Millisecond) // longer than the pause before the outcome of a run is said
	if again := value[[]string](p, `window.heard.filter((text) => text.startsWith('Offline'))`); len(again) > 0 {
		t.Errorf("%q is said a second time", again)
	}
	server.start()
	p.hears("^Saved$")
}

// TestE2ESpokenKeys: what a key has changed is said, as the button that shows it is
// out of sight for those who hear the page.
func TestE2ESpokenKeys(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.listen()
	for _, step := range [][2]string{
		{"b", "^Brush, \\d+ pixels$"},
		{"]", "^Brush width \\d+ pixels$"},
		{"q", "^Exact-pixel mode on$"},
		{"e", "^Eraser, "},
		{"v", "^Polygon$"},
		{"s", "^Superpixels$"},
		{"g", "^Superpixel boundaries off$"},
		{"g", "^Superpixel boundaries on$"},
		{"h", "^Labelling off$"},
		{"h", "^Labelling on$"},
		{"j", "^Labelling opacity \\d+.%$"},
	} {
		p.press(step[0])
		p.hears(step[1])
	}
}

// TestE2ESpokenSlider: of a slider that is moved, a screen reader says its value, and
// not again the number beside it.
func TestE2ESpokenSlider(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.press("c")
	p.until(`!document.getElementById('tones-panel').hidden`)
	for _, id := range value[[]string](p, `[...document.querySelectorAll('#tones-panel output')].filter((o) => o.ariaLive !== 'off').map((o) => o.id)`) {
		t.Errorf("#%s speaks at each step of its slider", id)
	}
}

// TestE2ESpokenForms: a page that answers a form says what came of it, as alerts
// that a page comes with are not read: with the field that has the focus on the
// page to sign in, else by getting the focus.
func TestE2ESpokenForms(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, serveTeam(t)+"/users")
	p.signIn("admin", "wrong password")
	p.until(`document.querySelector('[role=alert]') !== null && document.activeElement.matches('[name=password]')`)
	if said := p.spoken("textbox"); !slices.Contains(said, "Password; Wrong name or password.") {
		t.Errorf("of the fields is said %q", said)
	}
	p.signIn("admin", "correct horse")
	for _, add := range [][2]string{{"annotator", "alert"}, {"someone", "status"}} {
		p.fill("[aria-labelledby=add-title] [name=name]", add[0])
		p.fill("[aria-labelledby=add-title] [name=password]", "correct horse")
		p.press(enter)
		p.until(`document.activeElement.role === '` + add[1] + `'`)
	}
}

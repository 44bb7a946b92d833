package e2e

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// axe returns the source of axe-core, and skips the test where npm ci has not
// been run.
func axe(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "..", "static", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Skip("skipped: checking accessibility needs axe-core, which npm ci in static/ installs")
	}
	return string(source)
}

// violation is a finding of axe with the elements that it is about.
type violation struct {
	ID    string
	Help  string
	Nodes []struct {
		HTML           string
		Target         []any
		FailureSummary string
	}
}

// accessible has axe look at the page as it is, by the rules of WCAG 2.2 AA.
func (p *page) accessible(what, source string) {
	p.t.Helper()
	p.accessibleIn("document", what, source)
}

// faded ends with what fades at the moment: axe would measure the contrast on the way.
// A spinner never ends.
const faded = `Promise.allSettled(document.getAnimations().filter((a) => isFinite(a.effect?.getComputedTiming().endTime)).map((a) => a.finished))`

// accessibleIn has axe look at a part of the page, given by an expression.
func (p *page) accessibleIn(part, what, source string) {
	p.t.Helper()
	if !value[bool](p, `typeof axe === 'object'`) {
		value[bool](p, source+"; true")
	}
	found := value[[]violation](p, faded+`.then(() => axe.run(`+part+`, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations']})).then(
		({violations}) => violations.map(({id, help, nodes}) => ({ID: id, Help: help, Nodes: nodes.map((n) => ({HTML: n.html, Target: n.target, FailureSummary: n.failureSummary}))})))`)
	for _, v := range found {
		var nodes strings.Builder
		for _, n := range v.Nodes {
			fmt.Fprintf(&nodes, "\n\t%v %s\n\t\t%s", n.Target, n.HTML, strings.ReplaceAll(n.FailureSummary, "\n", " "))
		}
		p.t.Errorf("%s: %s (%s)%s", what, v.Help, v.ID, nodes.String())
	}
}

// dialogs opens every dialog of the page in turn and looks at it.
func (p *page) dialogs(what, source string) {
	p.t.Helper()
	for _, id := range value[[]string](p, `[...document.querySelectorAll('dialog')].map(d => d.id)`) {
		open := fmt.Sprintf(`(() => { const d = document.getElementById(%q); if (!d.open) d.showModal(); return true; })()`, id)
		value[bool](p, open)
		p.accessibleIn(fmt.Sprintf("document.getElementById(%q)", id), what+", "+id, source) // the page behind it has been looked at
		value[bool](p, fmt.Sprintf(`(document.getElementById(%q).close(), true)`, id))
	}
}

// faint lists the placeholders of fields with a contrast below 4.5:1, at which axe
// doesn't look.
const faint = `(() => {
	const pixel = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
	const luminance = (color) => {
		pixel.fillStyle = color;
		pixel.fillRect(0, 0, 1, 1);
		const [r, g, b] = [...pixel.getImageData(0, 0, 1, 1).data].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const plain = (color) => color === 'rgba(0, 0, 0, 0)';
	return [...document.querySelectorAll('[placeholder]')].flatMap((field) => {
		let behind = field;
		while (plain(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
		const [dark, light] = [getComputedStyle(field, '::placeholder').color, getComputedStyle(behind).backgroundColor].map(luminance).sort((a, b) => a - b);
		const contrast = (light + 0.05) / (dark + 0.05);
		return contrast < 4.5 ? [field.id + ' ' + contrast.toFixed(2)] : [];
	});
})()`

// TestE2EAccessible has axe look at every page, in both themes, at rest and in
// use, with every dialog.
func TestE2EAccessible(t *testing.T) {
	t.Parallel()
	source := axe(t)
	truth := sampleTruth()
	for _, dark := range []bool{false, true} {
		theme := map[bool]string{false: "light", true: "dark"}[dark]
		t.Run(theme, func(t *testing.T) {
			address := startServer(t)
			p := openPage(t, 1280, 720, dark, address)
			p.until(`document.getElementById('sample') !== null`)
			p.accessible("start", source)
			p.trySample()
			p.accessible("annotate, nothing clicked", source)
			p.dialogs("annotate", source)
			p.clickClasses(truth, 0, 1, 2)
			p.accessible("annotate, alternatives", source)
			p.press("u")
			p.press("w")
			p.until(`!document.getElementById('asking').hidden`)
			p.accessible("annotate, next click and uncertainty", source)
			p.press("x")
			p.until(`!document.getElementById('alternatives').hidden`)
			p.accessible("annotate, alternatives of a region", source)
			p.press(kb.Escape)
			p.press("x")
			p.until(`document.activeElement?.classList.contains('alternative')`)
			p.press(kb.ArrowUp)
			p.press(enter)
			p.until(supposing)
			p.accessible("annotate, what if a region were of another class", source)

			p.press(kb.Escape)
			p.press("c")
			p.press("p")
			p.until(`!document.getElementById('tones-panel').hidden`)
			p.accessible("annotate, brightness and patterns", source)
			p.press("v")
			p.click(image.Pt(600, 200))
			p.press(kb.ArrowRight)
			p.until(`!document.getElementById('polygon-actions').hidden`)
			p.accessible("annotate, a polygon by keys", source)
			p.press(kb.Escape)

			opened := value[string](p, `location.pathname`)
			project := value[string](p, `document.querySelector('.crumbs a').getAttribute('href')`)
			for _, path := range []string{"/", project, "/api", "/trash", "/images/none"} {
				p.do("going to "+path, chromedp.Navigate(address+path))
				p.until(`document.readyState === 'complete'`)
				p.accessible(path, source)
				p.dialogs(path, source)
				for _, field := range value[[]string](p, faint) {
					t.Errorf("%s: the placeholder of %s:1 is too faint", path, field)
				}
			}
			p.resize(390, 844)
			p.do("going back", chromedp.Navigate(address+opened))
			p.settle()
			p.accessible("annotate on a phone", source)
		})
		t.Run(theme+", signing in", func(t *testing.T) {
			address := serveTeam(t)
			p := openPage(t, 1280, 720, dark, address+"/users")
			p.until(`document.querySelector('input[name=password]') !== null`)
			p.accessible("login", source)
			p.signIn("admin", "wrong password")
			p.until(`document.querySelector('[role=alert]') !== null`)
			p.accessible("login that failed", source)
			p.signIn("admin", "correct horse")
			p.until(`document.readyState === 'complete' && document.querySelectorAll('.user').length === 3`)
			p.do("opening a user", chromedp.Evaluate[chromedp.Void](`document.querySelector('.user:last-child summary').click()`))
			p.accessible("users", source)
		})
	}
}

// TestE2EForcedColours: with the system's high contrast the colours of the classes
// stay, and what is active or selected differs from what is not.
func TestE2EForcedColours(t *testing.T) {
	t.Parallel()
	p := openPicture(t, 500, 375)
	force := func(value string) {
		p.do("forcing colours", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: value}, {Name: "prefers-reduced-motion", Value: "reduce"}},
			})
			return err
		}))
	}
	differ := func(what, a, b string) {
		t.Helper()
		const look = `((selector, part) => { const {backgroundColor, color, borderColor, borderWidth, outlineStyle, outlineColor, outlineWidth} = getComputedStyle(document.querySelector(selector), part); return [backgroundColor, color, borderColor, borderWidth, outlineStyle, outlineColor, outlineWidth].join(); })`
		if value[bool](p, fmt.Sprintf(`%s(%s) === %s(%s)`, look, a, look, b)) {
			t.Errorf("forced colours: %s looks like what is not", what)
		}
	}
	p.press("b")
	p.press("3")
	force("active")
	p.screenshot("annotate")
	differ("the active tool", `'[data-tool=brush]'`, `'[data-tool=eraser]'`)
	differ("what is shown", `'#overlay'`, `'#uncertainty'`)
	differ("the active class", `'.class-row.active'`, `'.class-row:not(.active)'`)
	differ("the selected hypothesis", `'.hypothesis[aria-selected=true]'`, `'.hypothesis:not([aria-selected=true])'`)
	readable := func(selector string) bool {
		return value[bool](p, fmt.Sprintf(`(({color, backgroundColor, forcedColorAdjust}) => color !== backgroundColor && forcedColorAdjust === 'none')(getComputedStyle(document.querySelector(%q)))`, selector))
	}
	for _, filled := range []string{"#accept", "#badge-kind", ".active kbd"} {
		if !readable(filled) {
			t.Errorf("forced colours: a plate lies behind the text of %s", filled)
		}
	}
	p.goToProject(value[string](p, `document.querySelector('.crumbs a').href`))
	p.screenshot("project")
	const swatches = `JSON.stringify([...document.querySelectorAll('.legend .swatch')].map((e) => getComputedStyle(e).backgroundColor))`
	forced := value[string](p, swatches)
	differ("the chosen filter", `'.segment input:checked + span'`, `'.segment input:not(:checked) + span'`)
	force("none")
	if plain := value[string](p, swatches); plain != forced {
		t.Errorf("forced colours changed the classes from %s to %s", plain, forced)
	}
}

// TestE2EMoreContrast: patterns come and go with the system's wish for contrast until the
// person has chosen.
func TestE2EMoreContrast(t *testing.T) {
	t.Parallel()
	p := openPicture(t, 500, 375)
	patterned := func(contrast string) bool {
		p.do("opening it again", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-contrast", Value: contrast}}})
			return err
		}), chromedp.Reload())
		p.until(`document.getElementById('save')?.dataset.state === 'saved'`)
		return value[bool](p, `document.getElementById('patterns').ariaPressed === 'true'`)
	}
	if !patterned("more") || patterned("no-preference") {
		t.Error("patterns don't follow the system")
	}
	p.press("p")
	if !patterned("no-preference") {
		t.Error("the person's choice is forgotten")
	}
}

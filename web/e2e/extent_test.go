package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestE2EExtent: with two classes the slider 'less … more' previews nested masks,
// and what it shows can be accepted, beside the image and below it.
func TestE2EExtent(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, true)
	p.clickClasses(sampleTruth(), 0, 5)
	said := func() string {
		t.Helper()
		return value[string](p, `document.getElementById('extent-range').getAttribute('aria-valuetext')`)
	}
	var before string
	slide := func(key string) string {
		t.Helper()
		before = said()
		p.press(key)
		p.until(fmt.Sprintf(`document.getElementById('extent-range').getAttribute('aria-valuetext') !== %q`, before))
		return said()
	}
	if names := p.spoken("slider"); len(names) != 1 || !strings.HasPrefix(names[0], "Less or more of the object; ") {
		t.Errorf("screen readers call the slider %q", names)
	}
	p.focusOn("#extent-range")
	p.until(`document.getElementById('extent-range').max !== '32' || document.getElementById('extent-range').value !== '16'`)
	least, most := slide(kb.Home), slide(kb.End)
	var high int
	if _, err := fmt.Sscanf(most, "orange %d\u00a0%%", &high); err != nil || least != "orange <\u00a01\u00a0%" || high < 11 {
		t.Errorf("the slider goes from %q to %q; the oranges are 11 %% of the image", least, most)
	}
	fewer := slide(kb.ArrowLeft)
	p.until(`document.getElementById('badge-text').textContent.startsWith('` + fewer + `')`)
	p.screenshot("beside")
	p.resize(820, 1180)
	p.until(`document.querySelector('[data-strip=below]') !== null`)
	p.screenshot("below")
	p.resize(390, 844)
	p.screenshot("phone")
	if hidden := value[[]string](p, outside); len(hidden) > 0 {
		t.Errorf("out of reach are %q", hidden)
	}
	p.resize(1280, 720)
	p.accessible("the slider", axe(t))
	p.clickOn("accepting", "#accept")
	p.stored(3)
	if got := p.kinds(); !slices.Equal(got, []string{"label", "label", "accept"}) {
		t.Errorf("the events are %q", got)
	}
	p.settle()
	shares := strings.Split(value[string](p, classShares), ",")
	if want := strings.TrimPrefix(fewer, "orange "); shares[5] != want {
		t.Errorf("accepted at %q, the classes have %q", fewer, shares)
	}

	p.press("2")
	p.click(insideOf(t, sampleTruth(), 1))
	p.stored(4)
	p.until(`document.getElementById('extent').hidden`) // with three classes
}

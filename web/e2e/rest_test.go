package e2e

import "testing"

// What nobody clicks is set on the project's page, on a phone, too, where the
// annotation page has no room for it; words say what the choice means.
func TestE2ERestOnAPhone(t *testing.T) {
	t.Parallel()
	p := openSample(t, 390, 844, false)
	p.until(`document.getElementById('rest').offsetWidth === 0`)
	p.clickOn("going to the project", `a[href^="/projects/"]`)
	p.until(`location.pathname.startsWith('/projects/') && document.readyState === 'complete' && document.getElementById('rest').options.length > 3`)
	before := value[string](p, `document.getElementById('rest-meaning').textContent`)
	p.until(`(() => { const choice = document.getElementById('rest'); choice.value = 'null'; choice.dispatchEvent(new Event('change')); return true; })()`)
	p.until(`document.getElementById('rest-meaning').textContent.startsWith('Stays undecided: ') && document.getElementById('rest-meaning').offsetHeight > 0`)
	if before == "" {
		t.Error("the first choice is not explained")
	}
	p.until(`fetch('/api/v1' + location.pathname).then((r) => r.json()).then(({ rest }) => rest === null)`)
	if !value[bool](p, `document.documentElement.scrollWidth <= innerWidth`) {
		t.Error("the page is wider than the phone")
	}
	p.screenshot("rest")
}

// Beside the image, too, there is room for the words of the choice.
func TestE2ERestInWords(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, false)
	p.until(`(() => { const choice = document.getElementById('rest'); choice.value = '"nothing"'; choice.dispatchEvent(new Event('change')); return true; })()`)
	p.until(`fetch('/api/v1/projects/' + document.getElementById('app').dataset.project).then((r) => r.json()).then(({ rest }) => rest === 'nothing')`)
	const room = `((choice) => {
		const style = getComputedStyle(choice);
		const pen = document.createElement('canvas').getContext('2d');
		pen.font = style.font;
		return choice.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - pen.measureText(choice.selectedOptions[0].text).width;
	})(document.getElementById('rest'))`
	if left := value[float64](p, room); left < 0 {
		t.Errorf("the choice %q lacks %.0f pixels", value[string](p, `document.getElementById('rest').selectedOptions[0].text`), -left)
	}
}

// TestE2ERestChangesMeanwhile: the hypothesis that a person looks at ends with the
// hypotheses that it belongs to, though nobody has clicked anything.
func TestE2ERestChangesMeanwhile(t *testing.T) {
	t.Parallel()
	p := bare(t, 1280, 720)
	p.clickClasses(sampleTruth(), 1, 3, 4)
	for range 3 {
		p.press(".")
	}
	p.until(`/^4 of/.test(document.getElementById('badge-text').textContent)`)
	value[bool](p, `fetch('/api/v1/projects/' + document.getElementById('app').dataset.project, {method: 'PATCH', headers: {'Content-Type': 'application/json'}, body: '{"rest":null}'}).then((r) => r.ok)`)
	p.until(`document.getElementById('badge').hidden`)
	p.settle()
	p.press(".")
	p.press(enter)
	if events := p.waitForEvents(4); events[3].Kind != "accept" {
		t.Errorf("Enter made %+v", events[3])
	}
}

package e2e

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/sharedtest"
)

// Keys that BiDi gives code points.
const (
	bidiEnter   = "\ue006"
	bidiEscape  = "\ue00c"
	bidiControl = "\ue009"
)

// at returns where a pixel of the image is in the window of Firefox.
func (f *firefox) at(pixel image.Point) (x, y float64) {
	f.t.Helper()
	var xy []float64
	f.read(fmt.Sprintf(`%s.then(({scale, left, top}) => [left + (%d + 0.5) * scale, top + (%d + 0.5) * scale])`, wholeView, pixel.X, pixel.Y), &xy)
	return xy[0], xy[1]
}

// TestE2EFirefox: in Firefox, too, a newcomer gets from a photograph to a mask,
// edits made without a server are sent when it is back, and scrollbars and sliders
// follow the theme. The start page may fetch what the annotation page needs.
func TestE2EFirefox(t *testing.T) {
	t.Parallel()
	photograph := sharedtest.Path(t, "data/voc/images/2009_002221.jpg")
	absolute, err := filepath.Abs(photograph)
	if err != nil {
		t.Fatal(err)
	}
	server := startCrashingServer(t)
	f := startFirefox(t, 1280, 720, "http://"+server.address)
	f.until(`document.querySelector('#files') !== null`)
	var lines int // of 'A few clicks.'
	f.read(`((range) => (range.selectNodeContents(document.getElementById('hero-title').firstChild), range.getClientRects().length))(document.createRange())`, &lines)
	if lines != 1 {
		t.Errorf("the first sentence of the start page is broken into %d lines", lines)
	}
	f.until(`performance.getEntriesByType('resource').filter((e) => e.name.includes('/pages/annotate.') && e.transferSize > 0).length === 2`)
	f.screenshot("start")
	f.choose("#files", absolute)
	f.until(`document.getElementById("save")?.dataset.state === "saved"`)
	f.press("2")
	f.press(bidiControl, "a") // beside A, which goes to the image before
	f.click(f.at(image.Pt(250, 200)))
	f.until(settled)
	var selected string
	if f.read(`getSelection().toString()`, &selected); selected != "" {
		t.Errorf("after a click on the image, %d bytes of text are still selected", len(selected))
	}
	f.screenshot("hypotheses")
	var colours []string
	f.read(`[document.documentElement, document.getElementById('cards')].map((e) => getComputedStyle(e).scrollbarColor)`, &colours)
	for _, colour := range colours {
		if !strings.HasPrefix(colour, "rgb(123, 127, 136)") { // --line-strong of the dark theme, which this Firefox asks for
			t.Errorf("the scrollbars are %q", colour)
		}
	}
	f.press("c")
	f.screenshot("sliders")
	f.press("c")
	f.press(".")
	f.until(`/^2 of/.test(document.getElementById('badge-text').textContent)`)
	f.press(bidiEnter)
	f.until(`document.getElementById('toasts').textContent.includes('Accepted') && document.getElementById('save').dataset.state === 'saved'`)
	var message []float64 // its left edge and top, the right edge of the image, the bottom of the list of classes
	f.read(`['.toast', '#canvas', '#classes'].map((s) => document.querySelector(s).getBoundingClientRect()).reduce((all, b, i) => [...all, ...[[b.left, b.top], [b.right], [b.bottom]][i]], [])`, &message)
	if message[0] < message[2] || message[1] < message[3] {
		t.Errorf("the message begins at %.0f, %.0f, over the image, which ends at %.0f, or the classes, which end at %.0f", message[0], message[1], message[2], message[3])
	}
	f.screenshot("accepted")

	// On a phone the field of a new class is in view.
	f.resize(390, 844)
	f.press("n")
	f.until(`document.activeElement.classList.contains('class-input')`)
	f.screenshot("naming")
	var beyond float64
	f.read(`document.activeElement.getBoundingClientRect().right - document.getElementById('classes').getBoundingClientRect().right`, &beyond)
	if beyond > 0 {
		t.Errorf("the field of a new class ends %.0f pixels outside the list", beyond)
	}
	f.press(bidiEscape)
	f.resize(1280, 720)

	// Offline and back.
	server.kill()
	f.until(`document.getElementById('save').dataset.state === 'offline'`)
	f.press("1")
	f.click(f.at(image.Pt(20, 20)))
	f.until(`document.getElementById('save-text').textContent === 'Offline (1 queued)'`)
	f.screenshot("offline")
	server.start()
	f.until(`document.getElementById('save').dataset.state === 'saved'`)
	var events struct{ Events []event }
	f.read(`fetch('/api/v1/images/' + document.getElementById('app').dataset.image + '/evidence').then(r => r.json())`, &events)
	var kinds []string
	for _, e := range events.Events {
		kinds = append(kinds, e.Kind)
	}
	if fmt.Sprint(kinds) != "[label accept label]" {
		t.Errorf("the events are %q, want a label, what was accepted and the label made offline", kinds)
	}

	// Export.
	f.press(bidiControl, "e")
	f.until(`document.getElementById('export-dialog').open`)
	var button []float64 // Enter presses none in a window without the focus, which a headless one is
	f.read(`(() => { const b = document.getElementById('export-default').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`, &button)
	f.click(button[0], button[1])
	var masks []string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if masks, err = filepath.Glob(filepath.Join(f.downloads, "*.png")); err != nil {
			t.Fatal(err)
		}
		unfinished, err := filepath.Glob(filepath.Join(f.downloads, "*.part"))
		if err != nil {
			t.Fatal(err)
		}
		if len(masks) == 0 || len(unfinished) > 0 {
			continue
		}
		if file, err := os.Stat(masks[0]); err == nil && file.Size() > 0 {
			break
		}
	}
	if len(masks) != 1 {
		f.screenshot("failure")
		t.Fatalf("%d masks were downloaded, want 1", len(masks))
	}
	if got, want := openImage(t, masks[0]).Bounds(), openImage(t, photograph).Bounds(); got != want {
		t.Errorf("the mask is %v, the photograph %v", got, want)
	}
}

package e2e

import (
	"image"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"collie/static"
)

// openFields opens the first of two images, whose ids it returns.
func openFields(t *testing.T) (p *page, images []string) {
	t.Helper()
	address := startServer(t)
	var project struct{ ID string }
	call(t, address+"/api/v1/projects", "application/json", strings.NewReader(`{"name":"Fields"}`), &project)
	images = uploadTo(t, address, project.ID, [][]byte{field(0), field(1)})
	return openPage(t, 1280, 720, false, address+"/images/"+images[0]), images
}

// TestE2ENeighbours: keys lead to the next and the previous image, but not while
// an edit can't be stored; that is sent again.
func TestE2ENeighbours(t *testing.T) {
	t.Parallel()
	p, images := openFields(t)
	at := func(id string) {
		t.Helper()
		p.until(`location.pathname === '/images/` + id + `' && document.getElementById('save')?.dataset.state === 'saved'`)
	}
	at(images[0])
	for _, key := range []string{kb.PageDown, "d"} {
		p.press(key)
		at(images[1])
		p.press(map[string]string{kb.PageDown: "a", "d": kb.PageUp}[key])
		at(images[0])
	}
	p.press(kb.PageUp)
	p.until(notice + `.includes('This is the first image in the project')`)

	p.separately()
	value[bool](p, `import('`+static.Address("exchange/session.js")+`').then(({Session}) => {
		window.full = true;
		const {receive} = Session.prototype;
		Session.prototype.receive = function (message) {
			const {type, id, seq} = message;
			receive.call(this, type === 'ack' && window.full ? {type: 'reject', id, reason: 'unavailable', detail: 'The disk is full.', seq: seq - 1} : message);
		};
		return true;
	})`)
	p.press("2")
	p.click(image.Pt(fieldWidth/2, 130))
	p.until(`document.getElementById('save').dataset.state === 'failed' && document.getElementById('save-text').textContent === 'Failed (1 queued)'`)
	p.until(notice + `.includes('The disk is full. Your edits are kept here and will be sent again.')`)
	p.screenshot("failed")
	p.press("d")
	p.until(notice + `.includes('Not everything is saved yet')`)
	if got := value[string](p, `location.pathname`); got != "/images/"+images[0] {
		t.Errorf("with an edit that is not saved, D led to %s", got)
	}
	value[bool](p, `(window.full = false) === false`)
	if events := p.waitForEvents(1); events[0].Kind != "label" {
		t.Errorf("the event is %+v, want the label", events[0])
	}
	p.press("d")
	at(images[1])
}

// TestE2EPreviewLeft: whoever goes on from a preview hears once that it is not
// accepted, and at the last image where to see all of them.
func TestE2EPreviewLeft(t *testing.T) {
	t.Parallel()
	p, images := openFields(t)
	opened := func(place int) {
		t.Helper()
		p.until(`location.pathname === '/images/` + images[place] + `' && document.getElementById('save')?.dataset.state === 'saved'`)
	}
	const told = notice + `.includes('The preview of the image before is not accepted')`
	opened(0)
	p.press("d")
	opened(1)
	if value[bool](p, told) {
		t.Error("the page misses the labelling of an image that showed none")
	}
	p.press("a")
	opened(0)
	p.restIs("0", "Fills in")
	p.press("2")
	p.click(image.Pt(fieldWidth/2, 130))
	p.until(`/^1 of/.test(document.getElementById('badge-text').textContent)`)
	p.press("s", ctrl)
	p.until(notice + `.includes('is not accepted yet')`)
	p.press("d")
	opened(1)
	p.until(told)
	p.clickOn("going back", `#toasts [data-slot="action"]`)
	opened(0)
	p.press("d")
	opened(1)
	if value[bool](p, told) {
		t.Error("the page says it again")
	}
	p.press("d")
	p.until(notice + `.includes('This is the last image in the list')`)
	p.clickOn("seeing all", `#toasts [data-slot="action"]`)
	p.until(`location.pathname.startsWith('/projects/')`)
}

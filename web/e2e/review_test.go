package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/segment/sample"
)

// sixSamples makes a project with six copies of the sample photograph, two of them
// with a label, and returns the address of its page.
func sixSamples(t *testing.T, address string) string {
	t.Helper()
	var project struct{ ID string }
	call(t, address+"/api/v1/sample", "application/json", nil, &project)
	var names []string
	var files [][]byte
	for i := range 5 {
		names, files = append(names, fmt.Sprintf("still life %d.png", i+2)), append(files, sample.Photograph)
	}
	for _, id := range uploadNamed(t, address, project.ID, names, files)[:2] {
		post(t, address+"/api/v1/images/"+id+"/evidence", `{"id":"a","expected_seq":0,"kind":"label","class":4,"points":[[480,380],[200,300],[700,400]]}`)
	}
	return address + "/projects/" + project.ID
}

// A reviewer's work: masks on the cards, a range with Shift, a status for many,
// one image rejected with a comment that its annotator sees, and on to the next.
func TestE2EReview(t *testing.T) {
	t.Parallel()
	source := axe(t)
	p := openPage(t, 1280, 720, false, sixSamples(t, startServer(t)))
	project := value[string](p, `location.href`)
	p.until(cardCount + ` === 6 && document.querySelectorAll('.card-mask:not([hidden])').length === 2`)
	p.until(`[...document.querySelectorAll('.card-mask:not([hidden])')].every((e) => e.complete && e.naturalWidth === 320)`)

	// No control moves when a filter is chosen.
	const places = `JSON.stringify([...document.querySelectorAll('#image-filter :is(input, select, label)')].map((e) => e.getBoundingClientRect()))`
	before := value[string](p, places)
	p.do("only what is done", chromedp.Evaluate[chromedp.Void](`document.querySelector('#image-filter input[value=done]').click()`))
	p.until(cardCount + ` === 0`)
	if after := value[string](p, places); after != before {
		t.Errorf("choosing a filter moves the controls from\n%s to\n%s", before, after)
	}
	p.do("all again", chromedp.Evaluate[chromedp.Void](`document.querySelector('#image-filter input[value=""]').click()`))
	p.until(cardCount + ` === 6`)

	box := func(n int, shift bool) {
		p.do("selecting", chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void document.querySelectorAll('.card-choose')[%d].dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, shiftKey: %t}))`, n, shift)))
	}
	menu := func(item string) {
		p.clickOn("opening the statuses", "#review-chosen")
		p.until(`document.getElementById('review-menu').matches(':popover-open')`)
		p.screenshot("statuses")
		p.clickOn("choosing "+item, `#review-menu [data-do="`+item+`"]`)
	}
	box(1, false)
	box(3, true)
	p.until(`document.getElementById('selection-text').textContent === '3 images selected'`)
	menu("approved")
	p.until(`[...document.querySelectorAll('.card-review')].filter((e) => !e.hidden && e.textContent.includes('Approved')).length === 3`)
	p.screenshot("approved")
	p.focusOn(`#toasts [data-slot="action"]:not([hidden])`)
	p.press(enter)
	p.until(`[...document.querySelectorAll('.card-review')].every((e) => e.hidden)`)
	if at := value[string](p, `document.activeElement.id`); at != "review-chosen" {
		t.Errorf("after Undo the focus is at %q, not where it was before", at)
	}
	menu("progress")
	p.until(`[...document.querySelectorAll('.card-review')].filter((e) => !e.hidden && e.textContent.includes('In progress')).length === 3`)
	// Undo leaves what somebody else has set since, and says so.
	p.until(`fetch('/api/v1' + location.pathname + '/reviews', {method: 'PUT', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({images: [document.querySelectorAll('#images a')[2].pathname.split('/').pop()], status: 'progress'})}).then((r) => r.ok)`)
	p.clickOn("undoing a status too late", `#toasts [data-slot="action"]:not([hidden])`)
	p.until(`document.getElementById('toasts').textContent.includes('Undone for 2 of 3 images') && document.getElementById('toasts').textContent.includes('has changed in the meantime and stays')`)
	p.screenshot("undone-too-late")
	p.until(`[...document.querySelectorAll('.card-review')].map((e) => !e.hidden && e.textContent.includes('In progress')).join() === 'false,false,true,false,false,false'`)
	menu("progress")
	p.until(`[...document.querySelectorAll('.card-review')].filter((e) => !e.hidden && e.textContent.includes('In progress')).length === 3`)
	p.clickOn("selecting none", "#choose-none")
	box(1, false)
	menu("rejected")
	p.until(`document.getElementById('reject-dialog').open`)
	p.fill("#reject-comment", "The rim of the bowl is missing.")
	p.screenshot("reject")
	p.clickOn("rejecting", `#reject-dialog [value=reject]`)
	p.until(`[...document.querySelectorAll('.card-review')].some((e) => e.textContent.includes('Rejected: The rim of the bowl is missing.'))`)
	p.do("filtering", chromedp.Evaluate[chromedp.Void](`{ const s = document.getElementById('image-review'); s.value = 'rejected'; s.dispatchEvent(new Event('input', {bubbles: true})); }`))
	p.until(cardCount + ` === 1 && document.querySelector('#image-review option[value=progress]').textContent === 'In progress (2)'`)
	p.accessible("the project with reviews", source)
	p.screenshot("rejected")

	// The annotator sees why, corrects it, says so, and goes on to the next.
	p.do("showing all", chromedp.Navigate(project))
	p.until(cardCount + ` === 6`)
	p.do("opening the image", chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('#images a')[1].click()`))
	p.until(`document.getElementById('review-note') && !document.getElementById('review-note').hidden && document.getElementById('review-comment').textContent.includes('rim of the bowl')`)
	p.until(`document.getElementById('save').dataset.state === 'saved'`)
	p.accessible("a rejected image", source)
	if said := p.spoken("application"); len(said) != 1 || !strings.Contains(said[0], "; Rejected by owner: The rim of the bowl is missing. Arrow keys") {
		t.Errorf("of a rejected image a screen reader says %q", said)
	}
	p.screenshot("note")
	p.resize(390, 844)
	if within := value[bool](p, `(([note, button]) => button.bottom <= note.bottom)(['review-note', 'review-corrected'].map((id) => document.getElementById(id).getBoundingClientRect()))`); !within {
		t.Error("in a window that has become narrow the note's button is below the note, under the image")
	}
	p.resize(1280, 720)
	image := value[string](p, `location.href`)
	phone := openPage(t, 390, 844, true, image)
	phone.until(`!document.getElementById('review-note').hidden && document.getElementById('save').dataset.state === 'saved'`)
	phone.screenshot("note-phone")

	// What somebody else says of it reaches the page while it is open.
	sets := func(status, comment string) {
		t.Helper()
		set := fmt.Sprintf(`(({project, image}) => fetch('/api/v1/projects/' + project + '/reviews', {method: 'PUT', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({images: [image], status: %q, comment: %q})}).then((r) => r.ok))(document.getElementById('app').dataset)`, status, comment)
		if !value[bool](phone, set) {
			t.Fatalf("the status %s was refused", status)
		}
	}
	sets("approved", "")
	p.until(`document.getElementById('review-by').textContent.startsWith('Approved') && document.getElementById('review-state').textContent === 'Approved'`)
	p.press("1")
	p.click(insideOf(t, sampleTruth(), 0))
	p.until(`document.getElementById('review-state').textContent === 'Approved, changed since'`)
	sets("rejected", "The rim of the bowl is missing.")
	p.until(`document.getElementById('review-by').textContent.startsWith('Rejected') && document.querySelector('#toasts [data-kind=problem]') !== null`)
	phone.do("to the project", chromedp.Navigate(project))
	phone.until(cardCount + ` > 2 && [...document.querySelectorAll('.card-mask:not([hidden])')].some((e) => e.complete && e.naturalWidth === 320)`)
	phone.screenshot("project-phone")
	if wide := value[bool](phone, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the project's page scrolls sideways on a phone")
	}
	phone.do("to the start", chromedp.Navigate(strings.Split(project, "/projects/")[0]))
	phone.until(`document.querySelector('.card') !== null`)
	phone.screenshot("start-phone")
	p.clickOn("saying that it is corrected", "#review-corrected")
	p.until(`document.getElementById('review-note').hidden && document.getElementById('review-state').textContent === 'Marked done'`)
	p.press("1")
	p.click(insideOf(t, sampleTruth(), 0))
	p.until(`!document.getElementById('accept-next').disabled`)
	p.clickOn("accepting and going on", "#accept-next")
	p.until(`location.href !== ` + fmt.Sprintf("%q", image) + ` && document.getElementById('save')?.dataset.state === 'saved'`)
	// The previous image's labelling becomes this one's first guess.
	p.do("back", chromedp.Navigate(image))
	p.until(`document.getElementById('save')?.dataset.state === 'saved'`)
	p.clickOn("copying", "#copy-next")
	p.until(`location.href !== ` + fmt.Sprintf("%q", image) + ` && document.getElementById('guess-text')?.textContent.startsWith('Copied from another image')`)
	p.screenshot("copied")
	// What the note says moves nothing.
	for _, size := range [][2]int64{{1280, 720}, {390, 844}, {820, 1180}} {
		p.resize(size[0], size[1])
		tops := value[[]float64](p, `['Short', 'Your clicks contradict the guess. It no longer counts', 'A class with a long name, '.repeat(9), 'Donaudampfschifffahrtsgesellschaft'.repeat(3)].map((text) => {
			document.getElementById('guess-text').textContent = text;
			return document.getElementById('cards').getBoundingClientRect().top;
		})`)
		if slices.Min(tops) != slices.Max(tops) {
			t.Errorf("%v: the note about the guess moves the cards to %v", size, tops)
		}
	}
	p.resize(1280, 720)
	p.do("to the start", chromedp.Navigate(strings.Split(project, "/projects/")[0]))
	p.until(`document.querySelector('.card') !== null`)
	p.accessible("the start page of a returning user", source)
	p.screenshot("start")
	p.do("back to the project", chromedp.Navigate(project))
	p.until(cardCount + ` === 6`)
	p.clickOn("exporting", "#export")
	p.until(`!document.getElementById('export-drafts').hidden`)
	p.do("splitting", chromedp.Evaluate[chromedp.Void](`{ document.querySelector('.export-options').open = true; const s = document.querySelector('[name=split]'); s.value = 'share'; s.dispatchEvent(new Event('change', {bubbles: true})); }`))
	p.until(`!document.getElementById('export-shares').hidden`)
	p.accessible("the export dialog", source)
	p.screenshot("export")
}

// TestE2EApproveAndGoOn: one key approves an image and opens the next; it stays when
// something is not labelled, and says what.
func TestE2EApproveAndGoOn(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, sixSamples(t, startServer(t)))
	p.until(cardCount + ` === 6`)
	p.do("opening the first image", chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('#images a')[0].click()`))
	p.until(`document.getElementById('save')?.dataset.state === 'saved'`)
	first := value[string](p, `location.href`)
	p.press(enter, ctrl, shift)
	p.until(`document.getElementById('review-state').textContent === 'Approved' && /\b0.% labelled/.test(document.getElementById('toasts').textContent)`)
	for _, class := range []uint8{0, 4} {
		p.press(strconv.Itoa(int(class) + 1))
		p.click(insideOf(t, sampleTruth(), class))
	}
	p.until(`!document.getElementById('accept').disabled`)
	p.press(enter)
	p.until(`document.getElementById('review-state').textContent === 'Approved, changed since'`)
	p.press(enter, ctrl, shift)
	p.until(fmt.Sprintf(`location.href !== %q && document.getElementById('loading')?.hidden && document.getElementById('save')?.dataset.state === 'saved'`, first))
	p.press("a")
	p.until(fmt.Sprintf(`location.href === %q && document.getElementById('review-state')?.textContent === 'Approved'`, first))
	p.clickOn("opening the statuses", "#review")
	if now := value[string](p, `[...document.querySelectorAll('#review-menu [aria-current]')].map((e) => e.dataset.do).join()`); now != "approved" {
		t.Errorf("the menu marks %q as the status that the image has", now)
	}
	p.screenshot("approve-next")
	p.clickOn("approving and going on", `#review-menu [data-do="approve-next"]`)
	p.until(fmt.Sprintf(`location.href !== %q && document.getElementById('save')?.dataset.state === 'saved'`, first))
}

// TestE2ERejectedMeanwhile: what a reviewer says while somebody works moves nothing
// and covers nothing of the image. The comment comes in a message, which shows all of
// it, as the status does later.
func TestE2ERejectedMeanwhile(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	var project struct {
		ID     string
		Images []struct{ ID string }
	}
	call(t, address+"/api/v1/sample", "application/json", nil, &project)
	rejects := func(p *page, status, comment string) {
		t.Helper()
		p.until(fmt.Sprintf(`fetch('/api/v1/projects/%s/reviews', {method: 'PUT', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({images: [%q], status: %q, comment: %q})}).then((r) => r.ok)`, project.ID, project.Images[0].ID, status, comment))
	}
	const place = `JSON.stringify(document.getElementById('canvas').getBoundingClientRect())`
	for _, size := range [][2]int64{{820, 1180}, {1280, 720}, {390, 844}} {
		p := openPage(t, size[0], size[1], false, address+"/images/"+project.Images[0].ID)
		p.until(`document.getElementById('save').dataset.state === 'saved' && document.getElementById('review-note').hidden`)
		before := value[string](p, place)
		rejects(p, "rejected", strings.Repeat("The rim of the bowl is missing. ", 30))
		p.until(`document.getElementById('review-state').textContent === 'Rejected' && document.querySelector('#toasts .toast') !== null`)
		if after := value[string](p, place); after != before {
			t.Errorf("%v: a rejection moves the image from\n%s to\n%s", size, before, after)
		}
		if value[bool](p, `(([message, image]) => message.top < image.bottom && message.left < image.right)(['.toast', '#canvas'].map((s) => document.querySelector(s).getBoundingClientRect()))`) {
			t.Errorf("%v: the message about a rejection covers some of the image", size)
		}
		p.screenshot(fmt.Sprintf("message-%d", size[0]))
		p.clickOn("showing the comment", `#toasts [data-slot="action"]`)
		p.until(`!document.getElementById('review-note').hidden && document.activeElement.id === 'canvas'`)
		before = value[string](p, place)
		rejects(p, "approved", "")
		p.until(`document.getElementById('review-by').textContent.startsWith('Approved')`)
		if after := value[string](p, place); after != before {
			t.Errorf("%v: an approval moves the image from\n%s to\n%s", size, before, after)
		}
		p.clickOn("hiding it", "#review-close")
		rejects(p, "rejected", "The rim is missing.")
		p.until(`document.getElementById('review-state').textContent === 'Rejected'`)
		if size[0] > 900 {
			p.clickOn("opening the statuses", "#review")
			p.clickOn("showing the comment again", `#review-menu [data-do="comment"]`)
			p.until(`!document.getElementById('review-note').hidden`)
		}
		p.do("again", chromedp.Reload())
		p.until(`document.getElementById('save').dataset.state === 'saved' && !document.getElementById('review-note').hidden && document.querySelector('#toasts .toast') === null`)
		rejects(p, "", "")
	}
}

// TestE2ERejectionComesLate: while a slow server has not yet told the status of an
// image, the comment that the page came with stays, and no message repeats it later.
func TestE2ERejectionComesLate(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 390, 844, false, sixSamples(t, address))
	p.until(cardCount + ` > 0`)
	image := value[string](p, `fetch('/api/v1' + location.pathname + '/images').then((r) => r.json()).then((all) => all.find((im) => im.seq > 0).id)`)
	p.until(fmt.Sprintf(`fetch('/api/v1' + location.pathname + '/reviews', {method: 'PUT', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({images: [%q], status: 'rejected', comment: 'The rim is missing.'})}).then((r) => r.ok)`, image))
	p.do("holding the status back", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
			Source: fmt.Sprintf(`const reach = window.fetch;
			window.fetch = async (...request) => {
				if (request[0] === '/api/v1/images/%s') await new Promise((done) => (window.goOn = done));
				return reach(...request);
			};`, image),
		})
		return err
	}))
	p.do("opening it", chromedp.Navigate(address+"/images/"+image))
	p.until(`document.getElementById('save')?.dataset.state === 'saved' && 'goOn' in window`)
	p.until(`new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(() => painted(true))))`)
	const note = `document.getElementById('review-note').innerText.replace(/\s+/g, ' ').trim()`
	if text := value[string](p, note); text != "Rejected by owner: The rim is missing. Mark as done" {
		t.Errorf("the page says %q of an image whose status is on its way", text)
	}
	value[bool](p, `(goOn(), true)`)
	p.until(`document.getElementById('review-state').textContent === 'Rejected'`)
	if text := value[string](p, `document.getElementById('toasts').textContent`); text != "" {
		t.Errorf("a message repeats the comment: %q", text)
	}
}

// TestE2EReviewerOnAPhone: on a phone, reviewers set the status in the top bar; where a
// menu has it, since the bar has other buttons, a mark shows it. The project leads
// reviewers to the images that wait for them, and a thumb meets what it aims at there.
func TestE2EReviewerOnAPhone(t *testing.T) {
	t.Parallel()
	address := serveTeam(t)
	admin := openPage(t, 1280, 720, false, address)
	admin.signIn("admin", "correct horse")
	admin.trySample()
	image := value[string](admin, `location.href`)
	admin.member("viewer", "reviewer")

	p := openPage(t, 390, 844, false, image)
	p.touchOn()
	p.signIn("viewer", "correct horse")
	p.until(`document.getElementById('save')?.dataset.state === 'saved'`)
	p.tapOn("opening the statuses", "#review")
	p.tapOn("approving", `#review-menu [data-do="approved"]`)
	p.until(`document.getElementById('review-state').textContent === 'Approved'`)
	p.screenshot("reviewer")
	if cut := value[bool](p, `((e) => e.scrollWidth > e.clientWidth)(document.getElementById('review-state'))`); cut {
		t.Error("the status is cut off")
	}
	if value[bool](p, `document.getElementById('review-mark').checkVisibility()`) {
		t.Error("the status shows twice")
	}
	p.tapOn("opening more tools", "#more-tools")
	if offered := value[string](p, `[...document.querySelectorAll('.rail button, #tools-menu button')].filter((e) => e.checkVisibility()).map((e) => e.id || e.dataset.do || e.dataset.tool).join(' ')`); offered != "more-tools fit overlay tones boundaries uncertainty zoom-in zoom-out" {
		t.Errorf("those who can't label are offered %q", offered)
	}
	p.screenshot("more-tools")
	p.press(kb.Escape)

	value[bool](p, `(window.reach = window.fetch, window.fetch = () => Promise.reject(new TypeError('no network')), true)`)
	reject := func(comment, instead string) {
		t.Helper()
		p.tapOn("opening the statuses", "#review")
		p.tapOn("rejecting", `#review-menu [data-do="rejected"]`)
		p.until(fmt.Sprintf(`document.activeElement.id === 'reject-comment' && document.activeElement.value === %q`, comment))
		p.fill("#reject-comment", instead)
		p.tapOn("sending the comment", `#reject-dialog [value="reject"]`)
	}
	reject("", "The rim is missing.")
	p.until(`document.querySelector('.toast[data-kind="problem"]') !== null`)
	value[bool](p, `(window.fetch = window.reach, true)`)
	reject("The rim is missing.", "The rim of the bowl is missing.")
	p.until(`document.getElementById('review-state').textContent === 'Rejected'`)

	project := value[string](p, `document.querySelector('.crumbs a').href`)
	goesOn := func(status, want string) {
		t.Helper()
		p.until(fmt.Sprintf(`fetch('/api/v1/projects/%s/reviews', {method: 'PUT', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({images: [%q], status: %q})}).then((r) => r.ok)`, project[strings.LastIndex(project, "/")+1:], image[strings.LastIndex(image, "/")+1:], status))
		p.do("opening the project", chromedp.Navigate(project))
		p.until(cardCount + ` === 1`)
		if link := value[string](p, `((e) => e.hidden ? '' : e.innerText)(document.getElementById('go-on'))`); link != want {
			t.Errorf("with the status %q, the project leads to %q, want %q", status, link, want)
		}
	}
	goesOn("done", "Review fruit and bowl.png")
	if small := value[[]string](p, `[...document.querySelectorAll('.crumbs a, #go-on:not([hidden]), .segment:not([hidden]), .field-order select, .card-choose')].filter((e) => e.getBoundingClientRect().height < 40).map((e) => e.id || e.className || e.textContent)`); len(small) > 0 {
		t.Errorf("too small for a thumb are %q", small)
	}
	if edges := value[int](p, `new Set([...document.querySelectorAll('.field-order select')].flatMap((e) => [e.getBoundingClientRect().left, e.getBoundingClientRect().right])).size`); edges != 2 {
		t.Errorf("the fields of the filter have %d edges, want 2", edges)
	}
	goesOn("approved", "")

	admin.member("viewer", "owner")
	p.do("opening the image again", chromedp.Navigate(image))
	p.until(`document.getElementById('review-mark').ariaLabel === 'Approved' && document.getElementById('review-mark').checkVisibility() && !document.getElementById('review').checkVisibility()`)
}

// TestE2EMaskAgain: a card gets the mask that a busy server refused at first.
func TestE2EMaskAgain(t *testing.T) {
	t.Parallel()
	to, err := url.Parse(startServer(t))
	if err != nil {
		t.Fatal(err)
	}
	server := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	var refused atomic.Int32
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/mask.png") && refused.Add(1) <= 3 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	page := sixSamples(t, to.String())
	p := openPage(t, 1280, 720, false, strings.Replace(page, to.Host, front.Listener.Addr().String(), 1))
	p.until(`(([...masks]) => masks.length === 2 && masks.every((e) => e.complete && e.naturalWidth === 320))(document.querySelectorAll('.card-mask:not([hidden])'))`)
	p.screenshot("masks")
}

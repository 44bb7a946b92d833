package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"collie/sharedtest"
)

// crashingServer is the built program at a fixed address, to be killed and
// started again over the same data.
type crashingServer struct {
	t       *testing.T
	address string // host:port
	data    string
	cmd     *exec.Cmd
}

func startCrashingServer(t *testing.T) *crashingServer {
	t.Helper()
	s := &crashingServer{t: t, address: sharedtest.MustAddress(t), data: filepath.Join(t.TempDir(), "data")}
	s.start()
	t.Cleanup(s.kill)
	return s
}

// start runs the program and returns when it accepts connections.
func (s *crashingServer) start() {
	s.t.Helper()
	program, err := build()
	if err != nil {
		s.t.Fatal(err)
	}
	s.cmd = exec.Command(program, "--listen", s.address, "--data", s.data)
	if testing.Verbose() {
		s.cmd.Stderr = os.Stderr
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		s.t.Fatalf("the server printed %q and then: %v", line, err)
	}
}

// kill ends the program without a warning.
func (s *crashingServer) kill() {
	if s.cmd == nil {
		return
	}
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Error(err)
	}
	_ = s.cmd.Wait() // says that it was killed
	s.cmd = nil
}

// event is a stored event as the API describes it.
type event struct {
	Seq         int
	ID, Kind    string
	Class       int
	Superpixels []int
	Points      [][2]float64
	Repairs     []struct {
		Class int
		Runs  []int
	}
	To int
}

// events reads the log of the open image.
func (p *page) events() []event {
	p.t.Helper()
	return value[struct{ Events []event }](p, p.api("/evidence")).Events
}

// waitForEvents waits until the log has the given number of events and the page
// says Saved.
func (p *page) waitForEvents(n int) []event {
	p.t.Helper()
	p.until(`document.getElementById('app') !== null`)
	var events []event
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if events = p.events(); len(events) >= n {
			break
		}
	}
	if len(events) != n {
		p.failed()
		p.t.Fatalf("the image has %d events, want %d: %+v", len(events), n, events)
	}
	p.until(`document.getElementById('save')?.dataset.state === 'saved'`)
	return events
}

// queued is how many edits the browser keeps for the server.
func (p *page) queued() int {
	p.t.Helper()
	return value[int](p, `new Promise((resolve) => {
		const open = indexedDB.open('collie', 1);
		open.onsuccess = () => {
			const count = open.result.transaction('edits').objectStore('edits').count();
			count.onsuccess = () => { open.result.close(); resolve(count.result); };
		};
	})`)
}

// newTab opens an address in another tab of the same browser.
func (p *page) newTab(address string) (tab *page, closeTab func()) {
	p.t.Helper()
	ctx, cancel := chromedp.NewContext(p.ctx)
	tab = &page{t: p.t, ctx: ctx, downloads: p.downloads}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 720)); err != nil {
		p.t.Fatal(err)
	}
	end := watch(p.t, ctx, cancel)
	p.t.Cleanup(end)
	tab.do("opening "+address, chromedp.Navigate(address))
	return tab, end
}

const offline = `document.getElementById('save')?.dataset.state === 'offline'`

// acceptable says that a hypothesis that differs from the labelling can be accepted.
const acceptable = `['accept', 'accept-next', 'accept-region'].every(id => !document.getElementById(id).disabled)`

// The server dies while a person keeps clicking; the page is reloaded after the
// restart, and everything arrives exactly once.
func TestE2EOfflineEdits(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	server := startCrashingServer(t)
	p := openPage(t, 1280, 720, false, "http://"+server.address)
	p.trySample()
	image := value[string](p, `location.href`)
	p.press("1")
	p.click(insideOf(t, truth, 0))
	p.waitForEvents(1)

	server.kill()
	p.until(offline)
	for class := 1; class < 4; class++ {
		p.press(fmt.Sprint(class + 1))
		p.click(insideOf(t, truth, uint8(class)))
	}
	p.press("z", ctrl)
	p.until(`document.getElementById('save-text').textContent === 'Offline (4 queued)'`)
	p.screenshot("offline")
	p.resize(390, 844)
	p.screenshot("offline-phone")
	if hidden := value[[]string](p, outside); len(hidden) > 0 {
		t.Errorf("offline, on a phone, out of reach are %q", hidden)
	}
	p.resize(1280, 720)
	p.press("e", ctrl)
	p.until(`document.getElementById('export-dialog').open`)
	p.press(enter)
	p.until(`[...document.querySelectorAll('.toast')].some(e => /^The server can’t be reached/.test(e.textContent.trim()))`)
	if n := p.queued(); n != 4 {
		t.Errorf("the browser keeps %d edits, want 4", n)
	}

	// Loading the page without a server fails; the edits stay.
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	if err := chromedp.Do(ctx, chromedp.Navigate(image)); err == nil {
		t.Error("the page loaded without a server")
	}
	cancel()
	server.start()
	p.do("opening the image again", chromedp.Navigate(image))
	p.until(`[...document.querySelectorAll('.toast')].some(e => e.textContent.trim().startsWith('4 unsaved edits recovered'))`)
	check := func(events []event, kinds ...string) {
		t.Helper()
		seen := map[string]bool{}
		for i, e := range events {
			if e.Kind != kinds[i] || seen[e.ID] {
				t.Errorf("event %d is %+v, want a new one of kind %s", i+1, e, kinds[i])
			}
			seen[e.ID] = true
		}
	}
	check(p.waitForEvents(5), "label", "label", "label", "label", "undo")
	p.until(`document.getElementById('undo').disabled === false && document.getElementById('redo').disabled === false`)
	p.screenshot("resumed")
	if n := p.queued(); n != 0 {
		t.Errorf("the browser still keeps %d edits", n)
	}

	// The tab is closed with edits that wait; another one, open on the image all
	// along, brings them once it is gone. Meanwhile neither sends the other's.
	p.until(acceptable)
	other, closeOther := p.newTab(image)
	other.until(`document.getElementById("save")?.dataset.state === "saved"`)
	server.kill()
	p.until(offline)
	other.until(offline)
	other.press("5")
	other.click(insideOf(t, truth, 4))
	p.until(acceptable) // what was made for all clicks
	p.press("6")
	p.click(insideOf(t, truth, 5))
	p.until(`['accept', 'accept-next', 'accept-region'].every(id => document.getElementById(id).disabled) && document.getElementById('badge-how').textContent === ' · made for earlier clicks'`)
	p.until(`document.getElementById('save-text').textContent === 'Offline (1 queued)'`)
	other.until(`document.getElementById('save-text').textContent === 'Offline (1 queued)'`)
	if n := p.queued(); n != 2 {
		t.Errorf("the browser keeps %d edits, want 2", n)
	}
	closeOther()
	p.until(`document.getElementById('save-text').textContent === 'Offline (2 queued)'`)
	server.start()
	events := p.waitForEvents(7)
	check(events, "label", "label", "label", "label", "undo", "label", "label")
	if a, b := events[5].Class, events[6].Class; a+b != 4+5 || a == b {
		t.Errorf("the last two labels are of classes %d and %d, want 4 and 5", a, b)
	}
	p.do("opening the image again", chromedp.Navigate(image))
	check(p.waitForEvents(7), "label", "label", "label", "label", "undo", "label", "label")
}

// Without browser storage the page says so and works.
func TestE2EWithoutStorage(t *testing.T) {
	t.Parallel()
	truth := sampleTruth()
	p := openPage(t, 1280, 720, false, "about:blank")
	p.do("taking the store away", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
			Source: `Object.defineProperty(window, 'indexedDB', {get() { throw new DOMException('no', 'SecurityError'); }})`,
		})
		return err
	}))
	p.do("opening Collie", chromedp.Navigate(startServer(t)))
	p.until(`document.getElementById('sample') !== null`)
	p.clickOn("trying the sample image", "#sample")
	p.until(`[...document.querySelectorAll('.toast')].some(e => /kept in this page only/.test(e.textContent))`)
	p.screenshot("notice")
	p.press("1")
	p.click(insideOf(t, truth, 0))
	p.waitForEvents(1)
}

// addLemonOffline stops the server and adds a class.
func (p *page) addLemonOffline(server *crashingServer) {
	p.t.Helper()
	server.kill()
	p.until(`document.getElementById('save').dataset.state === 'offline'`)
	p.press("n")
	p.fill(".class-row.active .class-input", "lemon")
	p.press(enter)
	p.until(`[...document.querySelectorAll('.toast')].some(e => /Classes not saved yet/.test(e.textContent))`)
}

// A class renamed while the server is down is stored once it is back.
func TestE2EClassNamedOffline(t *testing.T) {
	t.Parallel()
	server := startCrashingServer(t)
	p := openPage(t, 1280, 720, false, "http://"+server.address)
	p.trySample()
	p.addLemonOffline(server)
	p.until(`document.querySelector('.class-row.active .class-name').textContent === 'lemon'`)
	server.start()
	p.until(`fetch('/api/v1/projects/' + document.getElementById('app').dataset.project).then(r => r.json()).then(({classes}) => classes.at(-1).name === 'lemon')`)
	p.until(`document.querySelector('.class-row.active .class-name').textContent === 'lemon' && document.querySelectorAll('.class-row').length === 9`)
}

// A class that is stored while the page reads what others have changed stays active,
// though what it reads is older.
func TestE2EClassStoredWhileReading(t *testing.T) {
	t.Parallel()
	server := startCrashingServer(t)
	p := openPage(t, 1280, 720, false, "http://"+server.address)
	p.trySample()
	value[bool](p, `(() => {
		const send = window.fetch, address = '/api/v1/projects/' + document.getElementById('app').dataset.project;
		const read = new Promise((done) => { window.read = done; }), released = new Promise((done) => { window.release = done; });
		window.fetch = async (resource, options) => {
			if (resource !== address) return send(resource, options);
			if (options.method === 'PATCH' && window.back) await read;
			const answer = await send(resource, options);
			if (options.method === 'GET' && window.held) window.again = true;
			if (options.method !== 'GET' || window.held) return answer;
			window.held = true;
			const text = await answer.text();
			window.read();
			await released;
			return new Response(text, answer);
		};
		window.stored = () => send(address).then((r) => r.json()).then(({classes}) => classes.at(-1).name === 'lemon');
		return true;
	})()`)
	p.addLemonOffline(server)
	value[bool](p, `window.back = true`)
	server.start()
	p.until(`window.held && window.stored()`)
	p.until(`(window.release(), window.again && document.querySelectorAll('.class-row').length === 9)`)
	if active := value[string](p, `document.querySelector('.class-row.active .class-name').textContent`); active != "lemon" {
		t.Errorf("%s is active", active)
	}
}

// A page that comes back has the classes that were changed while it was away.
func TestE2EClassesChangedWhileAway(t *testing.T) {
	t.Parallel()
	server := startCrashingServer(t)
	p := openPage(t, 1280, 720, false, "http://"+server.address)
	p.trySample()
	project := value[string](p, `document.getElementById('app').dataset.project`)
	server.kill()
	p.until(`document.getElementById('save').dataset.state === 'offline'`)
	elsewhere := &crashingServer{t: t, address: sharedtest.MustAddress(t), data: server.data}
	t.Cleanup(elsewhere.kill)
	elsewhere.start()
	rename(t, "http://"+elsewhere.address+"/api/v1/projects/"+project, "lemon")
	elsewhere.kill()
	server.start()
	p.until(`document.querySelector('.class-row:last-child .class-name').textContent === 'lemon'`)
}

// A page whose image takes long to load has the classes that were changed meanwhile.
func TestE2EClassesChangedWhileLoading(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	p := openPage(t, 1280, 720, false, server)
	p.trySample()
	project := value[string](p, `document.getElementById('app').dataset.project`)
	p.do("opening the image again", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: `{
			const send = fetch;
			const held = new Promise((release) => window.release = release);
			window.fetch = async (...request) => {
				if (/superpixels/.test(request[0])) {
					window.holding = true;
					await held;
				}
				return send(...request);
			};
		}`})
		return err
	}), chromedp.Reload())
	p.until(`window.holding === true`)
	rename(t, server+"/api/v1/projects/"+project, "lemon")
	value[bool](p, `(release(), true)`)
	p.until(`document.querySelector('.class-row:last-child .class-name').textContent === 'lemon'`)
}

// rename gives the last class of the project at an address of the API another name.
func rename(t *testing.T, address, name string) {
	t.Helper()
	do := func(method string, body io.Reader) []byte {
		r, err := http.NewRequestWithContext(t.Context(), method, address, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %s %s, %v", method, address, answer.Status, b, err)
		}
		return b
	}
	var project struct {
		Classes []map[string]any `json:"classes"`
	}
	if err := json.Unmarshal(do(http.MethodGet, nil), &project); err != nil {
		t.Fatal(err)
	}
	project.Classes[len(project.Classes)-1]["name"] = name
	b, err := json.Marshal(project)
	if err != nil {
		t.Fatal(err)
	}
	do(http.MethodPatch, bytes.NewReader(b))
}

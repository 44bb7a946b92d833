// Package e2e tests Collie as a person uses it: with the built program, a real
// browser and real files.
package e2e

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"collie/static"
)

// patience is how long a step can take before the test fails; a busy machine is
// slow.
const patience = 60 * time.Second

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "collie-e2e")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "server")
	out, err := exec.Command("go", "build", "-ldflags=-s", "-o", program, "collie/cmd/server").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
})

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("skipped with -short: tests in a browser")
		return
	}
	if at := flag.Lookup("test.parallel"); at.Value.String() == at.DefValue {
		// A test waits for the browser and the server for a third to half of its time.
		_ = flag.Set(at.Name, strconv.Itoa(max(1, 3*runtime.GOMAXPROCS(0)/2)))
	}
	code := m.Run()
	if chromium.stop != nil {
		chromium.stop()
	}
	if program, err := build(); err == nil {
		os.RemoveAll(filepath.Dir(program))
	}
	os.Exit(code)
}

// startServer runs the built program with an empty data folder and returns its
// address, which it prints when it is ready.
func startServer(t *testing.T) string {
	t.Helper()
	return serve(t, filepath.Join(t.TempDir(), "data"))
}

// serve is startServer for a data folder, with more arguments.
func serve(t *testing.T, data string, arguments ...string) string {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return serveProgram(t, program, data, arguments...)
}

// serveProgram is serve for a program that was built elsewhere.
func serveProgram(t *testing.T, program, data string, arguments ...string) string {
	t.Helper()
	cmd := exec.Command(program, append([]string{"--listen", "127.0.0.1:0", "--data", data}, arguments...)...)
	cmd.Stderr = os.Stderr
	if !testing.Verbose() {
		cmd.Stderr = nil
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server did not stop cleanly: %v", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the server printed %q and then: %v", line, err)
	}
	address := regexp.MustCompile(`http://[0-9.]+:[0-9]+`).FindString(line)
	if address == "" {
		t.Fatalf("no address in the first line of the server, %q", line)
	}
	return address
}

// page drives one tab of a browser.
type page struct {
	t         *testing.T
	ctx       context.Context
	downloads string // folder
	actions   int    // what a person would have done: clicks, keys, drops
}

// chromium is the browser that all tests share; it runs until TestMain stops it.
var chromium struct {
	start sync.Once
	ctx   context.Context
	stop  func()
	err   error
}

// startBrowser starts the browser with the first test that needs it.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	program, err := exec.LookPath("chromium-headless-shell") // chromium without menus and toolbars: half of the processor time
	if err != nil {
		program, err = exec.LookPath("chromium")
	}
	if err != nil {
		t.Skip("skipped: browser tests need chromium-headless-shell or chromium on the PATH")
	}
	c := &chromium
	c.start.Do(func() {
		profile, err := os.MkdirTemp("", "collie-chromium")
		if err != nil {
			c.err = err
			return
		}
		options := []chromedp.ExecAllocatorOption{
			chromedp.ExecPath(program), chromedp.UserDataDir(profile),
			chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		}
		for _, flag := range []string{
			"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "hide-scrollbars",
			"disable-background-timer-throttling", "disable-backgrounding-occluded-windows", "disable-renderer-backgrounding", // other tests' windows
		} {
			options = append(options, chromedp.Flag(flag, true))
		}
		// The address bar is a separate page in every window. Nobody sees it here,
		// and it takes a third of the browser's processor time.
		options = append(options, chromedp.Flag("disable-features", "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"))
		allocator, stopBrowser := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, closeTab := chromedp.NewContext(allocator)
		c.ctx, c.stop = ctx, func() {
			closeTab()
			stopBrowser()
			os.RemoveAll(profile)
		}
		c.err = chromedp.Do(ctx) // starts it; its life is that of this context
	})
	if c.err != nil {
		t.Fatalf("starting the browser: %v", c.err)
	}
	return c.ctx
}

// openPage opens the address in a window of the given size. Each has its own
// cookies, storage and downloads, like another browser.
func openPage(t *testing.T, width, height int64, dark bool, address string) *page {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(startBrowser(t), chromedp.WithNewBrowserContext())
	p := &page{t: t, ctx: ctx, downloads: t.TempDir()}
	t.Cleanup(watch(t, ctx, closeTab))

	scheme := "light"
	if dark {
		scheme = "dark"
	}
	// The first action makes the window, whose life is that of its context.
	err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return err
	}), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	}), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
			Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: p.downloads, BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
		})
		return err
	}))
	if err != nil {
		t.Fatalf("opening a window: %v", err)
	}
	p.do("opening "+address, chromedp.Navigate(address))
	return p
}

// watch makes scripts that fail on a page a failure of the test. The page ends with what
// it returns.
func watch(t *testing.T, ctx context.Context, closeTab func()) (end func()) {
	messages := chromedp.Console(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for m, err := range messages {
			if err == nil && m.IsException() {
				t.Errorf("a script failed: %s (%s:%d)", m.Text, m.URL, m.Line+1)
			}
		}
	}()
	return func() {
		closeTab()
		<-ended
	}
}

// do runs steps that have to end within the test's patience.
func (p *page) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.failed()
		p.t.Fatalf("%s: %v", what, err)
	}
}

// until waits for a JavaScript expression, which may be a promise, to become
// true, on this document or on one that is still to come.
func (p *page) until(expression string) {
	p.t.Helper()
	wait(p, "until", expression, func(ok bool) bool { return ok })
}

// value evaluates a JavaScript expression, which may be a promise.
func value[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("evaluating %s: %v", expression, err)
	}
	return v
}

// drop gives files to the drop zone.
func (p *page) drop(files ...string) {
	p.t.Helper()
	p.actions++
	p.choose("#files", files...)
}

// press presses a key, with modifiers held down.
func (p *page) press(key string, held ...kb.Modifier) {
	p.t.Helper()
	p.actions++
	var modifiers int64
	for _, m := range held {
		modifiers |= int64(m)
	}
	p.do("pressing "+key, chromedp.KeyEvent(key, func(e *input.DispatchKeyEventParams) { e.Modifiers = modifiers }))
}

// click presses and releases the mouse over a pixel of the image.
func (p *page) click(at image.Point) {
	p.t.Helper()
	p.actions++
	x, y := p.onScreen(at)
	p.do(fmt.Sprintf("clicking pixel %v", at), chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y), chromedp.MouseClickXY(x, y))
}

// wholeView is an expression for how the whole image is shown: its scale, and where
// it begins in the window.
var wholeView = `import('` + static.Address("canvas/view.js") + `').then(({clear}) => {
	const {width, height} = document.getElementById('app').dataset;
	const canvas = document.getElementById('canvas');
	const box = canvas.getBoundingClientRect();
	const {scale, left, top} = clear({width: +width, height: +height}, {width: canvas.clientWidth, height: canvas.clientHeight});
	return {scale, left: box.left + left, top: box.top + top, right: box.left + left + scale * width, bottom: box.top + top + scale * height};
})`

// onScreen returns where the centre of a pixel of the image is in the window
// while the whole image is shown.
func (p *page) onScreen(at image.Point) (x, y float64) {
	p.t.Helper()
	xy := value[[]float64](p, fmt.Sprintf(`%s.then(({scale, left, top}) => [left + (%d + 0.5) * scale, top + (%d + 0.5) * scale])`, wholeView, at.X, at.Y))
	return xy[0], xy[1]
}

// api is an expression that fetches from the open image's API.
func (p *page) api(part string) string {
	return "fetch('/api/v1/images/' + document.getElementById('app').dataset.image + '" + part + "').then(r => r.json())"
}

// resize gives the window another size, as steps of a test may, and waits until the
// page has been laid out and painted in it.
func (p *page) resize(width, height int64, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	p.do("resizing", append([]chromedp.Action[chromedp.Void]{chromedp.EmulateViewport(width, height)}, steps...)...)
	value[bool](p, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true)))))`)
}

// downloaded waits for one finished download and opens it as an image.
func (p *page) downloaded() (name string, img image.Image) {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		files, err := filepath.Glob(filepath.Join(p.downloads, "*.png"))
		if err != nil {
			p.t.Fatal(err)
		}
		// An empty file keeps the name until the download is complete.
		if len(files) == 1 && sizeOf(p.t, files[0]) > 0 {
			return filepath.Base(files[0]), openImage(p.t, files[0])
		}
	}
	p.failed()
	p.t.Fatal("no file was downloaded")
	return "", nil
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

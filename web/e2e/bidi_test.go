package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// firefox drives one window of Firefox by WebDriver BiDi
// (https://w3c.github.io/webdriver-bidi/). It is not safe for concurrent use.
type firefox struct {
	t         *testing.T
	socket    *websocket.Conn
	number    int // of the last command
	window    string
	downloads string // folder
}

// preferences make Firefox save downloads without asking and leave the network
// alone.
const preferences = `
user_pref("browser.download.folderList", 2);
user_pref("browser.download.dir", %q);
user_pref("browser.download.useDownloadDir", true);
user_pref("browser.download.always_ask_before_handling_new_types", false);
user_pref("app.update.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("ui.systemUsesDarkTheme", 1);
`

// startFirefox opens an address in a new Firefox with an empty profile.
func startFirefox(t *testing.T, width, height int, address string) *firefox {
	t.Helper()
	program, err := exec.LookPath("firefox-esr")
	if err != nil {
		t.Skip("skipped: this test needs firefox-esr on the PATH")
	}
	profile := t.TempDir()
	f := &firefox{t: t, downloads: t.TempDir()}
	if err := os.WriteFile(filepath.Join(profile, "user.js"), fmt.Appendf(nil, preferences, f.downloads), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", profile)
	cmd.Env = append(os.Environ(), "HOME="+profile, "MOZ_CRASHREPORTER_DISABLE=1")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // says that it was killed
	})
	found := make(chan string)
	go func() {
		defer close(found)
		listening := regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				found <- m[1]
			}
		}
	}()
	select {
	case socket := <-found:
		f.connect(socket + "/session")
	case <-time.After(2 * patience):
		t.Fatal("Firefox does not say where it listens")
	}
	f.resize(width, height)
	f.open(address)
	return f
}

func (f *firefox) connect(address string) {
	f.t.Helper()
	socket, _, err := websocket.DefaultDialer.Dial(address, nil)
	if err != nil {
		f.t.Fatalf("connecting to Firefox: %v", err)
	}
	f.t.Cleanup(func() { socket.Close() })
	f.socket = socket
	f.send("session.new", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{"unhandledPromptBehavior": map[string]string{"default": "accept"}}}})
	var tree struct {
		Contexts []struct{ Context string }
	}
	f.decode(f.send("browsingContext.getTree", map[string]any{}), &tree)
	f.window = tree.Contexts[0].Context
}

// send sends a command and waits for its result.
func (f *firefox) send(method string, parameters any) json.RawMessage {
	f.t.Helper()
	f.number++
	if err := f.socket.WriteJSON(map[string]any{"id": f.number, "method": method, "params": parameters}); err != nil {
		f.t.Fatalf("%s: %v", method, err)
	}
	for {
		var answer struct {
			ID             int
			Type           string
			Result         json.RawMessage
			Error, Message string
		}
		if err := f.socket.SetReadDeadline(time.Now().Add(2 * patience)); err != nil {
			f.t.Fatal(err)
		}
		if err := f.socket.ReadJSON(&answer); err != nil {
			f.t.Fatalf("%s: %v", method, err)
		}
		if answer.ID != f.number {
			continue // an event
		}
		if answer.Type == "error" {
			f.t.Fatalf("%s: %s: %s", method, answer.Error, answer.Message)
		}
		return answer.Result
	}
}

// resize gives the window's content a size in CSS pixels.
func (f *firefox) resize(width, height int) {
	f.t.Helper()
	f.send("browsingContext.setViewport", map[string]any{"context": f.window, "viewport": map[string]int{"width": width, "height": height}})
}

func (f *firefox) decode(data []byte, v any) {
	f.t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		f.t.Fatalf("%s: %v", data, err)
	}
}

// open goes to an address.
func (f *firefox) open(address string) {
	f.t.Helper()
	f.send("browsingContext.navigate", map[string]any{"context": f.window, "url": address, "wait": "complete"})
}

// remote is the value of an expression in the page, as BiDi describes it.
type remote struct {
	Type   string
	Result struct {
		Value    json.RawMessage
		SharedID string `json:"sharedId"`
	}
	ExceptionDetails struct{ Text string }
}

// evaluate evaluates a JavaScript expression, which may be a promise.
func (f *firefox) evaluate(expression string) remote {
	f.t.Helper()
	var r remote
	f.decode(f.send("script.evaluate", map[string]any{"expression": expression, "target": map[string]string{"context": f.window}, "awaitPromise": true}), &r)
	return r
}

// read evaluates an expression whose value JSON can write into v.
func (f *firefox) read(expression string, v any) {
	f.t.Helper()
	r := f.evaluate(`Promise.resolve(` + expression + `).then((v) => JSON.stringify(v))`)
	if r.Type != "success" {
		f.t.Fatalf("%s: %s", expression, r.ExceptionDetails.Text)
	}
	var text string
	f.decode(r.Result.Value, &text)
	f.decode([]byte(text), v)
}

// until waits for an expression to become true, on this document or the next.
func (f *firefox) until(expression string) {
	f.t.Helper()
	var last string
	for end := time.Now().Add(2 * patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		r := f.evaluate(`Promise.resolve(` + expression + `).then(Boolean)`)
		if last = string(r.Result.Value) + r.ExceptionDetails.Text; last == "true" {
			return
		}
	}
	f.t.Fatalf("waited in vain for %s: %s", expression, last)
}

// press presses keys one after the other; with several, the first is held down.
func (f *firefox) press(keys ...string) {
	f.t.Helper()
	var actions []map[string]any
	for _, key := range keys {
		actions = append(actions, map[string]any{"type": "keyDown", "value": key})
	}
	for i := range keys {
		actions = append(actions, map[string]any{"type": "keyUp", "value": keys[len(keys)-1-i]})
	}
	f.perform(map[string]any{"type": "key", "id": "keys", "actions": actions})
}

// click presses and releases the mouse at a point of the window.
func (f *firefox) click(x, y float64) {
	f.t.Helper()
	f.perform(map[string]any{"type": "pointer", "id": "mouse", "parameters": map[string]string{"pointerType": "mouse"}, "actions": []map[string]any{
		{"type": "pointerMove", "x": int(x), "y": int(y)}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0},
	}})
}

func (f *firefox) perform(source map[string]any) {
	f.t.Helper()
	f.send("input.performActions", map[string]any{"context": f.window, "actions": []any{source}})
}

// choose gives files to a file field.
func (f *firefox) choose(selector string, files ...string) {
	f.t.Helper()
	field := f.evaluate(`document.querySelector(` + quoted(selector) + `)`)
	f.send("input.setFiles", map[string]any{"context": f.window, "element": map[string]string{"sharedId": field.Result.SharedID}, "files": files})
}

// screenshot saves a picture of the window, like the tests of the other browser.
func (f *firefox) screenshot(name string) {
	f.t.Helper()
	var picture struct{ Data []byte }
	f.decode(f.send("browsingContext.captureScreenshot", map[string]any{"context": f.window}), &picture)
	path := filepath.Join("..", "..", "artefacts", f.t.Name()+"-"+name+".png")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Error(err)
	}
	if err := os.WriteFile(path, picture.Data, 0o644); err != nil {
		f.t.Error(err)
	}
}

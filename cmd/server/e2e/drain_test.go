package e2e

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// answers is the status of a GET of the server.
func (p *process) answers(path string) int {
	p.tb.Helper()
	var b []byte
	status, err := send(p.tb.Context(), http.MethodGet, p.url+path, "", nil, &b)
	if status == 0 {
		p.tb.Fatal(err)
	}
	return status
}

// drains sends the signal to stop and waits until the server says that it isn't ready.
func (p *process) drains() {
	p.tb.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.tb.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); p.answers("/readyz") != http.StatusServiceUnavailable; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			p.tb.Fatalf("after the signal to stop the server is still ready\n%s", p.stderr)
		}
	}
}

// open opens the socket of an image and returns the error that ends it.
func open(t *testing.T, url, image string) (ended chan error) {
	t.Helper()
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(url, "http")+"/api/v1/images/"+image+"/socket", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	t.Cleanup(func() { conn.Close() })
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"hello","pending":[]}`)); err != nil {
		t.Fatal(err)
	}
	ended = make(chan error, 1)
	go func() {
		for {
			if _, _, err := conn.ReadMessage(); err != nil {
				ended <- err
				return
			}
		}
	}()
	return ended
}

// goesOn checks that a socket has not ended.
func goesOn(t *testing.T, ended chan error) {
	t.Helper()
	select {
	case err := <-ended:
		t.Errorf("the socket has ended: %v", err)
	default:
	}
}

// A server that drains says that it isn't ready and works as before, until a second
// signal or the end of the time; then it sends pages elsewhere and ends.
func TestDrain(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), "--drain", "1h")
	tr := newTraffic(t, p.url, 1)
	page := open(t, p.url, tr.workers[0].image)
	p.drains()
	if err := tr.workers[0].click(t.Context(), p.url); err != nil {
		t.Errorf("a click while draining: %v", err)
	}
	if status := p.answers("/healthz"); status != http.StatusOK {
		t.Errorf("healthz while draining: %d", status)
	}
	goesOn(t, page)
	p.stop() // the second signal
	if err := <-page; !websocket.IsCloseError(err, websocket.CloseServiceRestart) {
		t.Errorf("the socket ended with %v, want close code 1012", err)
	}
}

// replace replaces a server while people click through the balancer: no request
// fails, and pages stay until their server sends them elsewhere.
func (c *cluster) replace(t *testing.T, url string, i int) {
	c.nodes[i].stop()
	c.restart(i, "--drain", "1h")
	c.balanced(t, url, "UP", len(c.nodes)+1) // and the backend
	tr := newTraffic(t, url, 6)
	pages := map[string]chan error{}
	for n := range 6 {
		pages[tr.workers[2*n].image] = open(t, url, tr.workers[2*n].image)
	}
	work := func(during func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			during()
		}()
		for {
			for _, w := range tr.workers {
				if err := w.click(t.Context(), url); err != nil {
					t.Errorf("a click while a server is replaced: %v", err)
				}
			}
			select {
			case <-done:
				return
			default:
			}
		}
	}
	work(func() {
		c.nodes[i].drains()
		c.balanced(t, url, "NOLB", 1)
	})
	for _, page := range pages {
		goesOn(t, page)
	}
	work(c.nodes[i].stop) // the second signal
	ended := 0
	for _, page := range pages {
		select {
		case err := <-page:
			ended++
			if !websocket.IsCloseError(err, websocket.CloseServiceRestart) {
				t.Errorf("a socket ended with %v, want close code 1012", err)
			}
		default:
		}
	}
	t.Logf("the replaced server had %d of %d pages", ended, len(pages))
	c.restart(i)
	tr.check(c.nodes[i].url, time.Now())
}

// balanced waits until so many lines of the balancer's list of servers have a state.
func (c *cluster) balanced(t *testing.T, url, state string, lines int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		var list []byte
		_, err := send(t.Context(), http.MethodGet, url+"/state;csv", "", nil, &list)
		if err == nil && strings.Count(string(list), ","+state+",") >= lines {
			return
		}
		if time.Now().After(end) {
			t.Errorf("the balancer doesn't list %d lines with %s: %v\n%s", lines, state, err, list)
			return
		}
	}
}

package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"collie/web/live"
)

func TestSocketOrigin(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	for origin, ok := range map[string]bool{
		s.url: true, "": true, "http://evil.example": false, "null": false,
		strings.Replace(s.url, "http", "https", 1): false, "http://127.0.0.1:1": false, s.url + ".evil.example": false,
	} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), s.socketURL(im.ID), header)
		if resp != nil {
			resp.Body.Close()
		}
		switch {
		case err == nil && !ok:
			t.Errorf("origin %q was let in", origin)
		case err != nil && ok:
			t.Errorf("origin %q: %v", origin, err)
		case err != nil && (resp == nil || resp.StatusCode != http.StatusForbidden):
			t.Errorf("origin %q: %v, want 403", origin, err)
		}
		if err == nil {
			conn.Close()
		}
	}
	s.get("/api/v1/images/"+im.ID+"/socket").problem(t, http.StatusBadRequest)
	if _, resp, err := websocket.DefaultDialer.DialContext(t.Context(), s.socketURL("nope"), nil); err == nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("socket of an unknown image: %v", err)
	}
}

func TestSocketOversizedMessage(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	c := s.greet(im.ID)
	c.say(`{"type":"stop","x":"` + strings.Repeat("x", (64<<10)-30) + `"}`)
	c.say(`{"type":"evidence","x":"` + strings.Repeat("x", (64<<10)) + `"}`)
	_, _, err := c.conn.ReadMessage()
	if !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
		t.Errorf("read ended with %v, want close code 1009", err)
	}
}

func TestSocketCredit(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	s.clickThree(path)
	c := s.dial(im.ID)
	c.say(`{"type":"credit","n":3}`)
	c.say(`{"type":"hello"}`)
	c.expect("state")
	c.expect("run")
	for range 3 {
		c.expect("hypothesis")
	}
	c.say(`{"type":"credit","n":2}`)
	c.expect("hypothesis")
	if h := c.expect("hypothesis"); h.frame.Rank != 4 {
		t.Errorf("fifth hypothesis has rank %d", h.frame.Rank)
	}
	// Without credit, messages other than hypotheses still arrive.
	c.say(`{"type":"dance"}`)
	c.expect("error")
	c.say(`{"type":"run","count":7}`)
	for _, m := range c.until("run") {
		if m.Type == "hypothesis" {
			t.Error("a hypothesis came without credit")
		}
	}
	c.say(`{"type":"credit","n":100}`)
	if got := c.until("done"); len(got) != 8 {
		t.Errorf("%d messages, want 7 hypotheses and the end", len(got))
	}
	c.say(`{"type":"stop"}`) // there is nothing to stop
	c.quiet(50 * time.Millisecond)
}

func TestSocketsEndWithTheServer(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	tabs := []*tab{s.greet(im.ID), s.greet(im.ID), s.dial(im.ID)}
	closed := make(chan struct{})
	go func() {
		s.server.Close()
		close(closed)
	}()
	for i, c := range tabs {
		_, _, err := c.conn.ReadMessage()
		if !websocket.IsCloseError(err, websocket.CloseServiceRestart) {
			t.Errorf("tab %d: read ended with %v, want close code 1012", i, err)
		}
	}
	select {
	case <-closed:
	case <-time.After(2 * time.Minute):
		t.Error("the server does not end")
	}
	_, resp, err := websocket.DefaultDialer.DialContext(t.Context(), s.socketURL(im.ID), nil)
	if err == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a socket while stopping: %v", err)
	}
}

func TestTooManySockets(t *testing.T) {
	t.Parallel()
	s := mustServe(t, Limits{Socket: live.Limits{Sockets: 12}})
	im := s.photo()
	for range 12 {
		s.dial(im.ID)
	}
	_, resp, err := websocket.DefaultDialer.DialContext(t.Context(), s.socketURL(im.ID), nil)
	if !errors.Is(err, websocket.ErrBadHandshake) || resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one more socket: %v", err)
	}
}

// Edits listed in a hello count as messages, so a hello can't get around their
// rate limit.
func TestHelloFlood(t *testing.T) {
	t.Parallel()
	s := mustServe(t, Limits{Socket: live.Limits{MessageRate: 20}})
	im := s.photo()
	c := s.dial(im.ID)
	var unacked []string
	for i := range 60 {
		unacked = append(unacked, labelAt(fmt.Sprint("e", i), i, inSky, i%2))
	}
	began := time.Now()
	c.say(`{"type":"hello","unacked":[` + strings.Join(unacked, ",") + `]}`)
	for i := range unacked {
		if m := c.next(); m.Type != "ack" || m.Seq != i+1 {
			t.Fatalf("event %d: %+v", i, m)
		}
	}
	if took := time.Since(began); took < 1500*time.Millisecond {
		t.Errorf("60 events at 20 a second took %v", took)
	}
}

package live

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/workspace"
	"collie/sharedtest"
	"collie/storage/sqlite"
	"collie/storage/workspacetest"
	"collie/web/answers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// house is a hub with its own workspace. Sockets are pipes in this process, so
// that it also runs on the clock of testing/synctest.
type house struct {
	tb        testing.TB
	hub       *Hub
	workspace *workspace.Workspace
	store     *sqlite.Store
	project   string
}

func mustOpen(tb testing.TB, limits Limits, options ...workspace.Options) *house {
	tb.Helper()
	data := workspacetest.MustOpenFolder(tb, tb.TempDir())
	h := &house{tb: tb, workspace: data.Workspace(options...), store: data.Store}
	h.hub = New(Config{Workspace: h.workspace, Log: slog.New(slog.DiscardHandler), Limits: limits, Explain: explain, Lend: answers.NewMemory().Lend})
	tb.Cleanup(h.hub.Close)
	p, err := h.workspace.CreateProject(h.owner(), "house", []segment.Class{{Name: "sky"}, {Name: "sea"}, {Name: "sand"}}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	h.project = p.ID
	return h
}

// explain returns the error's own text.
func explain(err error) (detail string, ours bool) {
	var domain *segment.Error
	if !errors.As(err, &domain) {
		return err.Error(), false
	}
	return domain.Detail, domain.Kind == segment.Unavailable || domain.Kind == segment.Full
}

func (h *house) owner() context.Context { return access.With(context.Background(), access.Operator) }

// Where the three parts of an image are.
var parts = [...]image.Point{{10, 10}, {80, 10}, {50, 80}}

// image adds an image of three parts and returns its id.
func (h *house) image() string {
	h.tb.Helper()
	im, err := h.workspace.AddImage(h.owner(), h.project, "parts.png", bytes.NewReader(sharedtest.Coast(112, 96)))
	if err != nil {
		h.tb.Fatal(err)
	}
	return im.ID
}

// clickThree labels each part of an image.
func (h *house) clickThree(imageID string) {
	h.tb.Helper()
	for i, p := range parts {
		e := segment.Event{ID: fmt.Sprint("click", i), Kind: segment.Label, Points: [][2]float64{{float64(p.X), float64(p.Y)}}, Class: i}
		if _, err := h.hub.Append(h.owner(), imageID, i, e); err != nil {
			h.tb.Fatal(err)
		}
	}
}

// member joins the image's room as a socket without a connection.
func (h *house) member(imageID string) (*room, *socket) {
	h.tb.Helper()
	r, err := h.hub.enter(h.owner(), imageID)
	if err != nil {
		h.tb.Fatal(err)
	}
	c := &socket{outbox: newOutbox(), room: r, seat: &seat{ctx: h.owner()}}
	r.join(c)
	h.tb.Cleanup(func() {
		r.part(c)
		r.leave()
	})
	return r, c
}

// visitor is somebody whose socket nothing ever ends.
func visitor(user string) Visitor {
	p := access.Operator
	p.User = user
	return Visitor{Principal: p, Check: func(context.Context, bool) error { return nil }}
}

// tab is a page's end of a socket.
type tab struct {
	tb     testing.TB
	conn   *websocket.Conn
	buffer int // bytes that the server's system may buffer for it
}

// hijacked is a response writer that hands over its connection.
type hijacked struct {
	*httptest.ResponseRecorder
	conn net.Conn
}

func (h hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.conn, bufio.NewReadWriter(bufio.NewReader(h.conn), bufio.NewWriter(h.conn)), nil
}

// cable is the server's end of a connection, which knows how much may be buffered.
type cable struct {
	net.Conn
	buffer *int
}

func (c cable) SetWriteBuffer(bytes int) error { *c.buffer = bytes; return nil }

// dial opens a socket of the image, or says why it can't be opened.
func (h *house) dial(imageID string, v Visitor) (*tab, error) {
	h.tb.Helper()
	here, there := net.Pipe()
	h.tb.Cleanup(func() { here.Close(); there.Close() })
	refused := make(chan error, 1)
	buffer := 0
	go func() {
		r, err := http.ReadRequest(bufio.NewReader(there))
		if err == nil {
			err = h.hub.Open(hijacked{httptest.NewRecorder(), cable{there, &buffer}}, r, imageID, v)
		}
		if err != nil {
			there.Close()
		}
		refused <- err
	}()
	dialer := websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) { return here, nil }}
	conn, _, err := dialer.Dial("ws://house/", nil)
	if why := <-refused; why != nil {
		return nil, why
	}
	if err != nil {
		h.tb.Fatal(err)
	}
	return &tab{h.tb, conn, buffer}, nil
}

// mustDial is dial for somebody who is let in.
func (h *house) mustDial(imageID string) *tab {
	h.tb.Helper()
	c, err := h.dial(imageID, visitor(""))
	if err != nil {
		h.tb.Fatal(err)
	}
	return c
}

// greet opens the socket, says hello and reads up to the end of the sequence.
func (h *house) greet(imageID string) *tab {
	h.tb.Helper()
	c := h.mustDial(imageID)
	c.say(`{"type":"hello"}`)
	c.until("done")
	return c
}

func (c *tab) say(message string) {
	c.tb.Helper()
	if err := c.conn.WriteMessage(websocket.TextMessage, []byte(message)); err != nil {
		c.tb.Fatal(err)
	}
}

// message is any message from the server; Type is "hypothesis" for binary ones.
type message struct {
	Type, ID, Reason, Detail string
	Seq                      int
	frame                    HypothesisFrame
}

// read reads one message.
func (c *tab) read() (m message, err error) {
	kind, b, err := c.conn.ReadMessage()
	switch {
	case err != nil:
		return m, err
	case kind == websocket.BinaryMessage:
		m.Type = "hypothesis"
		err = m.frame.UnmarshalBinary(b)
	default:
		err = json.Unmarshal(b, &m)
	}
	return m, err
}

// until reads up to a message of the given type and returns it.
func (c *tab) until(kind string) message {
	c.tb.Helper()
	for {
		m, err := c.read()
		if err != nil {
			c.tb.Fatal(err)
		}
		if m.Type == kind {
			return m
		}
	}
}

// ends reads until the socket is closed, by the given code, and returns how long
// that took.
func (c *tab) ends(code int) time.Duration {
	c.tb.Helper()
	began := time.Now()
	for {
		if _, err := c.read(); err != nil {
			if !websocket.IsCloseError(err, code) {
				c.tb.Errorf("the socket ended with %v, want close code %d", err, code)
			}
			return time.Since(began)
		}
	}
}

// lives checks that the socket still answers.
func (c *tab) lives() {
	c.tb.Helper()
	c.say(`{"type":"dance"}`)
	c.until("error")
}

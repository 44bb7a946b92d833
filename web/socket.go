package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"collie/segment"
)

// Limits of one socket.
const (
	maxMessage    = 64 << 10         // bytes of a message from a client
	maxRate       = 40               // messages a second; a client that sends more waits
	writeDeadline = 5 * time.Second  // for one message to be taken
	pingEvery     = 20 * time.Second //
	pongWithin    = 45 * time.Second // of the last sign of life
)

// socket is one page that has an image open.
//
// Who owns the connection: the goroutine of the HTTP request reads it until it
// ends and is the only one that reads; the goroutine of write is the only one
// that writes and the one that closes it. Everyone else speaks through the
// outbox, under the room's mutex. (gorilla answers a ping or a close frame from
// the reading goroutine, which it allows beside a writer.)
type socket struct {
	outbox
	room   *room
	conn   *websocket.Conn
	log    *slog.Logger
	ctx    context.Context // done when the socket or the hub ends
	cancel context.CancelFunc
}

// openSocket turns the request into a websocket and serves it to its end.
func (s *Server) openSocket(w http.ResponseWriter, r *http.Request) error {
	if !websocket.IsWebSocketUpgrade(r) {
		return &requestError{http.StatusBadRequest, "This address is a websocket; connect to it with the websocket protocol."}
	}
	if !fromHere(r) {
		return &requestError{http.StatusForbidden, "A page of another site asked for this connection, so it was not made."}
	}
	if err := s.hub.admit(); err != nil {
		return err
	}
	defer s.hub.dismiss()
	room, err := s.hub.enter(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	defer room.leave()
	upgrader := websocket.Upgrader{
		CheckOrigin: fromHere,
		Error: func(w http.ResponseWriter, r *http.Request, status int, reason error) {
			s.answerJSON(w, r, &requestError{status, "The websocket could not be opened: " + reason.Error() + "."})
		},
	}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.log.Debug("websocket not opened", "error", err)
		return nil // answered by the upgrader
	}
	c := &socket{outbox: newOutbox(), room: room, conn: conn, log: s.log}
	c.ctx, c.cancel = context.WithCancel(s.hub.ctx)
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write()
	}()
	c.read()
	room.part(c)
	c.cancel()
	<-written
	return nil
}

// fromHere reports whether the request comes from one of our own pages, by
// scheme and host, or from a program that is no browser and sends no origin.
func fromHere(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == scheme && strings.EqualFold(u.Host, r.Host)
}

// read handles what the client sends until the connection ends.
func (c *socket) read() {
	c.conn.SetReadLimit(maxMessage)
	alive := func() error { return c.conn.SetReadDeadline(time.Now().Add(pongWithin)) }
	c.conn.SetPongHandler(func(string) error { return alive() })
	budget := rate.NewLimiter(maxRate, maxRate)
	for c.waitForRoom() {
		if err := alive(); err != nil {
			return
		}
		kind, message, err := c.conn.ReadMessage()
		if err != nil {
			if errors.Is(err, websocket.ErrReadLimit) {
				c.log.Info("websocket message over the limit", "image", c.room.id)
			}
			return
		}
		if kind != websocket.TextMessage {
			c.say(errorMessage{"error", "Only text messages with JSON are understood. Nothing was changed."})
			continue
		}
		err = guard(c.log, "websocket message", func() error { return c.handle(message) })
		if err != nil {
			c.say(errorMessage{"error", problemOf(err).Detail})
		}
		if budget.Wait(c.ctx) != nil {
			return
		}
	}
}

// waitForRoom waits until the client has taken enough of its answers to be
// listened to again; false says that the socket has ended.
func (c *socket) waitForRoom() bool {
	for {
		c.room.mu.Lock()
		waiting := len(c.replies)
		c.room.mu.Unlock()
		if waiting < maxReplies {
			return c.ctx.Err() == nil
		}
		select {
		case <-c.drained:
		case <-c.ctx.Done():
			return false
		}
	}
}

// handle carries out one message. An error means that nothing was changed.
func (c *socket) handle(message []byte) error {
	m, err := parseMessage(message)
	if err != nil {
		return err
	}
	switch m.Type {
	case "hello":
		return c.hello(m)
	case "evidence":
		return c.evidence(&m.evidenceJSON)
	case "run":
		if m.Count < 1 || m.Count > segment.MaxHypotheses {
			return invalid("The field \"count\" must be a whole number from 1 to %d. Nothing was changed.", segment.MaxHypotheses)
		}
		c.room.restart(m.Count)
	case "stop":
		c.room.stop()
	case "credit":
		if m.N < 0 {
			return invalid("The field \"n\" must not be negative. Nothing was changed.")
		}
		c.room.mu.Lock()
		defer c.room.mu.Unlock()
		c.allow(m.N)
	}
	return nil
}

// parseMessage reads a text frame.
func parseMessage(b []byte) (*clientMessage, error) {
	var m clientMessage
	if err := decodeJSON(b, &m); err != nil {
		return nil, err
	}
	switch m.Type {
	case "hello", "evidence", "run", "stop", "credit":
		return &m, nil
	}
	return nil, invalid("The message type %q is not known; known are hello, evidence, run, stop and credit. Nothing was changed.", shorten(m.Type))
}

// hello takes what the client could not send before, then tells it the state.
// Numbers of another epoch mean nothing here, so its events are stale.
func (c *socket) hello(m *clientMessage) error {
	present := c.room.annotation.State().Seq
	for i := range m.Unacked {
		e := &m.Unacked[i]
		if m.Epoch != "" && m.Epoch != c.room.epoch() {
			c.say(rejectMessage{"reject", e.ID, "stale", "The event was made for another history of this image. Nothing was changed.", present})
			continue
		}
		if err := c.evidence(e); err != nil {
			return err
		}
	}
	c.room.join(c)
	return nil
}

// evidence stores an event; its ack or reject is queued by then.
func (c *socket) evidence(e *evidenceJSON) error {
	event, expected, err := e.event()
	if err != nil {
		if e.ID == "" {
			return err // there is nothing to reject it by
		}
		c.say(replyTo(e.ID, expected, 0, err, c.room.annotation.State().Seq))
		return nil
	}
	_, _ = c.room.append(c.ctx, expected, event, c) // the reply has told the client
	return nil
}

// say queues an answer to the client.
func (c *socket) say(message any) {
	c.room.mu.Lock()
	defer c.room.mu.Unlock()
	c.reply(message)
}

// write sends what the outbox holds, and pings, until the socket or the hub
// ends or the client takes nothing for too long; then it closes the connection,
// which ends read.
func (c *socket) write() {
	defer c.conn.Close()
	defer c.cancel()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		c.room.mu.Lock()
		message, binary, ok := c.next()
		c.room.mu.Unlock()
		if ok {
			if !c.send(message, binary) {
				return
			}
			continue
		}
		select {
		case <-c.ready:
		case <-ping.C:
			if err := c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeDeadline)); err != nil {
				return
			}
		case <-c.ctx.Done():
			c.farewell()
			return
		}
	}
}

// send writes one message; false says that the connection is of no more use.
func (c *socket) send(message []byte, binary bool) bool {
	kind := websocket.TextMessage
	if binary {
		kind = websocket.BinaryMessage
	}
	if err := c.conn.SetWriteDeadline(time.Now().Add(writeDeadline)); err != nil {
		return false
	}
	return c.conn.WriteMessage(kind, message) == nil
}

// farewell tells the client to come back when the server stops; the client's
// own leaving needs no more words.
func (c *socket) farewell() {
	if c.room.hub.ctx.Err() == nil {
		return
	}
	bye := websocket.FormatCloseMessage(websocket.CloseServiceRestart, "The server is restarting; everything acknowledged is saved.")
	if err := c.conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(time.Second)); err != nil {
		c.log.Debug("farewell not sent", "error", err)
	}
}

// shorten keeps what a client sent short enough to say it back.
func shorten(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

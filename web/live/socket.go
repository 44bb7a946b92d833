package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/annotation"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/web/panics"
	"collie/web/wire"
)

// socket is one page that has an image open.
//
// Who owns the connection: only the goroutine of serve reads it, until it ends;
// only the goroutine of write writes to it and closes it. Everything else goes
// through the outbox, under the room's mutex. (gorilla answers pings and close
// frames from the reading goroutine, which is safe beside a writer.)
type socket struct {
	outbox
	*seat
	room   *room
	conn   *websocket.Conn
	log    *slog.Logger
	limits Limits
	used   atomic.Bool   // a message has arrived since the last check
	budget *rate.Limiter // of its messages, of the goroutine that reads
}

// writeBuffers are shared: a socket has one only while it writes.
var writeBuffers sync.Pool

// HandshakeError says that a request can't become a websocket.
type HandshakeError struct {
	Status int // HTTP status of the answer
	Reason error
}

func (e *HandshakeError) Error() string {
	return "The websocket could not be opened: " + e.Reason.Error() + "."
}

// Unwrap returns the reason.
func (e *HandshakeError) Unwrap() error { return e.Reason }

// Open turns a request, whose origin has been checked, into a websocket of an
// image. A new goroutine serves it, so that the request's deep stack is freed.
// After an error, which can be a HandshakeError or a Farewell, the caller
// answers the request.
func (h *Hub) Open(w http.ResponseWriter, r *http.Request, imageID string, v Visitor) error {
	v.Image = imageID
	seat, err := h.admit(v)
	if err != nil {
		return err
	}
	served := false
	defer func() {
		if !served {
			h.dismiss(seat)
		}
	}()
	if err := v.Check(seat.ctx, false); err != nil {
		return err // changed before there was a seat to end
	}
	room, err := h.enter(r.Context(), imageID)
	if err != nil {
		return err
	}
	var refused *HandshakeError
	upgrader := websocket.Upgrader{
		CheckOrigin:     func(*http.Request) bool { return true },
		WriteBufferPool: &writeBuffers,
		WriteBufferSize: 4 << 10,
		Error: func(_ http.ResponseWriter, _ *http.Request, status int, reason error) {
			refused = &HandshakeError{status, reason}
		},
	}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		room.leave()
		if refused != nil {
			return refused
		}
		h.log.Debug("websocket not opened", "error", err)
		return nil // the connection is gone
	}
	limitBuffer(conn.NetConn())
	c := &socket{outbox: newOutbox(), seat: seat, room: room, conn: conn, log: h.log, limits: h.limits}
	served = true
	if v.Outdated {
		c.cancel(RoleChanged)
	}
	go c.serve()
	return nil
}

// serve talks to the client until either side ends the connection.
func (c *socket) serve() {
	defer c.room.hub.dismiss(c.seat)
	defer c.room.leave()
	written := make(chan struct{})
	go func() {
		defer close(written)
		_ = panics.Guard(c.log, "writing to a websocket", func() error { c.write(); return nil })
	}()
	c.read()
	c.room.part(c)
	c.cancel(nil)
	<-written
}

// read handles what the client sends until the connection ends.
func (c *socket) read() {
	c.conn.SetReadLimit(c.limits.Message)
	c.budget = rate.NewLimiter(rate.Limit(c.limits.MessageRate), c.limits.MessageRate)
	c.countControls()
	for c.waitForRoom() {
		if err := c.alive(); err != nil {
			return
		}
		kind, message, err := c.conn.ReadMessage()
		if err != nil {
			if errors.Is(err, websocket.ErrReadLimit) {
				c.log.Info("websocket message over the limit", "image", c.room.id)
			}
			return
		}
		c.used.Store(true)
		if kind != websocket.TextMessage {
			err = errBinary
		} else {
			err = panics.Guard(c.log, "websocket message", func() error { return c.handle(message) })
		}
		if err != nil {
			detail, _ := c.room.hub.explain(err)
			c.say(errorMessage{"error", detail})
		}
		if c.budget.Wait(c.ctx) != nil {
			return
		}
	}
}

// countControls lets pings and pongs wait like other messages.
func (c *socket) countControls() {
	c.conn.SetPongHandler(func(string) error { return cmp.Or(c.budget.Wait(c.ctx), c.alive()) })
	answer := c.conn.PingHandler()
	c.conn.SetPingHandler(func(data string) error { return cmp.Or(c.budget.Wait(c.ctx), answer(data)) })
}

// alive gives the client time until its next message or pong.
func (c *socket) alive() error {
	return c.conn.SetReadDeadline(time.Now().Add(c.limits.PongWithin))
}

var errBinary = segment.Errorf(segment.Invalid, "Send text messages with JSON only. Nothing was changed.")

// waitForRoom waits until the client has taken enough of its answers; false
// means that the socket has ended.
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
	began := time.Now()
	m, err := parseMessage(message)
	c.room.hub.observer.Took(gauge.Decode, time.Since(began))
	if err != nil {
		return c.unread(message, err)
	}
	if !slices.Contains(harmless, m.Type) { // everybody in the room sees its effect
		if err := c.room.hub.workspace.MayIn(c.ctx, c.room.annotation.Image().ProjectID, access.Annotate); err != nil {
			if c.check(); c.ctx.Err() != nil {
				return nil // the close frame says why
			}
			return err
		}
	}
	switch m.Type {
	case "hello":
		return c.hello(m)
	case "evidence":
		_, err := c.evidence(&m.Evidence, m.Rebase, false)
		return err
	case "run":
		if m.Count < 1 || m.Count > engine.MaxHypotheses {
			return segment.Errorf(segment.Invalid, "The field \"count\" must be a whole number from 1 to %d. Nothing was changed.", engine.MaxHypotheses)
		}
		c.room.restart(m.Count)
	case "stop":
		c.room.stop()
	case "suppose":
		return c.suppose(m)
	case "credit":
		if m.N == nil || *m.N < 0 {
			return segment.Errorf(segment.Invalid, "The field \"n\" must be the number of hypotheses that may come, 0 or more. Nothing was changed.")
		}
		c.room.mu.Lock()
		defer c.room.mu.Unlock()
		c.allow(*m.N)
	}
	return nil
}

// ClientKinds are the types of messages that clients send.
var ClientKinds = []string{"hello", "evidence", "run", "stop", "credit", "suppose"}

// harmless are those that change nothing for others, and evidence, whose
// permission is checked where it is stored, so that the answer is a reject, not
// an error.
var harmless = []string{"hello", "credit", "evidence"}

// parseMessage reads a text frame.
func parseMessage(b []byte) (*clientMessage, error) {
	var m clientMessage
	if err := wire.Decode(b, &m); err != nil {
		return nil, err
	}
	if !slices.Contains(ClientKinds, m.Type) {
		return nil, segment.Errorf(segment.Invalid, "The message type %.40q is unknown; use one of %s. Nothing was changed.", m.Type, strings.Join(ClientKinds, ", "))
	}
	return &m, nil
}

// unread answers a message that can't be read: evidence with a reject if its id can be,
// so that the client doesn't wait for an answer, or send it again after a break.
func (c *socket) unread(message []byte, err error) error {
	var m struct{ Type, ID string }
	if json.Unmarshal(message, &m) != nil || m.Type != "evidence" || m.ID == "" {
		return err
	}
	c.say(c.room.replyTo(m.ID, 0, 0, err, c.room.annotation.State().Seq))
	return nil
}

// hello stores what the client could not send earlier, then sends it the state.
// Event numbers of another epoch mean nothing here, so its events are stale.
func (c *socket) hello(m *clientMessage) error {
	present := c.room.annotation.State().Seq
	behind := false // an event was refused; later ones must not overtake it
	for i := range m.Unacked {
		if i > 0 && c.budget.Wait(c.ctx) != nil { // each event counts as a message
			return c.ctx.Err()
		}
		e := &m.Unacked[i]
		if m.Epoch != "" && m.Epoch != c.room.epoch() {
			c.say(rejectMessage{"reject", e.ID, "stale", "The event belongs to another history of this image. Nothing was changed.", present})
			continue
		}
		stored, err := c.evidence(e, false, behind)
		if err != nil {
			return err
		}
		behind = behind || !stored
	}
	c.room.join(c)
	return nil
}

// evidence stores an event, or finds it stored; its ack or reject is queued by then.
// With rebase it goes on top of whatever others have done. Behind an event that was
// refused, only an event that is already stored is acked.
func (c *socket) evidence(e *wire.Evidence, rebase, behind bool) (stored bool, err error) {
	event, expected, err := e.Event()
	if err != nil {
		if e.ID == "" {
			return false, err // without an id there is nothing to reject
		}
		c.say(c.room.replyTo(e.ID, expected, 0, err, c.room.annotation.State().Seq))
		return false, nil
	}
	if behind {
		expected = annotation.Never
	}
	_, err = c.room.append(c.ctx, expected, rebase, event, c)
	if segment.KindOf(err) == segment.NotFound {
		c.check() // perhaps the user's role has changed
	}
	return err == nil, nil // the reply says why
}

// say queues an answer for the client.
func (c *socket) say(message any) {
	c.room.mu.Lock()
	defer c.room.mu.Unlock()
	c.reply(message)
}

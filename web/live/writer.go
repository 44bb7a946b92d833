package live

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"collie/segment/gauge"
	"collie/web/wire"
)

// write sends the outbox and pings until the socket or the hub ends or the
// client stalls for too long; then it closes the connection, which ends read.
func (c *socket) write() {
	defer c.conn.Close()
	defer c.cancel(nil)
	ping := time.NewTicker(c.limits.PingEvery)
	defer ping.Stop()
	for c.attend(ping.C) {
		c.room.mu.Lock()
		message, ok := c.next()
		c.room.mu.Unlock()
		if ok {
			if !c.send(message, ping.C) {
				return
			}
			continue
		}
		select {
		case <-c.ready:
		case <-ping.C:
			if !c.ping() {
				return
			}
		case <-c.recheck:
			c.check()
		case <-c.ctx.Done():
		}
	}
}

// attend does without waiting what is due between two messages or frames, because a slow
// client can take minutes for an outbox; false means that the connection is broken or
// has to end.
func (c *socket) attend(ping <-chan time.Time) bool {
	select {
	case <-ping:
		if !c.ping() {
			return false
		}
	case <-c.recheck:
		c.check()
	default:
	}
	if c.ctx.Err() == nil {
		return true
	}
	c.farewell()
	return false
}

// ping asks the client whether it is still there, and checks its visitor; false
// means that the connection is broken.
func (c *socket) ping() bool {
	if err := c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(c.limits.WriteWithin)); err != nil {
		return false
	}
	c.check()
	return true
}

// check ends the socket of a visitor who can't have it any more.
func (c *socket) check() {
	if err := c.visitor.Check(c.ctx, c.used.Swap(false)); err != nil {
		c.cancel(err)
	}
}

// send writes one message; false means that the connection is broken or has to
// end.
func (c *socket) send(message outgoing, ping <-chan time.Time) bool {
	kind := websocket.TextMessage
	if message.binary {
		kind = websocket.BinaryMessage
	}
	began := time.Now()
	defer func() { c.room.hub.observer.Took(gauge.Write, time.Since(began)) }()
	switch {
	case message.repairs != nil:
		return c.sendRepaired(message.repairs, ping)
	case len(message.body) > maxFrame:
		return c.sendFrames(kind, ping, func() error { return nil }, func(to io.Writer) error { _, err := to.Write(message.body); return err })
	}
	return c.allowTime() == nil && c.conn.WriteMessage(kind, message.body) == nil
}

// sendRepaired writes a state with its repairs, whose JSON is made piece by piece. A slow
// client keeps them when the image has changed meanwhile; from then on, their memory is
// lent.
func (c *socket) sendRepaired(state *broadcast, ping <-chan time.Time) bool {
	var give func()
	defer func() {
		if give != nil {
			give()
		}
	}()
	keep := func() (err error) {
		c.room.mu.Lock()
		present := c.room.state.Repaired == state.repaired
		c.room.mu.Unlock()
		if present || give != nil {
			return nil
		}
		if give, err = c.room.hub.lend(c.ctx, wire.MemoryOf(state.repairs)); err != nil {
			c.cancel(crowded)
			c.farewell()
		}
		return err
	}
	return c.sendFrames(websocket.TextMessage, ping, keep, func(to io.Writer) error {
		out := bufio.NewWriterSize(to, maxFrame)
		_, _ = out.Write(bytes.TrimSuffix(state.known, []byte("}")))
		_, _ = out.WriteString(`,"repairs":`)
		wire.WriteRepairs(out, state.repairs)
		_ = out.WriteByte('}')
		return out.Flush() // which returns the first error of all writes
	})
}

// allowTime gives the client time to take what is written next.
func (c *socket) allowTime() error {
	return c.conn.SetWriteDeadline(time.Now().Add(c.limits.WriteWithin))
}

// maxFrame is how many bytes the client has WriteWithin to take.
const maxFrame = 64 << 10

// sendFrames writes a long message, which write produces, in frames, and calls before
// each of them. A state of some megabytes takes a slow connection a minute, and
// meanwhile pings have to get through.
func (c *socket) sendFrames(kind int, ping <-chan time.Time, before func() error, write func(io.Writer) error) bool {
	w, err := c.conn.NextWriter(kind)
	return err == nil && write(&frames{c, w, ping, before}) == nil && c.allowTime() == nil && w.Close() == nil
}

// frames writes parts of a message in frames.
type frames struct {
	c      *socket
	w      io.Writer
	ping   <-chan time.Time
	before func() error
}

var errEnded = errors.New("live: the socket has ended")

func (f *frames) Write(b []byte) (n int, err error) {
	for frame := range slices.Chunk(b, maxFrame) {
		if err := errors.Join(f.before(), f.c.allowTime()); err != nil {
			return n, err
		}
		m, err := f.w.Write(frame)
		if n += m; err != nil {
			return n, err
		}
		if !f.c.attend(f.ping) {
			return n, errEnded
		}
	}
	return n, nil
}

// farewell tells the client why we end the socket, unless the client left by
// itself.
func (c *socket) farewell() {
	var why *Farewell
	if !errors.As(context.Cause(c.ctx), &why) {
		return
	}
	bye := websocket.FormatCloseMessage(why.code, why.text)
	if err := c.conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(time.Second)); err != nil {
		c.log.Debug("farewell not sent", "error", err)
	}
}

// limitBuffer limits what the operating system buffers for a client. Left alone, it
// buffers up to 4 MiB, and reports no progress until the client has taken a third
// of that; pings would wait behind all of it.
func limitBuffer(conn net.Conn) {
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	if c, ok := conn.(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = c.SetWriteBuffer(2 * maxFrame) // without it, slow clients are cut off earlier
	}
}

package live

import (
	"context"
	"errors"
	"net"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"collie/segment/gauge"
)

// write sends the outbox and pings until the socket or the hub ends or the
// client stalls for too long; then it closes the connection, which ends read.
func (c *socket) write() {
	defer c.conn.Close()
	defer c.cancel(nil)
	ping := time.NewTicker(c.limits.PingEvery)
	defer ping.Stop()
	for {
		c.room.mu.Lock()
		message, binary, ok := c.next()
		c.room.mu.Unlock()
		if ok {
			if !c.send(message, binary, ping.C) {
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
			c.farewell()
			return
		}
	}
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
func (c *socket) send(message []byte, binary bool, ping <-chan time.Time) bool {
	kind := websocket.TextMessage
	if binary {
		kind = websocket.BinaryMessage
	}
	began := time.Now()
	defer func() { c.room.hub.observer.Took(gauge.Write, time.Since(began)) }()
	if len(message) > maxFrame {
		return c.sendFrames(kind, message, ping)
	}
	return c.allowTime() == nil && c.conn.WriteMessage(kind, message) == nil
}

// allowTime gives the client time to take what is written next.
func (c *socket) allowTime() error {
	return c.conn.SetWriteDeadline(time.Now().Add(c.limits.WriteWithin))
}

// maxFrame is how many bytes the client has WriteWithin to take.
const maxFrame = 64 << 10

// sendFrames writes a long message in frames. A state of some megabytes takes a
// slow connection a minute, and meanwhile pings have to get through.
func (c *socket) sendFrames(kind int, message []byte, ping <-chan time.Time) bool {
	w, err := c.conn.NextWriter(kind)
	if err != nil {
		return false
	}
	for frame := range slices.Chunk(message, maxFrame) {
		if c.allowTime() != nil {
			return false
		}
		if _, err := w.Write(frame); err != nil {
			return false
		}
		select {
		case <-ping:
			if !c.ping() {
				return false
			}
		case <-c.ctx.Done():
			c.farewell()
			return false
		default:
		}
	}
	return c.allowTime() == nil && w.Close() == nil
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

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"collie/segment"
	"collie/web/live"
)

// page is an image that an annotator has open. One goroutine reads its socket.
type page struct {
	target   *target
	recorder *recorder
	start    time.Time
	conn     *websocket.Conn
	over     chan struct{} // closed when the socket has ended
	mapName  string        // of the superpixels
	shared   bool          // others work on the image

	saying sync.Mutex // held while writing to the socket

	mu       sync.Mutex
	seq      int     // expected of the next event
	shown    []uint8 // what the person sees
	clicked  []bool
	supposed *click // the last one pressed, if its label was supposed
	pending  []*click
	run      *run // the sequence that is announced
}

// run is a sequence that the server has announced.
type run struct {
	number           uint32
	seq, count, seen int
}

// message is any text message of the server's that matters here.
type message struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Seq    int    `json:"seq"`
	Run    uint32 `json:"run"`
	Count  int    `json:"count"`
	Reason string `json:"reason"`
	Clicks []byte `json:"clicks"`
	Map    string `json:"map"`
}

// dial opens the socket of an image and waits for its state.
func dial(ctx context.Context, s *server, t *target, r *recorder, start time.Time, shared bool) (*page, error) {
	conn, resp, err := websocket.DefaultDialer.DialContext(ctx, s.socket(t.id), s.header)
	if errors.Is(err, websocket.ErrBadHandshake) {
		b, _ := io.ReadAll(resp.Body) // the beginning, in memory
		return nil, refused(resp, b)
	}
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	pg := &page{target: t, recorder: r, start: start, shared: shared, conn: conn, over: make(chan struct{})}
	state, err := pg.hello()
	if err == nil && len(state.Clicks) != len(t.truth.class) {
		err = fmt.Errorf("image %s has %d superpixels, not %d", t.id, len(state.Clicks), len(t.truth.class))
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	pg.seq, pg.mapName = state.Seq, state.Map
	pg.shown = slices.Repeat([]uint8{segment.Void}, len(state.Clicks))
	pg.clicked = make([]bool, len(state.Clicks))
	for i, c := range state.Clicks {
		if c != segment.Void {
			pg.shown[i], pg.clicked[i] = c, true
		}
	}
	go pg.read()
	return pg, nil
}

// hello greets the server and waits for the state.
func (pg *page) hello() (state message, err error) {
	if err := pg.conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"hello"}`)); err != nil {
		return state, err
	}
	for state.Type != "state" {
		kind, b, err := pg.conn.ReadMessage()
		if err != nil {
			return state, err
		}
		if kind == websocket.TextMessage {
			if err := json.Unmarshal(b, &state); err != nil {
				return state, err
			}
		}
	}
	return state, nil
}

// say sends a message. A socket that has ended says so to its reader, too.
func (pg *page) say(format string, values ...any) {
	pg.saying.Lock()
	defer pg.saying.Unlock()
	pg.write(format, values...)
}

// write is say for who holds saying.
func (pg *page) write(format string, values ...any) {
	_ = pg.conn.SetWriteDeadline(time.Now().Add(grace))
	_ = pg.conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, values...))
}

// read takes what the server says until the socket ends.
func (pg *page) read() {
	defer close(pg.over)
	for {
		kind, b, err := pg.conn.ReadMessage()
		if err != nil {
			return
		}
		now := time.Since(pg.start)
		if kind == websocket.BinaryMessage {
			var f live.HypothesisFrame
			if f.UnmarshalBinary(b) == nil {
				pg.hypothesis(&f, now)
			}
			continue
		}
		if !pg.shared && bytes.HasPrefix(b, []byte(`{"type":"state"`)) {
			continue // long, and nothing new to the only one who clicks here
		}
		var m message
		if json.Unmarshal(b, &m) == nil {
			pg.receive(&m, now)
			pg.pump()
		}
	}
}

// hypothesis is for all clicks that it knows of. A supposed one is for the press
// only: it does not shorten what a label takes.
func (pg *page) hypothesis(f *live.HypothesisFrame, now time.Duration) {
	pg.mu.Lock()
	defer pg.mu.Unlock()
	if f.Run == live.SupposedRun {
		if c := pg.supposed; c != nil && c.seq == int(f.Seq) {
			pg.sees(c, now)
		}
		return
	}
	if r := pg.run; r != nil && r.number == f.Run {
		r.seen++
	}
	if f.Rank == 0 && len(f.Labels) == len(pg.shown) && int(f.Seq) == pg.seq {
		copy(pg.shown, f.Labels)
	}
	for _, c := range pg.pending {
		if c.seq > int(f.Seq) || pg.shared && !c.acked {
			continue
		}
		switch {
		case f.Rank == 0 && !c.first:
			c.first = true
			pg.sees(c, now)
			pg.recorder.time(first, c.up, now-c.up)
		case f.Rank == 2 && !c.third:
			c.third = true
			pg.recorder.time(third, c.up, now-c.up)
		}
	}
}

// sees notes the first hypothesis that knows of a press. The caller holds the lock.
func (pg *page) sees(c *click, now time.Duration) {
	if !c.seen {
		c.seen = true
		pg.recorder.time(foreseen, c.up, now-c.down)
	}
}

// receive handles a text message. A click that others have overtaken is then to be sent
// again, on top of what they did.
func (pg *page) receive(m *message, now time.Duration) {
	pg.mu.Lock()
	defer pg.mu.Unlock()
	switch m.Type {
	case "state":
		if !slices.ContainsFunc(pg.pending, func(c *click) bool { return c.sent && !c.acked }) {
			pg.seq = m.Seq
		}
		for i, class := range m.Clicks[:min(len(m.Clicks), len(pg.clicked))] {
			pg.clicked[i] = class != segment.Void
		}
	case "run":
		pg.run = &run{number: m.Run, seq: m.Seq, count: m.Count}
	case "ack":
		if c := pg.find(m.ID); c != nil {
			c.acked, c.seq = true, m.Seq
			pg.seq = max(pg.seq, m.Seq)
			pg.target.acknowledge(c.id, m.Seq)
			pg.recorder.time(ack, c.up, now-c.up)
		}
	case "reject":
		c := pg.find(m.ID)
		if c != nil && pg.shared && m.Reason == "stale" {
			pg.recorder.count("sent again after others' clicks", c.up)
			pg.seq, c.sent = m.Seq, false
			return
		}
		if c != nil {
			pg.recorder.count("clicks rejected: "+m.Reason, c.up)
			pg.pending = slices.DeleteFunc(pg.pending, func(o *click) bool { return o == c })
		}
		pg.seq = m.Seq
	case "done":
		pg.done(m, now)
	}
}

// done ends the clicks that a sequence knew of, when all of it is here. What is
// left of a complete sequence when the next begins is not sent any more.
func (pg *page) done(m *message, now time.Duration) {
	run := pg.run
	if run == nil || run.number != m.Run {
		return
	}
	knew := func(c *click) bool { return c.acked && c.seq <= run.seq }
	switch m.Reason {
	case "complete", "one-class", "no-evidence":
		if run.seen < run.count {
			return
		}
		for _, c := range pg.pending {
			if knew(c) {
				pg.recorder.time(last, c.up, now-c.up)
			}
		}
		pg.pending = slices.DeleteFunc(pg.pending, knew)
	case "superseded", "stopped":
	default:
		for _, c := range pg.pending {
			if knew(c) {
				pg.recorder.count("sequences ended: "+m.Reason, c.up)
			}
		}
	}
}

func (pg *page) find(id string) *click {
	i := slices.IndexFunc(pg.pending, func(c *click) bool { return c.id == id })
	if i < 0 {
		return nil
	}
	return pg.pending[i]
}

// ended reports whether the socket has closed.
func (pg *page) ended() bool {
	select {
	case <-pg.over:
		return true
	default:
		return false
	}
}

// finish waits a while for outstanding answers, counts the missing ones, and closes
// the page.
func (pg *page) finish(ctx context.Context) {
	defer pg.close()
	limit := time.NewTimer(grace)
	defer limit.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		pg.mu.Lock()
		left := len(pg.pending)
		pg.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-tick.C:
			continue
		case <-limit.C:
		case <-pg.over:
		case <-ctx.Done():
		}
		break
	}
	pg.mu.Lock()
	defer pg.mu.Unlock()
	for _, c := range pg.pending {
		switch {
		case !c.acked:
			pg.recorder.count("clicks without an ack", c.up)
		case !c.first:
			pg.recorder.count("clicks without a hypothesis", c.up)
		}
	}
}

func (pg *page) close() {
	pg.conn.Close()
	<-pg.over
}

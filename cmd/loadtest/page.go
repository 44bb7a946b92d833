package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"collie/segment"
	"collie/web"
)

// page is an image that an annotator has open. One goroutine reads its socket;
// only the annotator's writes to it.
type page struct {
	target   *target
	recorder *recorder
	start    time.Time
	conn     *websocket.Conn
	over     chan struct{} // closed when the socket has ended

	mu      sync.Mutex
	seq     int     // expected of the next event
	shown   []uint8 // what the person sees
	clicked []bool
	pending []*click
	run     *run // the sequence that is announced
}

// click is one that has not come to its end.
type click struct {
	id           string
	due          time.Duration
	seq          int // of its event
	acked        bool
	first, third bool // the hypothesis has come
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
}

// dial opens the socket of an image and waits for its state.
func dial(ctx context.Context, s *server, t *target, r *recorder, start time.Time) (*page, error) {
	conn, resp, err := websocket.DefaultDialer.DialContext(ctx, s.socket(t.id), nil)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	pg := &page{target: t, recorder: r, start: start, conn: conn, over: make(chan struct{})}
	state, err := pg.hello()
	if err == nil && len(state.Clicks) != len(t.truth.class) {
		err = fmt.Errorf("image %s has %d superpixels, not %d", t.id, len(state.Clicks), len(t.truth.class))
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	pg.seq = state.Seq
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

// choose is the superpixel to click next, -1 when there is none left.
func (pg *page) choose(rng *rand.Rand) int {
	pg.mu.Lock()
	defer pg.mu.Unlock()
	return pg.target.truth.next(pg.shown, pg.clicked, rng)
}

// click tells the server the class of a superpixel.
func (pg *page) click(annotator, number, superpixel int, due time.Duration) {
	class := pg.target.truth.class[superpixel]
	pg.mu.Lock()
	expected := pg.seq
	pg.seq++
	c := &click{id: fmt.Sprintf("load-%d-%d", annotator, number), due: due, seq: pg.seq}
	pg.pending = append(pg.pending, c)
	pg.shown[superpixel], pg.clicked[superpixel] = class, true
	pg.mu.Unlock()
	_ = pg.conn.SetWriteDeadline(time.Now().Add(grace))
	// A socket that has ended says so to its reader, too.
	_ = pg.conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil,
		`{"type":"evidence","id":%q,"expected_seq":%d,"kind":"label","superpixels":[%d],"class":%d}`, c.id, expected, superpixel, class))
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
			var f web.HypothesisFrame
			if f.UnmarshalBinary(b) == nil {
				pg.hypothesis(&f, now)
			}
			continue
		}
		if bytes.HasPrefix(b, []byte(`{"type":"state"`)) {
			continue // long, and nothing new to the only one who clicks here
		}
		var m message
		if json.Unmarshal(b, &m) == nil {
			pg.told(&m, now)
		}
	}
}

// hypothesis is for all clicks that it knows of.
func (pg *page) hypothesis(f *web.HypothesisFrame, now time.Duration) {
	pg.mu.Lock()
	defer pg.mu.Unlock()
	if r := pg.run; r != nil && r.number == f.Run {
		r.seen++
	}
	if f.Rank == 0 && len(f.Labels) == len(pg.shown) && int(f.Seq) == pg.seq {
		copy(pg.shown, f.Labels)
	}
	for _, c := range pg.pending {
		if c.seq > int(f.Seq) {
			continue
		}
		switch {
		case f.Rank == 0 && !c.first:
			c.first = true
			pg.recorder.time(first, c.due, now-c.due)
		case f.Rank == 2 && !c.third:
			c.third = true
			pg.recorder.time(third, c.due, now-c.due)
		}
	}
}

// told takes a text message.
func (pg *page) told(m *message, now time.Duration) {
	pg.mu.Lock()
	defer pg.mu.Unlock()
	switch m.Type {
	case "run":
		pg.run = &run{number: m.Run, seq: m.Seq, count: m.Count}
	case "ack":
		if c := pg.find(m.ID); c != nil {
			c.acked, c.seq = true, m.Seq
			pg.recorder.time(ack, c.due, now-c.due)
		}
	case "reject":
		if c := pg.find(m.ID); c != nil {
			pg.recorder.count("clicks rejected: "+m.Reason, c.due)
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
				pg.recorder.time(last, c.due, now-c.due)
			}
		}
		pg.pending = slices.DeleteFunc(pg.pending, knew)
	case "superseded", "stopped":
	default:
		for _, c := range pg.pending {
			if knew(c) {
				pg.recorder.count("sequences ended: "+m.Reason, c.due)
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

// ended reports whether the socket is gone.
func (pg *page) ended() bool {
	select {
	case <-pg.over:
		return true
	default:
		return false
	}
}

// finish waits some time for what is still to come, counts what did not, and
// closes the page.
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
			pg.recorder.count("clicks without an ack", c.due)
		case !c.first:
			pg.recorder.count("clicks without a hypothesis", c.due)
		}
	}
}

func (pg *page) close() {
	pg.conn.Close()
	<-pg.over
}

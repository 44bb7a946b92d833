package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/anishathalye/porcupine"
	"github.com/gorilla/websocket"
	"github.com/rs/zerolog"

	"collie/sharedtest"
	"collie/storage/storagetest"
)

// history is what the tabs asked of the server and what they were told.
type history struct {
	mu         sync.Mutex
	began      time.Time
	operations []porcupine.Operation
}

// asked is an event that a tab sends, with the number of events that it has seen;
// without an id, a request for the whole log.
type asked struct {
	id       string
	expected int
}

// told is the answer: the number of the event, or that the log already has
// another length, or the whole log.
type told struct {
	seq   int
	stale bool
	log   string
}

func (h *history) now() int64 { return int64(time.Since(h.began)) }

func (h *history) add(client int, in asked, call int64, out told) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: h.now()})
}

// saves counts the events of a client that were taken.
func (h *history) saves(client int) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range h.operations {
		if o.ClientId == client && !o.Output.(told).stale {
			n++
		}
	}
	return n
}

// logModel is an evidence log: the state is the ids in it, with a space after
// each. An event that is there keeps its place however often it comes; a new
// one is taken when it expects the current length, else refused with it.
var logModel = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		log, in, out := state.(string), input.(asked), output.(told)
		ids := strings.Fields(log)
		place := slices.Index(ids, in.id) + 1
		switch {
		case in.id == "":
			return out.log == log, log
		case place > 0:
			return out == told{seq: place}, log
		case in.expected == len(ids):
			return out == told{seq: len(ids) + 1}, log + in.id + " "
		}
		return out == told{seq: len(ids), stale: true}, log
	},
}

// tab edits an image as a page does: one event at a time, sent again under its
// id after a reconnect and put again on top of the state when it came too late.
type tab struct {
	tb      testing.TB
	number  int
	server  string // address of the proxy
	image   string
	history *history

	conn     *websocket.Conn
	messages chan reply // closed at the end of conn
	epoch    string
	seq      int
	labels   []byte
	shown    int // number of the state with these labels
	pending  *asked
	call     int64 // when the pending event was first sent
	made     int
	dials    atomic.Int32
	silences int // how often in a row it has waited in vain
}

// patience is how long the tab waits for the server before it tries another
// connection: the longer the more often it was in vain, which means a busy machine.
func (c *tab) patience() time.Duration { return 500 * time.Millisecond << min(c.silences, 6) }

// reply is a message of the server that a tab cares about.
type reply struct {
	Type, ID, Reason, Epoch string
	Seq                     int
	Labels                  []byte
}

// connect opens the socket and says hello with what was not acknowledged.
func (c *tab) connect() bool {
	dialer := websocket.Dialer{HandshakeTimeout: c.patience()}
	conn, resp, err := dialer.Dial("ws://"+c.server+"/api/v1/images/"+c.image+"/socket", http.Header{"Origin": {"http://" + c.server}})
	if err != nil {
		if late := net.Error(nil); errors.As(err, &late) && late.Timeout() {
			c.silences++
		}
		return false
	}
	resp.Body.Close()
	c.dials.Add(1)
	c.conn, c.messages = conn, make(chan reply, 1000)
	go func() {
		defer close(c.messages)
		for {
			kind, b, err := conn.ReadMessage()
			var m reply
			if err != nil || kind == websocket.TextMessage && json.Unmarshal(b, &m) != nil {
				return
			}
			if kind == websocket.TextMessage {
				c.messages <- m
			}
		}
	}()
	unacked := ""
	if c.pending != nil {
		unacked = c.event(false)
	}
	return c.send(fmt.Sprintf(`{"type":"hello","epoch":%q,"seq":%d,"unacked":[%s]}`, c.epoch, c.seq, unacked))
}

// event is the pending one in JSON.
func (c *tab) event(alone bool) string {
	kind := ""
	if alone {
		kind = `"type":"evidence",`
	}
	n := len(c.pending.id) + int(c.pending.id[len(c.pending.id)-1]) // so that it is the same when it is sent again
	return fmt.Sprintf(`{%s"id":%q,"expected_seq":%d,"kind":"label","points":[[%d,%d]],"class":%d}`, kind, c.pending.id, c.pending.expected, n*37%96, n*53%64, n%2)
}

func (c *tab) send(message string) bool {
	_ = c.conn.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
	if c.conn.WriteMessage(websocket.TextMessage, []byte(message)) != nil {
		c.drop()
		return false
	}
	return true
}

// drop forgets a connection that is of no use.
func (c *tab) drop() {
	c.conn.Close()
	for range c.messages {
	}
	c.conn = nil
}

// work makes events until the channel is closed, then waits for the last answer.
func (c *tab) work(stop <-chan struct{}) {
	fresh := false // whether the state came over this connection
	for {
		select {
		case <-stop:
			if c.pending == nil {
				return
			}
		default:
		}
		if c.conn == nil {
			fresh = false
			if !c.connect() {
				time.Sleep(20 * time.Millisecond)
				continue
			}
		}
		if fresh && c.pending == nil {
			c.made++
			c.ask(fmt.Sprintf("%c%d", 'a'+c.number, c.made))
			continue
		}
		select {
		case m, ok := <-c.messages:
			if !ok {
				c.drop()
				continue
			}
			fresh = fresh || m.Type == "state"
			c.hear(m)
		case <-time.After(c.patience()): // nothing comes any more
			c.silences++
			c.drop()
		}
	}
}

// ask sends an event on top of the state that the tab knows.
func (c *tab) ask(id string) {
	c.pending, c.call = &asked{id, c.seq}, c.history.now()
	c.send(c.event(true))
}

// hear takes in a message.
func (c *tab) hear(m reply) {
	c.silences = 0
	switch m.Type {
	case "state":
		c.epoch, c.labels, c.shown = m.Epoch, m.Labels, m.Seq
		c.seq = m.Seq
	case "ack", "reject":
		if c.pending == nil || m.ID != c.pending.id {
			return // a second answer to what was sent twice
		}
		if m.Type == "reject" && m.Reason != "stale" {
			c.tb.Errorf("tab %d: %+v", c.number, m)
		}
		c.history.add(c.number, *c.pending, c.call, told{seq: m.Seq, stale: m.Type == "reject"})
		c.seq = max(c.seq, m.Seq)
		again := c.pending.id
		c.pending = nil
		if m.Type == "reject" && c.conn != nil {
			c.ask(again)
		}
	}
}

// follow reads what comes until the tab has the state with the given number.
func (c *tab) follow(seq int, until time.Time) {
	for time.Now().Before(until) && c.shown < seq {
		if c.conn == nil && !c.connect() {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		select {
		case m, ok := <-c.messages:
			if !ok {
				c.drop()
				continue
			}
			c.hear(m)
		case <-time.After(c.patience()):
			c.silences++
			c.drop()
		}
	}
}

// TestTabs lets two tabs edit one image through a flaky proxy each, while a third
// client reads the log: the history is that of one log, and when the network is
// well again both tabs show the same labelling in the end. The time is logged for people:
// it should be below 2 s, but a busy machine takes longer.
func TestTabs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	p := start(t, t.TempDir())
	edit(t, p.url, p.url)
	p.stop()
}

// edit is what TestTabs does, each tab at one of the given servers. The third
// client asks any of them.
func edit(t *testing.T, urls ...string) {
	tr := newTraffic(t, urls[0], 1)
	image := tr.workers[0].image
	zerolog.SetGlobalLevel(zerolog.Disabled) // the proxy has much to say
	proxies := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	h := &history{began: time.Now()}
	d := time.Duration(storagetest.Rounds(3, 120)) * time.Second
	stop, looked := make(chan struct{}), make(chan struct{})
	var wait, weather sync.WaitGroup
	var tabs []*tab
	for i, url := range urls {
		way := &network{tb: t, server: proxies, upstream: strings.TrimPrefix(url, "http://"), address: sharedtest.MustAddress(t)}
		way.change()
		defer way.stop()
		c := &tab{tb: t, number: i, server: way.address, image: image, history: h}
		tabs = append(tabs, c)
		wait.Go(func() { c.work(stop) })
		weather.Go(func() { way.torment(d, func() bool { return c.dials.Load() > 1 && h.saves(i) > 2 }) })
	}
	look := func() string {
		call := h.now()
		var log struct{ Events []struct{ ID string } }
		if _, err := send(t.Context(), http.MethodGet, urls[rand.IntN(len(urls))]+"/api/v1/images/"+image+"/evidence", "", nil, &log); err != nil {
			t.Error(err)
		}
		ids := ""
		for _, e := range log.Events {
			ids += e.ID + " "
		}
		h.add(2, asked{}, call, told{log: ids})
		return ids
	}
	go func() {
		defer close(looked)
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
				look()
			}
		}
	}()
	weather.Wait()
	close(stop)
	healed := time.Now()
	wait.Wait()
	<-looked
	log := strings.Fields(look())
	for _, c := range tabs {
		wait.Go(func() { c.follow(len(log), time.Now().Add(2*time.Minute)) })
	}
	wait.Wait()
	took := time.Since(healed)
	for _, c := range tabs {
		if c.shown != len(log) || len(c.labels) == 0 || !bytes.Equal(c.labels, tabs[0].labels) {
			t.Errorf("tab %d is at event %d of %d, with a labelling of %d superpixels", c.number, c.shown, len(log), len(c.labels))
		}
		if c.conn != nil {
			c.drop()
		}
	}
	stale := 0
	for _, o := range h.operations {
		if o.Output.(told).stale {
			stale++
		}
	}
	t.Logf("%v: %d operations, %d events, %d came too late, %d and %d connections; the same labelling after %v",
		d, len(h.operations), len(log), stale, tabs[0].dials.Load(), tabs[1].dials.Load(), took.Round(time.Millisecond))
	if tabs[0].dials.Load() < 2 || tabs[1].dials.Load() < 2 || len(log) < 5 {
		t.Error("too little happened")
	}
	if result := porcupine.CheckOperationsTimeout(logModel, h.operations, time.Minute); result != porcupine.Ok {
		t.Errorf("the history is not that of one log: %s", result)
	}
	broken(t, h.operations)
}

// broken checks that the checker finds every kind of fault in a history.
func broken(t *testing.T, good []porcupine.Operation) {
	change := func(what string, change func(out told) (told, bool)) {
		t.Helper()
		bad := slices.Clone(good)
		for i := len(bad) / 2; i < len(bad); i++ {
			if out, ok := change(bad[i].Output.(told)); ok {
				bad[i].Output = out
				if porcupine.CheckOperationsTimeout(logModel, bad, time.Minute) != porcupine.Illegal {
					t.Errorf("the checker lets pass %s", what)
				}
				return
			}
		}
		t.Errorf("the history has no place for %s", what)
	}
	acked := func(out told) bool { return out.seq > 1 && !out.stale }
	change("a number given twice", func(out told) (told, bool) { return told{seq: out.seq - 1}, acked(out) })
	change("a lost event", func(out told) (told, bool) {
		_, rest, ok := strings.Cut(out.log, " ")
		return told{log: rest}, ok
	})
	change("a doubled event", func(out told) (told, bool) { out.log += out.log; return out, out.log != "" })
	change("a false refusal", func(out told) (told, bool) { return told{seq: out.seq, stale: true}, acked(out) })
}

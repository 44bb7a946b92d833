package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"collie/segment"
	"collie/superpixels"
	"collie/web/live"
)

// row is an image of five superpixels in a row, of two classes.
func row(t *testing.T) *target {
	t.Helper()
	m := &superpixels.Map{Width: 5, Height: 1, N: 5, Labels: []int32{0, 1, 2, 3, 4}}
	known, err := newTruth(m, []uint8{1, 1, 1, 0, 0}, 2)
	if err != nil {
		t.Fatal(err)
	}
	return &target{id: "row", truth: known}
}

// mustListen opens the page of the row on a server that only records what it
// receives.
func mustListen(t *testing.T, r *recorder) (pg *page, heard <-chan string) {
	t.Helper()
	all := make(chan string, 9)
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		conn, err := new(websocket.Upgrader).Upgrade(w, req, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		for {
			_, b, err := conn.ReadMessage()
			if err != nil {
				return
			}
			if all <- string(b); len(b) == len(`{"type":"hello"}`) {
				state := fmt.Sprintf(`{"type":"state","seq":7,"map":"m","clicks":%q}`, "//////8=") // five times 255
				_ = conn.WriteMessage(websocket.TextMessage, []byte(state))
			}
		}
	}))
	t.Cleanup(listener.Close)
	s, err := newServer("", listener.URL)
	if err != nil {
		t.Fatal(err)
	}
	if pg, err = dial(t.Context(), s, row(t), r, time.Now(), false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pg.close)
	<-all
	return pg, all
}

// The server receives the same messages for a press as from a page in a browser.
func TestPresses(t *testing.T) {
	pg, heard := mustListen(t, (&plan{Duration: time.Minute}).recorder())
	hears := func(want string) {
		t.Helper()
		if diff := cmp.Diff(want, <-heard); diff != "" {
			t.Errorf("message (-want +got):\n%s", diff)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	begin := func(id string, drag bool) *click {
		c := &click{id: id, superpixels: pg.choose(rng, drag)}
		pg.press(c)
		return c
	}
	a := begin("a", false)
	hears(`{"type":"suppose","expected_seq":7,"map":"m","superpixels":[1],"class":1}`)
	pg.release(a)
	hears(`{"type":"evidence","rebase":true,"id":"a","expected_seq":7,"kind":"label","map":"m","superpixels":[1],"class":1}`)
	b := begin("b", false)
	pg.release(b) // without a supposition, for the first one is on its way
	hears(`{"type":"evidence","rebase":true,"id":"b","expected_seq":8,"kind":"label","map":"m","superpixels":[3],"class":0}`)
	for _, c := range []*click{a, b} {
		pg.receive(&message{Type: "ack", ID: c.id, Seq: c.seq}, time.Second)
	}
	copy(pg.shown, []uint8{1, 1, 1, 0, segment.Void})
	pg.clicked[3] = false
	c := begin("c", true)
	hears(`{"type":"suppose","expected_seq":9,"map":"m","superpixels":[4],"class":0}`)
	pg.release(c)
	hears(`{"type":"evidence","rebase":true,"id":"c","expected_seq":9,"kind":"label","map":"m","superpixels":[4,3],"class":0}`)
}

// A supposed hypothesis is timed from the press and answers no label.
func TestSupposedIsTimedFromThePress(t *testing.T) {
	r := (&plan{Duration: time.Minute}).recorder()
	pg, _ := mustListen(t, r)
	const ms = time.Millisecond
	c := &click{press: press{down: 100 * ms, up: 190 * ms}, superpixels: []int{1}}
	pg.press(c)
	frame := func(run, seq uint32) *live.HypothesisFrame {
		return &live.HypothesisFrame{Run: run, Seq: seq, Labels: []uint8{1, 1, 1, 0, 0}}
	}
	pg.hypothesis(frame(live.SupposedRun, 7), 110*ms) // of the press before
	pg.hypothesis(frame(live.SupposedRun, 8), 120*ms)
	pg.release(c)
	pg.hypothesis(frame(3, 7), 191*ms) // the run before
	pg.hypothesis(frame(4, 8), 193*ms)

	// One that is released before there was an answer, and one that never gets any
	// but the run's.
	d := &click{press: press{down: 300 * ms, up: 360 * ms}, superpixels: []int{3}}
	pg.press(d) // the label of c has no ack
	pg.release(d)
	pg.hypothesis(frame(5, 9), 370*ms)
	want := map[measured][]time.Duration{foreseen: {20 * ms, 70 * ms}, first: {3 * ms, 10 * ms}}
	for what, times := range want {
		h := r.phases[0].times[what]
		if h.TotalCount() != 2 || !h.ValuesAreEquivalent(h.Min(), times[0].Microseconds()) || !h.ValuesAreEquivalent(h.Max(), times[1].Microseconds()) {
			t.Errorf("%s: %d times from %d to %d µs, want two, %v", names[what], h.TotalCount(), h.Min(), h.Max(), times)
		}
	}
	if diff := cmp.Diff(map[string]int{"clicks": 2, "suppositions": 1, "seen before the release": 1}, r.phases[0].counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

// A server answers a press while the button is held, and then the label.
func TestPressOnServer(t *testing.T) {
	p := &plan{Data: mustDraw(t), Photographs: 1, Classes: 3, Duration: time.Hour}
	s, err := newServer("", mustServe(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	photographs, err := p.photographs()
	if err != nil {
		t.Fatal(err)
	}
	pool, err := s.fill(t.Context(), photographs, 1, p.Classes, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := p.recorder()
	pg, err := dial(t.Context(), s, pool[0], r, time.Now(), false)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	const clicks = 3
	for i := range clicks {
		c := &click{id: fmt.Sprint(i), superpixels: pg.choose(rng, false)}
		pg.press(c)
		eventually(t, pg, func() bool { return c.seen })
		pg.release(c)
		eventually(t, pg, func() bool { return c.acked && c.first })
	}
	pg.finish(t.Context())
	if diff := cmp.Diff(map[string]int{"clicks": clicks, "suppositions": clicks, "seen before the release": clicks}, r.phases[0].counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	for _, want := range []int{0, 2} { // the control: a click that was never made, and one elsewhere
		if lost, err := s.lost(t.Context(), pool); lost != want || err != nil {
			t.Errorf("%d lost, %v; want %d", lost, err, want)
		}
		pool[0].acknowledge("never", 4)
		pool[0].acknowledge("0", 2)
	}
}

// A click that others have overtaken is sent again, for the state that the server names.
func TestOvertaken(t *testing.T) {
	r := (&plan{Duration: time.Minute}).recorder()
	pg, heard := mustListen(t, r)
	pg.shared = true
	hears := func(id string, expected int) {
		t.Helper()
		want := fmt.Sprintf(`{"type":"evidence","rebase":true,"id":%q,"expected_seq":%d,"kind":"label","map":"m","superpixels":[1],"class":1}`, id, expected)
		if diff := cmp.Diff(want, <-heard); diff != "" {
			t.Errorf("message (-want +got):\n%s", diff)
		}
	}
	receive := func(m message) {
		pg.receive(&m, 2*time.Second)
		pg.pump()
	}
	a, b := &click{id: "a", superpixels: []int{1}}, &click{id: "b", superpixels: []int{1}}
	pg.release(a)
	hears("a", 7)
	pg.release(b) // waits for the answer to a
	receive(message{Type: "state", Seq: 8, Clicks: []byte{1, 1, 255, 0, 0}})
	receive(message{Type: "reject", ID: "a", Reason: "stale", Seq: 9})
	hears("a", 9)
	receive(message{Type: "ack", ID: "a", Seq: 10})
	hears("b", 10)
	pg.hypothesis(&live.HypothesisFrame{Run: 1, Seq: 11, Labels: []uint8{1, 1, 1, 0, 0}}, 2*time.Second) // of somebody else's event
	if !a.first || b.first {
		t.Errorf("a hypothesis for event 11 answers a: %v, b: %v", a.first, b.first)
	}
	receive(message{Type: "reject", ID: "b", Reason: "stale", Seq: 11})
	hears("b", 11)
	receive(message{Type: "ack", ID: "b", Seq: 12})
	receive(message{Type: "state", Seq: 15, Clicks: []byte{1, 1, 255, 0, 0}})
	pg.release(&click{id: "c", superpixels: []int{1}})
	hears("c", 15)
	if got := r.phases[0].counts["sent again after others' clicks"]; got != 2 || pg.clicked[2] || !pg.clicked[3] {
		t.Errorf("%d were sent again; clicked %v", got, pg.clicked)
	}
	if diff := cmp.Diff(map[string]int{"a": 10, "b": 12}, pg.target.acked); diff != "" {
		t.Errorf("acknowledged (-want +got):\n%s", diff)
	}
}

// eventually waits until the page's reader has made a condition true.
func eventually(t *testing.T, pg *page, so func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.After(time.Minute)
	for {
		pg.mu.Lock()
		is := so()
		pg.mu.Unlock()
		if is {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("nothing came within a minute")
		}
	}
}

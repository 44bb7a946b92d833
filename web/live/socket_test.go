package live

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"collie/segment"
	"collie/sharedtest"
)

// A client that gives no sign of life is disconnected; one that does nothing
// but answer pings is not.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := mustOpen(t, Limits{})
		im := h.image()
		began := time.Now()
		silent := h.mustDial(im)
		silent.conn.SetPingHandler(func(string) error { return nil })
		quiet := h.greet(im)
		ended := make(chan error)
		go func() {
			_, err := quiet.read()
			ended <- err
		}()
		for {
			if _, err := silent.read(); err != nil {
				break
			}
		}
		if took := time.Since(began); took != 45*time.Second {
			t.Errorf("the silent client is cut off after %v, want 45 s", took)
		}
		time.Sleep(time.Hour)
		if n := h.hub.Sockets(); n != 1 {
			t.Errorf("%d sockets after an hour, want the quiet one", n)
		}
		h.hub.Close()
		if err := <-ended; !websocket.IsCloseError(err, websocket.CloseServiceRestart) {
			t.Errorf("the quiet page ended with %v, want close code 1012", err)
		}
	})
}

// A client that reads nothing is disconnected and does not slow down the others at
// the same image.
func TestTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := mustOpen(t, Limits{})
		im := h.image()
		other := h.greet(im)
		stuck := h.mustDial(im)
		began := time.Now()
		stuck.say(`{"type":"hello"}`)
		for range 10 {
			other.lives()
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("ten answers take %v beside a client that takes nothing", took)
		}
		time.Sleep(5*time.Second - time.Nanosecond)
		synctest.Wait()
		if n := h.hub.Sockets(); n != 2 {
			t.Errorf("%d sockets before the time to take a message is over, want 2", n)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if n := h.hub.Sockets(); n != 1 {
			t.Errorf("%d sockets after it, want 1", n)
		}
		other.lives()
	})
}

// A client on a slow connection gets a long message, however long that takes, and
// is told when its socket ends meanwhile. One that stalls is disconnected.
func TestTakesLongMessagesSlowly(t *testing.T) {
	const frames = 20
	long := &broadcast{known: slices.Repeat([]byte{' '}, frames<<16)}
	for name, test := range map[string]struct {
		frames int           // that the client takes
		pause  time.Duration // after each
		end    bool          // the hub closes then
		want   string
	}{
		"slow":     {frames, 4 * time.Second, false, ""},
		"stalling": {3, 6 * time.Second, false, "EOF"},
		"expelled": {3, time.Second, true, "1012"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := mustOpen(t, Limits{})
				c := h.greet(h.image())
				if c.buffer == 0 || c.buffer > 4*maxFrame {
					t.Errorf("%d bytes may be buffered: pings would wait behind them", c.buffer)
				}
				for r := range maps.Values(h.hub.rooms) {
					r.mu.Lock()
					for m := range r.members {
						m.repaired = long.repaired
						m.setState(long)
					}
					r.mu.Unlock()
				}
				_, message, err := c.conn.NextReader()
				if err != nil {
					t.Fatal(err)
				}
				taken, b := 0, make([]byte, 1<<16)
				for ; err == nil && taken < test.frames; taken++ {
					_, err = io.ReadFull(message, b)
					time.Sleep(test.pause)
				}
				if test.end {
					go h.hub.Close()
					synctest.Wait() // until it waits for the socket
				}
				if err == nil {
					_, err = io.Copy(io.Discard, message)
				}
				if got := fmt.Sprint(err); !strings.Contains(got, test.want) || (err == nil) != (test.want == "") {
					t.Errorf("after %d of %d frames: %v, want %q", taken, frames, err, test.want)
				}
			})
		})
	}
}

// A slow client gets a state with many repaired pixels although the image has changed
// meanwhile, if there is memory to keep them; otherwise it is told to come again.
func TestKeepsRepairsForSlowClients(t *testing.T) {
	for name, code := range map[string]int{"": 0, "crowded": websocket.CloseTryAgainLater} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := mustOpen(t, Limits{})
				const width, height = 400, 300
				im, err := h.workspace.AddImage(h.owner(), h.project, "ragged.png", bytes.NewReader(sharedtest.Coast(width, height)))
				if err != nil {
					t.Fatal(err)
				}
				var runs []int32
				for start := range int32(width * height / 2) {
					runs = append(runs, 2*start, 1)
				}
				repair := func(seq int, runs []int32) {
					e := segment.Event{ID: fmt.Sprint(seq), Kind: segment.Pixels, Repairs: []segment.Repair{{Class: 1, Runs: runs}}}
					if _, err := h.hub.Append(h.owner(), im.ID, seq, e); err != nil {
						t.Fatal(err)
					}
				}
				repair(0, runs)
				var kept, lent int64
				h.hub.lend = func(_ context.Context, size int64) (func(), error) {
					if code != 0 {
						return nil, segment.Errorf(segment.Busy, "Crowded.")
					}
					lent = size
					return func() { kept++ }, nil
				}
				c := h.mustDial(im.ID)
				c.say(`{"type":"hello"}`)
				_, message, err := c.conn.NextReader()
				if err != nil {
					t.Fatal(err)
				}
				repair(1, []int32{1, 1})
				_, err = io.Copy(io.Discard, message)
				if code != 0 {
					if !websocket.IsCloseError(err, code) {
						t.Errorf("the state ended with %v, want close code %d", err, code)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				c.until("run") // the state is sent by then
				if lent != 4*int64(len(runs)) || kept != 1 {
					t.Errorf("%d bytes were lent and given back %d times, want %d once", lent, kept, 4*len(runs))
				}
			})
		})
	}
}

// A client that sends too much waits, whether or not it makes sense; nothing it sent is
// lost.
func TestFlood(t *testing.T) {
	for name, kind := range map[string]int{"unknown type": websocket.TextMessage, "binary": websocket.BinaryMessage} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := mustOpen(t, Limits{})
				c := h.mustDial(h.image())
				const rate, extra = 40, 20
				began := time.Now()
				go func() {
					for range rate + extra {
						if c.conn.WriteMessage(kind, []byte(`{"type":"dance"}`)) != nil {
							return
						}
					}
				}()
				for i := range rate + extra {
					c.until("error")
					if took := time.Since(began); i < rate && took > 0 {
						t.Errorf("message %d is answered after %v, want at once", i, took)
					}
				}
				// The wait comes after a message, so the one over the limit is still
				// answered first.
				if took, want := time.Since(began), time.Second*(extra-1)/rate; took < want || took > want+time.Millisecond {
					t.Errorf("%d messages over the limit take %v, want %v", extra, took, want)
				}
			})
		})
	}
}

// Pings, which the server has to answer, and pongs that it has not asked for count as
// messages; each costs about as much.
func TestControlFlood(t *testing.T) {
	for name, kind := range map[string]int{"ping": websocket.PingMessage, "pong": websocket.PongMessage} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := mustOpen(t, Limits{})
				c := h.mustDial(h.image())
				pongs := 0
				c.conn.SetPongHandler(func(string) error { pongs++; return nil })
				const rate, extra = 40, 20
				began := time.Now()
				go func() {
					for range rate + extra {
						if c.conn.WriteMessage(kind, []byte("x")) != nil {
							return
						}
					}
					_ = c.conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"dance"}`))
				}()
				c.until("error")
				if took, want := time.Since(began), time.Second*extra/rate; took < want || took > want+time.Millisecond {
					t.Errorf("%d messages over the limit take %v, want %v", extra, took, want)
				}
				if kind == websocket.PingMessage && pongs != rate+extra {
					t.Errorf("%d pings were answered", pongs)
				}
			})
		})
	}
}

// A bug that ends the writing to one page ends no other page.
func TestWritingSurvivesABug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := mustOpen(t, Limits{})
		im := h.image()
		var broken atomic.Bool
		tabs := map[string]*tab{}
		for _, user := range []string{"ann", "bob"} {
			v := visitor(user)
			v.Check = func(context.Context, bool) error {
				if user == "ann" && broken.Load() {
					panic("a bug")
				}
				return nil
			}
			c, err := h.dial(im, v)
			if err != nil {
				t.Fatal(err)
			}
			tabs[user] = c
		}
		broken.Store(true)
		h.hub.Recheck("ann")
		h.hub.Recheck("bob")
		synctest.Wait()
		if _, err := tabs["ann"].read(); err == nil {
			t.Error("the page whose writer failed is still connected")
		}
		tabs["bob"].lives()
	})
}

// A page that takes its messages slowly is ended after the present one, not after all of
// them.
func TestSlowPagesEnd(t *testing.T) {
	const pause = 500 * time.Millisecond
	for name, test := range map[string]struct {
		end    func(h *house, leave *atomic.Bool)
		code   int
		within time.Duration
	}{
		"removed":  {func(h *house, _ *atomic.Bool) { h.hub.Expel(Removed, func(Visitor) bool { return true }) }, CloseRemoved, 2 * pause},
		"news":     {func(h *house, leave *atomic.Bool) { leave.Store(true); h.hub.Recheck("ann") }, CloseSignedOut, 3 * pause},
		"the ping": {func(_ *house, leave *atomic.Bool) { leave.Store(true) }, CloseSignedOut, 20*time.Second + 2*pause},
		"restart":  {func(h *house, _ *atomic.Bool) { go h.hub.Close() }, websocket.CloseServiceRestart, 2 * pause},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := mustOpen(t, Limits{})
				im := h.image()
				h.clickThree(im)
				var leave atomic.Bool
				v := visitor("ann")
				v.Check = func(context.Context, bool) error {
					if leave.Load() {
						return SignedOut
					}
					return nil
				}
				c, err := h.dial(im, v)
				if err != nil {
					t.Fatal(err)
				}
				c.say(`{"type":"hello"}`)
				c.until("done")
				c.say(`{"type":"run","count":100}`)
				c.until("run")
				synctest.Wait() // until all hypotheses wait for the client
				began := time.Now()
				test.end(h, &leave)
				for err == nil {
					time.Sleep(pause)
					_, err = c.read()
				}
				if took := time.Since(began); took > test.within || !websocket.IsCloseError(err, test.code) {
					t.Errorf("after %v: %v, want close code %d within %v", took, err, test.code, test.within)
				}
			})
		})
	}
}

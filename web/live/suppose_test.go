package live

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/segment/schedule"
	"collie/segment/workspace"
	"collie/web/wire"
)

// gate is an observer that lets no step begin while it is closed. A step waits on
// a channel, which testing/synctest notices, unlike a mutex.
type gate struct{ closed chan chan struct{} }

func newGate() *gate { return &gate{make(chan chan struct{}, 1)} }

// close closes the gate, which may wait to be opened already; opened opens it for
// those who wait since.
func (g *gate) close() (opened func()) {
	free := make(chan struct{})
	select {
	case <-g.closed:
	default:
	}
	g.closed <- free
	return func() { close(free) }
}

func (g *gate) Took(what gauge.Time, _ time.Duration) {
	if what != gauge.Queue {
		return
	}
	select {
	case free := <-g.closed:
		g.closed <- free
		<-free
	default:
	}
}

func (g *gate) Happened(gauge.Happening) {}

// A supposition that waits for its turn leaves the queue when a label arrives, and
// gets no answer: it doesn't hold up another label, and doesn't wait with those
// that may never come.
func TestSupposedInTheQueue(t *testing.T) {
	for name, class := range map[string]int{"the label": 1, "another": 2} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { supposedInTheQueue(t, class) })
		})
	}
}

func supposedInTheQueue(t *testing.T, class int) {
	g := newGate()
	h := mustOpen(t, Limits{}, workspace.Options{Schedule: schedule.Limits{Workers: 1}, Observer: g})
	check := func(what string, so func(workspace.Load) bool) {
		t.Helper()
		synctest.Wait()
		if l := h.workspace.Load(); !so(l) {
			t.Fatalf("not so: %s; the load is %+v", what, l)
		}
	}
	im := h.image()
	h.clickThree(im)
	open := sync.OnceFunc(g.close())
	t.Cleanup(open) // before the hub waits for its steps
	r, c := h.member(im)
	check("the run has the only worker", func(l workspace.Load) bool { return l.Running[schedule.First] == 1 })
	label := func(class int) wire.Evidence {
		return wire.Evidence{ID: "x", Kind: "label", Points: [][2]float64{{float64(parts[0].X), float64(parts[0].Y)}}, Class: &class, ExpectedSeq: new(3)}
	}
	if err := c.suppose(&clientMessage{Evidence: label(1)}); err != nil {
		t.Fatal(err)
	}
	check("the supposition waits", func(l workspace.Load) bool { return l.Waiting[schedule.Supposed] == 1 })
	e := label(class)
	if stored, err := c.evidence(&e, false, false); err != nil || !stored {
		t.Fatalf("the label is stored: %v, %v", stored, err)
	}
	check("the next run waits and the supposition does not", func(l workspace.Load) bool {
		return l.Waiting[schedule.First] == 1 && l.Waiting[schedule.Supposed] == 0
	})
	open()
	h.hub.running.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.supposed != nil {
		t.Error("the supposition is answered after the label")
	}
}

// A supposition over a locked class gets no answer and is no error: the page can't
// tell where exact pixels have the class.
func TestSupposedOverLocked(t *testing.T) {
	h := mustOpen(t, Limits{})
	im := h.image()
	h.clickThree(im)
	if _, err := h.hub.Append(h.owner(), im, 3, segment.Event{ID: "lock", Kind: segment.Lock, Class: 0}); err != nil {
		t.Fatal(err)
	}
	_, c := h.member(im)
	over := [][2]float64{{float64(parts[0].X), float64(parts[0].Y)}}
	if err := c.suppose(&clientMessage{Evidence: wire.Evidence{Kind: "label", Points: over, Class: new(1), ExpectedSeq: new(4)}}); err != nil {
		t.Errorf("a label over a locked class is supposed: %v", err)
	}
}

// While the button is pressed the whole sequence is computed, so its release finds it
// made. Until there is time for it, it waits behind everybody, and with the release it
// waits no more.
func TestForeseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		h := mustOpen(t, Limits{}, workspace.Options{Schedule: schedule.Limits{Workers: 1}, Observer: g})
		im, other := h.image(), h.image()
		h.clickThree(im)
		h.clickThree(other)
		r, c := h.member(im)
		h.hub.running.Wait()
		check := func(what string, so func(workspace.Load) bool) {
			t.Helper()
			synctest.Wait()
			if l := h.workspace.Load(); !so(l) {
				t.Fatalf("not so: %s; the load is %+v", what, l)
			}
		}
		frames := func() int {
			r.mu.Lock()
			defer r.mu.Unlock()
			return len(r.run.frames)
		}
		label := func(i int) wire.Evidence {
			return wire.Evidence{ID: fmt.Sprint("x", i), Kind: "label", Points: [][2]float64{{float64(parts[0].X), float64(parts[0].Y)}}, Class: new(i % 3), ExpectedSeq: new(2 + i)}
		}
		press := func(i int) {
			t.Helper()
			if err := c.suppose(&clientMessage{Evidence: label(i)}); err != nil {
				t.Fatal(err)
			}
		}
		release := func(i int) {
			t.Helper()
			e := label(i)
			if stored, err := c.evidence(&e, false, false); err != nil || !stored {
				t.Fatalf("the label is stored: %v, %v", stored, err)
			}
		}

		press(1)
		h.hub.running.Wait()
		open := sync.OnceFunc(g.close())
		t.Cleanup(open)
		release(1)
		synctest.Wait()
		if got := frames(); got != engine.DefaultHypotheses {
			t.Errorf("with the release %d hypotheses are there, want %d", got, engine.DefaultHypotheses)
		}
		open()
		h.hub.running.Wait()

		first := g.close()
		press(2)
		check("the supposition has the only worker", func(l workspace.Load) bool { return l.Running[schedule.Supposed] == 1 })
		h.member(other)
		check("another's run waits", func(l workspace.Load) bool { return l.Waiting[schedule.First] == 1 })
		second := sync.OnceFunc(g.close())
		t.Cleanup(second)
		first()
		time.Sleep(answering)
		check("what is foreseen waits for another's run", func(l workspace.Load) bool {
			return l.Running[schedule.First] == 1 && l.Waiting[schedule.Foreseen] == 1
		})
		release(2)
		check("it waits as a run", func(l workspace.Load) bool {
			return l.Waiting[schedule.Later] == 1 && l.Waiting[schedule.Foreseen] == 0
		})
		second()
		h.hub.running.Wait()
		if got := frames(); got != engine.DefaultHypotheses {
			t.Errorf("in the end %d hypotheses are there, want %d", got, engine.DefaultHypotheses)
		}
	})
}

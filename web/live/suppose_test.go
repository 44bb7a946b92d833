package live

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"collie/segment/gauge"
	"collie/segment/schedule"
	"collie/segment/workspace"
	"collie/web/wire"
)

// gate is an observer that lets no step begin while it is closed. A step waits on
// a channel, which testing/synctest notices, unlike a mutex.
type gate struct{ closed chan chan struct{} }

func newGate() *gate { return &gate{make(chan chan struct{}, 1)} }

// close closes the gate; opened opens it.
func (g *gate) close() (opened func()) {
	free := make(chan struct{})
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

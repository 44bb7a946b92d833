package workspace

import (
	"context"
	"errors"
	"image"
	"sync"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/segment/schedule"
	"collie/superpixels"
)

// notes is an Observer that remembers.
type notes struct {
	mu       sync.Mutex
	times    map[gauge.Time]int
	happened map[gauge.Happening]int
}

func (n *notes) Took(what gauge.Time, _ time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.times == nil {
		n.times = map[gauge.Time]int{}
	}
	n.times[what]++
}

func (n *notes) Happened(what gauge.Happening) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.happened == nil {
		n.happened = map[gauge.Happening]int{}
	}
	n.happened[what]++
}

// occupied is an engine whose only worker is busy until release is called.
func occupied(t *testing.T, n *notes) (e *turns, release func()) {
	e = &turns{schedule: schedule.New(schedule.Limits{Workers: 1, Waiting: 1}), observer: n}
	running, free, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		if err := e.of("other")(context.Background(), schedule.First, func() { close(running); <-free }); err != nil {
			t.Error(err)
		}
	}()
	<-running
	return e, func() { close(free); <-done }
}

// threeClicks is a sequence on a row of superpixels.
func threeClicks(e *turns) *engine.Sequence {
	g := &superpixels.Graph{}
	for i := range 9 {
		g.Regions = append(g.Regions, superpixels.Region{Area: 400, Bounds: superpixels.BoxOf(image.Rect(20*i, 0, 20*i+20, 20)), Centroid: [2]float32{float32(20*i + 10), 10}})
		if i > 0 {
			g.Edges = append(g.Edges, superpixels.Edge{A: int32(i - 1), B: int32(i), Length: 20, Contour: float32(i)})
		}
	}
	s := engine.NewSequence(engine.NewModel(g, engine.DefaultParameters), engine.Evidence{Clicks: []uint8{0, segment.Void, segment.Void, segment.Void, 1, segment.Void, segment.Void, segment.Void, 2}}, 3)
	s.TakeTurns(e.of("image"))
	return s
}

// A caller who waits for a queued step can leave, and a full queue is an error for
// people.
func TestSequencesTakeTurns(t *testing.T) {
	n := new(notes)
	e, release := occupied(t, n)
	s := threeClicks(e)
	ctx, leave := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for range 2 { // the one makes the step, the other waits for it
		waiting.Go(func() {
			if _, err := s.At(ctx, 0); !errors.Is(err, context.Canceled) {
				t.Errorf("who has left got %v", err)
			}
		})
	}
	for e.schedule.Load().Waiting[schedule.First] == 0 {
		time.Sleep(time.Millisecond)
	}
	if _, err := threeClicks(e).At(t.Context(), 0); segment.KindOf(err) != segment.Busy {
		t.Errorf("with a full queue: %v, want an error of kind Busy", err)
	}
	leave()
	waiting.Wait()
	release()

	if _, err := s.At(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if n.happened[gauge.Dropped] != 1 || n.happened[gauge.Refused] != 1 || n.times[gauge.First] != 2 || n.times[gauge.Later] != 2 || n.times[gauge.Queue] != 4 {
		t.Errorf("noted %v, %v", n.happened, n.times)
	}
}

// Signed-in people take turns, however many images they work on; without a login
// images do.
func TestWhoseTurn(t *testing.T) {
	for _, c := range []struct {
		user string
		want string
	}{{"", "x y x"}, {"somebody", "x x y"}} {
		// A turn ends with its first step, however short that seems to a coarse clock.
		e := &turns{schedule: schedule.New(schedule.Limits{Workers: 1, Turn: -1}), observer: gauge.Nobody{}}
		running, free := make(chan struct{}), make(chan struct{})
		ctx := access.With(t.Context(), access.Principal{User: c.user})
		var all sync.WaitGroup
		all.Go(func() { _ = e.of("w")(ctx, schedule.Later, func() { close(running); <-free }) })
		<-running
		order := ""
		for i, image := range []string{"x", "x", "y"} {
			all.Go(func() { _ = e.of(image)(ctx, schedule.Later, func() { order += " " + image }) })
			for e.schedule.Load().Waiting[schedule.Later] != i+1 {
				time.Sleep(time.Millisecond)
			}
		}
		close(free)
		all.Wait()
		if order != " "+c.want {
			t.Errorf("user %q: steps of the images %s ran, want %s", c.user, order, c.want)
		}
	}
}

// Work within a long piece takes no worker's turn: it goes on while all are busy,
// and ends with its context. Control: without InLong it has to wait.
func TestLongWorkTakesNoTurn(t *testing.T) {
	n := new(notes)
	e, release := occupied(t, n)
	defer release()
	if _, err := threeClicks(e).At(InLong(t.Context()), 0); err != nil {
		t.Errorf("within long work: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := threeClicks(e).At(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while the worker is busy: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := threeClicks(e).At(InLong(ended), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}

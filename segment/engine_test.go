package segment

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"collie/segment/access"
	"collie/segment/schedule"
)

// notes is an Observer that remembers.
type notes struct {
	mu       sync.Mutex
	times    map[Time]int
	happened map[Happening]int
}

func (n *notes) Took(what Time, _ time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.times == nil {
		n.times = map[Time]int{}
	}
	n.times[what]++
}

func (n *notes) Happened(what Happening) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.happened == nil {
		n.happened = map[Happening]int{}
	}
	n.happened[what]++
}

// occupied is an engine whose only worker has something to do until release is
// called.
func occupied(t *testing.T, n *notes) (e *engine, release func()) {
	e = &engine{schedule: schedule.New(schedule.Limits{Workers: 1, Waiting: 1}), observer: n}
	running, free, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		if err := e.turnsOf("other")(context.Background(), schedule.First, func() { close(running); <-free }); err != nil {
			t.Error(err)
		}
	}()
	<-running
	return e, func() { close(free); <-done }
}

func threeClicks(e *engine) *Sequence {
	s := NewSequence(NewModel(gridGraph(8, 3), DefaultParameters), clicksOn(64, map[int]uint8{0: 0, 63: 1, 7: 2}), nil, 3)
	s.turn = e.turnsOf("image")
	return s
}

// Whoever waits for a step that has to wait itself can leave; what has been made
// is there for all without waiting; and a full queue is an error for people.
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
	if _, err := threeClicks(e).At(t.Context(), 0); KindOf(err) != Busy {
		t.Errorf("with a full queue: %v, want an error of kind Busy", err)
	}
	leave()
	waiting.Wait()
	release()

	first, err := s.At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s.making <- struct{}{} // as if the next step waited for its turn
	if again, err := s.At(t.Context(), 0); err != nil || again.Digest != first.Digest {
		t.Errorf("what has been made has to wait: %v", err)
	}
	<-s.making
	if _, err := s.At(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if n.happened[Dropped] != 1 || n.happened[Refused] != 1 || n.times[TimeFirst] != 2 || n.times[TimeLater] != 2 || n.times[TimeQueue] != 4 {
		t.Errorf("noted %v, %v", n.happened, n.times)
	}
}

// Signed-in people have turns, however many images they work on; without a login
// images have.
func TestWhoseTurn(t *testing.T) {
	for _, c := range []struct {
		user string
		want string
	}{{"", "x y x"}, {"somebody", "x x y"}} {
		e := &engine{schedule: schedule.New(schedule.Limits{Workers: 1}), observer: nobody{}}
		running, free := make(chan struct{}), make(chan struct{})
		ctx := access.With(t.Context(), access.Principal{User: c.user})
		var all sync.WaitGroup
		all.Go(func() { _ = e.turnsOf("w")(ctx, schedule.Later, func() { close(running); <-free }) })
		<-running
		order := ""
		for i, image := range []string{"x", "x", "y"} {
			all.Go(func() { _ = e.turnsOf(image)(ctx, schedule.Later, func() { order += " " + image }) })
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

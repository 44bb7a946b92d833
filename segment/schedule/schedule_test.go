package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// eventually waits for a condition that other goroutines bring about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// occupy takes the only worker until the returned function is called.
func occupy(t *testing.T, s *Scheduler) (release func()) {
	t.Helper()
	running, free, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Do(context.Background(), First, "occupier", func() { close(running); <-free }); err != nil {
			t.Error(err)
		}
	}()
	<-running
	return func() { close(free); <-done }
}

func TestDo(t *testing.T) {
	s := New(Limits{Workers: 1})
	release := occupy(t, s)
	var order []string
	var wg sync.WaitGroup
	for i, class := range []Class{Later, Supposed, First} {
		wg.Go(func() {
			if err := s.Do(t.Context(), class, "x", func() { order = append(order, fmt.Sprint(class)) }); err != nil {
				t.Error(err)
			}
		})
		eventually(t, "the step waits", func() bool { l := s.Load(); return l.Waiting[0]+l.Waiting[1]+l.Waiting[2] == i+1 })
	}
	release()
	wg.Wait()
	if got := strings.Join(order, " "); got != "0 1 2" {
		t.Errorf("classes ran in the order %s", got)
	}
	if l := s.Load(); l != (Load{}) {
		t.Errorf("at the end there is %+v to do", l)
	}
}

// A caller who gives up leaves the queue at once.
func TestDoIsDropped(t *testing.T) {
	s := New(Limits{Workers: 1, Waiting: 1})
	release := occupy(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan error)
	go func() {
		answer <- s.Do(ctx, First, "x", func() { t.Error("a dropped step ran") })
	}()
	eventually(t, "the step waits", func() bool { return s.Load().Waiting[First] == 1 })
	if err := s.Do(t.Context(), First, "y", func() {}); !errors.Is(err, ErrBusy) {
		t.Errorf("a full queue answers %v, want ErrBusy", err)
	}
	cancel()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("a dropped step answers %v", err)
	}
	if l := s.Load(); l.Waiting[First] != 0 || l.Dropped != 1 || l.Refused != 1 {
		t.Errorf("load %+v, want nothing waiting, one dropped, one refused", l)
	}
	release()
}

// A step that panics gives its worker back.
func TestDoPanics(t *testing.T) {
	s := New(Limits{Workers: 1})
	func() {
		defer func() { recover() }()
		_ = s.Do(t.Context(), First, "x", func() { panic("no") })
	}()
	if err := s.Do(t.Context(), First, "x", func() {}); err != nil || s.Load() != (Load{}) {
		t.Errorf("after a panic: %v, %+v", err, s.Load())
	}
}

// crowd counts how much of its work runs at the same time, until it is free.
type crowd struct {
	running, most atomic.Int32
	free          chan struct{}
}

func (c *crowd) work() {
	c.most.Store(max(c.most.Load(), c.running.Add(1)))
	<-c.free
	c.running.Add(-1)
}

// Heavy steps run one at a time, and others beside them.
func TestDoHeavy(t *testing.T) {
	s := New(Limits{Workers: 1, Own: 1})
	c := crowd{free: make(chan struct{})}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := s.Do(t.Context(), Heavy, "x", c.work); err != nil {
				t.Error(err)
			}
		})
	}
	eventually(t, "one runs and one waits", func() bool { return c.running.Load() == 1 && s.Load().Heavy == 2 })
	if err := s.Do(t.Context(), Heavy, "x", func() {}); !errors.Is(err, ErrBusy) {
		t.Errorf("with a full line: %v, want ErrBusy", err)
	}
	if err := s.Do(t.Context(), First, "x", func() {}); err != nil {
		t.Errorf("a step beside a heavy one: %v", err)
	}
	if err := s.Long(t.Context(), func() {}); err != nil {
		t.Errorf("long work beside a heavy step: %v", err)
	}
	close(c.free)
	wg.Wait()
	if most := c.most.Load(); most != 1 {
		t.Errorf("%d heavy steps ran at the same time, want 1", most)
	}
	if l := s.Load(); l != (Load{Refused: 1}) {
		t.Errorf("at the end there is %+v to do", l)
	}
}

// Whoever has many heavy steps to do holds up nobody else for more than the one that
// runs, and the first hypotheses of all come before later ones.
func TestHeavyTurns(t *testing.T) {
	s := New(Limits{Workers: 1, Own: 64})
	c := crowd{free: make(chan struct{})}
	var mu sync.Mutex
	var order []string
	var wg sync.WaitGroup
	ask := func(class Class, user string) {
		waiting := s.Load().Heavy
		wg.Go(func() {
			if err := s.Do(t.Context(), Heavy|class, user, func() {
				c.work()
				mu.Lock()
				defer mu.Unlock()
				order = append(order, user)
			}); err != nil {
				t.Errorf("%s: %v", user, err)
			}
		})
		eventually(t, "it waits", func() bool { return s.Load().Heavy == waiting+1 })
	}
	ask(First, "greedy")
	for range 10 {
		ask(Later, "greedy, later")
	}
	for range 64 {
		ask(First, "greedy")
	}
	ask(First, "modest")
	close(c.free)
	wg.Wait()
	if at := slices.Index(order, "modest"); at > 2 {
		t.Errorf("the modest user's step came after %d others", at)
	}
	if at := slices.Index(order, "greedy, later"); at != 66 {
		t.Errorf("a later hypothesis came after %d others, want 66", at)
	}
}

// Work of many parts keeps others waiting for one of them at most, and has no place after
// it was stopped in a pause.
func TestLongPauses(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		s := New(Limits{Workers: 1})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var order []string
		var wg sync.WaitGroup
		began, goOn := make(chan struct{}), make(chan struct{})
		wg.Go(func() {
			if err := s.LongParts(ctx, func(ctx context.Context) {
				order = append(order, "first part")
				close(began)
				<-goOn
				if err := Pause(ctx); err != nil {
					return
				}
				order = append(order, "second part")
			}); err != nil {
				t.Error(err)
			}
		})
		<-began
		wg.Go(func() {
			if err := s.Long(t.Context(), func() {
				order = append(order, "other")
				if stopped {
					stop()
				}
			}); err != nil {
				t.Error(err)
			}
		})
		eventually(t, "the other waits", func() bool { return s.Load().Long == 2 })
		close(goOn)
		wg.Wait()
		want := []string{"first part", "other", "second part"}
		if stopped {
			want = want[:2]
		}
		if !slices.Equal(order, want) {
			t.Errorf("ran %q, want %q", order, want)
		}
		if err := s.Long(t.Context(), func() {}); err != nil || s.Load().Long != 0 {
			t.Errorf("afterwards %v, and %d have a place", err, s.Load().Long)
		}
	}
	if err := Pause(t.Context()); err != nil {
		t.Errorf("outside of long work: %v", err)
	}
}

func TestLong(t *testing.T) {
	s := New(Limits{Workers: 4, LongWaiting: 1})
	c := crowd{free: make(chan struct{})}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := s.Long(t.Context(), c.work); err != nil {
				t.Error(err)
			}
		})
	}
	eventually(t, "two run and one waits", func() bool { return c.running.Load() == 2 && s.Load().Long == 3 })
	if err := s.Long(t.Context(), func() {}); !errors.Is(err, ErrBusy) {
		t.Errorf("with a full queue: %v, want ErrBusy", err)
	}
	if err := s.Do(t.Context(), First, "x", func() {}); err != nil {
		t.Errorf("a step beside long work: %v", err)
	}
	close(c.free)
	wg.Wait()
	if most := c.most.Load(); most != 2 {
		t.Errorf("%d pieces of long work ran at the same time, want 2", most)
	}
	func() {
		defer func() {
			if v := recover(); !strings.Contains(fmt.Sprint(v), "no\n") || !strings.Contains(fmt.Sprint(v), "TestLong") {
				t.Errorf("panic %v, want the cause and its stack", v)
			}
		}()
		_ = s.Long(t.Context(), func() { panic("no") })
	}()
	if l := s.Load(); l.Long != 0 {
		t.Errorf("%d pieces of long work are left", l.Long)
	}
}

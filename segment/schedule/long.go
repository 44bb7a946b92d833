package schedule

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"collie/segment/queue"
)

// niceness of threads that do long work, on the scale of nice(1): where all
// processors are busy such a thread gets a third of what others get, so that
// uploads are slow then and not stuck.
const niceness = 5

// Long runs work that takes longer than a step, when there is room for it, and
// returns when it has run; the error is ErrBusy or that of ctx when it has not.
// A panic in it is the caller's, with the stack that it had here.
//
// The goroutines of a Go program have no priorities, but threads have: the work
// gets one of its own, of low priority. Where the operating system has no such
// thing the limit on their number is all that holds it back. So that the thread
// does not occupy one of the few that may run Go code while it waits for a
// processor, a program should raise GOMAXPROCS by Limits.Long and one for a heavy step.
func (s *Scheduler) Long(ctx context.Context, work func()) error {
	return s.LongParts(ctx, func(context.Context) { work() })
}

// LongParts is Long for work of many parts, such as the trees of a forest. It calls
// [Pause] between them with the context that it gets.
func (s *Scheduler) LongParts(ctx context.Context, work func(context.Context)) error {
	leave, err := s.long.Enter(ctx)
	if errors.Is(err, queue.ErrFull) {
		return ErrBusy
	}
	if err != nil {
		return err
	}
	defer func() { leave() }()
	apart(func() {
		work(context.WithValue(ctx, pauseKey{}, func() {
			leave()
			if again, err := s.long.Enter(ctx); err == nil { // if not, the work ends, or tries again after its next part
				leave = again
			}
		}))
	})
	return nil
}

type pauseKey struct{}

// Pause lets other long work that waits go first, if ctx is that of [Scheduler.LongParts],
// and returns the error of ctx.
func Pause(ctx context.Context) error {
	if pause, ok := ctx.Value(pauseKey{}).(func()); ok {
		pause()
	}
	return ctx.Err()
}

// apart runs work on a thread of low priority.
func apart(work func()) {
	var panicked any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				panicked = fmt.Sprintf("%v\n%s", v, debug.Stack())
			}
		}()
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		lowerPriority(niceness)
		work()
	}()
	<-done
	if panicked != nil {
		panic(panicked)
	}
}

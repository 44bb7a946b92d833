package export

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// ordered makes n things on all cores and uses them one after the other, in
// order. So many things are in memory at most as there are cores, and one more.
// The first error ends it and is returned.
func ordered[T any](ctx context.Context, n int, make1 func(ctx context.Context, i int) (T, error), use func(i int, made T) error) error {
	ctx, stop := context.WithCancel(ctx)
	type result struct {
		made T
		err  error
	}
	workers := runtime.GOMAXPROCS(0)
	queue := make(chan chan result, workers) // in order
	slots := make(chan struct{}, workers)    // one per thing that is being made
	go func() {
		defer close(queue)
		for i := range n {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			one := make(chan result, 1)
			go func() {
				var r result
				late := paceOf(ctx)(ctx, func() {
					r.err = guarded(func() (err error) {
						r.made, err = make1(ctx, i)
						return err
					})
				})
				if late != nil {
					r.err = late
				}
				one <- r
				<-slots
			}()
			select {
			case queue <- one:
			case <-ctx.Done():
				<-one
				return
			}
		}
	}()
	var failed error
	i := 0
	for one := range queue {
		r := <-one
		if failed == nil {
			if failed = r.err; failed == nil {
				failed = use(i, r.made)
			}
			if failed != nil {
				stop()
			}
		}
		i++
	}
	stop()
	if failed == nil && i < n {
		return context.Cause(ctx)
	}
	return failed
}

// Pace runs a piece of an export when there is room for it, so that exports
// don't get into the way of more urgent work. An error is one of not having run it.
type Pace func(ctx context.Context, piece func()) error

type paceKey struct{}

// atPace returns a context of exports that keep to a pace.
func atPace(ctx context.Context, p Pace) context.Context { return context.WithValue(ctx, paceKey{}, p) }

// paceOf is the pace of a context: without one, everything runs at once.
func paceOf(ctx context.Context) Pace {
	if p, ok := ctx.Value(paceKey{}).(Pace); ok && p != nil {
		return p
	}
	return func(_ context.Context, piece func()) error { piece(); return nil }
}

// guarded runs f and returns a panic in it as an error, with its stack: what
// fails is one export and never the program.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return f()
}

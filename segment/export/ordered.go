package export

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"collie/segment/workspace"
)

// ordered computes n results on all cores and uses them one after the other, in
// order. Memory holds one result per core and one more. The first error ends it
// and is returned.
func ordered[T any](ctx context.Context, n int, compute func(ctx context.Context, i int) (T, error), use func(i int, made T) error) error {
	ctx, stop := context.WithCancel(ctx)
	type result struct {
		made T
		err  error
	}
	workers := runtime.GOMAXPROCS(0)
	queue := make(chan chan result, workers) // in order
	slots := make(chan struct{}, workers)    // one per result that is being computed
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
				r.err = guarded(func() (err error) {
					r.made, err = compute(ctx, i)
					return err
				})
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
// don't delay more urgent work. It returns an error if the piece was not run.
type Pace func(ctx context.Context, piece func()) error

type paceKey struct{}

// AtPace returns a context whose exports keep to a pace; nil means that
// everything runs at once.
func AtPace(ctx context.Context, p Pace) context.Context { return context.WithValue(ctx, paceKey{}, p) }

// paceOf returns what runs a piece at the pace of a context, and gives it the
// context to work in.
func paceOf(ctx context.Context) func(ctx context.Context, piece func(context.Context)) error {
	if p, ok := ctx.Value(paceKey{}).(Pace); ok && p != nil {
		return func(ctx context.Context, piece func(context.Context)) error {
			return p(ctx, func() { piece(workspace.InLong(ctx)) })
		}
	}
	return func(ctx context.Context, piece func(context.Context)) error { piece(ctx); return nil }
}

// guarded runs f and returns a panic in it as an error, with its stack: only
// the export fails, never the program.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return f()
}

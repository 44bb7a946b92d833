package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"collie/segment"
)

// Times of a Runner.
const (
	Lease = 15 * time.Second // after this a server that says nothing counts as dead
	renew = Lease / 3
	look  = 2 * time.Second // for jobs that other servers have added or left
)

// Kind is what is done with jobs of a kind.
type Kind struct {
	// Do does a job and returns its result, which is not nil. When ctx ends it
	// stops, and what it returns doesn't count. progress can be called at any time.
	Do func(ctx context.Context, j Job, progress func(done, total int)) []byte
	// Undo removes what Do has made in an attempt whose result doesn't count.
	Undo func(ctx context.Context, j Job)
}

// Runner does the jobs of some kinds, one at a time. Make one with Start.
type Runner struct {
	work  Work
	node  string
	kinds map[string]Kind
	log   *slog.Logger
	wake  chan struct{}
	stop  context.CancelFunc
	ended chan struct{}

	mu      sync.Mutex
	current *underway // nil between jobs
}

// underway is the job that a runner works on.
type underway struct {
	Job
	stop  context.CancelCauseFunc
	ended chan struct{}
}

// Start begins to do jobs. Close the runner.
func Start(work Work, kinds map[string]Kind, log *slog.Logger) *Runner {
	host, _ := os.Hostname() // without it the rest still tells servers apart
	r := &Runner{
		work: work, node: fmt.Sprintf("%s %d %s", host, os.Getpid(), segment.NewID()), kinds: kinds, log: log,
		wake: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go r.run(ctx)
	return r
}

// Close stops the job under way, which then waits for another server, and returns
// when that is stored.
func (r *Runner) Close() {
	r.stop()
	<-r.ended
}

// Wake makes the runner look for a job at once.
func (r *Runner) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Progress returns how far this server has come with a job, if it works on it.
func (r *Runner) Progress(id string) (done, total int, here bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil || r.current.ID != id {
		return 0, 0, false
	}
	return r.current.Done, r.current.Total, true
}

// Drop stops a job that was removed, if this server works on it, and waits until
// it has stopped.
func (r *Runner) Drop(id string) {
	r.mu.Lock()
	u := r.current
	r.mu.Unlock()
	if u != nil && u.ID == id {
		u.stop(ErrLost)
		<-u.ended
	}
}

func (r *Runner) run(ctx context.Context) {
	defer close(r.ended)
	names := slices.Sorted(maps.Keys(r.kinds))
	again := time.NewTicker(look)
	defer again.Stop()
	failing := false
	for ctx.Err() == nil {
		j, err := r.work.Claim(ctx, r.node, names, Lease)
		if err != nil && ctx.Err() != nil {
			return
		}
		if failing != (err != nil) { // one line for an outage, however long, and one for its end
			failing = !failing
			if failing {
				r.log.Warn("work in the background waits until the database can be used", "kinds", names, "error", err)
			} else {
				r.log.Info("the database can be used again, work in the background goes on", "kinds", names)
			}
		}
		if j != nil {
			r.do(ctx, *j)
			continue
		}
		select {
		case <-r.wake:
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// do does a job, keeping its lease.
func (r *Runner) do(ctx context.Context, j Job) {
	work, stop := context.WithCancelCause(ctx)
	u := &underway{Job: j, stop: stop, ended: make(chan struct{})}
	r.mu.Lock()
	r.current = u
	r.mu.Unlock()
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		r.keep(work, u)
	}()
	result := r.safely(work, j, func(done, total int) {
		r.mu.Lock()
		u.Done, u.Total = done, total
		r.mu.Unlock()
	})
	lost := errors.Is(context.Cause(work), ErrLost)
	if work.Err() != nil {
		result = nil // another server does it, or this one after its restart
	}
	stop(nil)
	<-kept
	ending := context.WithoutCancel(ctx)
	var err error
	if !lost {
		err = r.work.End(ending, r.state(u), result)
		if err != nil && !errors.Is(err, ErrLost) {
			r.log.Error("could not record the end of work in the background", "kind", j.Kind, "job", j.ID, "error", err)
		}
	}
	if lost || result == nil || errors.Is(err, ErrLost) {
		r.kinds[j.Kind].Undo(ending, j)
	}
	r.mu.Lock()
	r.current = nil
	r.mu.Unlock()
	close(u.ended)
}

// state is a copy of the job under way.
func (r *Runner) state(u *underway) *Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := u.Job
	return &j
}

// keep renews the lease of a job until ctx ends, and stops the job when the lease
// is lost or can't be renewed in time.
func (r *Runner) keep(ctx context.Context, u *underway) {
	until := time.Now().Add(Lease)
	tick := time.NewTicker(renew)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked := time.Now()
		err := r.work.Renew(ctx, r.state(u), Lease)
		switch {
		case err == nil:
			until = asked.Add(Lease)
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrLost), time.Now().After(until):
			r.log.Warn("work in the background was cancelled or taken over", "kind", u.Kind, "job", u.ID)
			u.stop(ErrLost)
			return
		}
	}
}

// safely is the result of a job, nil for one that panics.
func (r *Runner) safely(ctx context.Context, j Job, progress func(done, total int)) (result []byte) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("panic in work in the background", "kind", j.Kind, "job", j.ID, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	return r.kinds[j.Kind].Do(ctx, j, progress)
}

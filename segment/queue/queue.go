// Package queue bounds concurrent work and what waits for it, so that a server
// refuses work that it can't get to.
package queue

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// ErrFull is the error for a full queue; trying again later helps.
var ErrFull = errors.New("queue: too much is waiting")

// Queue hands out places in the order of requests. Safe for concurrent use.
type Queue struct {
	free *semaphore.Weighted
	most int64        // requests at a time
	in   atomic.Int64 // requests that have a place or wait for one
}

// New returns a queue with so many places, for which up to waiting requests wait.
func New(places, waiting int) *Queue {
	return &Queue{free: semaphore.NewWeighted(int64(places)), most: int64(places + waiting)}
}

// Len returns how many requests have a place or wait for one.
func (q *Queue) Len() int { return int(q.in.Load()) }

// Enter takes a place, waiting for it if needed; leave, which can be called more than
// once, gives it up. The error is [ErrFull], at once, or that of ctx.
func (q *Queue) Enter(ctx context.Context) (leave func(), err error) {
	if q.in.Add(1) > q.most {
		q.in.Add(-1)
		return nil, ErrFull
	}
	if !q.free.TryAcquire(1) {
		if err := q.free.Acquire(ctx, 1); err != nil {
			q.in.Add(-1)
			return nil, err
		}
	}
	return sync.OnceFunc(func() {
		q.in.Add(-1)
		q.free.Release(1)
	}), nil
}

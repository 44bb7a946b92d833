// Package queue bounds concurrent work and what waits for it, so that a server
// refuses work that it can't get to.
package queue

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/semaphore"
)

// ErrFull is the error for a full queue; trying again later helps.
var ErrFull = errors.New("queue: too much is waiting")

// Queue hands out a stock – places, or bytes of memory – in the order of
// requests. Safe for concurrent use.
type Queue struct {
	free    *semaphore.Weighted
	waiting int   // limit of waiting requests
	holding int64 // limit of bytes held by waiting requests

	mu   sync.Mutex
	in   int // requests that have or wait for a part of the stock
	line int // waiting requests
	held int64
}

// New returns a queue with a stock of the given size. Up to waiting requests
// wait for it, which hold up to holding bytes together; a single one can hold
// more.
func New(size int64, waiting int, holding int64) *Queue {
	return &Queue{free: semaphore.NewWeighted(size), waiting: waiting, holding: holding}
}

// Len returns how many requests have or wait for a part of the stock.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.in
}

// Enter takes weight from the stock, waiting for it if needed while holding
// held bytes; leave, which can be called more than once, returns it. The error
// is [ErrFull], at once, or that of ctx.
func (q *Queue) Enter(ctx context.Context, weight, held int64) (leave func(), err error) {
	p, err := q.Join(weight, held)
	if err != nil {
		return nil, err
	}
	if err := p.Wait(ctx); err != nil {
		return nil, err
	}
	return p.Leave, nil
}

// Place is a request's place in a queue.
type Place struct {
	q            *Queue
	weight, held int64
	has          bool // its part of the stock
	leave        sync.Once
}

// Join is the first half of [Queue.Enter]: it takes a place without waiting, or
// returns [ErrFull]. The caller must call [Place.Wait] or [Place.Leave].
func (q *Queue) Join(weight, held int64) (*Place, error) {
	p := &Place{q: q, weight: weight, held: held, has: q.free.TryAcquire(weight)}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !p.has {
		if q.line >= q.waiting || q.line > 0 && q.held+held > q.holding {
			return nil, ErrFull
		}
		q.line++
		q.held += held
	}
	q.in++
	return p, nil
}

// Wait returns once the place has its part of the stock. After an error, which
// is ctx's, the place has been left.
func (p *Place) Wait(ctx context.Context) error {
	if p.has {
		return nil
	}
	if err := p.q.free.Acquire(ctx, p.weight); err != nil {
		p.Leave()
		return err
	}
	p.q.mu.Lock()
	defer p.q.mu.Unlock()
	p.standUp()
	p.has = true
	return nil
}

// standUp takes the place out of the line. The caller holds the lock.
func (p *Place) standUp() {
	p.q.line--
	p.q.held -= p.held
}

// Leave gives the place up. A second Leave does nothing.
func (p *Place) Leave() {
	p.leave.Do(func() {
		p.q.mu.Lock()
		defer p.q.mu.Unlock()
		p.q.in--
		if p.has {
			p.q.free.Release(p.weight)
		} else {
			p.standUp()
		}
	})
}

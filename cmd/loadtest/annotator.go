package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// annotator is a person who clicks what is wrong, at times drawn beforehand,
// and opens another image after some clicks.
type annotator struct {
	plan     *plan
	server   *server
	recorder *recorder
	number   int
	start    time.Time
	free     chan *target // images that nobody works on
	target   *target      // the one to work on
	rng      *rand.Rand

	page   *page // nil while none is open
	clicks int   // on the open page
	all    int   // in the whole test

	leaving sync.WaitGroup // pages that wait for their last answers
}

// work clicks until the last phase is over.
func (a *annotator) work(ctx context.Context) {
	end := a.recorder.end()
	for due := a.gap(0); due < end; due += a.gap(due) {
		if !sleep(ctx, a.start, due) {
			break
		}
		a.act(ctx, due)
	}
	if a.page != nil {
		a.page.finish(ctx)
	}
	a.leaving.Wait()
}

// gap is the time to the next click.
func (a *annotator) gap(at time.Duration) time.Duration {
	return time.Duration(a.rng.ExpFloat64() * float64(a.plan.Every) / a.recorder.factor(at))
}

// act does what is due: a click, on another image when this one has had enough.
func (a *annotator) act(ctx context.Context, due time.Duration) {
	if a.page != nil && a.page.ended() {
		a.recorder.count("sockets lost", due)
		a.page.finish(ctx)
		a.page = nil
	}
	if a.page != nil && a.clicks >= a.plan.Stay {
		a.move(ctx)
	}
	if a.page == nil && !a.open(ctx, due) {
		return
	}
	i := a.page.choose(a.rng)
	if i < 0 {
		a.clicks = a.plan.Stay
		return
	}
	a.clicks++
	a.all++
	a.recorder.count("clicks", due)
	a.page.click(a.number, a.all, i, due)
}

// move leaves the image for one that nobody works on, if there is one. The old
// one is free when the last of its clicks has been answered.
func (a *annotator) move(ctx context.Context) {
	select {
	case next := <-a.free:
		page, old := a.page, a.target
		a.leaving.Go(func() {
			page.finish(ctx)
			a.free <- old
		})
		a.page, a.target = nil, next
	default:
	}
}

// open opens the page of the annotator's image.
func (a *annotator) open(ctx context.Context, due time.Duration) bool {
	began := time.Since(a.start)
	if _, err := a.server.open(ctx, a.target.id); err != nil {
		a.recorder.count("images not opened", due)
		return false
	}
	page, err := dial(ctx, a.server, a.target, a.recorder, a.start)
	if err != nil {
		a.recorder.count("sockets refused", due)
		return false
	}
	a.recorder.time(open, due, time.Since(a.start)-began)
	a.page, a.clicks = page, 0
	return true
}

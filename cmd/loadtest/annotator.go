package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// annotator is a person who clicks what is wrong, at times drawn in advance,
// and opens another image after some clicks.
type annotator struct {
	plan     *plan
	server   *server
	recorder *recorder
	number   int
	start    time.Time
	free     chan *target // images that nobody works on
	target   *target      // the one to work on
	hand     *hand
	rng      *rand.Rand // for what to click; how often it is asked depends on the answers

	page   *page // nil while none is open
	clicks int   // on the open page
	all    int   // in the whole test

	leaving sync.WaitGroup // pages that wait for their last answers
}

// work clicks until the last phase is over. The next press waits for no answer.
func (a *annotator) work(ctx context.Context) {
	for p := a.hand.next(); p.down < a.recorder.end(); p = a.hand.next() {
		if !sleep(ctx, a.start, p.down) {
			break
		}
		c := a.press(ctx, p)
		if c == nil {
			continue
		}
		if !sleep(ctx, a.start, p.up) {
			break
		}
		a.page.release(c)
	}
	if a.page != nil {
		a.page.finish(ctx)
	}
	a.leaving.Wait()
}

// press begins a click, on another image when this one has had enough; nil when
// there is nothing to click.
func (a *annotator) press(ctx context.Context, p press) *click {
	if a.page != nil && a.page.ended() {
		a.recorder.count("sockets lost", p.up)
		a.page.finish(ctx)
		a.page = nil
	}
	if a.page != nil && a.clicks >= a.plan.Stay && a.plan.Together == 1 {
		a.move(ctx)
	}
	if a.page == nil && !a.open(ctx, p.up) {
		return nil
	}
	superpixels := a.page.choose(a.rng, p.drag)
	if superpixels == nil {
		a.clicks = a.plan.Stay
		return nil
	}
	a.clicks++
	a.all++
	c := &click{press: p, id: fmt.Sprintf("load-%d-%d", a.number, a.all), superpixels: superpixels}
	a.page.press(c)
	return c
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
		a.recorder.fail("images not opened", err, due)
		return false
	}
	page, err := dial(ctx, a.server, a.target, a.recorder, a.start, a.plan.Together > 1)
	if err != nil {
		a.recorder.fail("sockets refused", err, due)
		return false
	}
	a.recorder.time(open, due, time.Since(a.start)-began)
	a.page, a.clicks = page, 0
	return true
}

package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// measured are the times of a click, from when its button was due to be up again
// and the label to be sent.
type measured int

const (
	foreseen measured = iota // from the press: the first hypothesis that knows of it is here, supposed or not
	ack                      // it is on the server's disk
	first                    // the first hypothesis of a run that knows of it is here
	third                    // the third
	last                     // the sequence that knows of it is complete
	open                     // of opening an image: it can be worked on
	sent                     // of an upload: it is stored
	kinds
)

var names = [kinds]string{"press to 1st hypothesis", "click to ack", "click to 1st hypothesis", "click to 3rd hypothesis", "click to last hypothesis", "opening an image", "large upload"}

// settle is how long after an overload everything has to be as before.
var settle = 5 * time.Second

// phase is a part of the test that is measured by itself.
type phase struct {
	name       string
	begin, end time.Duration // since the start; clicks that are due then are counted here
	factor     float64       // how many times the usual clicks

	times   [kinds]*hdrhistogram.Histogram // microseconds
	counts  map[string]int
	reasons map[string]int // for what failed
}

// recorder collects what the annotators see. Safe for concurrent use.
type recorder struct {
	mu     sync.Mutex
	phases []*phase
	clicks int // sent so far, counted or not
	acks   int

	vitals map[string]float64 // of the server at the end of the last phase
}

// recorder returns the phases of a plan.
func (p *plan) recorder() *recorder {
	r := &recorder{}
	add := func(name string, from, length time.Duration, factor float64) time.Duration {
		ph := &phase{name: name, begin: from, end: from + length, factor: factor, counts: map[string]int{}, reasons: map[string]int{}}
		for i := range ph.times {
			ph.times[i] = hdrhistogram.New(1, (10 * time.Minute).Microseconds(), 3)
		}
		r.phases = append(r.phases, ph)
		return ph.end
	}
	at := add("usual", p.Warmup, p.Duration, 1)
	if p.Overload > 0 {
		at = add("overload", at, p.Duration/2, p.Overload)
		add("after", at+settle, p.Duration/2, 1)
	}
	return r
}

// end is when the last phase is over.
func (r *recorder) end() time.Duration { return r.phases[len(r.phases)-1].end }

// phase is the one that counts what is due at a time; nil for none.
func (r *recorder) phase(due time.Duration) *phase {
	for _, ph := range r.phases {
		if due >= ph.begin && due < ph.end {
			return ph
		}
	}
	return nil
}

// factor is how many times the usual clicks there are at a time.
func (r *recorder) factor(at time.Duration) float64 {
	if ph := r.phase(at); ph != nil {
		return ph.factor
	}
	return 1
}

// time notes how long after it was due something came.
func (r *recorder) time(what measured, due, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if what == ack {
		r.acks++
	}
	if ph := r.phase(due); ph != nil {
		_ = ph.times[what].RecordValue(max(1, took.Microseconds())) // cut off at ten minutes
	}
}

// count notes that something happened to what was due at a time.
func (r *recorder) count(what string, due time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if what == "clicks" {
		r.clicks++
	}
	if ph := r.phase(due); ph != nil {
		ph.counts[what]++
	}
}

// fail counts what failed, and why.
func (r *recorder) fail(what string, err error, due time.Duration) {
	r.count(what, due)
	if call := new(url.Error); errors.As(err, &call) { // without the image's address
		err = call.Err
	}
	if broken := new(net.OpError); errors.As(err, &broken) { // without the connection's port
		err = broken.Err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if ph := r.phase(due); ph != nil {
		ph.reasons[fmt.Sprintf("%s: %v", what, err)]++
	}
}

// sofar are the clicks sent and acknowledged up to now.
func (r *recorder) sofar() (clicks, acks int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clicks, r.acks
}

package main

import (
	"math/rand/v2"
	"time"
)

// How long a button is held, the short half of what is usual, and which share of
// presses go on to a second superpixel.
const (
	shortest = 60 * time.Millisecond
	longest  = 120 * time.Millisecond
	drags    = 0.1
)

// press is one of the button.
type press struct {
	down, up time.Duration // since the start
	drag     bool          // it goes on to the next superpixel
}

// hand draws when one annotator presses the button and lets it go. It draws
// nothing else and knows no server, so that equal seeds make equal presses
// whatever is answered, and when.
type hand struct {
	rng    *rand.Rand
	every  time.Duration
	factor func(time.Duration) float64 // how many times the usual presses at a time

	due  time.Duration // of the last press, were the hand always free
	last press
}

// hand is that of one of the annotators.
func (p *plan) hand(annotator int, r *recorder) *hand {
	return &hand{rng: rand.New(rand.NewPCG(p.Seed, uint64(annotator))), every: p.Every, factor: r.factor}
}

// next is the press after the last one: when it is due, or as soon as the button
// is up again.
func (h *hand) next() press {
	h.due += time.Duration(h.rng.ExpFloat64() * float64(h.every) / h.factor(h.due))
	down := max(h.due, h.last.up)
	held := shortest + time.Duration(h.rng.Int64N(int64(longest-shortest)))
	h.last = press{down: down, up: down + held, drag: h.rng.Float64() < drags}
	return h.last
}

// Package gauge names what a running server measures, and whom it tells: the
// steps of a click and what becomes of images in memory.
package gauge

import (
	"time"
)

// Observer receives measurements from many goroutines at once. It must be
// quick.
type Observer interface {
	// Took reports how long one of the Times took.
	Took(what Time, d time.Duration)
	// Happened reports one of the Happenings.
	Happened(what Happening)
}

// Time names a measured step. A click passes through decode, append, queue,
// first and write, in this order.
type Time string

// The Times.
const (
	Decode Time = "decode" // reading a message of a page
	Append Time = "append" // storing an event, until it is on disk
	Queue  Time = "queue"  // a step of a sequence waiting for its turn
	First  Time = "first"  // computing a first hypothesis
	Later  Time = "later"  // computing one of those that follow
	Write  Time = "write"  // handing a message to the network
	Answer Time = "answer" // from reading a message with an event to its first hypothesis being ready to send
	Open   Time = "open"   // loading an image into memory
)

// Times are all of them.
var Times = []Time{Decode, Append, Queue, First, Later, Write, Answer, Open}

// Happening names a counted event.
type Happening string

// The Happenings.
const (
	Dropped  Happening = "step_dropped" // a step of a sequence that nobody waits for any more
	Refused  Happening = "step_refused" // the queue of steps was too long
	Hit      Happening = "image_hit"    // a requested image was in memory
	Miss     Happening = "image_miss"   // a requested image was not in memory
	Evicted  Happening = "image_evicted"
	Unlearnt Happening = "training_failed"  // training a project's model failed; a bug of the server
	Panicked Happening = "background_panic" // opening an image failed, or work at one that nobody waits for; a bug of the server, or damaged evidence
	Diverged Happening = "digest_mismatch"  // an accepted hypothesis differs on this server; must stay at 0
	Rewound  Happening = "log_rewound"      // the database has lost events of an image, as an asynchronous standby can
)

// Happenings are all of them.
var Happenings = []Happening{Dropped, Refused, Hit, Miss, Evicted, Unlearnt, Panicked, Diverged, Rewound}

// Nobody is an Observer that ignores everything.
type Nobody struct{}

// Took does nothing.
func (Nobody) Took(Time, time.Duration) {}

// Happened does nothing.
func (Nobody) Happened(Happening) {}

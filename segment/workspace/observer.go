package workspace

import (
	"time"

	"collie/segment/schedule"
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
	TimeDecode Time = "decode" // reading a message of a page
	TimeAppend Time = "append" // storing an event, until it is on disk
	TimeQueue  Time = "queue"  // a step of a sequence waiting for its turn
	TimeFirst  Time = "first"  // computing a first hypothesis
	TimeLater  Time = "later"  // computing one of those that follow
	TimeWrite  Time = "write"  // handing a message to the network
	TimeAnswer Time = "answer" // from reading a message with an event to its first hypothesis being ready to send
	TimeOpen   Time = "open"   // loading an image into memory
)

// Times are all of them.
var Times = []Time{TimeDecode, TimeAppend, TimeQueue, TimeFirst, TimeLater, TimeWrite, TimeAnswer, TimeOpen}

// Happening names a counted event.
type Happening string

// The Happenings.
const (
	Dropped  Happening = "step_dropped" // a step of a sequence that nobody waits for any more
	Refused  Happening = "step_refused" // the queue of steps was too long
	Hit      Happening = "image_hit"    // a requested image was in memory
	Miss     Happening = "image_miss"   // a requested image was not in memory
	Evicted  Happening = "image_evicted"
	Unlearnt Happening = "training_failed" // training a project's model failed; a bug of the server
	Diverged Happening = "digest_mismatch" // an accepted hypothesis differs on this server; must stay at 0
)

// Happenings are all of them.
var Happenings = []Happening{Dropped, Refused, Hit, Miss, Evicted, Unlearnt, Diverged}

// nobody is an Observer that ignores everything.
type nobody struct{}

func (nobody) Took(Time, time.Duration) {}
func (nobody) Happened(Happening)       {}

// Load returns the current load.
func (w *Workspace) Load() Load {
	w.open.mu.Lock()
	defer w.open.mu.Unlock()
	return Load{Load: w.schedule.Load(), Images: len(w.open.byID), Bytes: w.open.used, Budget: w.open.budget}
}

// Observer returns the workspace's observer.
func (w *Workspace) Observer() Observer { return w.observer }

// Load is a workspace's current work and memory.
type Load struct {
	schedule.Load
	Images int   // prepared images in memory
	Bytes  int64 // estimate of their memory
	Budget int64 // limit for images in memory
}

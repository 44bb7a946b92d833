package workspace

import (
	"time"

	"collie/segment/schedule"
)

// Observer is told what happens, by many goroutines at the same time. It must
// be quick.
type Observer interface {
	// Took says how long one of the Times took.
	Took(what Time, d time.Duration)
	// Happened says that one of the Happenings did.
	Happened(what Happening)
}

// Time names something that takes time. A click passes through decode, append,
// queue, first and write, in this order.
type Time string

// The Times.
const (
	TimeDecode Time = "decode" // reading a message of a page
	TimeAppend Time = "append" // storing an event, until it is on disk
	TimeQueue  Time = "queue"  // a step of a sequence that waits for its turn
	TimeFirst  Time = "first"  // making a first hypothesis
	TimeLater  Time = "later"  // making one of those that follow
	TimeWrite  Time = "write"  // handing a message to the network
	TimeAnswer Time = "answer" // from reading a message with an event to its first hypothesis being ready to send
	TimeOpen   Time = "open"   // bringing an image back into memory
)

// Times are all of them.
var Times = []Time{TimeDecode, TimeAppend, TimeQueue, TimeFirst, TimeLater, TimeWrite, TimeAnswer, TimeOpen}

// Happening names something that is counted.
type Happening string

// The Happenings.
const (
	Dropped  Happening = "step_dropped" // nobody waits for a step of a sequence any more
	Refused  Happening = "step_refused" // the queue of steps was too long
	Hit      Happening = "image_hit"    // an image that was asked for is in memory
	Miss     Happening = "image_miss"   // it is not
	Evicted  Happening = "image_evicted"
	Unlearnt Happening = "training_failed" // of what a project has learnt; the server has a bug then
	Diverged Happening = "digest_mismatch" // a hypothesis that was accepted is another one here; has to stay at 0
)

// Happenings are all of them.
var Happenings = []Happening{Dropped, Refused, Hit, Miss, Evicted, Unlearnt, Diverged}

// nobody is an Observer that is not there.
type nobody struct{}

func (nobody) Took(Time, time.Duration) {}
func (nobody) Happened(Happening)       {}

// Load returns the present load.
func (w *Workspace) Load() Load {
	w.open.mu.Lock()
	defer w.open.mu.Unlock()
	return Load{Load: w.schedule.Load(), Images: len(w.open.byID), Bytes: w.open.used, Budget: w.open.budget}
}

// Observer is who is told what happens.
func (w *Workspace) Observer() Observer { return w.observer }

// Load is what a workspace has to do and holds at a moment.
type Load struct {
	schedule.Load
	Images int   // prepared images in memory
	Bytes  int64 // that they take, about
	Budget int64 // that images in memory may take
}

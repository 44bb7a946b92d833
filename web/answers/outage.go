package answers

import (
	"sync"
	"time"
)

// sayAgain is how long one line of the log stands for all failures that are explained
// in the same words: while a database is away every request fails.
const sayAgain = 10 * time.Second

// outage is what the log has said last of something that is away. Its zero value is
// ready.
type outage struct {
	mu       sync.Mutex
	detail   string
	at       time.Time
	unlogged int // failures since
}

// fails reports whether the log should have a failure, and how many it doesn't have
// since the last one that it has.
func (o *outage) fails(detail string) (unlogged int, say bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if detail == o.detail && time.Since(o.at) < sayAgain {
		o.unlogged++
		return 0, false
	}
	unlogged = o.unlogged
	o.detail, o.at, o.unlogged = detail, time.Now(), 0
	return unlogged, true
}

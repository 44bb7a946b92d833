// Package progress runs the parts of a long computation on all cores and shows
// how far it is, for the commands that measure and learn.
package progress

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Each calls do for 0 to n-1 on all cores and moves a bar, with the words what
// before it, which can be empty. It stops at the first error, and returns that of
// the lowest number among those met.
func (t *Terminal) Each(what string, n int, do func(i int) error) error {
	var mu sync.Mutex
	next, done, failed := 0, 0, n
	var failure error
	b := NewBar(t.Bar, what, n)
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := i >= n || failure != nil || t.Ctx.Err() != nil
				mu.Unlock()
				if stop {
					return
				}
				err := do(i)
				mu.Lock()
				done++
				if err != nil && i < failed {
					failed, failure = i, err
				}
				b.Show(done)
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	b.Clear()
	if failure != nil {
		return failure
	}
	return t.Ctx.Err()
}

// Bar is one line that shows how far a computation is.
type Bar struct {
	to    io.Writer // nil: nobody looks
	what  string
	total int
	start time.Time
	last  time.Time
}

// NewBar returns the bar of total parts that begin now. to is nil when nobody would
// see it move; what is as in Each.
func NewBar(to io.Writer, what string, total int) *Bar {
	if what != "" {
		what += " "
	}
	return &Bar{to: to, what: what, total: total, start: time.Now()}
}

const width = 40

// Show moves the bar to where some parts, at least one, are done.
func (b *Bar) Show(done int) {
	if b.to == nil || time.Since(b.last) < 100*time.Millisecond {
		return
	}
	b.last = time.Now()
	left := time.Duration(float64(time.Since(b.start)) / float64(done) * float64(b.total-done)).Round(time.Second)
	b.Say(done, fmt.Sprintf("%d of %d, %v left ", done, b.total, left))
}

// Say moves the bar to where some parts are done, with words on what goes on.
func (b *Bar) Say(done int, words string) {
	if b.to == nil {
		return
	}
	full := width * min(done, b.total) / max(b.total, 1)
	fmt.Fprintf(b.to, "\r%s[%s%s] %s\x1b[K", b.what, strings.Repeat("#", full), strings.Repeat("-", width-full), words)
}

// Clear takes the bar away.
func (b *Bar) Clear() {
	if b.to != nil {
		fmt.Fprint(b.to, "\r\x1b[K")
	}
}

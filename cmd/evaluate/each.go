package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"
)

// each calls do for 0 to n-1 on all cores and moves the progress bar. It stops
// at the first error, and returns that of the lowest number among those met.
func (t *terminal) each(n int, do func(i int) error) error {
	var mu sync.Mutex
	next, done, failed := 0, 0, n
	var failure error
	b := bar{to: t.bar, total: n, start: time.Now()}
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := i >= n || failure != nil || t.ctx.Err() != nil
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
				b.show(done)
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	b.clear()
	if failure != nil {
		return failure
	}
	return t.ctx.Err()
}

// bar is one line that shows how far the work is.
type bar struct {
	to    io.Writer // nil: nobody looks
	total int
	start time.Time
	last  time.Time
}

const barWidth = 40

func (b *bar) show(done int) {
	if b.to == nil || time.Since(b.last) < 100*time.Millisecond {
		return
	}
	b.last = time.Now()
	full := barWidth * done / b.total
	left := time.Duration(float64(time.Since(b.start)) / float64(done) * float64(b.total-done)).Round(time.Second)
	fmt.Fprintf(b.to, "\r[%s%s] %d of %d, %v left \x1b[K", strings.Repeat("#", full), strings.Repeat("-", barWidth-full), done, b.total, left)
}

func (b *bar) clear() {
	if b.to != nil {
		fmt.Fprint(b.to, "\r\x1b[K")
	}
}
